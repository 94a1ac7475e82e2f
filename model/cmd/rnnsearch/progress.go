package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
)

// reportInterval is the time between two lines of progress where there is no terminal.
const reportInterval = 30 * time.Second

// A progress shows how far some work on sentences is.
type progress interface {
	add(sentences int, note string) // so many more are done; note says how well
	done()                          // the work is over
}

// A progressFunc starts to show work on that many sentences.
type progressFunc func(title string, sentences int) progress

// progressOn returns a function that shows progress on w: a live line on a terminal, else a
// line now and then.
func progressOn(w io.Writer) progressFunc {
	if f, ok := w.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return func(title string, sentences int) progress { return newLive(f, title, sentences) }
	}
	return func(title string, sentences int) progress {
		now := time.Now()
		return &plain{w: w, title: title, sentences: sentences, interval: reportInterval, start: now, last: now}
	}
}

// A live is a line of the terminal that is written again and again, and cleared at the end.
type live struct{ bar *pb.ProgressBar }

func newLive(w io.Writer, title string, sentences int) live {
	const line = `{{string . "title"}}: {{string . "note"}} {{bar . "[" "=" ">" " " "]"}} {{percent .}} {{speed . "%s sentences/s"}} {{rtime . "%s left"}}`
	bar := pb.ProgressBarTemplate(line).New(sentences).SetWriter(w)
	bar.Set(pb.CleanOnFinish, true).Set("title", title)
	return live{bar.Start()}
}

func (l live) add(sentences int, note string) { l.bar.Set("note", note).Add(sentences) }

func (l live) done() { l.bar.Finish() }

// A plain is a series of lines, one after each interval.
type plain struct {
	w                   io.Writer
	title               string
	finished, sentences int
	interval            time.Duration
	start, last         time.Time
}

func (p *plain) add(sentences int, note string) {
	p.finished += sentences
	now := time.Now()
	if now.Sub(p.last) < p.interval {
		return
	}
	p.last = now
	elapsed := now.Sub(p.start)
	left := time.Duration(float64(elapsed) / float64(p.finished) * float64(p.sentences-p.finished))
	fmt.Fprintf(p.w, "%s: %s, %d of %d sentences, %.1f sentences/s, %s left\n", p.title, note,
		p.finished, p.sentences, float64(p.finished)/elapsed.Seconds(), left.Round(time.Second))
}

func (p *plain) done() {}
