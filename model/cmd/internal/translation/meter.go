package translation

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// A meter shows on standard error how far a translation is, and what it has done at the end.
type meter struct {
	stderr   io.Writer
	bar      terminal.Start // nil to show no bar
	delay    time.Duration
	summary  bool // also of a translation without a bar
	started  time.Time
	progress terminal.Progress // nil while there is no bar
	shown    bool              // whether there has been a bar

	noun         string                     // for what is translated
	size         int64                      // of the input, 0 if unknown
	offset       int64                      // of the lines that are shown as done
	lines, words int                        // that are done
	earlier      struct{ lines, words int } // of these, in earlier runs
}

// barDelay is the time after which a bar appears, so that a short pipeline shows none.
const barDelay = time.Second

// A Console is what a person may type at or look at, at a terminal or not.
type Console struct {
	Stdin, Stdout any // nil if the lines are read from a file, or written to one
	Stderr        io.Writer
	Quiet         bool // show warnings only
}

// newMeter returns a meter for an input of that size. A bar is for a person who would see nothing
// else: on a terminal, while the lines come from elsewhere and go elsewhere.
func newMeter(c Console, size int64, summary bool) *meter {
	m := &meter{stderr: c.Stderr, noun: "line", delay: barDelay, summary: summary && !c.Quiet, size: size, started: time.Now()}
	if !c.Quiet && terminal.Is(c.Stderr) && !terminal.Is(c.Stdin) && !terminal.Is(c.Stdout) {
		m.bar = terminal.ProgressOn(c.Stderr)
	}
	return m
}

func (m *meter) begin() {
	if m.lines == m.earlier.lines {
		m.stop()
		m.started = time.Now()
	}
}

// skip shows that lines of that many words were translated in earlier runs, and have been read up to
// offset.
func (m *meter) skip(lines, words int, offset int64) {
	m.earlier.lines += lines
	m.earlier.words += words
	m.done("reading", lines, words, offset)
}

// add shows that lines of that many words are translated, and the input up to offset.
func (m *meter) add(lines, words int, offset int64) { m.done("translating", lines, words, offset) }

// done shows that lines of that many words are done, and the input up to offset.
func (m *meter) done(title string, lines, words int, offset int64) {
	m.lines += lines
	m.words += words
	if m.progress == nil {
		if m.bar == nil || time.Since(m.started) < m.delay {
			return
		}
		m.offset = 0
		m.progress, m.shown = m.start(title, lines), true
	}
	if m.size > 0 {
		m.progress.Add(int(offset-m.offset), terminal.Plural(m.lines, m.noun))
	} else {
		m.progress.Add(lines, "")
	}
	m.offset = offset
}

// start starts the bar without the last lines that are done. From then on, a write to a closed
// pipe is an error, after which the bar can be removed.
func (m *meter) start(title string, last int) terminal.Progress {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if m.size > 0 {
		return m.bar(title, terminal.Bytes, int(min(m.size, math.MaxInt)))
	}
	p := m.bar(title, m.noun+"s", 0)
	p.Add(m.lines-last, "")
	return p
}

// Write writes a message to standard error, in place of the bar if there is one.
func (m *meter) Write(message []byte) (int, error) {
	if m.progress != nil {
		terminal.ClearLine(m.stderr)
	}
	return m.stderr.Write(message)
}

func (m *meter) stop() {
	if m.progress != nil {
		m.progress.Done()
		m.progress = nil
		signal.Reset(syscall.SIGPIPE)
	}
}

func (m *meter) sumUp() {
	if !m.shown && !m.summary {
		return
	}
	seconds := time.Since(m.started).Seconds()
	var parts string
	if n := m.earlier.lines; n > 0 {
		parts = fmt.Sprintf(": %s in earlier runs, %s", terminal.Plural(n, m.noun), terminal.Plural(m.lines-n, m.noun))
	}
	fmt.Fprintf(m.stderr, "rnnsearch: translated %s, %s%s in %.1f s, %.0f words/s\n",
		terminal.Plural(m.lines, m.noun), terminal.Plural(m.words, "word"), parts, seconds, float64(m.words-m.earlier.words)/max(seconds, 1e-3))
}
