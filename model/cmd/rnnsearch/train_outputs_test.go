package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/internal/temporary"
)

// allFiles returns the contents of all files in a folder.
func allFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		all[e.Name()] = string(read(t, filepath.Join(dir, e.Name())))
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

// TestKeepsFiles starts trainings whose outputs are files of other kinds: none of them changes, with
// and without --overwrite.
func TestKeepsFiles(t *testing.T) {
	finished := t.TempDir()
	mustTrain(t, trainArgs(t, finished))
	trained, checkpoint := read(t, finished+"/m"), read(t, finished+"/m.checkpoint")

	dir := t.TempDir()
	base := without(trainArgs(t, dir), "--model")
	for name, content := range map[string][]byte{
		"notes": []byte("buy milk\n"), "old": trained, "lone.checkpoint": checkpoint, "settings.json": []byte(`{"seed": 1}`),
		"vocabulary": []byte("the\ncat\n"), "codes": []byte("#version: 0.2\nt h\n"), "truncated": trained[:len(trained)-1],
		"poetry.lock": []byte("# not of train"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(dir+"/source", dir+"/hard"); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("target", dir+"/soft"); err != nil {
		t.Skip(err)
	}
	const input = "is an input, expected another file"
	const exists = "exists already, expected a new file or --overwrite"
	before := allFiles(t, dir)
	for _, test := range []struct{ args, want, overwrite string }{
		{"--model DIR/source", "--model DIR/source: " + input, "--model DIR/source: " + input},
		{"--model DIR/hard", "--model DIR/hard: " + input, "--model DIR/hard: " + input},
		{"--model DIR/soft", "--model DIR/soft: " + input, "--model DIR/soft: " + input},
		{"--model DIR/./target", "--model DIR/./target: " + input, "--model DIR/./target: " + input},
		{"--model DIR/valid-source", "--model DIR/valid-source: " + input, "--model DIR/valid-source: " + input},
		{"--model DIR/settings.json --settings DIR/settings.json", "--model DIR/settings.json: " + input, "--model DIR/settings.json: " + input},
		{"--model DIR/vocabulary --source-vocabulary DIR/vocabulary", "--model DIR/vocabulary: " + input, "--model DIR/vocabulary: " + input},
		{"--model DIR/vocabulary --target-vocabulary DIR/vocabulary", "--model DIR/vocabulary: " + input, "--model DIR/vocabulary: " + input},
		{"--model DIR/codes --codes DIR/codes", "--model DIR/codes: " + input, "--model DIR/codes: " + input},
		{"--model DIR/m --checkpoint DIR/hard", "--checkpoint DIR/hard: " + input, "--checkpoint DIR/hard: " + input},
		{"--model DIR/m --checkpoint DIR/valid-target", "--checkpoint DIR/valid-target: " + input, "--checkpoint DIR/valid-target: " + input},
		{"--model DIR/old --checkpoint DIR/../" + filepath.Base(dir) + "/old", "--checkpoint DIR/../" + filepath.Base(dir) + "/old: same file as --model",
			"--checkpoint DIR/../" + filepath.Base(dir) + "/old: same file as --model"},
		{"--model DIR/notes", "--model DIR/notes: exists already and is not a model, expected a new file", "--model DIR/notes: is not a model, and --overwrite replaces only models"},
		{"--model DIR/truncated", "--model DIR/truncated: " + exists, ""},
		{"--model DIR/lone.checkpoint", "--model DIR/lone.checkpoint: exists already and is not a model, expected a new file", "--model DIR/lone.checkpoint: is not a model, and --overwrite replaces only models"},
		{"--model DIR/old", "--model DIR/old: " + exists, ""},
		{"--model DIR/m --checkpoint DIR/notes", "--checkpoint: DIR/notes: ", "--checkpoint DIR/notes: is not a checkpoint, and --overwrite replaces only checkpoints"},
		{"--model DIR/m --checkpoint DIR/old", "--checkpoint: DIR/old: ", "--checkpoint DIR/old: is not a checkpoint, and --overwrite replaces only checkpoints"},
		{"--model DIR/poetry", "--model DIR/poetry: cannot be locked: DIR/poetry.lock is not a lock file; remove it or choose another name",
			"--model DIR/poetry: cannot be locked: DIR/poetry.lock is not a lock file; remove it or choose another name"},
		{"--model DIR", "--model DIR: is a folder, expected a file", "--model DIR: is a folder, expected a file"},
		{"--model " + os.DevNull, "--model " + os.DevNull + ": not a regular file: device", "--model " + os.DevNull + ": not a regular file: device"},
	} {
		for flag, want := range map[string]string{"": test.want, "--overwrite": test.overwrite} {
			if want == "" {
				continue
			}
			args := strings.Fields(strings.ReplaceAll(test.args, "DIR", dir) + " " + flag)
			_, stderr, code := execute("", append(base, args...)...)
			got := strings.ReplaceAll(strings.ReplaceAll(stderr, dir, "DIR"), "--checkpoint: open DIR", "--checkpoint: DIR")
			if code != 1 || !strings.HasPrefix(got, "rnnsearch: "+want) {
				t.Errorf("%s %s: exit code %d, got %swant %s", test.args, flag, code, got, want)
			}
			unchanged(t, dir, before)
		}
	}
}

// TestTrainInt8 starts and resumes trainings whose model or checkpoint is a model of int8: no file
// changes, with and without --overwrite.
func TestTrainInt8(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, trainArgs(t, dir))
	if _, stderr, code := execute("", "quantize", "--model", dir+"/m", "--output", dir+"/int8"); code != 0 {
		t.Fatal(stderr)
	}
	base := without(trainArgs(t, dir, "--epochs", "3"), "--model")
	before := allFiles(t, dir)
	const reason = " DIR/int8: weights of int8 cannot be trained; keep the float32 model, train that, and quantize it again\n"
	for args, flag := range map[string]string{
		"--model DIR/int8": "--model",
		"--model DIR/int8 --checkpoint DIR/m.checkpoint": "--model",
		"--model DIR/m --checkpoint DIR/int8":            "--checkpoint",
		"--model DIR/new --checkpoint DIR/int8":          "--checkpoint",
	} {
		for _, overwrite := range []string{"", " --overwrite"} {
			_, stderr, code := execute("", append(base, strings.Fields(strings.ReplaceAll(args+overwrite, "DIR", dir))...)...)
			if want := strings.ReplaceAll("rnnsearch: "+flag+reason, "DIR", dir); code != 1 || stderr != want {
				t.Errorf("%s%s: exit code %d, got %swant %s", args, overwrite, code, stderr, want)
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
	mustTrain(t, trainArgs(t, whole, more...))
	for n := int64(0); ; n += 2 {
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

// TestCheckpointDeleted follows the bad advice to delete the checkpoint: the model stays.
func TestCheckpointDeleted(t *testing.T) {
	dir := t.TempDir()
	args := trainArgs(t, dir)
	mustTrain(t, args)
	if err := os.Remove(dir + "/m.checkpoint"); err != nil {
		t.Fatal(err)
	}
	before := allFiles(t, dir)
	_, stderr, code := execute("", args...)
	if want := "rnnsearch: --model " + dir + "/m: exists already, expected a new file or --overwrite\n"; code != 1 || stderr != want {
		t.Errorf("exit code %d, got %swant %s", code, stderr, want)
	}
	unchanged(t, dir, before)
	mustTrain(t, append(args, "--overwrite"))
	unchanged(t, dir, map[string]string{
		"m": before["m"], "m.checkpoint": string(read(t, dir+"/m.checkpoint")), "source": before["source"], "target": before["target"],
		"valid-source": before["valid-source"], "valid-target": before["valid-target"],
	})
}

// TestOverwriteDamaged starts over with a damaged model and a damaged checkpoint.
func TestOverwriteDamaged(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole))
	args := trainArgs(t, dir)
	mustTrain(t, args)
	for _, name := range []string{"m", "m.checkpoint"} {
		content := read(t, dir+"/"+name)
		if err := os.WriteFile(dir+"/"+name, content[:len(content)-1], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := allFiles(t, dir)
	_, stderr, code := execute("", args...)
	if code != 1 || !strings.Contains(stderr, "truncated") || !strings.HasSuffix(stderr, "; to start over, choose another --model, or replace this one and "+dir+"/m.checkpoint with --overwrite\n") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	unchanged(t, dir, before)
	mustTrain(t, append(args, "--overwrite"))
	sameResult(t, dir, whole)
}

// TestOtherModel has a file that is not the model of the checkpoint: it is named, and stays.
func TestOtherModel(t *testing.T) {
	other := t.TempDir()
	mustTrain(t, trainArgs(t, other, "--seed", "9"))
	dir := t.TempDir()
	mustTrain(t, trainArgs(t, dir, "--best-by", "loss"))
	whole := read(t, dir+"/m")
	altered := bytes.Clone(whole)
	altered[len(altered)-2] ^= 1
	unvalidated := t.TempDir()
	for n := int64(3); ; n++ {
		if _, stderr, _ := executeContext(canceledAfter(n), "", trainArgs(t, unvalidated)...); strings.Contains(stderr, "after update 3") {
			break
		}
	}
	for _, test := range []struct {
		name, dir string
		content   []byte
		want      string
	}{
		{"other model", dir, read(t, other+"/m"), "--model DIR/m: another model than that of DIR/m.checkpoint, expected the best model so far, of epoch 2\n"},
		{"altered", dir, altered, "--model: open DIR/m: "},
		{"text", dir, []byte("buy milk\n"), "--model: "},
		{"truncated", dir, whole[:len(whole)-1], "--model: open DIR/m: "},
		{"before the first model", unvalidated, whole, "--model DIR/m: exists already, and is not of the training in DIR/m.checkpoint, which has no model yet; expected no file\n"},
		{"text before the first model", unvalidated, []byte("buy milk\n"), "--model DIR/m: exists already, and is not of "},
	} {
		for _, epochs := range []string{"2", "3"} {
			if err := os.WriteFile(test.dir+"/m", test.content, 0o666); err != nil {
				t.Fatal(err)
			}
			before := allFiles(t, test.dir)
			args := trainArgs(t, test.dir, "--epochs", epochs)
			if test.dir == dir {
				args = append(args, "--best-by", "loss")
			}
			_, stderr, code := execute("", args...)
			if code != 1 || !strings.HasPrefix(strings.ReplaceAll(stderr, test.dir, "DIR"), "rnnsearch: "+test.want) {
				t.Errorf("%s: exit code %d, got %swant %s", test.name, code, stderr, test.want)
			}
			unchanged(t, test.dir, before)
		}
	}
}

// TestReplacedDuringTraining replaces the model file while a training runs, which ends instead of
// replacing it.
func TestReplacedDuringTraining(t *testing.T) {
	dir := t.TempDir()
	p := begin(t, command(t, trainArgs(t, dir, "--log", "json", "--epochs", "1000000", "--best-by", "loss")...))
	p.until(t, training.EventValidation)
	const content = "buy milk\n"
	for {
		if err := os.WriteFile(dir+"/m.new", []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir+"/m.new", dir+"/m"); err != nil {
			t.Fatal(err)
		}
		if _, ok := p.next(t); !ok {
			break
		}
	}
	if code := p.end(); code != 1 || !strings.Contains(p.stderr.String(), "/m: replaced by another program during the training") {
		t.Errorf("exit code %d, %s", code, &p.stderr)
	}
	if got := read(t, dir+"/m"); string(got) != content {
		t.Errorf("the file has become %d bytes", len(got))
	}
}

// TestMovedDuringTraining moves the model file away while a training runs, which writes the next
// better model to a new file.
func TestMovedDuringTraining(t *testing.T) {
	dir := t.TempDir()
	p := begin(t, command(t, trainArgs(t, dir, "--log", "json", "--epochs", "1000000", "--best-by", "loss")...))
	p.until(t, training.EventCheckpoint)
	if err := os.Rename(dir+"/m", dir+"/first"); err != nil {
		t.Fatal(err)
	}
	for {
		r := p.until(t, training.EventValidation)
		if _, err := os.Stat(dir + "/m"); err == nil {
			break
		}
		if *r.Best && r.Epoch > 100 {
			t.Fatal("no new model file")
		}
	}
	p.Process.Kill()
	if code := p.end(); code != -1 {
		t.Errorf("exit code %d, %s", code, &p.stderr)
	}
}

// TestRestoreModel resumes with a checkpoint that is ahead of the model file, as after a kill between
// the two.
func TestRestoreModel(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	args := func(dir, epochs string) []string {
		return trainArgs(t, dir, "--best-by", "loss", "--epochs", epochs, "--average", "0.5")
	}
	mustTrain(t, args(whole, "3"))
	mustTrain(t, args(dir, "1"))
	first := read(t, dir+"/m")
	mustTrain(t, args(dir, "2"))
	second := read(t, dir+"/m")
	for name, content := range map[string][]byte{"none": nil, "before": first} {
		os.Remove(dir + "/m")
		if content != nil {
			if err := os.WriteFile(dir+"/m", content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, stderr, code := execute("", args(dir, "2")...)
		if want := "rnnsearch: restored " + dir + "/m from " + dir + "/m.checkpoint\n"; code != 0 || stderr != want {
			t.Errorf("%s: exit code %d, got %swant %s", name, code, stderr, want)
		}
		if !bytes.Equal(read(t, dir+"/m"), second) {
			t.Errorf("%s: other model", name)
		}
	}
	mustTrain(t, args(dir, "3"))
	sameResult(t, dir, whole)
}

// TestLinks writes the model and the checkpoint through symbolic links, which stay.
func TestLinks(t *testing.T) {
	whole, dir, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole))
	for _, name := range []string{"m", "m.checkpoint"} {
		if err := os.Symlink(elsewhere+"/"+name, dir+"/"+name); err != nil {
			t.Skip(err)
		}
	}
	left, err := temporary.Create(elsewhere+"/m", 0o666)
	if err != nil {
		t.Fatal(err)
	}
	left.Close()
	for _, epochs := range []string{"1", "2"} {
		mustTrain(t, trainArgs(t, dir, "--epochs", epochs))
		for _, name := range []string{"m", "m.checkpoint"} {
			if info, err := os.Lstat(dir + "/" + name); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("%s is no link any more: %v", name, err)
			}
		}
		wantFiles(t, elsewhere, "m", "m.checkpoint")
	}
	sameResult(t, dir, whole)
}

// TestLongestSource checks the length in the model file, which a checkpoint of an older program does
// not have: a training that resumes from it has none either.
func TestLongestSource(t *testing.T) {
	for _, older := range []bool{false, true} {
		dir := t.TempDir()
		args := trainArgs(t, dir, "--max-length", "15", "--best-by", "loss")
		mustTrain(t, append(args, "--epochs", "1"))
		want := 15
		if older {
			alterCheckpoint(t, dir+"/m.checkpoint", func(n note) {
				delete(n, "LongestSource")
				n.removeDigests()
			})
			removeMetadata(t, dir+"/m.checkpoint", "longest_source")
			want = 0
		}
		for _, epochs := range []string{"2", "3"} {
			mustTrain(t, append(args, "--epochs", epochs))
		}
		m, err := model.Open(dir + "/m")
		if err != nil {
			t.Fatal(err)
		}
		if m.LongestSource != want {
			t.Errorf("older checkpoint: %t: longest source %d, want %d", older, m.LongestSource, want)
		}
	}
}
