package main

import (
	"fmt"

	"github.com/spf13/pflag"
)

// A criterion is what the best model is best by.
type criterion string

const (
	byBLEU criterion = "bleu"
	byLoss criterion = "loss"
)

// stopOptions are the flags of train that say when it ends and which model it keeps.
type stopOptions struct {
	epochs, patience int
	bestBy           string
}

func (o *stopOptions) add(f *pflag.FlagSet) {
	f.IntVar(&o.epochs, "epochs", 5, "passes over the training text")
	f.IntVar(&o.patience, "patience", 0, "validations in a row that are not better after which to stop, 0 for never")
	f.StringVar(&o.bestBy, "best-by", string(byBLEU), "what the best model has: the highest bleu, or the lowest loss, in validation")
}

func (o *stopOptions) check() error {
	err := checkNumbers(
		number{"epochs", o.epochs, 1, 1_000_000},
		number{"patience", o.patience, 0, 1_000_000},
	)
	if err != nil {
		return err
	}
	if by := criterion(o.bestBy); by != byBLEU && by != byLoss {
		return fmt.Errorf("--best-by %q: expected %s or %s", o.bestBy, byBLEU, byLoss)
	}
	return nil
}

// The reasons for which a training ends.
const (
	endEpochs      = "epochs"
	endPatience    = "patience"
	endInterrupted = "interrupted"
	endError       = "error"
)

// end returns why a training ends in that state and what to say, or "" if it goes on.
func (o *stopOptions) end(s state) (reason, message string) {
	switch {
	case o.patience > 0 && s.Worse >= o.patience:
		return endPatience, fmt.Sprintf("complete after %d epochs: the best model is %d validations old; a higher --patience goes on",
			s.Epochs, s.Worse)
	case s.Epochs >= o.epochs:
		return endEpochs, fmt.Sprintf("complete after %d epochs; a higher --epochs goes on", s.Epochs)
	}
	return "", ""
}
