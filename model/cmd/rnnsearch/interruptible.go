package main

import (
	"context"
	"io"
)

// An interruptible reader ends with a context, even while a read of r waits for a line.
type interruptible struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte // of a read, which may go on after ctx has ended
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	if len(i.buffer) < len(p) {
		i.buffer = make([]byte, len(p))
	}
	var n int
	var err error
	done, buffer := make(chan struct{}), i.buffer[:len(p)]
	go func() {
		n, err = i.r.Read(buffer)
		close(done)
	}()
	select {
	case <-done:
		return copy(p, buffer[:n]), err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
