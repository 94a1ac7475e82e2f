package main

import (
	"fmt"
	"time"
)

// text returns what people see of a record.
func (r record) text() string {
	switch r.Event {
	case eventStart:
		return r.Message + "\n"
	case eventResume:
		return fmt.Sprintf("%s\nresumed from %s: epoch %d, %d updates, %s of training\n", r.Message, r.File, r.Epoch, r.Update, r.duration())
	case eventValidation:
		return r.validation()
	case eventEnd:
		if r.Reason != endInterrupted && r.Reason != endError {
			return r.Message + "\n"
		}
	}
	return ""
}

// validation returns the line of a validation.
func (r record) validation() string {
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

// duration returns the time of the training so far.
func (r record) duration() time.Duration {
	return time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
}
