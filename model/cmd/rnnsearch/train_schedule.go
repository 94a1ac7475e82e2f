package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/training"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

// scheduleValues are the values of flags that have few.
var scheduleValues = map[string][]string{
	"best-by": {string(training.ByBLEU), string(training.ByLoss)}, "log": {string(trainlog.Text), string(trainlog.JSON)},
}

func (o *trainOptions) addCheckpoints(f *pflag.FlagSet) {
	f.StringVar(&o.Checkpoint, "checkpoint", "", "`file` to save checkpoints to and to resume from (default --model with .checkpoint appended)")
	f.IntVar(&o.Saves.Updates, "checkpoint-updates", 0, "updates between two checkpoints, 0 to save by time only")
	f.IntVar(&o.Saves.Minutes, "checkpoint-minutes", 10, "minutes between two checkpoints, 0 to save by updates only")
}

func (o *trainOptions) addEnd(f *pflag.FlagSet) {
	f.IntVar(&o.Epochs, "epochs", 5, "passes over the training text; unlimited if only --updates is given")
	f.IntVar(&o.Updates, "updates", 0, "updates after which to stop, even in the middle of an epoch, 0 for no limit")
	f.IntVar(&o.Patience, "patience", 0, "consecutive validations without a better model after which to stop, 0 for no limit")
	f.IntVar(&o.ValidUpdates, "valid-updates", 0, "updates between two validations, beside those at the end of epochs, 0 for none")
	f.StringVar((*string)(&o.BestBy), "best-by", string(training.ByBLEU), "criterion for the best model in validation: bleu (highest) or loss (lowest)")
}

func (o *trainOptions) addLog(f *pflag.FlagSet) {
	f.StringVar(&o.log, "log", string(trainlog.Text), "format of standard output: text, or json as described above")
	f.IntVar(&o.ProgressUpdates, "progress-updates", 100, "updates between two progress events of --log json")
}

func (o *trainOptions) logTo(w io.Writer) { o.Log = trainlog.NewWriter(w, trainlog.Format(o.log)) }

// checkSchedule checks the flags of addCheckpoints, addEnd and addLog.
func (o *trainOptions) checkSchedule() error {
	err := checkNumbers(
		number{"checkpoint-updates", o.Saves.Updates, 0, 1_000_000_000},
		number{"checkpoint-minutes", o.Saves.Minutes, 0, 1_000_000},
		number{"epochs", o.Epochs, 1, 1_000_000},
		number{"updates", o.Updates, 0, 1_000_000_000},
		number{"patience", o.Patience, 0, 1_000_000},
		number{"valid-updates", o.ValidUpdates, 0, 1_000_000_000},
		number{"progress-updates", o.ProgressUpdates, 1, 1_000_000_000},
	)
	switch {
	case err != nil:
		return err
	case o.BestBy != training.ByBLEU && o.BestBy != training.ByLoss:
		return fmt.Errorf("--best-by %q: expected %s or %s", o.BestBy, training.ByBLEU, training.ByLoss)
	case o.log != string(trainlog.Text) && o.log != string(trainlog.JSON):
		return fmt.Errorf("--log %q: expected %s or %s", o.log, trainlog.Text, trainlog.JSON)
	}
	return nil
}
