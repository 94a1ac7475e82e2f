package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

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

// A closer adds each block to the document as soon as that is parsed, and drops its nodes.
type closer struct{ parser.InlineParser }

func (closer) Trigger() []byte { return nil }

func (closer) CloseBlock(n ast.Node, _ text.Reader, pc parser.Context) {
	m := pc.(*markdown)
	m.addParsed(n)
	n.RemoveChildren(n)
	clear(m.ends)
	m.marks = 0
}

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

// A shallow parser begins blocks within at most maxDepth others, but for paragraphs and the items of such lists: goldmark
// reads the rest of a line once for each block that begins in it. Further marks are text.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > maxDepth && s.CanInterruptParagraph() && parent.Kind() != ast.KindList && parent.Kind() != extended.KindDefinitionList {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// maxMarks bounds the marks of emphasis and links of a block, which goldmark compares in pairs, and the lines among which
// it finds definitions, all of which it copies for each. Further ones are text.
const maxMarks = 2000

type definitions struct{ parser.ParagraphTransformer }

func (d definitions) Transform(n *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if n.Lines().Len() <= maxMarks {
		d.ParagraphTransformer.Transform(n, reader, pc)
	}
}

func (e ender) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	m := pc.(*markdown)
	if strings.IndexByte("*_~[!", block.Peek()) >= 0 {
		if m.marks++; m.marks > maxMarks {
			return nil
		}
	}
	n := e.InlineParser.Parse(parent, block, pc)
	if n != nil {
		_, rest := block.Position()
		m.ends[n] = rest.Start
	}
	return n
}

func (e ender) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := e.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

func newMarkdownParser() parser.Parser {
	inline := append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0), util.Prioritized(formulaParser{}, 0), util.Prioritized(extension.NewStrikethroughParser(), 500))
	for i := range inline {
		inline[i].Value = ender{inline[i].Value.(parser.InlineParser)}
	}
	inline = append(inline, util.Prioritized(closer{}, 1000))
	blocks := append(parser.DefaultBlockParsers(), util.Prioritized(footnoteParser{extension.NewFootnoteBlockParser()}, 999),
		util.Prioritized(extension.NewDefinitionListParser(), 101), util.Prioritized(extension.NewDefinitionDescriptionParser(), 102))
	for i := range blocks {
		blocks[i].Value = shallow{blocks[i].Value.(parser.BlockParser)}
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200)))
}
