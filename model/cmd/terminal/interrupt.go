package terminal

import (
	"context"
	"errors"
)

// ErrInterrupted is the error of a command that a signal ended early.
var ErrInterrupted = errors.New("interrupted")

// UntilInterrupted returns the results of f, or ErrInterrupted as soon as ctx ends or if f fails at its
// end. Then f may go on in the background until the program exits, and must not matter any more.
func UntilInterrupted[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type results struct {
		value T
		err   error
	}
	c := make(chan results, 1)
	go func() {
		value, err := f()
		c <- results{value, err}
	}()
	select {
	case r := <-c:
		if r.err != nil && ctx.Err() != nil {
			r.err = ErrInterrupted
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ErrInterrupted
	}
}
