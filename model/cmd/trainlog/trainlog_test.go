package trainlog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// record returns a record of an event with all fields.
func record(event string) Record {
	return Record{
		Time: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), Event: event, Epoch: 2, Update: 400, Seconds: 61.4,
		Loss: new(3.25), SentencesPerSecond: new(80.25), LearningRate: new(0.00123456), ValidationLoss: new(3.5), BLEU: new(12.345), Best: new(true),
		File: "m", Reason: ReasonEpochs, Message: "text",
	}
}

func TestText(t *testing.T) {
	worse := record(EventValidation)
	worse.Best, worse.LearningRate = new(false), nil
	failed := record(EventEnd)
	failed.Reason = ReasonError
	long := record(EventStart)
	long.Message = "training text: 12345678 pairs, 1234567 dropped with more than 10000 words on a side\nvalidation text: 10 pairs"
	const validation = "epoch 2: 400 updates, training loss 3.2500 and validation loss 3.5000 per word,\n  BLEU 12.35, 80.2 sentences/s, 1m1s"
	for _, test := range []struct {
		record Record
		want   string
	}{
		{record(EventStart), "text\n"},
		{long, "training text: 12345678 pairs, 1234567 dropped with more than 10000 words on a\n  side\nvalidation text: 10 pairs\n"},
		{record(EventResume), "text\nresumed from m:\n  epoch 2, 400 updates, 1m1s of training\n"},
		{record(EventProgress), ""},
		{record(EventValidation), validation + ", learning rate 0.00123\nbest so far, saved to m\n"},
		{worse, validation + "\n"},
		{record(EventCheckpoint), ""},
		{record(EventEnd), "text\n"},
		{failed, ""},
	} {
		var b bytes.Buffer
		if err := NewWriter(&b, Text).Write(test.record); err != nil || b.String() != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.record.Event, &b, err, test.want)
		}
	}
}

// TestTextWidth checks the widths of lines with large numbers, and that the name of a file stays whole.
func TestTextWidth(t *testing.T) {
	for _, event := range []string{EventStart, EventResume, EventValidation, EventEnd} {
		for _, file := range []string{"m", strings.Repeat("folder of models/", 6) + "m"} {
			r := record(event)
			r.Epoch, r.Update, r.Seconds, r.File = 1_000_000, 1_000_000_000, 1e7, file
			r.Loss, r.ValidationLoss, r.BLEU, r.SentencesPerSecond, r.LearningRate = new(1e6), new(1e6), new(100.), new(123456.7), new(1.23456e-7)
			r.Message = strings.Repeat("some words ", 30)
			text := r.Text()
			for line := range strings.Lines(text) {
				if n := len(line) - 1; n > 80 && !strings.HasPrefix(line, "resumed from "+file+":\n") && line != "best so far, saved to "+file+"\n" {
					t.Errorf("%s: %d columns: %s", event, n, line)
				}
			}
			if (event == EventResume || event == EventValidation) && !strings.Contains(text, file) {
				t.Errorf("%s: no %s in\n%s", event, file, text)
			}
		}
	}
}

// TestReadWritten writes records of every event as JSON and reads them back.
func TestReadWritten(t *testing.T) {
	want := []Record{
		record(EventStart), record(EventResume), record(EventProgress), record(EventValidation), record(EventCheckpoint), record(EventEnd),
		{Time: time.Unix(0, 0).UTC(), Event: EventStart},
	}
	var b bytes.Buffer
	w := NewWriter(&b, JSON)
	for _, r := range want {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if last := `{"time":"1970-01-01T00:00:00Z","event":"start","epoch":0,"update":0,"seconds":0}` + "\n"; !strings.HasSuffix(b.String(), "\n"+last) {
		t.Errorf("got\n%swant the last line\n%s", &b, last)
	}
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("\n \r\n"+strings.TrimSuffix(b.String(), "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestReadErrors(t *testing.T) {
	const (
		progress   = "progress record: expected update, at least 1, and loss, 0 to 1000000"
		validation = "validation record: expected update, at least 1, loss and validation_loss, 0 to 1000000, and bleu, 0 to 100"
	)
	for _, test := range []struct{ line, want string }{
		{`the cat`, "invalid character 'h' in literal true (expecting 'r'), expected a JSON object"},
		{`{"event":`, "unexpected end of JSON input, expected a JSON object"},
		{`[1]`, "JSON array, expected a JSON object"},
		{`{"update":"many"}`, "update: JSON string, expected int"},
		{`{"event":"progress","update":1}`, progress},
		{`{"event":"progress","loss":1}`, progress},
		{`{"event":"progress","update":1,"loss":1e300}`, progress},
		{`{"event":"progress","update":1,"loss":-1}`, progress},
		{`{"event":"validation","loss":1,"validation_loss":1,"bleu":1}`, validation},
		{`{"event":"validation","update":1,"validation_loss":1,"bleu":1}`, validation},
		{`{"event":"validation","update":1,"loss":1,"bleu":1}`, validation},
		{`{"event":"validation","update":1,"loss":1,"validation_loss":1}`, validation},
		{`{"event":"validation","update":1,"loss":1,"validation_loss":1,"bleu":101}`, validation},
	} {
		_, err := Read("train.log", strings.NewReader("{}\n\n"+test.line+"\n{}\n"))
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Line != 3 || err.Error() != "train.log:3: "+test.want {
			t.Errorf("%s: got %v, want train.log:3: %s", test.line, err, test.want)
		}
	}
	if _, err := ReadFile(t.TempDir()); err == nil {
		t.Error("no error for a folder")
	}
	if _, err := Read("train.log", io.LimitReader(endless{}, 1<<30)); err == nil || err.Error() != "train.log:1: line of more than 1048576 bytes, expected a JSON object" {
		t.Errorf("a line without an end: %v", err)
	}
}

// endless is a device like /dev/zero.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
