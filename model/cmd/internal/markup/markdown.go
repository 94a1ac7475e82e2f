package markup

import (
	"io"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A markdown document is read from its source along the nodes of goldmark. They only move the reader on, so that each
// byte is read once, whatever they say. Goldmark parses all blocks, and then the text of one after the other with the
// document as context, so that the nodes of one block are held at a time.
type markdown struct {
	*run
	parser.Context
	source  string
	at, end int // bytes of the source: that are read, and of the block
	hard    bool
	ends    map[ast.Node]int // of the nodes of the block
	marks   int              // of the block that are read
}

var (
	frontMatter    = regexp.MustCompile(`\A---[ \t]*\r?\n(?s:.*?\n)??---[ \t]*(?:\r?\n|\z)`)
	escape         = regexp.MustCompile("\\\\[!-/:-@[-`{-~]|&#?[0-9A-Za-z]+;|" + controls)
	formula        = regexp.MustCompile(`^\$(?:\$[^$]+\$|[^\s$0-9](?:[^$\n]*[^\s$])?)\$`)
	formulas       = regexp.MustCompile(`^\s*\$\$[^$]*\$\$\s*$`)
	markdownParser = newMarkdownParser()
)

// readMarkdown divides a document in CommonMark with GitHub's tables, lists of tasks and strikethrough, with footnotes,
// lists of definitions and formulas in $. Code, formulas, blocks of HTML, link definitions and front matter stay. A
// paragraph becomes one line, but for what is between sentences.
func (r *run) readMarkdown(in io.Reader) error {
	whole, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	matter := frontMatter.Find(whole)
	r.document.keep(string(matter))
	whole = whole[len(matter):]
	r.end = int64(len(matter))
	m := &markdown{run: r, Context: parser.NewContext(), source: string(whole), ends: map[ast.Node]int{}}
	markdownParser.Parse(text.NewReader(whole), parser.WithContext(m))
	r.document.keep(m.source[m.at:])
	return nil
}

// addParsed adds a block, unless it consists of others or is a formula.
func (m *markdown) addParsed(n ast.Node) {
	lines := n.Lines()
	if lines.Len() == 0 || m.err != nil {
		return
	}
	start, end := lines.At(0).Start, lines.At(lines.Len()-1).Stop
	if formulas.MatchString(m.source[start:end]) {
		return
	}
	m.end, m.escapes = end, map[rune]string{}
	if n.Kind() == extended.KindTableCell {
		m.escapes = map[rune]string{'|': `\|`}
	}
	m.addBlock(m.take(start))
	m.spans(n)
	m.space(m.end)
	m.flush()
}

// Reference returns a definition for every label: parts of documents lack those of others.
func (m *markdown) Reference(label string) (parser.Reference, bool) {
	if known, ok := m.Context.Reference(label); ok {
		return known, true
	}
	return parser.NewReference([]byte(label), nil, nil), true
}

// take reads up to a byte of the block.
func (m *markdown) take(to int) (raw string) {
	to = max(m.at, min(to, m.end))
	raw, m.at = m.source[m.at:to], to
	m.run.end += int64(len(raw))
	return raw
}

// space adds what is between two nodes: the end of a line, and the marks of quotations at the beginning of the next.
func (m *markdown) space(to int) {
	raw := m.take(to)
	line, _, broken := strings.Cut(raw, "\n")
	if !broken {
		m.text(raw)
		return
	}
	line = strings.TrimRight(line, " \t\r\\")
	m.text(line)
	if raw = raw[len(line):]; m.hard {
		m.addBreak(raw)
		raw = ""
	}
	m.addText(raw, " ")
	m.hard = false
}

// text adds text with escapes and character references.
func (m *markdown) text(raw string) {
	m.addWritten(raw, escape, func(raw string) string {
		if meant, escaped := strings.CutPrefix(raw, `\`); escaped {
			return meant
		}
		return string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(raw))))
	})
}
