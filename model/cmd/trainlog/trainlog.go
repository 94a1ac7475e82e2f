// Package trainlog defines the log that rnnsearch train writes to standard output: as text for
// people, or as JSON, one [Record] per line, for programs. [NewWriter] writes a log, and [Read]
// reads one in JSON.
package trainlog

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
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

	Loss               *float64 `json:"loss,omitempty"`                 // progress, validation: mean over the updates since the last such event
	SentencesPerSecond *float64 `json:"sentences_per_second,omitempty"` // progress, validation: of the updates since the last such event
	LearningRate       *float64 `json:"learning_rate,omitempty"`        // progress, validation: of the last update, if the optimizer has one
	ValidationLoss     *float64 `json:"validation_loss,omitempty"`      // validation
	BLEU               *float64 `json:"bleu,omitempty"`                 // validation: of greedy translations, in percent
	Best               *bool    `json:"best,omitempty"`                 // validation: whether the model is the best so far

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

// Text returns the record as lines for people. It is empty for progress and checkpoints, and for an
// end by a signal or an error, which the program reports elsewhere.
func (r Record) Text() string {
	switch r.Event {
	case EventStart:
		return r.Message + "\n"
	case EventResume:
		return fmt.Sprintf("%s\nresumed from %s: epoch %d, %d updates, %s of training\n", r.Message, r.File, r.Epoch, r.Update, r.duration())
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
	line := fmt.Sprintf("epoch %d: %d updates, training loss %.4f and validation loss %.4f per word, BLEU %.2f, %.1f sentences/s, %s",
		r.Epoch, r.Update, *r.Loss, *r.ValidationLoss, *r.BLEU, *r.SentencesPerSecond, r.duration())
	if r.LearningRate != nil {
		line += fmt.Sprintf(", learning rate %.3g", *r.LearningRate)
	}
	line += "\n"
	if *r.Best {
		line += fmt.Sprintf("best so far, saved to %s\n", r.File)
	}
	return line
}

// duration returns Seconds, rounded.
func (r Record) duration() time.Duration {
	return time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
}

// A Format is the form of a log.
type Format string

const (
	Text Format = "text" // the Text of each record
	JSON Format = "json" // a JSON object per line
)

// A Writer writes records in one format.
type Writer struct {
	w      io.Writer
	format Format
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer, f Format) *Writer { return &Writer{w, f} }

// Write writes r. As text, every field that Text prints must be set.
func (w *Writer) Write(r Record) error {
	if w.format == JSON {
		return json.NewEncoder(w.w).Encode(r)
	}
	_, err := io.WriteString(w.w, r.Text())
	return err
}
