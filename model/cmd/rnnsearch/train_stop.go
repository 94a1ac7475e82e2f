package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

// stopOptions are the flags of train that say when it ends and which model it keeps.
type stopOptions struct {
	epochs, updates, patience int
	unlimitedEpochs           bool
	validUpdates              int // between two validations, 0 to validate after epochs only
	bestBy                    string
}

func (o *stopOptions) add(f *pflag.FlagSet) {
	f.IntVar(&o.epochs, "epochs", 5, "passes over the training text; unlimited if only --updates is given")
	f.IntVar(&o.updates, "updates", 0, "updates after which to stop, even in the middle of an epoch, 0 for no limit")
	f.IntVar(&o.patience, "patience", 0, "consecutive validations without a better model after which to stop, 0 for no limit")
	f.IntVar(&o.validUpdates, "valid-updates", 0, "updates between two validations, beside those at the end of epochs, 0 for none")
	f.StringVar(&o.bestBy, "best-by", string(byBLEU), "criterion for the best model in validation: bleu (highest) or loss (lowest)")
}

// complete removes the limit of epochs if only --updates is given.
func (o *stopOptions) complete(flags *pflag.FlagSet) {
	o.unlimitedEpochs = o.updates > 0 && !flags.Changed("epochs")
}

func (o *stopOptions) check() error {
	err := checkNumbers(
		number{"epochs", o.epochs, 1, 1_000_000},
		number{"updates", o.updates, 0, 1_000_000_000},
		number{"patience", o.patience, 0, 1_000_000},
		number{"valid-updates", o.validUpdates, 0, 1_000_000_000},
	)
	if err != nil {
		return err
	}
	if by := criterion(o.bestBy); by != byBLEU && by != byLoss {
		return fmt.Errorf("--best-by %q: expected %s or %s", o.bestBy, byBLEU, byLoss)
	}
	return nil
}

// updatesLeft returns the number of updates before the end of the epoch or of the training. The
// epoch has that many batches left, and updates is the number of updates so far.
func (o *stopOptions) updatesLeft(batchesLeft, updates int) int {
	if o.updates == 0 {
		return batchesLeft
	}
	return min(batchesLeft, max(0, o.updates-updates))
}

// end returns the reason to end a training in state s, after that many updates, and a message, or ""
// if it continues. A training that --updates ends validates after the last update.
func (o *stopOptions) end(s trainState, updates int) (reason, message string) {
	switch {
	case o.updates > 0 && updates >= o.updates && s.validated():
		return trainlog.ReasonUpdates, fmt.Sprintf("complete after %s; a higher --updates continues", terminal.Plural(updates, "update"))
	case o.patience > 0 && s.SinceBest >= o.patience:
		return trainlog.ReasonPatience, fmt.Sprintf("complete after %s: no better model in %s; a higher --patience continues",
			terminal.Plural(s.Epochs, "epoch"), terminal.Plural(s.SinceBest, "validation"))
	case !o.unlimitedEpochs && s.Epochs >= o.epochs:
		return trainlog.ReasonEpochs, fmt.Sprintf("complete after %s; a higher --epochs continues", terminal.Plural(s.Epochs, "epoch"))
	}
	return "", ""
}

// epochTitle names an epoch, and the number of epochs if it is limited.
func (o *stopOptions) epochTitle(epoch int) string {
	if o.unlimitedEpochs {
		return fmt.Sprintf("epoch %d", epoch)
	}
	return fmt.Sprintf("epoch %d of %d", epoch, o.epochs)
}
