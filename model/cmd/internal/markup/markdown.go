package markup

import (
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
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

// spans adds what is in a node.
func (m *markdown) spans(parent ast.Node) {
	ends := map[string][]ast.Node{} // tags in it, by name
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.RawHTML); ok {
			if t := tokenOf(m.source[n.Pos():endOf(n)]); t.Type == html.EndTagToken {
				ends[t.Data] = append(ends[t.Data], n)
			}
		}
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		start, size := startOf(n, m.source)
		m.space(start)
		switch node := n.(type) {
		case *ast.Text:
			m.text(m.take(node.Segment.Stop))
			m.hard = node.HardLineBreak()
		case *ast.Emphasis, *extended.Strikethrough:
			mark := m.take(m.at + size)
			m.addStart(mark, mark, true)
			m.spans(n)
			m.addEnd(m.take(m.at+size), mark)
		case *ast.Link:
			m.link(node)
		case *ast.CodeSpan, *ast.AutoLink:
			raw := m.take(endOf(n))
			m.addKept(raw, strings.Trim(raw, "`<>"))
		case *ast.RawHTML:
			n = m.tag(n, ends)
		default: // an image or a check box
			m.addPoint(m.take(endOf(n)))
		}
	}
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

// link adds a link. Where its text is its label, the translation gets that label. Without a definition, it stays
// text inside a word.
func (m *markdown) link(n *ast.Link) {
	end, label, defined := endOf(n), "", false
	if r := n.Reference; r != nil && r.Type != ast.ReferenceLinkFull {
		label = strings.Join(strings.Fields(string(r.Value)), " ")
		_, defined = m.references.Context.Reference(util.ToLinkReference(r.Value))
	}
	if !defined && strings.IndexAny(label, "!^") == 0 { // [!NOTE] or a footnote
		m.addNote(m.take(end))
		return
	}
	left, _ := utf8.DecodeLastRuneInString(m.source[:m.at])
	right, _ := utf8.DecodeRuneInString(m.source[max(m.at, min(end, m.end)):])
	if label != "" && !defined && (isWordRune(left) || isWordRune(right)) {
		m.text(m.take(m.at + 1))
		m.spans(n)
		m.text(m.take(end))
		return
	}
	m.addStart(m.take(m.at+1), "[", false)
	m.spans(n)
	after := m.take(end)
	if defined {
		after = "][" + label + "]"
	}
	m.addEnd(after, "[")
}

// tag adds a tag or, for an element whose content stays, all of it up to one of ends. It returns the last node that it has
// added.
func (m *markdown) tag(n ast.Node, ends map[string][]ast.Node) ast.Node {
	raw := m.take(endOf(n))
	t := tokenOf(raw)
	if t.Type == html.StartTagToken && m.stays(t) {
		list := ends[t.Data]
		for len(list) > 0 && list[0].Pos() < m.at {
			list = list[1:]
		}
		if ends[t.Data] = list; len(list) > 0 {
			content := m.take(list[0].Pos())
			raw += content + m.take(endOf(list[0]))
			if silent[t.Data] {
				content = ""
			}
			m.addKept(raw, content)
			return list[0]
		}
	}
	m.addTag(t, raw)
	return n
}

func tokenOf(raw string) html.Token {
	z := html.NewTokenizer(strings.NewReader(raw))
	z.Next()
	return z.Token()
}

// startOf returns where a node begins, which goldmark does not say for nested emphasis, and the length of the marks on
// each side of emphasis, 0 for another node.
func startOf(n ast.Node, source string) (start, marks int) {
	switch n := n.(type) {
	case *ast.Emphasis:
		start, _ = startOf(n.FirstChild(), source)
		return start - n.Level, n.Level
	case *extended.Strikethrough:
		start, _ = startOf(n.FirstChild(), source)
		if strings.HasSuffix(source[:max(0, start)], "~~") {
			return start - 2, 2
		}
		return start - 1, 1
	}
	return n.Pos(), 0
}

// An ender is an inline parser that notes where its nodes end.
type ender struct{ parser.InlineParser }

// A formulaParser parses $x$ as code.
type formulaParser struct{}

func (formulaParser) Trigger() []byte { return []byte{'$'} }

func (formulaParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	found := formula.Find(line)
	if found == nil {
		return nil
	}
	block.Advance(len(found))
	return ast.NewCodeSpan()
}

// A footnoteParser leaves footnotes where they are.
type footnoteParser struct{ parser.BlockParser }

func (footnoteParser) Close(ast.Node, text.Reader, parser.Context) {}

const endAttribute = "end"

// maxMarks bounds the marks of emphasis and links of a block, which goldmark compares in pairs. Further ones are text.
const maxMarks = 2000

// marks are those of a block that has been read so far.
type marks struct {
	block ast.Node
	n     int
}

var marksKey = parser.NewContextKey()

func (e ender) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := pc.ComputeIfAbsent(marksKey, func() any { return &marks{} }).(*marks)
	if m.block != parent {
		*m = marks{block: parent}
	}
	if strings.IndexByte("*_~[!", block.Peek()) >= 0 {
		if m.n++; m.n > maxMarks {
			return nil
		}
	}
	n := e.InlineParser.Parse(parent, block, pc)
	if n != nil {
		_, rest := block.Position()
		n.SetAttributeString(endAttribute, rest.Start)
	}
	return n
}

func (e ender) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := e.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

func endOf(n ast.Node) int {
	end, _ := n.AttributeString(endAttribute)
	return end.(int)
}

func newMarkdownParser() parser.Parser {
	inline := append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0), util.Prioritized(formulaParser{}, 0), util.Prioritized(extension.NewStrikethroughParser(), 500))
	for i := range inline {
		inline[i].Value = ender{inline[i].Value.(parser.InlineParser)}
	}
	blocks := append(parser.DefaultBlockParsers(), util.Prioritized(footnoteParser{extension.NewFootnoteBlockParser()}, 999),
		util.Prioritized(extension.NewDefinitionListParser(), 101), util.Prioritized(extension.NewDefinitionDescriptionParser(), 102))
	return parser.NewParser(
		parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(extension.NewTableParagraphTransformer(), 200))...))
}

// references have a definition for every label: parts of documents lack those of others.
type references struct{ parser.Context }

func (r references) Reference(label string) (parser.Reference, bool) {
	if known, ok := r.Context.Reference(label); ok {
		return known, true
	}
	return parser.NewReference([]byte(label), nil, nil), true
}
