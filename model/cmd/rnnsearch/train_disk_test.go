//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestFullDisk limits file sizes so that the model file or the checkpoint does not fit. The old
// files remain intact, and without the limit the same command resumes.
func TestFullDisk(t *testing.T) {
	for _, test := range []struct {
		name string
		room float64 // limit in sizes of the model file; a checkpoint has about three
		more string
		want string
	}{
		{"model", 0.4, "--best-by loss", `save DIR/m: write DIR/m\.\w+\.tmp: file too large; run the same command to resume from update 10 in DIR/m\.checkpoint`},
		{"checkpoint in an epoch", 1.25, "--checkpoint-updates 1", `save DIR/m\.checkpoint: write DIR/m\.checkpoint\.\w+\.tmp: file too large; run the same command to resume from update 10 in DIR/m\.checkpoint`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			more := strings.Fields(test.more)
			mustTrain(t, trainArgs(t, dir, more...))
			model, checkpoint := read(t, dir+"/m"), read(t, dir+"/m.checkpoint")
			blocks := int(test.room * float64(len(model)) / 512)
			c := inShell(t, fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks), trainArgs(t, dir, append(more, "--epochs", "4")...)...)
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

// TestFullDiskLog limits file sizes so that a record does not fit into the log, and then cuts one as the end of
// the system does. The log has only whole records, and the same command goes on with it.
func TestFullDiskLog(t *testing.T) {
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
	c := inShell(t, fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks), append(args, "--epochs", "3")...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	c.Run()
	want := fmt.Sprintf("rnnsearch: the log is not complete: write %s: file too large\n", path)
	if c.ProcessState.ExitCode() != 1 || stderr.String() != want {
		t.Errorf("got %s\nwant %s", &stderr, want)
	}
	mustTrain(t, append(args, "--epochs", "4"))
	if err := os.WriteFile(path, bytes.TrimSuffix(read(t, path), []byte("\"}\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, append(args, "--epochs", "5"))
	if list, err := training.ReadLog(path, bytes.NewReader(read(t, path))); err != nil || list[len(list)-1].Epoch != 5 {
		t.Errorf("%d records, error %v", len(list), err)
	}
}

// resumeAndCompare resumes an interrupted training up to that many epochs, and compares the result
// with that of an uninterrupted one.
func resumeAndCompare(t *testing.T, dir string, epochs int, more []string) {
	t.Helper()
	whole := t.TempDir()
	more = append(more, "--epochs", strconv.Itoa(epochs))
	mustTrain(t, trainArgs(t, dir, more...))
	mustTrain(t, trainArgs(t, whole, more...))
	sameResult(t, dir, whole)
}
