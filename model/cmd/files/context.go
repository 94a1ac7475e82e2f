package files

import (
	"context"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// OpenContext is [Open] until ctx ends: then it returns the error of ctx, and a Read that waits for the
// writer of a pipe ends with one that wraps [os.ErrDeadlineExceeded].
func OpenContext(ctx context.Context, path string) (*Input, error) {
	opened := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { endOpen(path, opened) })
	in, err := Open(path)
	close(opened)
	if !stop() {
		if err == nil {
			in.Close()
		}
		return nil, ctx.Err()
	}
	if err == nil {
		f := in.file.(*os.File)
		context.AfterFunc(ctx, func() { f.SetReadDeadline(time.Now()) })
	}
	return in, err
}

// endOpen ends the opening of a pipe that waits for a writer: it becomes one for a moment.
func endOpen(path string, opened <-chan struct{}) {
	for {
		select {
		case <-opened:
			return
		case <-time.After(time.Millisecond):
		}
		if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				f.Close()
			}
		}
	}
}
