package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// notInFile are the flags of train that a settings file cannot have.
var notInFile = []string{"settings", "help"}

// fileValues says which values of JSON flags take, by their type.
var fileValues = map[string]string{
	"string": "a string", "bool": "true or false", "int": "an integer", "uint64": "an integer from 0 on", "float64": "a number",
}

// An entry is a flag in a settings file and its value in JSON.
type entry struct{ name, value string }

// giveSettings gives the flags of a settings file, as if the command line did. Those that it gives
// keep their values.
func giveSettings(flags *pflag.FlagSet, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--settings: %w", err)
	}
	entries, err := parseSettings(data)
	if err != nil {
		return fmt.Errorf("--settings %s: %w", path, err)
	}
	for _, e := range entries {
		if err := e.give(flags); err != nil {
			return fmt.Errorf("--settings %s: %w", path, err)
		}
	}
	return nil
}

// parseSettings returns the members of a JSON object.
func parseSettings(data []byte) ([]entry, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("invalid UTF-8, expected a JSON object")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil, fmt.Errorf("%w, expected a JSON object", err)
	}
	d := json.NewDecoder(&compact)
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.New("expected a JSON object from names of flags to values")
	}
	var entries []entry
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		e := entry{name.(string), string(value)}
		if slices.ContainsFunc(entries, func(other entry) bool { return other.name == e.name }) {
			return nil, fmt.Errorf("--%s: given twice, expected once", e.name)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// give gives a flag its value, unless it has been given another.
func (e entry) give(flags *pflag.FlagSet) error {
	f := flags.Lookup(e.name)
	if f == nil || slices.Contains(notInFile, e.name) {
		return fmt.Errorf("%q: expected the name of a flag of train, without dashes, other than settings and help", e.name)
	}
	given, before := f.Changed, f.Value.String()
	text, ok := e.text(f.Value.Type())
	if !ok || flags.Set(e.name, text) != nil {
		return fmt.Errorf("--%s %s: expected %s", e.name, e.value, fileValues[f.Value.Type()])
	}
	if given {
		return flags.Set(e.name, before)
	}
	return nil
}

// text returns the value as the command line has it, and whether it is one for that type of flag.
func (e entry) text(flag string) (string, bool) {
	switch e.value[0] {
	case '"':
		var s string
		err := json.Unmarshal([]byte(e.value), &s)
		return s, err == nil && flag == "string"
	case 't', 'f':
		return e.value, flag == "bool"
	case 'n', '[', '{':
		return "", false
	}
	return e.value, flag != "string" && flag != "bool"
}
