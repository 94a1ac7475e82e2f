//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestFullDisk limits file sizes so that the model file or the checkpoint does not fit. The old
// files remain intact, and without the limit the same command resumes.
func TestFullDisk(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, test := range []struct {
		name string
		room float64 // limit in sizes of the model file; a checkpoint has about three
		more string
		want string
	}{
		{"model", 0.4, "--best-by loss", `save DIR/m: write DIR/m\.\w+\.tmp: file too large; run the same command to resume from update 10 in DIR/m\.checkpoint`},
		{"checkpoint", 1.25, "", `save DIR/m\.checkpoint: write DIR/m\.checkpoint\.\w+\.tmp: file too large; run the same command to resume from update 10 in DIR/m\.checkpoint`},
		{"checkpoint in an epoch", 1.25, "--checkpoint-updates 1", `save DIR/m\.checkpoint: write DIR/m\.checkpoint\.\w+\.tmp: file too large; run the same command to resume from update 10 in DIR/m\.checkpoint`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			more := strings.Fields(test.more)
			mustTrain(t, trainArgs(t, dir, more...))
			model, checkpoint := read(t, dir+"/m"), read(t, dir+"/m.checkpoint")
			blocks := int(test.room * float64(len(model)) / 512)
			c := command(t, trainArgs(t, dir, append(more, "--epochs", "4")...)...)
			c.Args = append([]string{shell, "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks)}, c.Args...)
			c.Path = shell
			var stderr bytes.Buffer
			c.Stderr = &stderr
			err := c.Run()
			want := "^rnnsearch: " + strings.ReplaceAll(test.want, "DIR", regexp.QuoteMeta(dir)) + "\n$"
			if c.ProcessState.ExitCode() != 1 || !regexp.MustCompile(want).MatchString(stderr.String()) {
				t.Errorf("%v, got %s\nwant %s", err, &stderr, want)
			}
			if !bytes.Equal(read(t, dir+"/m.checkpoint"), checkpoint) {
				t.Error("the checkpoint has changed")
			}
			if test.name == "model" && !bytes.Equal(read(t, dir+"/m"), model) {
				t.Error("the model has changed")
			}
			wantFiles(t, dir, "m", "m.checkpoint", "source", "target", "valid-source", "valid-target")
			resumeAndCompare(t, dir, 4, more)
		})
	}
}

// TestFullDiskCache limits file sizes so that the cache does not fit. Nothing is left of it.
func TestFullDiskCache(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	dir := t.TempDir()
	args := rawArgs(t, dir, 1000, "--cache", dir+"/cache", "--epochs", "1")
	c := command(t, args...)
	c.Args = append([]string{shell, "-c", `ulimit -f 40 && exec "$0" "$@"`}, c.Args...)
	c.Path = shell
	var stderr bytes.Buffer
	c.Stderr = &stderr
	c.Run()
	want := regexp.MustCompile(`^rnnsearch: --cache ` + regexp.QuoteMeta(dir) + `/cache: write \S+: file too large\n$`)
	if c.ProcessState.ExitCode() != 1 || !want.Match(stderr.Bytes()) {
		t.Errorf("got %s\nwant %s", &stderr, want)
	}
	wantFiles(t, dir, "source", "target", "valid-source", "valid-target")
	mustTrain(t, args)
}

// TestFullDiskLog limits file sizes so that a record does not fit into the log, and then cuts one as the end of
// the system does. The log has only whole records, and the same command goes on with it.
func TestFullDiskLog(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	dir := t.TempDir()
	path := dir + "/log.jsonl"
	args := trainArgs(t, dir, "--log-file", path)
	mustTrain(t, args)
	blocks := 2 * len(read(t, dir+"/m.checkpoint")) / 512
	content := read(t, path)
	content = append(content, bytes.Repeat([]byte("\n"), 512*blocks-len(content)-100)...) // less than a record is left
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	c := command(t, append(args, "--epochs", "3")...)
	c.Args = append([]string{shell, "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks)}, c.Args...)
	c.Path = shell
	var stderr bytes.Buffer
	c.Stderr = &stderr
	c.Run()
	want := fmt.Sprintf("rnnsearch: the log is not complete: write %s: file too large\n", path)
	if c.ProcessState.ExitCode() != 1 || stderr.String() != want {
		t.Errorf("got %s\nwant %s", &stderr, want)
	}
	if !bytes.Equal(read(t, path), content) {
		t.Error("the log has a part of a record")
	}
	mustTrain(t, append(args, "--epochs", "4"))
	if err := os.WriteFile(path, bytes.TrimSuffix(read(t, path), []byte("\"}\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, append(args, "--epochs", "5"))
	if list, err := training.ReadLogFile(path); err != nil || list[len(list)-1].Epoch != 5 {
		t.Errorf("%d records, error %v", len(list), err)
	}
}

// nobody is the id of a user who is subject to permissions.
const nobody = 65534

// asNobody makes the command of a training in dir run as nobody if the test runs as root, who may
// write to any folder.
func asNobody(t *testing.T, dir string, c *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	binary := filepath.Join(t.TempDir(), "rnnsearch")
	if err := os.WriteFile(binary, read(t, c.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Dir(binary), filepath.Dir(filepath.Dir(binary)), filepath.Dir(dir)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	c.Path = binary
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// TestReadOnly starts a training in a read-only folder.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	args := trainArgs(t, dir)
	mustTrain(t, args)
	model, checkpoint := read(t, dir+"/m"), read(t, dir+"/m.checkpoint")
	c := command(t, append(args, "--epochs", "3", "--log", "json")...)
	asNobody(t, dir, c)
	readOnly(t, dir)
	p := begin(t, c)
	code := p.end()
	want := regexp.MustCompile(`^rnnsearch: --model .*/m: cannot be written: open .*: permission denied\n$`)
	if code != 1 || !want.Match(p.stderr.Bytes()) {
		t.Errorf("exit code %d, got %s\nwant %s", code, &p.stderr, want)
	}
	if !bytes.Equal(read(t, dir+"/m"), model) || !bytes.Equal(read(t, dir+"/m.checkpoint"), checkpoint) {
		t.Error("the files have changed")
	}
}

// TestReadOnlyLater makes the folder of a running training read-only.
func TestReadOnlyLater(t *testing.T) {
	dir := t.TempDir()
	more := []string{"--epochs", "1000000", "--log", "json", "--checkpoint-updates", "1"}
	c := command(t, trainArgs(t, dir, more...)...)
	asNobody(t, dir, c)
	p := begin(t, c)
	p.until(t, training.EventCheckpoint)
	readOnly(t, dir)
	end := p.until(t, training.EventEnd)
	code := p.end()
	want := regexp.MustCompile(`^rnnsearch: save .*/m(\.checkpoint)?: .* permission denied; run the same command to resume from update \d+ in .*/m\.checkpoint\n$`)
	if code != 1 || end.Reason != training.ReasonError || !want.Match(p.stderr.Bytes()) {
		t.Errorf("exit code %d, reason %s, got %s\nwant %s", code, end.Reason, &p.stderr, want)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	resumeAndCompare(t, dir, end.Epoch+1, more)
}

// readOnly makes a folder read-only until the end of the test.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
}
