package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
)

// A meter shows on standard error how far translate is, and what it has done at the end.
type meter struct {
	stderr   io.Writer
	bar      progressFunc // nil to show no bar
	delay    time.Duration
	summary  bool // also of a translation without a bar
	started  time.Time
	progress progress // nil while there is no bar
	shown    bool     // whether there has been a bar

	size         int64 // of the input, 0 if unknown
	offset       int64 // of the lines that are shown as done
	lines, words int   // that are done
}

// barDelay is the time after which a bar appears, so that a short pipeline shows none.
const barDelay = time.Second

// newMeter returns a meter for an input of that size. A bar is for a person who would see nothing
// else: on a terminal, while the lines come from elsewhere and go elsewhere.
func newMeter(stdin any, stdout any, stderr io.Writer, size int64, quiet, summary bool) *meter {
	m := &meter{stderr: stderr, delay: barDelay, summary: summary && !quiet, size: size, started: time.Now()}
	if !quiet && isTerminal(stderr) && !isTerminal(stdin) && !isTerminal(stdout) {
		m.bar = progressOn(stderr)
	}
	return m
}

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// begin starts the time at the first lines.
func (m *meter) begin() {
	if m.lines == 0 {
		m.started = time.Now()
	}
}

// add shows that another line of that many words is done, and the input up to offset.
func (m *meter) add(words int, offset int64) {
	m.lines++
	m.words += words
	if m.progress == nil {
		if m.bar == nil || time.Since(m.started) < m.delay {
			return
		}
		m.progress, m.shown = m.start(), true
	}
	if m.size > 0 {
		m.progress.add(int(offset-m.offset), plural(m.lines, "line"))
	} else {
		m.progress.add(1, "")
	}
	m.offset = offset
}

// start starts the bar. From then on, a write to a closed pipe is an error, after which the bar can be
// removed.
func (m *meter) start() progress {
	const title = "translating"
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if m.size > 0 {
		return m.bar(title, unitBytes, int(min(m.size, math.MaxInt)))
	}
	p := m.bar(title, "lines", 0)
	p.add(m.lines-1, "")
	return p
}

// Write writes a message to standard error, in place of the bar if there is one.
func (m *meter) Write(message []byte) (int, error) {
	const clearLine = "\r\x1b[K"
	if m.progress != nil {
		message = append([]byte(clearLine), message...)
	}
	return m.stderr.Write(message)
}

// stop removes the bar.
func (m *meter) stop() {
	if m.progress != nil {
		m.progress.done()
		m.progress = nil
		signal.Reset(syscall.SIGPIPE)
	}
}

// sumUp writes what was done.
func (m *meter) sumUp() {
	if !m.shown && !m.summary {
		return
	}
	seconds := time.Since(m.started).Seconds()
	fmt.Fprintf(m.stderr, "rnnsearch: translated %s, %s in %.1f s, %.0f words/s\n",
		plural(m.lines, "line"), plural(m.words, "word"), seconds, float64(m.words)/max(seconds, 1e-3))
}
