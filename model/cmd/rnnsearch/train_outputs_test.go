package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// allFiles returns the contents of all files in a folder.
func allFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range entries(t, dir) {
		all[name] = content(t, filepath.Join(dir, name))
	}
	return all
}

// unchanged fails unless a folder has the same files as before.
func unchanged(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := allFiles(t, dir)
	for name, content := range before {
		if got, ok := after[name]; !ok || got != content {
			t.Errorf("%s has changed; it exists: %t", name, ok)
		}
		delete(after, name)
	}
	for name := range after {
		t.Errorf("%s is new", name)
	}
}

// TestKeepsFiles starts trainings whose outputs must not be written, with and without --overwrite.
func TestKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	base := without(trainArgs(t, dir), "--model")
	for name, content := range map[string]string{
		"notes": "buy milk\n", "settings.json": `{"seed": 1}`, "vocabulary": "the\ncat\n", "codes": "#version: 0.2\nt h\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const input = "is an input, expected another file"
	before := allFiles(t, dir)
	for _, test := range []struct{ args, want string }{
		{"--model DIR/./target", "--model DIR/./target: " + input},
		{"--model DIR/settings.json --settings DIR/settings.json", "--model DIR/settings.json: " + input},
		{"--model DIR/vocabulary --source-vocabulary DIR/vocabulary", "--model DIR/vocabulary: " + input},
		{"--model DIR/codes --codes DIR/codes", "--model DIR/codes: " + input},
		{"--model DIR/m --checkpoint DIR/valid-target", "--checkpoint DIR/valid-target: " + input},
		{"--model DIR/notes --checkpoint DIR/./notes", "--checkpoint DIR/./notes: same file as --model"},
		{"--model DIR", "--model DIR: is a folder, expected a file"},
		{"--model " + os.DevNull, "--model " + os.DevNull + ": not a regular file"},
		{"--model DIR/notes", "--model DIR/notes: exists already, expected a new file or --overwrite"},
		{"--model DIR/m --checkpoint DIR/notes", "--checkpoint: open DIR/notes: "},
	} {
		for _, flag := range []string{"", " --overwrite"} {
			if flag != "" && strings.HasSuffix(test.args, "DIR/notes") {
				test.want = strings.TrimPrefix(test.args, "--model DIR/m ") + ": is not a model of rnnsearch, and --overwrite replaces nothing else"
			}
			args := strings.Fields(strings.ReplaceAll(test.args, "DIR", dir) + flag)
			_, stderr, code := execute("", append(base, args...)...)
			if got := strings.ReplaceAll(stderr, dir, "DIR"); code != 1 || !strings.HasPrefix(got, "rnnsearch: "+test.want) {
				t.Errorf("%s%s: exit code %d, got %swant %s", test.args, flag, code, got, test.want)
			}
			unchanged(t, dir, before)
		}
	}
}

// TestOverwrite replaces a finished training by another: the old files stay until the new ones are
// complete, and the result is that of a training without old files. After an interruption, the
// command without --overwrite resumes.
func TestOverwrite(t *testing.T) {
	short := shortValidation(t)
	more := append(short, "--seed", "2", "--best-by", "loss")
	whole := t.TempDir()
	n, step := places(t, trainArgs(t, whole, more...))
	for ; ; n += step {
		dir := t.TempDir()
		mustTrain(t, trainArgs(t, dir, short...))
		old := allFiles(t, dir)
		args := trainArgs(t, dir, more...)
		if _, stderr, code := execute("", args...); code != 1 || !strings.HasSuffix(stderr, "; to start over, choose another --model, or replace this one and "+dir+"/m.checkpoint with --overwrite\n") {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		_, stderr, code := executeContext(canceledAfter(n), "", append(args, "--overwrite")...)
		if code == 0 {
			sameResult(t, dir, whole)
			break
		}
		if stderr == "rnnsearch: interrupted\n" {
			unchanged(t, dir, old)
			continue
		}
		if !strings.HasSuffix(stderr, ": run the same command without --overwrite to resume from "+dir+"/m.checkpoint\n") {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		var best any
		alterCheckpoint(t, dir+"/m.checkpoint", func(n note) { best = n.member("State")["Best"] })
		if replaced := string(read(t, dir+"/m")) != old["m"]; replaced != (best != nil) {
			t.Errorf("best %v, the model has been replaced: %t", best, replaced)
		}
		mustTrain(t, args)
		sameResult(t, dir, whole)
	}
}

// TestOtherModel resumes with a file that is not the model of the checkpoint: it stays.
func TestOtherModel(t *testing.T) {
	other, dir, unvalidated := t.TempDir(), t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, other, "--seed", "9"))
	mustTrain(t, trainArgs(t, dir, "--best-by", "loss"))
	interruptAfter(t, 3, trainArgs(t, unvalidated, "--best-by", "loss", "--epochs", "3"))
	for _, dir := range []string{dir, unvalidated} {
		for name, content := range map[string][]byte{"model": read(t, other+"/m"), "text": []byte("buy milk\n")} {
			if err := os.WriteFile(dir+"/m", content, 0o666); err != nil {
				t.Fatal(err)
			}
			before := allFiles(t, dir)
			_, stderr, code := execute("", trainArgs(t, dir, "--best-by", "loss", "--epochs", "3")...)
			if want := "rnnsearch: --model " + dir + "/m: replaced by another program during the training"; code != 1 || !strings.HasPrefix(stderr, want) {
				t.Errorf("%s: exit code %d, got %swant %s", name, code, stderr, want)
			}
			unchanged(t, dir, before)
		}
	}
}

// TestReplacedDuringTraining replaces the model file while a training runs, which ends instead of replacing it.
func TestReplacedDuringTraining(t *testing.T) {
	dir := t.TempDir()
	const notes = "buy milk\n"
	stdout := onMessage{f: func() {
		if _, err := os.Stat(dir + "/m"); err != nil {
			return
		}
		if err := errors.Join(os.WriteFile(dir+"/m.new", []byte(notes), 0o666), os.Rename(dir+"/m.new", dir+"/m")); err != nil {
			t.Error(err)
		}
	}}
	var stderr bytes.Buffer
	code := run(t.Context(), trainArgs(t, dir, "--epochs", "9", "--best-by", "loss"), strings.NewReader(""), &stdout, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "/m: replaced by another program during the training") || content(t, dir+"/m") != notes {
		t.Errorf("exit code %d, %s%s", code, &stderr, &stdout)
	}
}

// TestLongestSource checks the length in the model file of a training that is resumed.
func TestLongestSource(t *testing.T) {
	dir := t.TempDir()
	for _, epochs := range []string{"1", "2"} {
		mustTrain(t, trainArgs(t, dir, "--max-length", "15", "--best-by", "loss", "--epochs", epochs))
	}
	if m, err := model.Open(dir + "/m"); err != nil || m.LongestSource != 15 {
		t.Errorf("longest source %d, want 15, error %v", m.LongestSource, err)
	}
}
