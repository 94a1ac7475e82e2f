package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/collective"
)

// Ranks are the processes of a training, as one of them sees it: nil for one that MPI did not start.
// All train; only rank 0, the root, reads checkpoints, validates, writes files and logs.
type Ranks struct {
	*collective.Group
	agreed bool // all ranks end with an error
}

// transportKey is the key of a context for the transport of tests.
type transportKey struct{}

// WithTransport returns a context in which OnRanks connects by a transport in place of MPI.
func WithTransport(ctx context.Context, t collective.Transport) context.Context {
	return context.WithValue(ctx, transportKey{}, t)
}

// connect joins the ranks. If their number is no power of two, every rank gets that error.
func connect(ctx context.Context) (*Ranks, error) {
	transport, ok := ctx.Value(transportKey{}).(collective.Transport)
	if !ok {
		var err error
		if transport, err = ConnectMPI(); transport == nil || err != nil {
			return nil, err
		}
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1) // a goroutine with a message must not wait for those that compute
	}
	g, err := collective.New(transport)
	return &Ranks{Group: g, agreed: err != nil}, err
}

type rankError struct{ error }

func (e rankError) Unwrap() error { return e.error }

// OnRanks joins the ranks, runs f, which all of them run, and leaves them. An error of all ranks is that
// of the root alone. Another one names the rank, and ends all ranks when this process ends.
func OnRanks(ctx context.Context, f func(*Ranks) error) error {
	r, err := connect(ctx)
	if err == nil {
		err = f(r)
	}
	if err = r.leave(err); err != nil {
		return rankError{err}
	}
	return nil
}

// EndRanks returns the error of a process that may be one of several ranks. If it occurred
// before OnRanks, all ranks end with the errors of all of them.
func EndRanks(ctx context.Context, err error) error {
	if _, ok := errors.AsType[rankError](err); ok {
		return err
	}
	r, connectErr := connect(ctx)
	if r == nil || connectErr != nil {
		return err
	}
	return r.leave(r.Agree(err))
}

// IsRoot reports whether this process is rank 0, or no rank.
func (r *Ranks) IsRoot() bool { return r == nil || r.Rank() == 0 }

// Agree returns an error on every rank if one of them has an error: err if all have that, otherwise the
// messages of all, or context.Canceled if ranks are interrupted and none has another error. All ranks
// call it; once they have an error, it returns the caller's.
func (r *Ranks) Agree(err error) error {
	if r == nil || r.agreed || errors.Is(err, collective.ErrTransport) {
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
	messages, transportErr := r.AllGatherBytes([]byte(message))
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

// rootSays returns what rank 0 says, on every rank.
func (r *Ranks) rootSays(yes bool) (bool, error) {
	if r == nil {
		return yes, nil
	}
	own := uint64(0)
	if yes && r.IsRoot() {
		own = 1
	}
	said, err := r.AllReduceMax(own)
	return said > 0, err
}

// onRoot runs f on rank 0 and returns its results on every rank. The value must survive JSON.
func onRoot[T any](r *Ranks, f func() (T, error)) (value T, err error) {
	if r == nil {
		return f()
	}
	var encoded []byte
	if r.IsRoot() {
		if value, err = f(); err == nil {
			encoded, err = json.Marshal(value)
		}
	}
	if err = r.Agree(err); err != nil {
		return value, err
	}
	if encoded, err = r.BroadcastBytes(encoded); err != nil {
		return value, err
	}
	return value, json.Unmarshal(encoded, &value)
}

// leave ends this rank, see OnRanks.
func (r *Ranks) leave(err error) error {
	switch {
	case r == nil:
		return err
	case err != nil && !r.agreed:
		return fmt.Errorf("rank %d: %w", r.Rank(), err)
	}
	if closeErr := CloseMPI(); err == nil {
		err = closeErr
	}
	if !r.IsRoot() {
		return nil
	}
	return err
}

type trafficMeter struct {
	traffic collective.Traffic // up to the last record
	updates int
}

// add adds the mean of the updates since the last record to this one, unless there is only one rank.
func (m *trafficMeter) add(record *Record, r *Ranks, updates int) {
	if r == nil || r.Size() == 1 || updates == m.updates {
		return
	}
	now, n := r.Traffic(), float64(updates-m.updates)
	record.SentBytes = new(float64(now.Sent-m.traffic.Sent) / n)
	record.CommunicationSeconds = new((now.Time - m.traffic.Time).Seconds() / n)
	record.WaitingSeconds = new((now.Waiting - m.traffic.Waiting).Seconds() / n)
	*m = trafficMeter{now, updates}
}

// mpiVariable returns the name of a variable that launchers of MPI set: Open MPI, MPICH and programs
// related to it, and PMIx. It is "" if there is none.
func mpiVariable() string {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return ""
}
