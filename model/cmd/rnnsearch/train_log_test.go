package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// parse returns the objects of --log json.
func parse(t *testing.T, out string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(out) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, r)
	}
	return list
}

// TestLogJSON checks the fields of each event and the order of the events.
func TestLogJSON(t *testing.T) {
	fields := map[string]string{
		training.EventStart:      "message",
		training.EventResume:     "file message",
		training.EventProgress:   "loss sentences_per_second",
		training.EventValidation: "best bleu loss sentences_per_second validation_loss",
		training.EventCheckpoint: "file",
		training.EventEnd:        "message reason",
	}
	dir := t.TempDir()
	more := strings.Fields("--log json --progress-updates 3 --checkpoint-updates 4")
	out := mustTrain(t, trainArgs(t, dir, more...)) + mustTrain(t, trainArgs(t, dir, append(more, "--epochs", "3")...))
	var events []string
	seconds := 0.0
	for _, r := range parse(t, out) {
		event := r["event"].(string)
		events = append(events, fmt.Sprint(event, " ", r["epoch"], " ", r["update"]))
		var names []string
		for name := range r {
			if !slices.Contains([]string{"time", "event", "epoch", "update", "seconds"}, name) && !(event == training.EventValidation && name == "file") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != fields[event] {
			t.Errorf("%s has %s, want %s", event, got, fields[event])
		}
		if _, err := time.Parse(time.RFC3339, r["time"].(string)); err != nil {
			t.Error(err)
		}
		if event == training.EventResume {
			seconds = 0.001 // a resumed training starts above 0
		}
		if s := r["seconds"].(float64); s < seconds {
			t.Errorf("%s: %v seconds after %v", event, s, seconds)
		} else {
			seconds = s
		}
		if best, ok := r["best"]; ok && best.(bool) != (r["file"] != nil) {
			t.Errorf("%v: best %v", r, best)
		}
	}
	want := `start 1 0
progress 1 3
checkpoint 1 4
validation 1 5
checkpoint 1 5
progress 2 6
checkpoint 2 8
progress 2 9
validation 2 10
checkpoint 2 10
end 2 10
resume 2 10
progress 3 12
checkpoint 3 12
progress 3 15
validation 3 15
checkpoint 3 15
end 3 15`
	if got := strings.Join(events, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLogFile checks that the file gets the records of all runs, those on standard output in JSON, that
// --overwrite begins it again, and that no other file is written to.
func TestLogFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log.jsonl")
	args := trainArgs(t, dir, "--log", "json", "--log-file", path)
	want := mustTrain(t, args)
	want += mustTrain(t, append(args, "--epochs", "3"))
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("got\n%s%v, want\n%s", got, err, want)
	}
	if text := mustTrain(t, append(without(args, "--log"), "--overwrite")); !strings.HasPrefix(text, "training text: ") {
		t.Errorf("standard output is\n%s, want text", text)
	}
	got, err := os.ReadFile(path)
	if list := parse(t, string(got)); err != nil || list[0]["event"] != training.EventStart || list[len(list)-1]["event"] != training.EventEnd || list[len(list)-1]["epoch"] != 2. {
		t.Errorf("got\n%s%v, want the log of one training of 2 epochs", got, err)
	}
	model := dir + "/m"
	for file, want := range map[string]string{
		model:                   model + ": same file as --model",
		model + ".checkpoint":   model + ".checkpoint: same file as --checkpoint",
		dir + "/source":         dir + "/source: is an input, expected another file",
		dir + "/none/log.jsonl": dir + "/none/log.jsonl: cannot be written: there is no folder #",
	} {
		_, stderr, code := execute("", append(trainArgs(t, dir), "--log-file", file)...)
		begin, _, _ := strings.Cut("rnnsearch: --log-file "+want+"\n", "#")
		if code != 1 || !strings.HasPrefix(stderr, begin) {
			t.Errorf("%s: exit code %d, got %swant %s", file, code, stderr, begin)
		}
	}
}

// outcome returns the progress and validation records of a log without times and file names.
func outcome(t *testing.T, out string) []string {
	t.Helper()
	var list []string
	for _, r := range parse(t, out) {
		if r["event"] == training.EventProgress || r["event"] == training.EventValidation {
			for _, name := range []string{"time", "seconds", "sentences_per_second", "file"} {
				delete(r, name)
			}
			list = append(list, fmt.Sprint(r))
		}
	}
	return list
}

// TestLogResumed interrupts a training twice, between two progress records. The log has the same
// losses as that of an uninterrupted training.
func TestLogResumed(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	more := strings.Fields("--log json --progress-updates 3 --epochs 3")
	want := outcome(t, mustTrain(t, trainArgs(t, whole, more...)))
	args := trainArgs(t, parts, more...)
	first, _, _ := executeContext(canceledAfter(4), "", args...)
	second, _, _ := executeContext(canceledAfter(4), "", args...)
	got := outcome(t, first+second+mustTrain(t, args))
	if len(want) != 5+3 || !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
