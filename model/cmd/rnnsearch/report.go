package main

import (
	"errors"
	"time"
)

// report writes a record of an event to the log.
func (t *training) report(r record) {
	r.Time = time.Now()
	r.Epoch = t.state.epoch()
	r.Update = t.learner.trainer.Updates()
	r.Seconds = t.clock.read().Seconds()
	t.log(r)
}

// begin reports what is trained on what, and from which checkpoint, if any.
func (t *training) begin(message string, resumed bool) {
	if resumed {
		t.report(record{Event: eventResume, File: t.checkpoint.path, Message: message})
	} else {
		t.report(record{Event: eventStart, Message: message})
	}
}

// A lap is what was learnt since the last progress, or since the start of the program.
type lap struct {
	sentences int
	time      time.Duration
}

// progress reports the updates since the last progress, where it is time to.
func (t *training) progress() {
	if t.learner.trainer.Updates()%t.progressUpdates != 0 {
		return
	}
	t.report(record{
		Event: eventProgress,
		Loss:  new(t.state.Recent.value()), SentencesPerSecond: new(speed(t.lap.sentences, t.lap.time)),
		LearningRate: t.learner.learningRate(),
	})
	t.state.Recent, t.lap = mean{}, lap{}
}

// validated reports the result of a validation, before which the training stood at learned.
func (t *training) validated(learned state, result validation, best bool) {
	r := record{
		Event: eventValidation,
		Loss:  new(learned.Loss.value()), SentencesPerSecond: new(speed(learned.Sentences, t.clock.Learning)),
		LearningRate: t.learner.learningRate(), ValidationLoss: new(result.Loss), BLEU: new(result.BLEU), Best: new(best),
	}
	if best {
		r.File = t.path
	}
	t.report(r)
}

// failed reports the error that ends a training.
func (t *training) failed(err error) {
	reason := endError
	if errors.Is(err, errInterrupted) {
		reason = endInterrupted
	}
	t.report(record{Event: eventEnd, Reason: reason, Message: err.Error()})
}
