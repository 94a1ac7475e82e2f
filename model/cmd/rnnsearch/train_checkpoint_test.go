package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/safetensors"
)

// read returns the contents of a file.
func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// untimed returns a checkpoint without the duration of the training.
func untimed(t *testing.T, path string) *safetensors.File {
	t.Helper()
	f, err := safetensors.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	alterNote(t, f, func(n note) {
		if took, err := n.member("Stopwatch")["Training"].(json.Number).Float64(); err != nil || took <= 0 {
			t.Errorf("%s: training took %v, %v", path, took, err)
		}
		delete(n, "Stopwatch")
	})
	return f
}

// sameResult fails unless two folders of trainArgs have the same model and, except for durations, the
// same checkpoint, and dir has no other files than these and the text.
func sameResult(t *testing.T, dir, want string) {
	t.Helper()
	if !bytes.Equal(read(t, dir+"/m"), read(t, want+"/m")) {
		t.Error("models differ")
	}
	got, expected := untimed(t, dir+"/m.checkpoint"), untimed(t, want+"/m.checkpoint")
	if !reflect.DeepEqual(got.Metadata, expected.Metadata) {
		t.Errorf("checkpoint has %s\nwant %s", got.Metadata, expected.Metadata)
	}
	if !reflect.DeepEqual(got.Tensors, expected.Tensors) {
		t.Error("tensors of the checkpoints differ")
	}
	wantFiles(t, dir, "m", "m.checkpoint", "source", "target", "valid-source", "valid-target")
}

// wantFiles fails unless a folder has exactly these files.
func wantFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	if got := entries(t, dir); !slices.Equal(got, names) {
		t.Errorf("%s has %q, want %q", dir, got, names)
	}
}

// TestModelAheadOfCheckpoint resumes with the files of trainings that were killed after writing the first or a later
// model and before writing the checkpoint.
func TestModelAheadOfCheckpoint(t *testing.T) {
	args := func(dir, epochs string) []string { return trainArgs(t, dir, "--best-by", "loss", "--epochs", epochs) }
	whole := t.TempDir()
	mustTrain(t, args(whole, "3"))
	for _, ahead := range []string{"1", "2"} {
		dir := t.TempDir()
		if ahead == "1" {
			interruptAfter(t, 3, args(dir, "1"))
		} else {
			mustTrain(t, args(dir, "1"))
		}
		checkpoint := read(t, dir+"/m.checkpoint")
		mustTrain(t, args(dir, ahead))
		if err := os.WriteFile(dir+"/m.checkpoint", checkpoint, 0o666); err != nil {
			t.Fatal(err)
		}
		mustTrain(t, args(dir, "3"))
		sameResult(t, dir, whole)
	}
}

// interruptAfter interrupts a training after an update.
func interruptAfter(t *testing.T, update int, args []string) {
	t.Helper()
	for n := int64(30); ; n++ { // the preparation checks more often
		if _, stderr, code := executeContext(canceledAfter(n), "", args...); strings.Contains(stderr, fmt.Sprintf("after update %d:", update)) {
			return
		} else if code == 0 {
			t.Fatal("no interruption")
		}
	}
}

// TestComplete repeats the command of a finished training, whose checkpoint is in another folder than the model.
func TestComplete(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	args := trainArgs(t, dir, "--checkpoint", other+"/c")
	mustTrain(t, args)
	wantFiles(t, dir, "m", "source", "target", "valid-source", "valid-target")
	wantFiles(t, other, "c")
	model, checkpoint := allFiles(t, dir), allFiles(t, other)
	out := mustTrain(t, args)
	for _, want := range []string{"\nresumed from " + other + "/c: epoch 2, 10 updates, ", "\ncomplete after 2 epochs; a higher --epochs continues\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%swant %q in it", out, want)
		}
	}
	unchanged(t, dir, model)
	unchanged(t, other, checkpoint)
}

// TestRejectedCheckpoint starts trainings that cannot resume from the checkpoint. DIR stands for the
// folder in flags and messages.
func TestRejectedCheckpoint(t *testing.T) {
	good := t.TempDir()
	mustTrain(t, trainArgs(t, good))
	model, checkpoint := read(t, good+"/m"), read(t, good+"/m.checkpoint")
	altered := bytes.Clone(checkpoint)
	altered[len(altered)-2] ^= 1
	const afresh = "; to start over, choose another --model, or replace this one and DIR/m.checkpoint with --overwrite"
	for _, test := range []struct {
		name, args string
		files      map[string]string // contents that replace the good ones; "" removes the file
		want       string
	}{
		{"batch", "--batch 80", nil, "--batch 80, the checkpoint has 8" + afresh},
		{"several settings", "--embedding 9 --optimizer adam --learning-rate 0.01 --source-language en --tokenizer moses --lowercase", nil,
			`--embedding 9, the checkpoint has 8; --learning-rate 0.01, the checkpoint has 0.001; --lowercase true, the checkpoint has false; ` +
				`--optimizer adam, the checkpoint has adadelta; --source-language en, the checkpoint has ""; --tokenizer moses, the checkpoint has reversible` + afresh},
		{"source", "", map[string]string{"source": strings.Repeat("other text\n", 60)}, "--source DIR/source: other text than in the checkpoint" + afresh},
		{"validation", "", map[string]string{"valid-source": "a", "valid-target": "b"},
			"--valid-source DIR/valid-source: other text than in the checkpoint; --valid-target DIR/valid-target: other text than in the checkpoint" + afresh},
		{"truncated", "", map[string]string{"m.checkpoint": string(checkpoint[:len(checkpoint)-1])}, "open DIR/m.checkpoint: #truncated: "},
		{"altered", "", map[string]string{"m.checkpoint": string(altered)}, "open DIR/m.checkpoint: #wrong checksum: "},
		{"foreign", "", map[string]string{"m.checkpoint": "a text of some words"}, "--checkpoint: open DIR/m.checkpoint: "},
		{"model as checkpoint", "", map[string]string{"m.checkpoint": string(model)},
			`--checkpoint: DIR/m.checkpoint: not a checkpoint of this training: format "softsearch 1", expected "softsearch checkpoint 1"; expected a checkpoint or no file`},
		{"no model", "", map[string]string{"m": ""},
			"--model: stat DIR/m: no such file or directory, expected the best model so far, of epoch " + fmt.Sprint(bestEpoch(t, good)) + afresh},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			args := trainArgs(t, dir, strings.Fields(strings.ReplaceAll(test.args, "DIR", dir))...)
			files := map[string]string{"m": string(model), "m.checkpoint": string(checkpoint)}
			for name, content := range test.files {
				files[name] = content
			}
			for name, content := range files {
				if content == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, stderr, code := execute("", args...)
			got := strings.ReplaceAll(stderr, dir, "DIR")
			want := "^rnnsearch: " + strings.ReplaceAll(regexp.QuoteMeta(test.want), "#", ".*")
			if code != 1 || !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("exit code %d, got %s\nwant rnnsearch: %s", code, got, test.want)
			}
			for name, content := range files {
				if content != "" && string(read(t, filepath.Join(dir, name))) != content {
					t.Errorf("%s has changed", name)
				}
			}
		})
	}
}

// bestEpoch returns the epoch of the best model of a training.
func bestEpoch(t *testing.T, dir string) (epoch int) {
	t.Helper()
	alterCheckpoint(t, dir+"/m.checkpoint", func(n note) { epoch = whole(n.member("State", "Best")["Epoch"]) })
	return epoch
}

// A note is what train adds to a checkpoint, with whatever fields that has.
type note map[string]any

// member returns an object in the note.
func (n note) member(names ...string) note {
	for _, name := range names {
		n = n[name].(map[string]any)
	}
	return n
}

// whole returns an integer of a note.
func whole(value any) int {
	n, err := value.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return int(n)
}

// alterNote changes the note of a checkpoint.
func alterNote(t *testing.T, f *safetensors.File, change func(note)) {
	t.Helper()
	n := note{}
	d := json.NewDecoder(strings.NewReader(f.Metadata["note"]))
	d.UseNumber()
	if err := d.Decode(&n); err != nil {
		t.Fatal(err)
	}
	change(n)
	encoded, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata["note"] = string(encoded)
}

// alterCheckpoint changes the note of a checkpoint in a file.
func alterCheckpoint(t *testing.T, path string, change func(note)) {
	t.Helper()
	f, err := safetensors.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	alterNote(t, f, change)
	if err := safetensors.Save(path, f); err != nil {
		t.Fatal(err)
	}
}
