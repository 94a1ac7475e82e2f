package markup

import (
	"regexp"
	"strings"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A prose document is Markdown or reStructuredText: lines of paragraphs, titles and items, and blocks that stay.
type prose struct {
	*run
	spans inline
	lines []string // with their ends
	next  int
	text  strings.Builder // of the paragraph so far
}

func newProse(text string, p pipeline.Pipeline, spans inline) *prose {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return &prose{run: newRun(p, nil), spans: spans, lines: lines}
}

// end ends the paragraph.
func (d *prose) end() {
	d.spans.add(d.run, d.text.String())
	d.text.Reset()
	d.flush()
}

// addLine adds the next line to the paragraph.
func (d *prose) addLine() {
	d.text.WriteString(d.lines[d.next])
	d.next++
}

// keepLine keeps the next line.
func (d *prose) keepLine() {
	d.end()
	d.document.keep(d.lines[d.next])
	d.next++
}

// keepWhile keeps the next line and those after it, as long as f.
func (d *prose) keepWhile(f func(line string) bool) {
	for d.keepLine(); d.next < len(d.lines) && f(d.lines[d.next]); {
		d.keepLine()
	}
}

// peek returns a line that follows, empty after the last one.
func (d *prose) peek(n int) string {
	if d.next+n < len(d.lines) {
		return d.lines[d.next+n]
	}
	return ""
}

// prefixed keeps what the next line begins with and begins a paragraph with the rest, if that matches.
func (d *prose) prefixed(x *regexp.Regexp) bool {
	line := d.peek(0)
	n := len(x.FindString(line))
	if n > 0 {
		d.end()
		d.document.keep(line[:n])
		d.lines[d.next] = line[n:]
		d.addLine()
	}
	return n > 0
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func isFull(line string) bool { return !isBlank(line) }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
