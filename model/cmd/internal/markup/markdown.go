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

// A markdown document is read from its source along the tree of goldmark. Its nodes only move the reader on, so that
// each byte is read once, whatever they say.
type markdown struct {
	*run
	source     string
	at, end    int // bytes of the source: that are read, and of the block
	hard       bool
	references references
}

var (
	frontMatter    = regexp.MustCompile(`\A---[ \t]*\r?\n(?s:.*?\n)??---[ \t]*(?:\r?\n|\z)`)
	escape         = regexp.MustCompile("\\\\[!-/:-@[-`{-~]|&#?[0-9A-Za-z]+;|" + controls)
	formula        = regexp.MustCompile(`^\$(?:\$[^$]+\$|[^\s$0-9](?:[^$\n]*[^\s$])?)\$`)
	formulas       = regexp.MustCompile(`^\s*\$\$[^$]*\$\$\s*$`)
	markdownParser = newMarkdownParser()
)

// readMarkdown divides a document in CommonMark with GitHub's tables, lists of tasks and strikethrough, with footnotes,
// lists of definitions and formulas in $. Code, formulas, blocks of HTML, link definitions and front matter stay. A paragraph becomes one line, but for what is between
// sentences.
func (r *run) readMarkdown(in io.Reader) error {
	whole, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	matter := frontMatter.Find(whole)
	r.document.keep(string(matter))
	whole = whole[len(matter):]
	m := &markdown{run: r, source: string(whole), references: references{parser.NewContext()}}
	root := markdownParser.Parse(text.NewReader(whole), parser.WithContext(m.references))
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *extended.DefinitionTerm, *extended.TableCell:
			if lines := n.Lines(); entering && lines.Len() > 0 && m.err == nil {
				m.end = lines.At(lines.Len() - 1).Stop
				if formulas.MatchString(m.source[lines.At(0).Start:m.end]) {
					return ast.WalkSkipChildren, nil
				}
				m.escapes = map[rune]string{}
				if n.Kind() == extended.KindTableCell {
					m.escapes = map[rune]string{'|': `\|`}
				}
				m.addBlock(m.take(lines.At(0).Start))
				m.spans(n)
				m.space(m.end)
				m.run.end = int64(len(matter) + m.end)
				m.flush()
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	r.document.keep(m.source[m.at:])
	return nil
}

// take reads up to a byte of the block.
func (m *markdown) take(to int) (raw string) {
	to = max(m.at, min(to, m.end))
	raw, m.at = m.source[m.at:to], to
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
		meant, escaped := strings.CutPrefix(raw, `\`)
		if !escaped {
			meant = string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(raw))))
		}
		return meant
	})
}
