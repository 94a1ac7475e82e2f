//go:build unix

package files

import (
	"context"
	"io"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInputEnds ends the context of inputs that are opened or read.
func TestInputEnds(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	r, w := io.Pipe()
	defer w.Close()
	for name, open := range map[string]func(ctx context.Context) (*Input, error){
		"file":                  func(ctx context.Context) (*Input, error) { return Open(ctx, put(t, "a", []byte(animals))) },
		"pipe without a writer": func(ctx context.Context) (*Input, error) { return Open(ctx, pipe) },
		"reader":                func(ctx context.Context) (*Input, error) { return NewInput(ctx, "r", r), nil },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		in, err := open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if name == "file" {
			in.Read(make([]byte, 2))
			cancel()
		}
		time.AfterFunc(10*time.Millisecond, cancel)
		if _, err := in.Read(make([]byte, 1)); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		in.Close()
	}
}
