package markup

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

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
