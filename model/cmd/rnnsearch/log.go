package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"
)

// logOptions are the flags of train that say what it writes to standard output.
type logOptions struct {
	format  string
	updates int // from one progress to the next
}

func (o *logOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.format, "log", "text", "form of standard output: text, or json as above")
	f.IntVar(&o.updates, "progress-updates", 100, "updates from one progress of --log json to the next")
}

func (o *logOptions) check() error {
	if o.format != "text" && o.format != "json" {
		return fmt.Errorf("--log %q: expected text or json", o.format)
	}
	return checkNumbers(number{"progress-updates", o.updates, 1, 1_000_000_000})
}

// open returns the function that writes records to w. A record that cannot be written does not
// end the training.
func (o *logOptions) open(w io.Writer) func(record) {
	if o.format == "json" {
		e := json.NewEncoder(w)
		return func(r record) { e.Encode(r) }
	}
	return func(r record) { io.WriteString(w, r.text()) }
}

// The events of a training.
const (
	eventStart      = "start"
	eventResume     = "resume"
	eventProgress   = "progress"
	eventValidation = "validation"
	eventCheckpoint = "checkpoint"
	eventEnd        = "end"
)

// A record is a line of --log json. Losses are per target word, the end of the sentence
// included. What an event does not have is left out.
type record struct {
	Time    time.Time `json:"time"`    // RFC 3339
	Event   string    `json:"event"`   // start, resume, progress, validation, checkpoint or end
	Epoch   int       `json:"epoch"`   // in work, from 1, or between two the one that is complete
	Update  int       `json:"update"`  // updates so far
	Seconds float64   `json:"seconds"` // of training so far, restarts included

	Loss               *float64 `json:"loss,omitempty"`                 // of progress and validation: of the updates since the last one
	SentencesPerSecond *float64 `json:"sentences_per_second,omitempty"` // of progress and validation: of the updates since the last one
	LearningRate       *float64 `json:"learning_rate,omitempty"`        // of progress and validation, where the optimizer has one
	ValidationLoss     *float64 `json:"validation_loss,omitempty"`      // of validation
	BLEU               *float64 `json:"bleu,omitempty"`                 // of validation: of greedy translations
	Best               *bool    `json:"best,omitempty"`                 // of validation: the model is the best so far and in the model file

	File    string `json:"file,omitempty"`    // of resume and checkpoint: the checkpoint; of validation: the model file, if it was written
	Reason  string `json:"reason,omitempty"`  // of end: epochs, updates, patience, interrupted or error
	Message string `json:"message,omitempty"` // of start, resume and end, for people
}

// logHelp describes the records to the users of train.
const logHelp = `With --log json, each line of standard output is an object with time (RFC 3339), event, epoch
(from 1), update (number of them so far), seconds (of training so far, restarts included), and
by event:

  start           message
  resume          message, file that it goes on from
  progress        loss and sentences_per_second since the last progress, learning_rate if there is one
  validation      loss and sentences_per_second of the updates since the last validation,
                  learning_rate if there is one, validation_loss, bleu, best (whether the model
                  is the best so far), and if it is, the model's file
  checkpoint      file
  end             reason (epochs, updates, patience, interrupted or error), message

Losses are per target word. After a resume, updates since the checkpoint are reported again.`
