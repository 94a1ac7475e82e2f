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
	mustTrain(t, trainArgs(t, whole, strings.Fields("--optimizer adam --learning-rate 0.01 --dropout-readout 0.30 --source-language en --lowercase --seed 7 --epochs 3")...))
	args := trainArgs(t, parts)
	settings := map[string]any{
		"optimizer": "adam", "learning-rate": 1e-2, "dropout-readout": 0.3, "source-language": "en", "lowercase": true, "seed": 7, "epochs": 1,
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
	const object = "expected a JSON object"
	var list []refusal
	for i, test := range []struct{ name, file, want string }{
		{"empty", ``, `unexpected end of JSON input, ` + object},
		{"no object", `["batch", 8]`, object + ` that maps names of flags to values`},
		{"null", `null`, object + ` that maps names of flags to values`},
		{"text", `--batch 8`, `invalid character '-' in numeric literal, ` + object},
		{"cut off", `{"batch": 8`, `unexpected end of JSON input, ` + object},
		{"comma at the end", `{"batch": 8,}`, `invalid character '}' looking for beginning of object key string, ` + object},
		{"trailing data", `{"batch": 8} {"batch": 8}`, `invalid character '{' after top-level value, ` + object},
		{"not UTF-8", "{\"model\": \"\xe9\"}", `invalid UTF-8, ` + object},
		{"unknown flag", `{"batch": 8, "fast": true}`, `"fast": expected the name of a flag of train, without dashes, other than settings and help`},
		{"dashes", `{"--batch": 8}`, `"--batch": expected the name of a flag of train, without dashes, other than settings and help`},
		{"other case", `{"Batch": 8}`, `"Batch": expected the name of a flag of train, without dashes, other than settings and help`},
		{"help", `{"help": true}`, `"help": expected the name of a flag of train, without dashes, other than settings and help`},
		{"settings", `{"settings": "other.json"}`, `"settings": expected the name of a flag of train, without dashes, other than settings and help`},
		{"twice", `{"bpe": 8, "batch": 8, "\u0062pe": 8}`, `--bpe: given twice, expected once`},
		{"number as text", `{"batch": "8"}`, `--batch "8": expected an integer`},
		{"fraction", `{"batch": 8.5}`, `--batch 8.5: expected an integer`},
		{"large integer", `{"batch": 99999999999999999999}`, `--batch 99999999999999999999: expected an integer`},
		{"list", `{"batch": [8,
			9]}`, `--batch [8,9]: expected an integer`},
		{"no value", `{"batch": null}`, `--batch null: expected an integer`},
		{"overridden", `{"epochs": {"most": 3}}`, `--epochs {"most":3}: expected an integer`},
		{"negative seed", `{"seed": -1}`, `--seed -1: expected an integer, at least 0`},
		{"logic as number", `{"dropout-readout": true}`, `--dropout-readout true: expected a number`},
		{"large number", `{"dropout-readout": 1e999}`, `--dropout-readout 1e999: expected a number`},
		{"number as logic", `{"lowercase": 1}`, `--lowercase 1: expected true or false`},
		{"text as logic", `{"lowercase": "true"}`, `--lowercase "true": expected true or false`},
		{"number as name", `{"optimizer": 1}`, `--optimizer 1: expected a string`},
	} {
		path := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(path, []byte(test.file), 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, refusal{test.name, "train --epochs 1 --settings " + path, "", "--settings DIR/" + string(rune('a'+i)) + ": " + test.want})
	}
	put(t, dir)
	for name, content := range map[string]string{"batch": `{"batch": 0}`, "optimizer": `{"optimizer": "sgd"}`, "source": `{"valid-source": "a"}`} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const files = "train --source DIR/three --target DIR/three --model DIR/m --settings DIR/"
	checkRefusals(t, dir, slices.Concat(list, []refusal{
		{"no file", files + "no", "", `--settings: open DIR/no: no such file or directory`},
		{"no name of a file", "train --settings=", "", `--settings: open : no such file or directory`},
		{"folder", "train --settings DIR", "", `--settings: open DIR: not a regular file: folder`},
		{"number out of bounds", files + "batch.json", "", `--batch 0: expected 1 to 10000; with the settings in DIR/batch.json`},
		{"name that is none", files + "optimizer.json", "", `--optimizer "sgd": expected adadelta or adam; with the settings in DIR/optimizer.json`},
		{"one validation file", files + "source.json", "",
			"--valid-source: expected --valid-target, too\nusage: rnnsearch train --source FILE --target FILE --model FILE [flags]; see rnnsearch train --help"},
	}))
}

// TestFormerFlagName uses --score, the former name of --alignment-model, on the command line, in a
// settings file and in a checkpoint. Former and present names resume each other's trainings.
func TestFormerFlagName(t *testing.T) {
	dir := t.TempDir()
	args := without(trainArgs(t, dir), "--alignment")
	mustTrain(t, append(args, "--epochs", "1", "--alignment-model", "general"))
	file := write(t, "settings.json", `{"score": "general"}`)
	mustTrain(t, append(args, "--epochs", "2", "--score", "general"))
	renameSetting(t, dir+"/m.checkpoint", "alignment-model", "score")
	mustTrain(t, append(args, "--epochs", "3", "--settings", file))
	renameSetting(t, dir+"/m.checkpoint", "alignment-model", "score")
	mustTrain(t, append(args, "--epochs", "4", "--alignment-model", "general"))

	whole := t.TempDir()
	mustTrain(t, append(without(trainArgs(t, whole), "--alignment"), "--epochs", "4", "--alignment-model", "general"))
	sameResult(t, dir, whole)

	twice := write(t, "twice.json", `{"score": "dot", "alignment-model": "dot"}`)
	renameSetting(t, dir+"/m.checkpoint", "alignment-model", "score")
	for _, test := range []struct{ flags, want string }{
		{"--score dot", "--alignment-model dot, the checkpoint has general; to start over, choose another --model, or replace this one and " + dir + "/m.checkpoint with --overwrite"},
		{"--score cosine", `--alignment-model "cosine": expected additive, dot or general`},
		{"--settings " + twice, "--settings " + twice + ": --alignment-model: given twice, expected once"},
	} {
		_, stderr, code := execute("", append(args, strings.Fields(test.flags)...)...)
		if code != 1 || stderr != "rnnsearch: "+test.want+"\n" {
			t.Errorf("%s: exit code %d, got %swant rnnsearch: %s", test.flags, code, stderr, test.want)
		}
	}
}

// renameSetting renames a setting in a checkpoint, which must have it.
func renameSetting(t *testing.T, path, from, to string) {
	t.Helper()
	alterCheckpoint(t, path, func(n note) {
		s := n.member("Settings")
		if s[from] == nil {
			t.Fatalf("no setting %s in %v", from, s)
		}
		s[to] = s[from]
		delete(s, from)
	})
}
