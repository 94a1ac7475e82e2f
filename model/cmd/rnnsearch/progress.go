package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
)

// A progress shows how many sentences of a task are done.
type progress interface {
	add(sentences int, status string) // that many more are done; status is a measurement so far
	done()                            // the task has ended
}

// A progressFunc starts to show the progress of a task on that many sentences.
type progressFunc func(title string, sentences int) progress

// reportInterval is the time between two lines of a progressLog.
const reportInterval = 30 * time.Second

// progressOn returns a function that shows progress on w: as a bar on a terminal, else as a line from
// time to time.
func progressOn(w io.Writer) progressFunc {
	if f, ok := w.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return func(title string, sentences int) progress { return newProgressBar(f, title, sentences) }
	}
	return func(title string, sentences int) progress {
		now := time.Now()
		return &progressLog{w: w, title: title, sentences: sentences, interval: reportInterval, start: now, last: now}
	}
}

// A progressBar is a line on a terminal that is updated in place and cleared at the end.
type progressBar struct{ bar *pb.ProgressBar }

func newProgressBar(w io.Writer, title string, sentences int) progressBar {
	const line = `{{string . "title"}}: {{string . "status"}} {{bar . "[" "=" ">" " " "]"}} {{percent .}} {{speed . "%s sentences/s"}} {{rtime . "%s left"}}`
	bar := pb.ProgressBarTemplate(line).New(sentences).SetWriter(w)
	bar.Set(pb.CleanOnFinish, true).Set("title", title)
	return progressBar{bar.Start()}
}

func (p progressBar) add(sentences int, status string) { p.bar.Set("status", status).Add(sentences) }

func (p progressBar) done() { p.bar.Finish() }

// A progressLog writes a line after each interval.
type progressLog struct {
	w                   io.Writer
	title               string
	finished, sentences int
	interval            time.Duration
	start, last         time.Time
}

func (p *progressLog) add(sentences int, status string) {
	p.finished += sentences
	now := time.Now()
	if now.Sub(p.last) < p.interval {
		return
	}
	p.last = now
	elapsed := now.Sub(p.start)
	left := time.Duration(float64(elapsed) / float64(p.finished) * float64(p.sentences-p.finished))
	fmt.Fprintf(p.w, "%s: %s, %d of %d sentences, %.1f sentences/s, %s left\n", p.title, status,
		p.finished, p.sentences, float64(p.finished)/elapsed.Seconds(), left.Round(time.Second))
}

func (p *progressLog) done() {}
