package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// changeable are the flags of train that may differ from one start to the next.
var changeable = []string{
	"model", "checkpoint", "checkpoint-updates", "checkpoint-minutes",
	"epochs", "updates", "patience", "threads", "log", "progress-updates", "settings", "help",
}

// fileFlags are the flags of train that name files to learn from. The names do not matter.
var fileFlags = []string{"source", "target", "valid-source", "valid-target"}

// settings are the values of the flags of train on which the result depends. Those that name a
// file have the SHA-256 of its contents.
type settings map[string]string

// settingsOf returns the settings of parsed flags.
func settingsOf(flags *pflag.FlagSet) (settings, error) {
	s := settings{}
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case failed != nil || slices.Contains(changeable, f.Name):
		case slices.Contains(fileFlags, f.Name) && f.Value.String() != "":
			s[f.Name], failed = fingerprint(f.Value.String())
		default:
			s[f.Name] = f.Value.String()
		}
	})
	return s, failed
}

// fingerprint returns the SHA-256 of a file's contents.
func fingerprint(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// differences says for each flag how its setting differs from that of the checkpoint. A
// checkpoint without a setting has the default.
func (s settings) differences(flags *pflag.FlagSet, checkpoint settings) []string {
	var list []string
	flags.VisitAll(func(f *pflag.Flag) {
		value, ok := s[f.Name]
		if !ok {
			return
		}
		other, ok := checkpoint[f.Name]
		if !ok {
			other = f.DefValue
		}
		if value == other {
			return
		}
		if slices.Contains(fileFlags, f.Name) {
			list = append(list, fmt.Sprintf("--%s %s has other text", f.Name, visible(f.Value.String())))
		} else {
			list = append(list, fmt.Sprintf("--%s %s, the checkpoint has %s", f.Name, visible(value), visible(other)))
		}
	})
	for name := range checkpoint {
		if flags.Lookup(name) == nil {
			list = append(list, fmt.Sprintf("no --%s, the checkpoint has %s", name, visible(checkpoint[name])))
		}
	}
	slices.Sort(list)
	return list
}

// visible returns the value of a flag as a shell reads it.
func visible(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return fmt.Sprintf("%q", value)
	}
	return value
}
