package training

import (
	"bytes"
	"errors"
	"io"
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
	const validation = "epoch 2: 400 updates, training loss 3.2500 and validation loss 3.5000 per word, BLEU 12.35, 80.2 sentences/s, 1m1s"
	for _, test := range []struct {
		record Record
		want   string
	}{
		{record(EventStart), "text\n"},
		{record(EventResume), "text\nresumed from m: epoch 2, 400 updates, 1m1s of training\n"},
		{record(EventProgress), ""},
		{record(EventValidation), validation + ", learning rate 0.00123\nbest so far, saved to m\n"},
		{worse, validation + "\n"},
		{record(EventCheckpoint), ""},
		{record(EventEnd), "text\n"},
		{failed, ""},
	} {
		var b bytes.Buffer
		if err := NewLogWriter(&b, TextLog).Write(test.record); err != nil || b.String() != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.record.Event, &b, err, test.want)
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
	w := NewLogWriter(&b, JSONLog)
	for _, r := range want {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if last := `{"time":"1970-01-01T00:00:00Z","event":"start","epoch":0,"update":0,"seconds":0}` + "\n"; !strings.HasSuffix(b.String(), "\n"+last) {
		t.Errorf("got\n%swant the last line\n%s", &b, last)
	}
	log := strings.NewReader("\n \r\n" + strings.TrimSuffix(b.String(), "\n"))
	if got, err := ReadLog("train.log", log); err != nil || !reflect.DeepEqual(got, want) {
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
		_, err := ReadLog("train.log", strings.NewReader("{}\n\n"+test.line+"\n{}\n"))
		e, ok := errors.AsType[*LogError](err)
		if !ok || e.Line != 3 || err.Error() != "train.log:3: "+test.want {
			t.Errorf("%s: got %v, want train.log:3: %s", test.line, err, test.want)
		}
	}
	if _, err := ReadLog("train.log", io.LimitReader(endless{}, 1<<30)); err == nil || err.Error() != "train.log:1: line of more than 1048576 bytes, expected a JSON object" {
		t.Errorf("a line without an end: %v", err)
	}
}

// endless is a device like /dev/zero.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
