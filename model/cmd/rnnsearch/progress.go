package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
)

// A progress shows how much of a task is done.
type progress interface {
	add(n int, status string) // that many more units are done; status is a measurement so far
	done()                    // the task has ended
}

// A progressFunc starts to show the progress of a task of total units. The total is 0 if it is
// unknown.
type progressFunc func(title, unit string, total int) progress

// Units of progress. Bytes are shown as KiB, MiB and so on.
const (
	unitBytes     = "B"
	unitMerges    = "merges"
	unitPairs     = "pairs"
	unitSentences = "sentences"
)

// reportInterval is the time between two lines of a progressLog.
const reportInterval = 30 * time.Second

// progressOn returns a function that shows progress on w: as a bar on a terminal, else as a line from
// time to time.
func progressOn(w io.Writer) progressFunc {
	if f, ok := w.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return func(title, unit string, total int) progress { return newProgressBar(f, title, unit, total) }
	}
	return func(title, unit string, total int) progress {
		now := time.Now()
		return &progressLog{w: w, title: title, unit: unit, total: total, interval: reportInterval, start: now, last: now}
	}
}

// A progressBar is a line on a terminal that is updated in place and cleared at the end.
type progressBar struct{ bar *pb.ProgressBar }

func newProgressBar(w io.Writer, title, unit string, total int) progressBar {
	speed := "%s " + unit + "/s"
	if unit == unitBytes {
		speed = "%s/s"
	}
	line := `{{string . "title"}}: {{string . "status"}} {{bar . "[" "=" ">" " " "]"}} {{percent .}} {{speed . "` + speed + `"}} {{rtime . "%s left"}}`
	bar := pb.ProgressBarTemplate(line).New(total).SetWriter(w)
	bar.Set(pb.CleanOnFinish, true).Set(pb.Bytes, unit == unitBytes).Set("title", title)
	return progressBar{bar.Start()}
}

func (p progressBar) add(n int, status string) { p.bar.Set("status", status).Add(n) }

func (p progressBar) done() { p.bar.Finish() }

// A progressLog writes a line after each interval.
type progressLog struct {
	w               io.Writer
	title, unit     string
	finished, total int
	interval        time.Duration
	start, last     time.Time
}

func (p *progressLog) add(n int, status string) {
	p.finished += n
	now := time.Now()
	if now.Sub(p.last) < p.interval {
		return
	}
	p.last = now
	elapsed := now.Sub(p.start)
	left := time.Duration(float64(elapsed) / float64(p.finished) * float64(p.total-p.finished))
	fmt.Fprintf(p.w, "%s: %s, %d of %d %s, %.1f %s/s, %s left\n", p.title, status,
		p.finished, p.total, p.unit, float64(p.finished)/elapsed.Seconds(), p.unit, left.Round(time.Second))
}

func (p *progressLog) done() {}
