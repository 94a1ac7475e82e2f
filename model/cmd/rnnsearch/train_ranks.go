package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/mpi"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/spf13/pflag"
)

// ranks are the processes of a training, as one of them sees it: nil for one that MPI did not start.
// All train; only rank 0, which leads, reads checkpoints, validates, writes files and logs.
type ranks struct {
	*collective.Group
	agreed bool // all ranks end with an error
}

// transportKey is the key of a context for the transport of tests.
type transportKey struct{}

// connect returns the ranks, even with an error about their number, which all ranks have.
func connect(ctx context.Context) (*ranks, error) {
	transport, ok := ctx.Value(transportKey{}).(collective.Transport)
	if !ok {
		var err error
		if transport, err = mpi.Connect(); transport == nil || err != nil {
			return nil, err
		}
	}
	g, err := collective.New(transport)
	return &ranks{Group: g, agreed: err != nil}, err
}

// A runError is the error of a training that ran, on whatever other ranks there are.
type runError struct{ error }

func (e runError) Unwrap() error { return e.error }

// afterRun returns err as a runError.
func afterRun(err error) error {
	if err == nil {
		return nil
	}
	return runError{err}
}

// beforeRun returns an error of train on which the ranks agree, if it occurred before train ran on this
// rank. It returns the error of a run as it is.
func beforeRun(ctx context.Context, err error) error {
	if _, ok := errors.AsType[runError](err); ok {
		return err
	}
	r, connectErr := connect(ctx)
	if r == nil || connectErr != nil {
		return err
	}
	return r.leave(r.agree(err))
}

func (r *ranks) leads() bool { return r == nil || r.Rank() == 0 }

// lock is lockOutputs with an error on every rank if one of them has an error.
func (r *ranks) lock(flags *pflag.FlagSet, outputs ...outputFile) (unlock func(), err error) {
	unlock, err = lockOutputs(flags, outputs...)
	if agreed := r.agree(err); agreed != nil {
		if err == nil {
			unlock()
		}
		return nil, agreed
	}
	return unlock, nil
}

// agree returns an error on every rank if one of them has an error: err if all have that, otherwise the
// messages of all, or context.Canceled if ranks are interrupted and none has another error. All ranks
// call it.
func (r *ranks) agree(err error) error {
	if r == nil || errors.Is(err, collective.ErrTransport) {
		return err
	}
	const interrupted, failed = 1, 2
	own := uint64(0)
	switch {
	case errors.Is(err, context.Canceled):
		own = interrupted
	case err != nil:
		own = failed
	}
	worst, transportErr := r.AllReduceMax(own)
	if transportErr != nil || worst == 0 {
		return transportErr
	}
	if worst == interrupted {
		r.agreed = true
		return context.Canceled
	}
	message := ""
	if own == failed {
		message = err.Error()
	}
	messages, transportErr := r.AllGather([]byte(message))
	if transportErr != nil {
		return transportErr
	}
	r.agreed = true
	if len(slices.CompactFunc(slices.Clone(messages), slices.Equal)) == 1 {
		return err
	}
	return joined(messages)
}

// joined returns the error with the messages of the ranks, which are empty for those without an error.
func joined(messages [][]byte) error {
	var lines []string
	for rank, m := range messages {
		if len(m) > 0 {
			lines = append(lines, fmt.Sprintf("rank %d: %s", rank, m))
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// led returns what f returns on rank 0, where alone it runs, on every rank. The value must survive JSON.
func led[T any](r *ranks, f func() (T, error)) (value T, err error) {
	if r == nil {
		return f()
	}
	var encoded []byte
	if r.leads() {
		if value, err = f(); err == nil {
			encoded, err = json.Marshal(value)
		}
	}
	if err = r.agree(err); err != nil {
		return value, err
	}
	if encoded, err = r.BroadcastBytes(encoded); err != nil {
		return value, err
	}
	return value, json.Unmarshal(encoded, &value)
}

// start compares the ranks of a training that is prepared, unless err says that it is not, and makes
// them go on from the state of rank 0.
func (r *ranks) start(t *training, err error) error {
	if r == nil {
		return err
	}
	if err = r.agree(err); err != nil {
		return err
	}
	if err = r.Compare(t.facts()); err == nil {
		err = t.trainer.Join(r.Group)
	}
	if err == nil && !r.leads() && t.resumed {
		err = t.trainer.seek(t.state.Epochs, t.state.Batches)
		t.savedUpdate = t.trainer.Updates()
	}
	if err = r.agree(err); err != nil {
		return err
	}
	t.meter = trafficMeter{r.Traffic(), t.trainer.Updates()}
	t.epochMeter = t.meter
	t.description += "\n" + fmt.Sprintf("ranks: %d, with %s", r.Size(), terminal.Plural(max(1, t.trainer.recipe.Shards), "shard"))
	return nil
}

// facts returns what all ranks of a training must have in common, beside what model.Trainer.Join
// compares.
func (t *training) facts() []collective.Property {
	number, commit := build()
	facts := []collective.Property{
		{Name: "version", Value: number}, {Name: "commit", Value: commit},
		{Name: "--epochs", Value: strconv.Itoa(t.stop.epochs)}, {Name: "--updates", Value: strconv.Itoa(t.stop.updates)},
		{Name: "--patience", Value: strconv.Itoa(t.stop.patience)},
	}
	for name, value := range t.settings {
		fact := collective.Property{Name: "--" + name, Value: value}
		if slices.Contains(textFlags, name) {
			fact.Name = "text of --" + name + ", SHA-256"
		}
		facts = append(facts, fact)
	}
	slices.SortFunc(facts, func(a, b collective.Property) int { return strings.Compare(a.Name, b.Name) })
	return facts
}

// leave ends the part of this rank in a command that returns err. Rank 0 alone returns an error that
// all ranks have. Another one names the rank, and ends all ranks when this process ends.
func (r *ranks) leave(err error) error {
	switch {
	case r == nil:
		return err
	case err != nil && !r.agreed:
		return fmt.Errorf("rank %d: %w", r.Rank(), err)
	}
	if closeErr := mpi.Close(); err == nil {
		err = closeErr
	}
	if !r.leads() {
		return nil
	}
	return err
}

// A trafficMeter measures the traffic of this rank.
type trafficMeter struct {
	traffic collective.Traffic // up to the last record
	updates int
}

// add adds the mean of the updates since the last record to this one, unless there is only one rank.
func (m *trafficMeter) add(record *trainlog.Record, r *ranks, updates int) {
	if r == nil || r.Size() == 1 || updates == m.updates {
		return
	}
	now, n := r.Traffic(), float64(updates-m.updates)
	record.SentBytes = new(float64(now.Sent-m.traffic.Sent) / n)
	record.CommunicationSeconds = new((now.Time - m.traffic.Time).Seconds() / n)
	record.WaitingSeconds = new((now.Waiting - m.traffic.Waiting).Seconds() / n)
	*m = trafficMeter{now, updates}
}
