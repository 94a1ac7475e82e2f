package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// currentFlagName returns the name of a flag of train by its present or former name. It makes
// command lines, settings files and checkpoints with former names work.
func currentFlagName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "score" {
		name = "alignment-model"
	}
	return pflag.NormalizedName(name)
}

var jsonTypes = map[string]string{
	"string": "a string", "strings": "a string or a list of strings", "bool": "true or false", "int": "an integer", "uint64": "an integer, at least 0", "float64": "a number",
	"duration": "a time such as 30s", "switch": "on or off",
}

// A setting is a member of a settings file: a flag and its value in JSON.
type setting struct{ name, value string }

// setFromFile sets the flags in the settings file of --settings that the command line does not set. They
// count as given.
func (o *trainOptions) setFromFile(flags *pflag.FlagSet) error {
	if !flags.Changed("settings") {
		return nil
	}
	const limit = 1 << 20
	data, err := files.ReadFile(o.settings, limit)
	if err != nil {
		return fmt.Errorf("--settings: %w", err)
	}
	if err := setFrom(flags, data); err != nil {
		return fmt.Errorf("--settings %s: %w", o.settings, err)
	}
	return nil
}

// setFrom sets the flags in a JSON object that are not set, without some.
func setFrom(flags *pflag.FlagSet, data []byte, without ...string) error {
	list, err := parseSettings(data)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range list {
		if slices.Contains(without, s.name) {
			continue
		}
		if err := s.set(flags, seen); err != nil {
			return err
		}
	}
	return nil
}

func parseSettings(data []byte) ([]setting, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("invalid UTF-8, expected a JSON object")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil, fmt.Errorf("%w, expected a JSON object", err)
	}
	d := json.NewDecoder(&compact)
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.New("expected a JSON object that maps names of flags to values")
	}
	var list []setting
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		list = append(list, setting{name.(string), string(value)})
	}
	return list, nil
}

// set sets the flag of a setting, unless it is set: then it only checks the value. It
// returns an error if the flag is in seen, and adds it.
func (s setting) set(flags *pflag.FlagSet, seen map[string]bool) error {
	f := flags.Lookup(s.name)
	if f == nil || f.Name == "settings" || f.Name == "help" {
		return fmt.Errorf("%q: expected the name of a flag of train, without dashes, other than settings and help", s.name)
	}
	if seen[f.Name] {
		return fmt.Errorf("--%s: given twice, expected once", f.Name)
	}
	seen[f.Name] = true
	if _, ok := f.Value.(*paths); ok {
		return s.setPaths(flags, f)
	}
	given, before := f.Changed, f.Value.String()
	value, ok := s.flagValue(f.Value.Type())
	if !ok || flags.Set(f.Name, value) != nil {
		return fmt.Errorf("--%s %s: expected %s", f.Name, s.value, jsonTypes[f.Value.Type()])
	}
	if given {
		return flags.Set(f.Name, before)
	}
	return nil
}

// setPaths is set for a flag that may be repeated, whose value may be a list.
func (s setting) setPaths(flags *pflag.FlagSet, f *pflag.Flag) error {
	values := make([]string, 1)
	if json.Unmarshal([]byte(s.value), &values[0]) != nil && json.Unmarshal([]byte(s.value), &values) != nil || s.value == "null" {
		return fmt.Errorf("--%s %s: expected %s", f.Name, s.value, jsonTypes[f.Value.Type()])
	}
	if f.Changed {
		return nil
	}
	for _, value := range values {
		if err := flags.Set(f.Name, value); err != nil {
			return err
		}
	}
	return nil
}

// flagValue returns the value as it stands on a command line, and whether its JSON type fits that
// type of flag.
func (s setting) flagValue(flagType string) (string, bool) {
	switch s.value[0] {
	case '"':
		var value string
		err := json.Unmarshal([]byte(s.value), &value)
		return value, err == nil && flagType == "string"
	case 't', 'f':
		return s.value, flagType == "bool"
	case 'n', '[', '{':
		return "", false
	}
	return s.value, flagType != "string" && flagType != "bool"
}

// changeableFlags may differ when a training resumes.
var changeableFlags = []string{
	"model", "checkpoint", "checkpoint-updates", "checkpoint-minutes",
	"epochs", "updates", "patience", "threads", "log", "log-file", "progress-updates", "settings", "recipe", "help", "overwrite", "no-lock", "strict", "cache",
}

// textFlags name text files, whose paths may differ when a training resumes.
var textFlags = []string{"source", "target", "valid-source", "valid-target", "source-vocabulary", "target-vocabulary", "codes", "init", "guided-alignment"}

// addInputs adds the files that flags name to read.
func (o *trainOptions) addInputs(flags *pflag.FlagSet) error {
	for _, name := range append([]string{"settings"}, textFlags...) {
		value := flags.Lookup(name).Value
		list := []string{value.String()}
		if repeated, ok := value.(*paths); ok {
			list = *repeated
		}
		for _, path := range list {
			if err := o.AddInput(name, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// formerDefaults are the settings of a checkpoint from before a flag, where they are not the defaults of
// the flag.
var formerDefaults = training.Settings{"tokenizer": corpus.Moses}

// optionalFlags are settings that a checkpoint does not have if they are the defaults.
var optionalFlags = []string{"source-vocabulary", "target-vocabulary", "codes", "precision", "shards", "length-ratio", "drop-duplicates", "bpe-sample", "batch-words", "valid-updates", "init", "copies", "guided-alignment", "guided-weight"}

// settingsOf returns the settings in parsed flags, without the checksums of text files.
func settingsOf(flags *pflag.FlagSet) training.Settings {
	s := training.Settings{}
	flags.VisitAll(func(f *pflag.Flag) {
		isText := slices.Contains(textFlags, f.Name) && f.Value.String() != ""
		if !isText && !slices.Contains(changeableFlags, f.Name) {
			s[f.Name] = f.Value.String()
		}
	})
	return s
}

// differences describes each setting that differs from the checkpoint's. A setting that an older
// checkpoint does not have is the default there.
func differences(flags *pflag.FlagSet, s, checkpoint map[string]string) []string {
	saved := map[string]string{}
	for name, value := range checkpoint {
		saved[string(flags.GetNormalizeFunc()(flags, name))] = value
	}
	var list []string
	flags.VisitAll(func(f *pflag.Flag) {
		value, ok := s[f.Name]
		if !ok {
			return
		}
		other, ok := saved[f.Name]
		if !ok {
			other = f.DefValue
		}
		if former, exists := formerDefaults[f.Name]; exists && !ok {
			other = former
		}
		if value == other {
			return
		}
		switch {
		case f.Name == "init":
			list = append(list, fmt.Sprintf("--init %s: another model than in the checkpoint", visible(f.Value.String())))
		case slices.Contains(textFlags, f.Name):
			list = append(list, fmt.Sprintf("--%s %s: other text than in the checkpoint", f.Name, visible(f.Value.String())))
		default:
			list = append(list, fmt.Sprintf("--%s %s, the checkpoint has %s", f.Name, visible(value), visible(other)))
		}
	})
	for name, value := range saved {
		if flags.Lookup(name) == nil {
			list = append(list, fmt.Sprintf("no --%s, the checkpoint has %s", name, visible(value)))
		}
	}
	slices.Sort(list)
	return list
}

// keepTokenizer goes on with the tokenizer of a checkpoint without --tokenizer, whose settings stay as
// they are.
func (o *trainOptions) keepTokenizer(flags *pflag.FlagSet, s, checkpoint training.Settings) {
	const name = "tokenizer"
	if _, ok := checkpoint[name]; ok {
		return
	}
	if !flags.Changed(name) {
		o.text.Tokenizer = formerDefaults[name]
	}
	if o.text.Tokenizer == formerDefaults[name] {
		delete(s, name)
	}
}

// prepare returns the text and the settings of a training. The settings must be those of the checkpoint,
// unless that is nil. Flags are compared before the text is read.
func (o *trainOptions) prepare(ctx context.Context, flags *pflag.FlagSet, checkpoint training.Settings, inMemory bool) (*corpus.Corpus, training.Settings, error) {
	s := settingsOf(flags)
	if !o.text.HasLanguage() {
		delete(s, "tokenizer")
	}
	if i := o.text.Initial; i != nil {
		s["init"] = i.Digest
	}
	compare := func(s map[string]string) error {
		if list := differences(flags, s, checkpoint); checkpoint != nil && list != nil {
			return o.Reject(errors.New(strings.Join(list, "; ")))
		}
		return nil
	}
	if checkpoint != nil {
		o.keepTokenizer(flags, s, checkpoint)
		if checkpoint["guided-alignment"] == "" { // then some checkpoints have a weight of 0
			delete(checkpoint, "guided-weight")
		}
	}
	if err := compare(s); err != nil {
		return nil, nil, err
	}
	text := o.text
	text.NoLock = o.NoLock
	if inMemory {
		text.Cache, text.KeepCache = "", false
	}
	c, err := corpus.Prepare(ctx, text, o.Threads, o.Reporter)
	if err != nil {
		return nil, nil, err
	}
	if err := compare(c.Checksums); err != nil {
		c.Close()
		return nil, nil, err
	}
	if maps.Copy(s, c.Checksums); checkpoint == nil {
		o.adviseRecipe(flags, c)
	}
	for _, name := range optionalFlags {
		if s[name] == flags.Lookup(name).DefValue {
			delete(s, name)
		}
	}
	return c, s, nil
}

// visible returns the value of a flag, quoted where a shell needs quotes.
func visible(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return fmt.Sprintf("%q", value)
	}
	return value
}

// paths are the values of a flag that may be repeated.
type paths []string

func (p *paths) String() string { return strings.Join(*p, string(os.PathListSeparator)) }
func (p *paths) Type() string   { return "strings" }

// Set adds a path.
func (p *paths) Set(path string) error {
	*p = append(*p, path)
	return nil
}
