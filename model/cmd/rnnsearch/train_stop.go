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
	epochs, updates, patience int
	endless                   bool // epochs have no limit
	bestBy                    string
}

func (o *stopOptions) add(f *pflag.FlagSet) {
	f.IntVar(&o.epochs, "epochs", 5, "passes over the training text; no limit where --updates is given alone")
	f.IntVar(&o.updates, "updates", 0, "updates after which to stop, in the middle of an epoch too, 0 for no limit")
	f.IntVar(&o.patience, "patience", 0, "validations in a row that are not better after which to stop, 0 for never")
	f.StringVar(&o.bestBy, "best-by", string(byBLEU), "what the best model has: the highest bleu, or the lowest loss, in validation")
}

// complete lifts the limit of epochs where --updates is given alone.
func (o *stopOptions) complete(flags *pflag.FlagSet) {
	o.endless = o.updates > 0 && !flags.Changed("epochs")
}

func (o *stopOptions) check() error {
	err := checkNumbers(
		number{"epochs", o.epochs, 1, 1_000_000},
		number{"updates", o.updates, 0, 1_000_000_000},
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
	endUpdates     = "updates"
	endPatience    = "patience"
	endInterrupted = "interrupted"
	endError       = "error"
)

// left returns how many of the updates that are left of an epoch come before the end, after so many
// updates in all.
func (o *stopOptions) left(epoch, updates int) int {
	if o.updates == 0 {
		return epoch
	}
	return min(epoch, max(0, o.updates-updates))
}

// end returns why a training ends in that state, after so many updates, and what to say, or "" if
// it goes on. One that --updates ends has a validation after its last update.
func (o *stopOptions) end(s state, updates int) (reason, message string) {
	switch {
	case o.updates > 0 && updates >= o.updates && s.measured():
		return endUpdates, fmt.Sprintf("complete after %d updates; a higher --updates goes on", updates)
	case o.patience > 0 && s.Worse >= o.patience:
		return endPatience, fmt.Sprintf("complete after %d epochs: the best model is %d validations old; a higher --patience goes on",
			s.Epochs, s.Worse)
	case !o.endless && s.Epochs >= o.epochs:
		return endEpochs, fmt.Sprintf("complete after %d epochs; a higher --epochs goes on", s.Epochs)
	}
	return "", ""
}

// title names an epoch, and the last one if that is known.
func (o *stopOptions) title(epoch int) string {
	if o.endless {
		return fmt.Sprintf("epoch %d", epoch)
	}
	return fmt.Sprintf("epoch %d of %d", epoch, o.epochs)
}
