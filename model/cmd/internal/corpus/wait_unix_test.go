//go:build unix

package corpus

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipe returns the path of a new pipe.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	return path
}

// TestEndWaiting ends preparations that wait: for a writer of a pipe, for what it writes, and for another
// process.
func TestEndWaiting(t *testing.T) {
	for name, wait := range map[string]func(s *Settings) (end func()){
		"opening": func(s *Settings) func() {
			s.Source[0] = pipe(t)
			return func() {}
		},
		"reading": func(s *Settings) func() {
			s.Target[0] = pipe(t)
			opened := make(chan *os.File)
			go func() {
				f, _ := os.OpenFile(s.Target[0], os.O_WRONLY, 0)
				opened <- f
			}()
			return func() { (<-opened).Close() }
		},
		"the lock": func(s *Settings) func() {
			p := &preparation{t.Context(), *s, 1, silent}
			unlock, err := p.lockCache()
			if err != nil {
				t.Fatal(err)
			}
			return unlock
		},
	} {
		s := rawSettings(t, 2)
		end := wait(&s)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		var messages bytes.Buffer
		_, err := Prepare(ctx, s, 2, Reporter{silent.Begin, &messages})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(messages.String(), "waiting") != (name == "the lock") {
			t.Errorf("%s: error %v, messages %s", name, err, &messages)
		}
		end()
		wantFiles(t, s, false)
	}
}
