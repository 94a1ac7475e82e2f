package markup

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sentence is text with marks in it.
type sentence struct {
	text      string     // with one space between words
	items     []item     // none if it has no marks
	inherited []*element // to place that begin before the sentence, the outer ones first
	spelling  map[rune]string
}

// with returns a translation with the marks of the sentence.
func (s *sentence) with(t Translation) string {
	switch {
	case s.items == nil:
		return s.escape(t.Text)
	case len(t.Source) == 0 || len(t.Target) == 0:
		return raw(s.paired(), false) + s.escape(t.Text)
	}
	p := s.place(t)
	root := p.root.nodes[0]
	w := writer{placement: p, marksAt: p.placeMarks(), current: root}
	at := 0
	for i, t := range p.target {
		n := p.units[i].inner()
		w.move(n, p.translation.Text[at:t.from], i)
		if !n.keeps && !isPlaceholder(p.targetText(i)) {
			w.WriteString(s.escape(p.translation.Text[t.from:t.to]))
		}
		at = t.to
	}
	w.move(root, p.translation.Text[at:], len(p.target))
	w.put(place{behind, root}, "")
	return w.String()
}

// escape returns a text as the document writes it.
func (s *sentence) escape(text string) string {
	longer := 0
	for _, c := range text {
		longer += len(s.spelling[c])
	}
	if longer == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + longer)
	at := 0
	for i, c := range text {
		if spelled := s.spelling[c]; spelled != "" {
			b.WriteString(text[at:i] + spelled)
			at = i + utf8.RuneLen(c)
		}
	}
	b.WriteString(text[at:])
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

// A place is before a part of the sentence or of the translation, inside an element.
type place struct {
	part   int
	parent *node
}

// behind is the part of the place after all of an element.
const behind = -1

// placeMarks returns the places of the marks: in their element, before the first part that looks at what is behind
// them or at what follows.
func (p *placement) placeMarks() map[place][]mark {
	slices.SortStableFunc(p.marks, func(a, b mark) int { return cmp.Compare(a.part, b.part) })
	list := map[place][]mark{}
	for _, m := range p.marks {
		if u := m.parent.unit; u.targets == nil && u != p.root {
			continue // with the element, which no word looks at
		}
		at := place{p.targetOf(m), m.parent}
		list[at] = append(list[at], m)
	}
	return list
}

func (p *placement) targetOf(m mark) int {
	u := m.parent.unit
	switch {
	case m.part >= u.to || len(u.targets) == 0:
		return behind
	case m.parent != u.inner() && m.part <= u.from:
		return u.targets[0]
	case m.parent != u.inner():
		return behind
	}
	for u.seen < len(u.targets) && p.target[u.targets[u.seen]].argmax < m.part {
		u.seen++
	}
	i := u.seen
	if i == len(u.targets) {
		return behind
	}
	for i > 0 && u.owners[i] != nil && u.owners[i-1] == u.owners[i] && u.targets[i-1] == u.targets[i]-1 {
		i--
	}
	return u.targets[i]
}

// A writer writes a translation and the tags between its parts.
type writer struct {
	*placement
	strings.Builder
	marksAt map[place][]mark
	current *node // the innermost one that is open
}

// move goes to an element, with the space before a target part between the elements that end and those that begin.
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
	for ; w.current != common; w.current = w.current.parent {
		if u := w.current.unit; len(u.targets) > 0 && u.targets[len(u.targets)-1] < target {
			w.put(place{behind, w.current}, "")
		}
		w.WriteString(w.current.end)
	}
	next := ""
	if target < len(w.target) {
		next = w.targetText(target)
	}
	if !common.keeps {
		w.WriteString(w.escape(space))
		w.put(place{target, common}, next)
	}
	for _, n := range slices.Backward(begun) {
		w.WriteString(n.start)
		w.put(place{target, n}, next)
	}
	w.current = to
}

// put writes the marks of a place before a target text, with spaces around those that are words.
func (w *writer) put(at place, next string) {
	for _, m := range w.marksAt[at] {
		if last, _ := utf8.DecodeLastRuneInString(w.String()); m.isWord && w.Len() > 0 && !unicode.IsSpace(last) && !strings.ContainsRune("([{'’>", last) {
			w.WriteByte(' ')
		}
		w.WriteString(m.raw)
		if m.isWord && strings.ContainsFunc(next, isWordRune) {
			w.WriteByte(' ')
		}
	}
}
