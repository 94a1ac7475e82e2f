package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestSettingsFile sets flags of every type in a file, required ones among them. The result is the
// same as with these flags on the command line. The command line takes precedence over the file.
func TestSettingsFile(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole, strings.Fields("--optimizer adam --learning-rate 0.01 --dropout-readout 0.30 --source-language en --tokenizer moses --lowercase --seed 7 --epochs 3")...))
	args := trainArgs(t, parts)
	settings := map[string]any{
		"optimizer": "adam", "learning-rate": 1e-2, "dropout-readout": 0.3, "source-language": "en", "tokenizer": "moses", "lowercase": true, "seed": 7, "epochs": 1,
	}
	for i := 1; i < len(args); i += 2 { // the flags of trainArgs, which are numbers or text
		name := strings.TrimPrefix(args[i], "--")
		if settings[name] == nil {
			settings[name] = args[i+1]
			if strings.Trim(args[i+1], "0123456789") == "" {
				settings[name] = json.Number(args[i+1])
			}
		}
	}
	data, err := json.MarshalIndent(settings, " ", "\t")
	if err != nil {
		t.Fatal(err)
	}
	fromFile := []string{"train", "--settings", write(t, "settings.json", string(data))}
	mustTrain(t, fromFile)
	mustTrain(t, append(fromFile, "--epochs", "2"))
	mustTrain(t, append(fromFile, "--epochs", "3"))
	sameResult(t, parts, whole)
	_, stderr, code := execute("", append(fromFile, "--seed", "8")...)
	if code != 1 || !strings.HasPrefix(stderr, "rnnsearch: --seed 8, the checkpoint has 7; ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestSettingsFileGiven checks that flags in a file count as given, like those on the command line.
func TestSettingsFileGiven(t *testing.T) {
	dir := t.TempDir()
	args := without(without(trainArgs(t, dir, "--log", "json"), "--epochs"), "--alignment")
	args = append(args, "--settings", write(t, "settings.json", `{"updates": 7, "epochs": 5, "alignment-model": "dot"}`))
	if got := validations(t, mustTrain(t, append(args, "--updates", "31"))); got != "5, 10, 15, 20, 25, 25 epochs" {
		t.Errorf("got %s", got)
	}
	_, stderr, code := execute("", append(args, "--kind", "encdec")...)
	want := "rnnsearch: --alignment-model dot: expected only with --kind search; with the settings in " + args[len(args)-1] + "\n"
	if code != 1 || stderr != want {
		t.Errorf("exit code %d, got %swant %s", code, stderr, want)
	}
}

// TestSettingsFileTypes checks that a file can set a flag of every type that train has.
func TestSettingsFileTypes(t *testing.T) {
	newTrain().Flags().VisitAll(func(f *pflag.Flag) {
		if jsonTypes[f.Value.Type()] == "" {
			t.Errorf("--%s is of type %s, expected a type in jsonTypes", f.Name, f.Value.Type())
		}
	})
}

// TestSettingsFileErrors runs train with invalid settings files.
func TestSettingsFileErrors(t *testing.T) {
	dir := t.TempDir()
	const object, flag = "expected a JSON object that maps names of flags to values: #", ": expected the name of a flag of train, without dashes, other than settings and help"
	var list []refusal
	for i, test := range []struct{ name, file, want string }{
		{"no object", `["batch", 8]`, object},
		{"null", `null`, object},
		{"cut off", `{"batch": 8`, object},
		{"not UTF-8", "{\"model\": \"\xe9\"}", object},
		{"twice", `{"bpe": 8, "batch": 8, "\u0062pe": 8}`, object},
		{"unknown flag", `{"batch": 8, "fast": true}`, `"fast"` + flag},
		{"other case", `{"Batch": 8}`, `"Batch"` + flag},
		{"settings", `{"settings": "other.json"}`, `"settings"` + flag},
		{"number as text", `{"batch": "8"}`, `--batch "8": expected an integer`},
		{"fraction", `{"batch": 8.5}`, `--batch 8.5: expected an integer`},
		{"list", `{"batch": [8, 9]}`, `--batch [8, 9]: expected an integer`},
		{"no value", `{"batch": null}`, `--batch null: expected an integer`},
		{"negative seed", `{"seed": -1}`, `--seed -1: expected an integer, at least 0`},
		{"logic as number", `{"dropout-readout": true}`, `--dropout-readout true: expected a number`},
		{"large number", `{"dropout-readout": 1e999}`, `--dropout-readout 1e999: expected a number`},
		{"number as logic", `{"lowercase": 1}`, `--lowercase 1: expected true or false`},
		{"text as logic", `{"lowercase": "true"}`, `--lowercase "true": expected true or false`},
		{"number as name", `{"optimizer": 1}`, `--optimizer 1: expected a string`},
		{"number as file", `{"source": [1]}`, `--source [1]: expected a string or a list of strings`},
	} {
		path := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(path, []byte(test.file), 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, refusal{test.name, "train --epochs 1 --settings " + path, "", "--settings DIR/" + string(rune('a'+i)) + ": " + test.want})
	}
	put(t, dir)
	for name, content := range map[string]string{"batch": `{"batch": 0}`} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const files = "train --source DIR/three --target DIR/trois --model DIR/m --settings DIR/"
	checkRefusals(t, dir, slices.Concat(list, []refusal{
		{"no file", files + "no", "", `--settings: open DIR/no: no such file or directory`},
		{"no name of a file", "train --settings=", "", `--settings: open : no such file or directory`},
		{"folder", "train --settings DIR", "", `--settings: open DIR: not a regular file: folder`},
		{"number out of bounds", files + "batch.json", "", `--batch 0: expected 1 to 10000; with the settings in DIR/batch.json`},
	}))
}
