package markup

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// spans adds what is in a node.
func (m *markdown) spans(parent ast.Node) {
	ends := map[string][]ast.Node{} // tags in it, by name
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.RawHTML); ok {
			if t := tokenOf(m.source[n.Pos():m.ends[n]]); t.Type == html.EndTagToken {
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
			raw := m.take(m.ends[n])
			m.addKept(raw, strings.Trim(raw, "`<>"))
		case *ast.RawHTML:
			n = m.tag(n, ends)
		default: // an image or a check box
			m.addPoint(m.take(m.ends[n]))
		}
	}
}

// link adds a link. Where its text is its label, the translation gets that label. Without a definition, it stays
// text inside a word.
func (m *markdown) link(n *ast.Link) {
	end, label, defined := m.ends[n], "", false
	if r := n.Reference; r != nil && r.Type != ast.ReferenceLinkFull {
		label = strings.Join(strings.Fields(string(r.Value)), " ")
		_, defined = m.Context.Reference(util.ToLinkReference(r.Value))
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
	raw := m.take(m.ends[n])
	t := tokenOf(raw)
	if t.Type == html.StartTagToken && m.stays(t) {
		list := ends[t.Data]
		for len(list) > 0 && list[0].Pos() < m.at {
			list = list[1:]
		}
		if ends[t.Data] = list; len(list) > 0 {
			content := m.take(list[0].Pos())
			raw += content + m.take(m.ends[list[0]])
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
