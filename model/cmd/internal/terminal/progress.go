package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
)

// A Progress shows how much of a task is done.
type Progress interface {
	Add(n int, status string) // that many more units are done; status is a measurement so far
	Done()                    // the task has ended
}

// A Start shows the beginning of a task of total units, 0 if their number is unknown, and returns its
// progress.
type Start func(title, unit string, total int) Progress

// Bytes is the unit that is shown as KiB, MiB and so on. Any other unit is its plural.
const Bytes = "B"

// NoProgress shows nothing.
type NoProgress struct{}

func (NoProgress) Add(int, string) {}
func (NoProgress) Done()           {}

const reportInterval = 30 * time.Second

// ProgressOn returns a Start that shows progress on w: as a bar on a terminal, else as a line every 30
// seconds.
func ProgressOn(w io.Writer) Start {
	if f := file(w); f != nil && isatty.IsTerminal(f.Fd()) {
		return func(title, unit string, total int) Progress { return newProgressBar(f, title, unit, total) }
	}
	return func(title, unit string, total int) Progress {
		now := time.Now()
		return &progressLog{w: w, title: title, unit: unit, total: total, interval: reportInterval, start: now, last: now}
	}
}

// A progressBar is a line on a terminal that is updated in place and cleared at the end.
type progressBar struct{ bar *pb.ProgressBar }

// The names of the template's element and of its variables.
const (
	barText   = "rnnsearch"
	barTitle  = "title"
	barUnit   = "unit"
	barStatus = "status"
)

func newProgressBar(w io.Writer, title, unit string, total int) progressBar {
	pb.RegisterElement(barText, pb.ElementFunc(barTextElement), false)
	// The line fills the terminal, and the cursor goes back to its beginning: the ^C that the terminal
	// prints there disappears with the bar.
	bar := pb.ProgressBarTemplate(`{{` + barText + ` .}}{{bar . "[" "=" ">" " " "]"}}` + "\r").New(total).SetWriter(w)
	bar.Set(pb.CleanOnFinish, true).Set(pb.Bytes, unit == Bytes).Set(barTitle, title).Set(barUnit, unit)
	return progressBar{bar.Start()}
}

func (p progressBar) Add(n int, status string) { p.bar.Set(barStatus, status).Add(n) }

func (p progressBar) Done() { p.bar.Finish() }

// barTextElement returns what stands to the left of the bar.
func barTextElement(state *pb.State, _ ...string) string {
	const minBar = 10 // columns
	s := snapshot{title: pb.ElementString(state, barTitle), status: pb.ElementString(state, barStatus)}
	s.finished = pb.ElementPercent(state, "%.1f%%")
	s.short = pb.ElementPercent(state, "%.0f%%")
	speed, unit := "/s", pb.ElementString(state, barUnit)
	if unit != Bytes {
		speed = " " + unit + speed
	}
	const unknown = "?"
	if pb.ElementSpeed(state, "%s", unknown) != unknown {
		s.speed, s.shortSpeed = pb.ElementSpeed(state, "%s"+speed), pb.ElementSpeed(state, "%s/s")
	}
	if state.Total() > 0 {
		s.left = pb.ElementRemainingTime(state, "%s left", "", "")
	} else {
		s.finished = pb.ElementCounters(state)
		s.short = s.finished
	}
	line := s.fit(state.Width(), " ")
	if rest := state.Width() - pb.CellCount(line); rest <= minBar {
		return line + strings.Repeat(" ", rest) // leaves no room for the bar
	}
	return line + " "
}

type progressLog struct {
	w               io.Writer
	title, unit     string
	finished, total int
	interval        time.Duration
	start, last     time.Time
}

func (p *progressLog) Add(n int, status string) {
	p.finished += n
	now := time.Now()
	if now.Sub(p.last) < p.interval {
		return
	}
	p.last = now
	fmt.Fprintln(p.w, p.snapshot(status, now.Sub(p.start)).fit(lineColumns, ", "))
}

const (
	lineColumns = 80             // of a line of a progressLog
	maxLeft     = 999_999 * 3600 // seconds that are shown at most
)

func (p *progressLog) snapshot(status string, elapsed time.Duration) snapshot {
	s := snapshot{title: p.title, status: status}
	perSecond := float64(p.finished) / elapsed.Seconds()
	unit := " " + p.unit
	s.short = p.amount(p.finished)
	s.shortSpeed = fmt.Sprintf("%.1f/s", perSecond)
	s.speed = fmt.Sprintf("%.1f%s/s", perSecond, unit)
	if p.unit == Bytes {
		unit = ""
		s.shortSpeed = p.amount(int(perSecond)) + "/s"
		s.speed = s.shortSpeed
	}
	if p.total > 0 {
		s.finished = s.short + " of " + p.amount(p.total) + unit
		s.short = fmt.Sprintf("%.1f%%", 100*float64(p.finished)/float64(p.total))
		left := elapsed.Seconds() / float64(p.finished) * float64(max(0, p.total-p.finished))
		s.left = (time.Duration(min(left, maxLeft)) * time.Second).String() + " left"
	} else {
		s.finished = s.short + unit
	}
	return s
}

// amount returns a number of units without the unit, unless that is bytes.
func (p *progressLog) amount(n int) string {
	return new(pb.ProgressBar).Set(pb.Bytes, p.unit == Bytes).Format(int64(n))
}

func (p *progressLog) Done() {}

// A snapshot is the progress of a task at one moment, in words.
type snapshot struct {
	title, status     string
	finished, short   string // how much is done
	speed, shortSpeed string
	left              string // time, empty if it is unknown
}

// fit returns as much of the snapshot as fits in that many columns, separated by sep. It leaves
// numbers out, but cuts none.
func (s snapshot) fit(columns int, sep string) string {
	head := s.title
	if s.status != "" {
		head += ": " + s.status
	} else {
		head += ":"
	}
	for _, parts := range [][]string{
		{head, s.finished, s.speed, s.left},
		{head, s.finished, s.shortSpeed, s.left},
		{head, s.short, s.shortSpeed, s.left},
		{head, s.finished, s.left},
		{head, s.short, s.left},
		{head, s.short, strings.TrimSuffix(s.left, " left")},
		{s.status, s.short, s.left},
		{s.status, s.short},
	} {
		if line := join(parts, sep); pb.CellCount(line) <= columns {
			return line
		}
	}
	return s.short
}

// join joins the parts that are not empty. A colon at the end of a part separates already.
func join(parts []string, sep string) string {
	var line string
	for _, part := range parts {
		switch {
		case part == "":
		case line == "":
			line = part
		case strings.HasSuffix(line, ":"):
			line += " " + part
		default:
			line += sep + part
		}
	}
	return line
}
