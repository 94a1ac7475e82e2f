package markup

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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

// through returns a condition that holds up to the first line for which f does, and there.
func through(f func(line string) bool) func(line string) bool {
	ended := false
	return func(line string) bool {
		before := ended
		ended = ended || f(line)
		return !before
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

// titled adds the next line as a title, with a line under it and maybe over it that are as long as it is.
func (d *prose) titled(over bool) {
	var rules []int // pieces
	rule := func() {
		line := d.lines[d.next]
		end := strings.TrimRight(line, " \t\r\n")
		rules = append(rules, len(d.document.pieces))
		d.document.keep(end)
		d.document.keep(line[len(end):])
		d.next++
	}
	d.end()
	if over {
		rule()
	}
	first := len(d.document.pieces)
	d.addLine()
	d.end()
	last := len(d.document.pieces)
	rule()
	for _, i := range rules {
		d.document.pieces[i].title = [2]int{first, last}
	}
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func isFull(line string) bool { return !isBlank(line) }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// ruleLength returns the length of a line that is one punctuation mark, once or more, and 0 for other lines.
func ruleLength(line string) int {
	line = strings.TrimRight(line, " \t\r\n")
	if line == "" || line == "::" || strings.Trim(line, line[:1]) != "" || !strings.Contains("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", line[:1]) {
		return 0
	}
	return len(line)
}

// isUnder reports whether a line is one under a title.
func isUnder(line, title string) bool {
	n := ruleLength(line)
	return n >= 4 || n > 0 && n >= utf8.RuneCountInString(strings.TrimSpace(title))
}

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
	bullet     = regexp.MustCompile(`^(?:` + quoteMark + `)*\s*(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[[ xX]\]\s+)?`)
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

var (
	admonition = regexp.MustCompile(`^\s*\.\. (?:note|warning|tip|hint|important|caution|danger|attention|error|seealso|impl-detail)::\s*`)
	version    = regexp.MustCompile(`^\s*\.\. (?:versionadded|versionchanged|deprecated\S*)::`)
	described  = regexp.MustCompile(`^\s*\.\. (?:\w+:)?(?:function|class|method|attribute|exception|data|module|decorator|\w+method|\w+function|` +
		`c?macro|type|member|opcode|describe|option|cmdoption|envvar|topic|sidebar|container)::`)
	explicit  = regexp.MustCompile(`^\s*\.\.(?:\s|$)`)
	footnote  = regexp.MustCompile(`^\s*\.\. \[[#*\w.-]+\]\s+`)
	field     = regexp.MustCompile("^\\s*:[^:`\\s][^:`]*:(?:\\s+|$)")
	items     = regexp.MustCompile(`^\s*(?:[-*+•]|\(?(?:[0-9]+|#)[.)])\s+|^\s*\| `)
	gridTable = regexp.MustCompile(`^\s*\+[-=+]+\+\s*$`)
	table     = regexp.MustCompile(`^\s*=+(?: +=+)+\s*$`)
	doctest   = regexp.MustCompile(`^\s*>>> `)
)

// RST divides a document in reStructuredText. Literal blocks, doctests, tables, comments and directives stay, but not
// notes and what Sphinx's directives say about functions, options and versions. A paragraph becomes one line, but for
// what is between sentences.
func RST(text string, p pipeline.Pipeline) *Document {
	d := newProse(text, p, rstSpans)
	column := 0 // where the lines of the paragraph begin after the first one
	for d.next < len(d.lines) {
		line := d.lines[d.next]
		if d.text.Len() > 0 && !isBlank(line) && indent(line) == column {
			if title := d.text.String(); column == 0 && isUnder(line, title) && strings.Count(title, "\n") == 1 {
				d.text.Reset()
				d.next--
				d.titled(false)
			} else {
				d.addLine()
			}
			continue
		}
		if d.literal() {
			for d.next < len(d.lines) && (isBlank(d.peek(0)) || indent(d.peek(0)) > column) {
				d.keepLine()
			}
			continue
		}
		d.end()
		column = indent(line)
		within := func(next string) bool { return isBlank(next) || indent(next) > column }
		switch {
		case isBlank(line), version.MatchString(line):
			d.keepLine()
		case d.prefixed(admonition):
			column += len(".. ")
		case described.MatchString(line):
			d.keepWhile(func(next string) bool { return isFull(next) && within(next) })
		case d.prefixed(footnote):
			column = max(column+1, indent(d.peek(0)))
		case explicit.MatchString(line):
			d.keepWhile(within)
		case isUnder(line, d.peek(1)) && !isBlank(d.peek(1)) && isUnder(d.peek(2), d.peek(1)):
			d.titled(true)
		case ruleLength(line) >= 4:
			d.keepLine()
		case gridTable.MatchString(line), doctest.MatchString(line):
			d.keepWhile(isFull)
		case table.MatchString(line):
			first := d.next
			d.keepWhile(func(next string) bool {
				return isFull(next) || d.next-1 == first || !table.MatchString(d.lines[d.next-1])
			})
		case d.prefixed(field):
			column = max(column+1, indent(d.peek(0)))
		case d.prefixed(items):
			column = len(items.FindString(line))
		default:
			d.addLine()
		}
	}
	d.literal()
	d.end()
	return d.document
}

// literal ends a paragraph before a literal block, if its last character is the second of two colons.
func (d *prose) literal() bool {
	text := d.text.String()
	before := strings.TrimRight(text, " \t\r\n")
	if !strings.HasSuffix(before, "::") {
		return false
	}
	n := len(before) - len("::")
	d.text.Reset()
	d.text.WriteString(text[:n])
	d.end()
	d.document.keep(text[n:])
	return true
}
