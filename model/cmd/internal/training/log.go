package training

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// A Record describes an event of a training. Losses are -log p in nats per target word, the end of
// the sentence included. JSON omits the fields that an event does not have.
//
// A training that resumes from a checkpoint repeats the updates after that checkpoint and logs them
// again. The last record of an update is the valid one.
type Record struct {
	Time    time.Time `json:"time"`    // in JSON by RFC 3339
	Event   string    `json:"event"`   // one of the Event constants
	Epoch   int       `json:"epoch"`   // the current one, from 1; after its validation, the one just completed
	Update  int       `json:"update"`  // number of updates so far
	Seconds float64   `json:"seconds"` // duration of the training so far, earlier runs included

	Loss                 *float64 `json:"loss,omitempty"`                  // progress, validation: mean over the updates since the last such event
	SentencesPerSecond   *float64 `json:"sentences_per_second,omitempty"`  // progress, validation: of the updates since the last such event
	LearningRate         *float64 `json:"learning_rate,omitempty"`         // progress, validation: of the last update, if the optimizer has one
	ValidationLoss       *float64 `json:"validation_loss,omitempty"`       // validation
	SentBytes            *float64 `json:"sent_bytes,omitempty"`            // progress, validation of several ranks: that rank 0 sends in an update, mean since the last such event
	CommunicationSeconds *float64 `json:"communication_seconds,omitempty"` // the same of its time in communication
	WaitingSeconds       *float64 `json:"waiting_seconds,omitempty"`       // the same of its time in waiting for the slowest rank

	BLEU *float64 `json:"bleu,omitempty"` // validation: of greedy translations, in percent
	Best *bool    `json:"best,omitempty"` // validation: whether the model is the best so far

	File    string `json:"file,omitempty"`    // resume, checkpoint: the checkpoint; validation: the model file, if the model is the best so far
	Reason  string `json:"reason,omitempty"`  // end: one of the Reason constants
	Message string `json:"message,omitempty"` // start, resume, end: text for people
}

// The events of a training.
const (
	EventStart      = "start"
	EventResume     = "resume" // start from a checkpoint
	EventProgress   = "progress"
	EventValidation = "validation"
	EventCheckpoint = "checkpoint" // a checkpoint was saved
	EventEnd        = "end"
)

// The reasons for the end of a training: the limit of epochs or updates, no better validation within
// the patience, a signal, or an error.
const (
	ReasonEpochs      = "epochs"
	ReasonUpdates     = "updates"
	ReasonPatience    = "patience"
	ReasonInterrupted = "interrupted"
	ReasonError       = "error"
)

// Text returns the record as lines for people. It is empty for progress and checkpoints, and for an end by
// a signal or an error, which the program reports elsewhere.
func (r Record) Text() string {
	switch r.Event {
	case EventStart:
		return r.Message + "\n"
	case EventResume:
		return fmt.Sprintf("%s\nresumed from %s: epoch %d, %s, %s of training\n", r.Message, r.File, r.Epoch, terminal.Plural(r.Update, "update"), r.duration())
	case EventValidation:
		return r.validationText()
	case EventEnd:
		if r.Reason != ReasonInterrupted && r.Reason != ReasonError {
			return r.Message + "\n"
		}
	}
	return ""
}

func (r Record) validationText() string {
	text := fmt.Sprintf("epoch %d: %s, training loss %.4f and validation loss %.4f per word, BLEU %.2f, %.1f sentences/s, %s",
		r.Epoch, terminal.Plural(r.Update, "update"), *r.Loss, *r.ValidationLoss, *r.BLEU, *r.SentencesPerSecond, r.duration())
	if r.LearningRate != nil {
		text += fmt.Sprintf(", learning rate %.3g", *r.LearningRate)
	}
	if r.SentBytes != nil {
		text += fmt.Sprintf(", %.2f MB sent per update, %.4f s in communication and %.4f s of waiting", *r.SentBytes/1e6, *r.CommunicationSeconds, *r.WaitingSeconds)
	}
	if *r.Best {
		text += "\nbest so far, saved to " + r.File
	}
	return text + "\n"
}

func (r Record) duration() time.Duration {
	return time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
}

// A LogFormat is the form of a log.
type LogFormat string

const (
	TextLog LogFormat = "text" // the Text of each record
	JSONLog LogFormat = "json" // a JSON object per line
)

// A LogWriter writes the log of rnnsearch train to standard output: as text for people, or as JSON, one [Record] per line.
type LogWriter struct {
	w      io.Writer
	format LogFormat
}

// NewLogWriter returns a LogWriter to w.
func NewLogWriter(w io.Writer, f LogFormat) *LogWriter { return &LogWriter{w, f} }

// Write writes r. As text, every field that Text prints must be set.
func (w *LogWriter) Write(r Record) error {
	if w.format == JSONLog {
		return json.NewEncoder(w.w).Encode(r)
	}
	_, err := io.WriteString(w.w, r.Text())
	return err
}

// An LogError is a line of a log that is not a valid record.
type LogError struct {
	Name string // of the log
	Line int    // from 1
	Err  error
}

func (e *LogError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

func (e *LogError) Unwrap() error { return e.Err }

// maxRecord is the length in bytes of the longest line of a log.
const maxRecord = 1 << 20

// ReadLog reads a log in JSON and skips blank lines. A progress record has an update and a loss, and a
// validation record also has a validation loss and BLEU; other events and fields may be missing or
// unknown. The error is an *[LogError] for an invalid line, and names the log if reading fails.
func ReadLog(name string, r io.Reader) (list []Record, err error) {
	in, number := bufio.NewScanner(r), 1
	in.Buffer(nil, maxRecord)
	for ; in.Scan(); number++ {
		if line := in.Bytes(); len(bytes.TrimSpace(line)) > 0 {
			r, err := parse(line)
			if err != nil {
				return nil, &LogError{name, number, err}
			}
			list = append(list, r)
		}
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &LogError{name, number, fmt.Errorf("line of more than %d bytes, expected a JSON object", maxRecord)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

func parse(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, jsonError(err)
	}
	return r, r.check()
}

// jsonError returns an error of package json without the names of Go types.
func jsonError(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return fmt.Errorf("%w, expected a JSON object", err)
	case e.Field == "":
		return fmt.Errorf("JSON %s, expected a JSON object", e.Value)
	}
	return fmt.Errorf("%s: JSON %s, expected %s", e.Field, e.Value, e.Type)
}

// Upper bounds of measurements.
const (
	maxLoss = 1_000_000
	maxBLEU = 100
)

// check returns an error for an event whose measurements are missing or out of bounds.
func (r Record) check() error {
	switch {
	case r.Event == EventProgress && (r.Update < 1 || !within(r.Loss, maxLoss)):
		return fmt.Errorf("progress record: expected update, at least 1, and loss, 0 to %d", maxLoss)
	case r.Event == EventValidation && (r.Update < 1 || !within(r.Loss, maxLoss) || !within(r.ValidationLoss, maxLoss) || !within(r.BLEU, maxBLEU)):
		return fmt.Errorf("validation record: expected update, at least 1, loss and validation_loss, 0 to %d, and bleu, 0 to %d", maxLoss, maxBLEU)
	}
	return nil
}

func within(value *float64, limit float64) bool {
	return value != nil && *value >= 0 && *value <= limit
}
