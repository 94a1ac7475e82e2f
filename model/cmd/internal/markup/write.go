package markup

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A sentence is text with marks in it.
type sentence struct {
	text      string     // with one space between words
	items     []item     // none if it has no marks
	inherited []*element // to place that begin before the sentence, the outer ones first
	spelling  map[rune]string
	breaks    []string // what ends the lines of subtitles, but for the last one
	widths    []int    // of these lines, in characters
}

// with returns a translation with the marks of the sentence.
func (s *sentence) with(t Translation) string {
	if s.breaks == nil {
		return s.marked(t)
	}
	if t.Text == s.text {
		return raw(s.paired(), true)
	}
	return wrap(s.marked(t), s.breaks, s.widths)
}

// measure sets the lines of the sentence.
func (s *sentence) measure() {
	width := 0
	for _, it := range s.items {
		if width += utf8.RuneCountInString(it.text); it.text == " " && it.raw != it.text {
			s.breaks, s.widths, width = append(s.breaks, it.raw), append(s.widths, width-1), 0
		}
	}
	s.widths = append(s.widths, width)
}

func (s *sentence) marked(t Translation) string {
	switch {
	case s.items == nil:
		return s.escape(t.Text)
	case len(t.Source) == 0 || len(t.Target) == 0:
		if t.Text == s.text { // it is in the language of translations
			return raw(s.paired(), true)
		}
		return raw(s.paired(), false) + s.escape(t.Text)
	}
	p := s.place(t)
	w := writer{placement: p, sentence: s, current: p.root}
	at := 0
	for i, t := range p.target {
		w.move(p.placed[i], p.translation.Text[at:t.from], i)
		w.put(w.current, 2*p.origins[i])
		if !w.current.keeps && p.translation.Target[t.token].Text != object {
			w.WriteString(s.escape(p.translation.Text[t.from:t.to]))
		}
		w.put(w.current, 2*p.origins[i]+1)
		at = t.to
	}
	w.move(p.root, p.translation.Text[at:], len(p.target))
	w.put(p.root, 2*len(p.source))
	return w.String()
}

// escape returns a text as the document writes it.
func (s *sentence) escape(text string) string {
	var b strings.Builder
	for _, c := range text {
		b.WriteString(cmp.Or(s.spelling[c], string(c)))
	}
	return b.String()
}

// paired returns the items with all marks in pairs: also those of elements that begin before the sentence or end after it.
func (s *sentence) paired() (list []item) {
	open := slices.Clone(s.inherited)
	for _, e := range open {
		list = append(list, item{kind: start, element: e, raw: e.start})
	}
	for _, it := range s.items {
		switch list = append(list, it); it.kind {
		case start:
			open = append(open, it.element)
		case end:
			open = open[:len(open)-1]
		}
	}
	for _, e := range slices.Backward(open) {
		list = append(list, item{kind: end, element: e, raw: e.end})
	}
	return list
}

// raw returns items as they are, unless text is true without characters.
func raw(items []item, text bool) string {
	var b strings.Builder
	for _, it := range items {
		if text || it.kind != characters {
			b.WriteString(it.raw)
		}
	}
	return b.String()
}

// A writer writes a translation and the tags between its parts.
type writer struct {
	*placement
	*sentence
	strings.Builder
	current *node // the innermost one that is open
}

// move goes to a node, with the space before a target part between the nodes that end and those that begin.
func (w *writer) move(to *node, space string, target int) {
	common, begun := to, []*node(nil)
	for from := w.current; common != from; {
		if common.depth > from.depth {
			begun = append(begun, common)
			common = common.parent
		} else {
			from = from.parent
		}
	}
	for n := w.current; n != common; n = n.parent {
		if n.parts[len(n.parts)-1] >= target {
			w.WriteString(n.end)
			continue
		}
		w.put(n, 2*n.to)
		w.WriteString(n.end)
		w.put(n.parent, 2*n.to-1)
	}
	if !common.keeps {
		w.WriteString(w.escape(space))
	}
	for _, n := range slices.Backward(begun) {
		w.put(n.parent, 2*n.from)
		w.WriteString(n.start)
	}
	w.current = to
}

// put writes the marks of a node up to a place between source parts.
func (w *writer) put(n *node, at int) {
	for ; len(n.marks) > 0 && n.marks[0].at <= at; n.marks = n.marks[1:] {
		m := n.marks[0]
		w.WriteString(m.raw)
		if m.node != nil && m.node.parts == nil {
			w.WriteString(raw(m.node.items, m.node.from == m.node.to))
		}
	}
}
