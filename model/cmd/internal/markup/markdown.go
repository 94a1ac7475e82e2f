package markup

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// quoteMark matches the mark of one quotation.
const quoteMark = ` {0,3}>[ \t]?`

// cutQuotes divides a line after the marks of at most n quotations, and returns how many there are.
func cutQuotes(line string, n int) (marks, rest string, depth int) {
	rest = line
	for depth < n && quote.MatchString(rest) {
		rest = rest[len(quote.FindString(rest)):]
		depth++
	}
	return line[:len(line)-len(rest)], rest, depth
}

var (
	fence      = regexp.MustCompile("^\\s*(?:(```+)[^`]*$|(~~~+))")
	heading    = regexp.MustCompile(`^(?:` + quoteMark + `)*\s*#{1,6}\s+`)
	underline  = regexp.MustCompile(`^ {0,3}(?:=+|-+)\s*$`)
	thematic   = regexp.MustCompile(`^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$`)
	bullet     = regexp.MustCompile(`^(?:` + quoteMark + `)*\s*(?:(?:[-*+]|[0-9]{1,9}[.)])\s+)+(?:\[[ xX]\]\s+)?`)
	quote      = regexp.MustCompile(`^` + quoteMark)
	alert      = regexp.MustCompile(`^ {0,3}\[!\w+\]\s*$`)
	tableRule  = regexp.MustCompile(`^[\s|:-]*-[\s|:-]*$`)
	blockTag   = regexp.MustCompile(`^ {0,3}<(!--|!|/?[A-Za-z][A-Za-z0-9]*)`)
	definition = regexp.MustCompile(`^ {0,3}\[([^\]]+)\]:\s`)
)

// blockEnds has what ends a block of HTML that may have empty lines.
var blockEnds = map[string]string{"!--": "-->", "pre": "</pre>", "script": "</script>", "style": "</style>", "textarea": "</textarea>"}

// Markdown divides a document in Markdown (CommonMark, with tables and strikethrough of GitHub). Code, tables, blocks
// of HTML, link definitions and front matter stay. A paragraph becomes one line, but for what is between sentences.
func Markdown(text string, p pipeline.Pipeline) *Document {
	d := newProse(text, p, markdownSpans)
	d.spans.labels = map[string]bool{}
	for _, line := range d.lines {
		_, line, _ = cutQuotes(line, math.MaxInt)
		if m := definition.FindStringSubmatch(line); m != nil {
			d.spans.labels[fold(m[1])] = true
		}
	}
	isMatter := func(line string) bool { return strings.TrimSpace(line) == "---" }
	if isMatter(d.peek(0)) && slices.ContainsFunc(d.lines[1:], isMatter) {
		d.keepWhile(through(isMatter))
	}
	item, quoted := false, 0 // a list, quotations around the paragraph
	for d.next < len(d.lines) {
		marks, line, depth := cutQuotes(d.peek(0), math.MaxInt)
		within := func(f func(line string) bool) func(line string) bool {
			return func(line string) bool {
				_, rest, n := cutQuotes(line, depth)
				return n == depth && f(rest)
			}
		}
		content := bullet.ReplaceAllString(line, "")
		inside := d.text.Len() > 0
		name := ""
		if m := blockTag.FindStringSubmatch(line); m != nil && !inside {
			name = strings.ToLower(m[1])
		}
		element := strings.TrimPrefix(name, "/")
		column := 4
		if item {
			column = 8
		}
		isCode := func(line string) bool { return indent(strings.ReplaceAll(line, "\t", "    ")) >= column }
		isRule := func(line string) bool { return tableRule.MatchString(line) && strings.Contains(line, "|") }
		switch {
		case isBlank(line):
			d.keepLine()
		case fence.MatchString(content):
			m := fence.FindStringSubmatch(content)
			mark := m[1] + m[2]
			item = item || content != line
			d.keepWhile(within(through(func(line string) bool {
				line = strings.TrimSpace(line)
				return strings.HasPrefix(line, mark) && strings.Trim(line, mark[:1]) == ""
			})))
		case inside && underline.MatchString(line), thematic.MatchString(line):
			d.keepLine()
			item = false
		case d.prefixed(heading):
			d.end()
		case strings.Contains(line, "|") && within(isRule)(d.peek(1)):
			d.keepWhile(within(isFull))
		case !inside && (definition.MatchString(line) || alert.MatchString(line)):
			d.keepLine()
		case blockEnds[name] != "":
			isPart := through(func(line string) bool { return strings.Contains(strings.ToLower(line), blockEnds[name]) })
			isPart(line)
			d.keepWhile(within(isPart))
		case name == "!", blocks[element], silent[element]:
			d.keepWhile(within(isFull))
		case d.prefixed(bullet):
			item, quoted = true, depth
		case !inside && isCode(line):
			d.keepWhile(within(func(line string) bool { return isBlank(line) || isCode(line) }))
		case inside && depth <= quoted:
			d.addLine()
		default:
			d.end()
			d.document.keep(marks)
			if indent(line) == 0 {
				item = false
			}
			d.lines[d.next], quoted = line, depth
			d.addLine()
		}
	}
	d.end()
	return d.document
}

// through returns a condition that holds up to the first line for which f does, and there.
func through(f func(line string) bool) func(line string) bool {
	ended := false
	return func(line string) bool {
		before := ended
		ended = ended || f(line)
		return !before
	}
}
