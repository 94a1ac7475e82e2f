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

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/internal/temporary"
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

// untimed returns a checkpoint without the duration of the training and the digest of the best model
// but one, which depends on the times of the validations.
func untimed(t *testing.T, path string) *safetensors.File {
	t.Helper()
	f, err := safetensors.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	alterNote(t, f, func(n note) {
		if took, err := n.member("Clock")["Training"].(json.Number).Float64(); err != nil || took <= 0 {
			t.Errorf("%s: training took %v, %v", path, took, err)
		}
		delete(n, "Clock")
		delete(n, "ModelBefore")
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
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("%s has %q, want %q", dir, got, names)
	}
}

// TestMoreEpochs continues finished trainings with a higher --epochs, to the same bits as a single
// training of that many epochs.
func TestMoreEpochs(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole, "--epochs", "5"))
	for _, epochs := range []string{"1", "3", "3", "5"} {
		mustTrain(t, trainArgs(t, parts, "--epochs", epochs))
	}
	sameResult(t, parts, whole)
}

// TestComplete repeats the command of a finished training.
func TestComplete(t *testing.T) {
	dir := t.TempDir()
	args := trainArgs(t, dir)
	mustTrain(t, args)
	model, checkpoint := read(t, dir+"/m"), read(t, dir+"/m.checkpoint")
	out := mustTrain(t, args)
	for _, want := range []string{"\nresumed from " + dir + "/m.checkpoint: epoch 2, 10 updates, ", "\ncomplete after 2 epochs; a higher --epochs continues\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%swant %q in it", out, want)
		}
	}
	if !bytes.Equal(read(t, dir+"/m"), model) || !bytes.Equal(read(t, dir+"/m.checkpoint"), checkpoint) {
		t.Error("the files have changed")
	}
}

// TestOlderSettings compares with checkpoints of other versions, which lack a flag or have one that
// does not exist.
func TestOlderSettings(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Int("batch", 80, "")
	flags.String("language", "", "")
	for _, test := range []struct {
		args []string
		then map[string]string
		want []string
	}{
		{nil, map[string]string{}, nil},
		{nil, map[string]string{"batch": "80", "language": ""}, nil},
		{[]string{"--batch", "9", "--language", "en"}, map[string]string{}, []string{`--batch 9, the checkpoint has 80`, `--language en, the checkpoint has ""`}},
		{nil, map[string]string{"batch": "80", "old": "a b"}, []string{`--batch 9, the checkpoint has 80`, `--language en, the checkpoint has ""`, `no --old, the checkpoint has "a b"`}},
	} {
		if err := flags.Parse(test.args); err != nil {
			t.Fatal(err)
		}
		now := settingsOf(flags)
		if got := differences(flags, now, test.then); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %q, want %q", now, got, test.want)
		}
	}
}

// TestCheckpointFile saves the checkpoint in another folder than the model.
func TestCheckpointFile(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	args := trainArgs(t, dir, "--checkpoint", other+"/c")
	mustTrain(t, args)
	wantFiles(t, dir, "m", "source", "target", "valid-source", "valid-target")
	wantFiles(t, other, "c")
	if out := mustTrain(t, args); !strings.Contains(out, "resumed from "+other+"/c") {
		t.Errorf("got %s", out)
	}
}

// TestTemporaries checks that train removes its own temporary files of a killed training, and no
// others.
func TestTemporaries(t *testing.T) {
	dir := t.TempDir()
	args := trainArgs(t, dir)
	stay := []string{"m", "m.0123456789abcdef.tmp", "m.1.tmp", "m.checkpoint", "source", "target", "valid-source", "valid-target"}
	for _, name := range []string{"m.0123456789abcdef.tmp", "m.1.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, output := range []string{"m", "m.checkpoint", "mm"} {
		f, err := temporary.Create(filepath.Join(dir, output), 0o666)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if output == "mm" {
			stay = append(stay, filepath.Base(f.Name()))
		}
	}
	mustTrain(t, args)
	slices.Sort(stay)
	wantFiles(t, dir, stay...)
}

// TestRejectedCheckpoint starts trainings that cannot resume from the checkpoint. DIR stands for the
// folder in flags and messages.
func TestRejectedCheckpoint(t *testing.T) {
	good := t.TempDir()
	mustTrain(t, trainArgs(t, good))
	model, checkpoint := read(t, good+"/m"), read(t, good+"/m.checkpoint")
	altered := bytes.Clone(checkpoint)
	altered[len(altered)-2] ^= 1
	withoutDigests(t, good+"/m.checkpoint")
	older := string(read(t, good+"/m.checkpoint"))
	const afresh = "; to start over, choose another --model, or replace this one and DIR/m.checkpoint with --overwrite"
	for _, test := range []struct {
		name, args string
		files      map[string]string // contents that replace the good ones; "" removes the file
		want       string
	}{
		{"batch", "--batch 80", nil, "--batch 80, the checkpoint has 8" + afresh},
		{"all settings", "--embedding 9 --hidden 17 --maxout 9 --vocab 51 --max-length 21 --batch 9 --order predict-first --seed 2 --best-by loss " +
			"--optimizer adam --learning-rate 0.01 --warmup 5 --decay 9 " +
			"--dropout-embedding 0.1 --dropout-context 0.2 --dropout-readout 0.3 --label-smoothing 0.4 --average 0.9 " +
			"--source-language en --target-language fr --lowercase --bpe 5 --bpe-threshold 2 --alignment-model general --alignment 17", nil,
			"--alignment 17, the checkpoint has 8; --alignment-model general, the checkpoint has additive; --average 0.9, the checkpoint has 0; --batch 9, the checkpoint has 8; --best-by loss, the checkpoint has bleu; " +
				"--bpe 5, the checkpoint has 0; --bpe-threshold 2, the checkpoint has 0; --decay 9, the checkpoint has 0; " +
				"--dropout-context 0.2, the checkpoint has 0; --dropout-embedding 0.1, the checkpoint has 0; " +
				"--dropout-readout 0.3, the checkpoint has 0; --embedding 9, the checkpoint has 8; --hidden 17, the checkpoint has 16; " +
				"--label-smoothing 0.4, the checkpoint has 0; --learning-rate 0.01, the checkpoint has 0.001; " +
				"--lowercase true, the checkpoint has false; --max-length 21, the checkpoint has 20; --maxout 9, the checkpoint has 8; " +
				"--optimizer adam, the checkpoint has adadelta; --order predict-first, the checkpoint has update-first; " +
				"--seed 2, the checkpoint has 1; " +
				`--source-language en, the checkpoint has ""; --target-language fr, the checkpoint has ""; ` +
				"--vocab 51, the checkpoint has 50; --warmup 5, the checkpoint has 0" + afresh},
		{"precision", "--precision bf16", nil, "--precision bf16, the checkpoint has float32" + afresh},
		{"source", "", map[string]string{"source": strings.Repeat("other text\n", 60)}, "--source DIR/source: other text than in the checkpoint" + afresh},
		{"target", "", map[string]string{"target": strings.Repeat("other text\n", 60)}, "--target DIR/target: other text than in the checkpoint" + afresh},
		{"validation", "", map[string]string{"valid-source": "a", "valid-target": "b"},
			"--valid-source DIR/valid-source: other text than in the checkpoint; --valid-target DIR/valid-target: other text than in the checkpoint" + afresh},
		{"truncated", "", map[string]string{"m.checkpoint": string(checkpoint[:len(checkpoint)-1])}, "open DIR/m.checkpoint: #truncated: "},
		{"altered", "", map[string]string{"m.checkpoint": string(altered)}, "open DIR/m.checkpoint: #wrong checksum: "},
		{"foreign", "", map[string]string{"m.checkpoint": "a text of some words"}, "--checkpoint: open DIR/m.checkpoint: "},
		{"model as checkpoint", "", map[string]string{"m.checkpoint": string(model)},
			`--checkpoint: DIR/m.checkpoint: not a checkpoint of this training: format "softsearch 1", expected "softsearch checkpoint 1"; expected a checkpoint or no file`},
		{"checkpoint is the model", "--checkpoint DIR/./m", nil, "--checkpoint DIR/./m: same file as --model"},
		{"checkpoint is a folder", "--checkpoint DIR", nil, "--checkpoint DIR: is a folder, expected a file"},
		{"no model", "", map[string]string{"m": "", "m.checkpoint": older},
			"--model: open DIR/m: no such file or directory, expected the best model so far, of epoch " + fmt.Sprint(bestEpoch(t, good)) + afresh},
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

// TestModelAheadOfCheckpoint resumes with the files of a training of an older program that was killed
// after writing the model and before writing the checkpoint.
func TestModelAheadOfCheckpoint(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole, "--epochs", "6"))
	mustTrain(t, trainArgs(t, dir, "--epochs", "2"))
	withoutDigests(t, dir+"/m.checkpoint")
	checkpoint := read(t, dir+"/m.checkpoint")
	mustTrain(t, trainArgs(t, dir, "--epochs", "6"))
	if err := os.WriteFile(dir+"/m.checkpoint", checkpoint, 0o666); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, trainArgs(t, dir, "--epochs", "6"))
	sameResult(t, dir, whole)
}

// withoutDigests makes a checkpoint one of an older program, which did not record the model file.
func withoutDigests(t *testing.T, path string) {
	t.Helper()
	alterCheckpoint(t, path, note.removeDigests)
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

func (n note) removeDigests() {
	delete(n, "Model")
	delete(n, "ModelBefore")
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

// removeMetadata removes a key from the metadata of a safetensors file.
func removeMetadata(t *testing.T, path, key string) {
	t.Helper()
	f, err := safetensors.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Metadata[key] == "" {
		t.Fatalf("%s has no %s", path, key)
	}
	delete(f.Metadata, key)
	if err := safetensors.Save(path, f); err != nil {
		t.Fatal(err)
	}
}

// epochsOf returns the number of epochs of a checkpoint.
func epochsOf(t *testing.T, path string) (epochs int) {
	t.Helper()
	alterCheckpoint(t, path, func(n note) { epochs = whole(n.member("State")["Epochs"]) })
	return epochs
}
