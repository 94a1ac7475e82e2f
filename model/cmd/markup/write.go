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
	text      string    // with one space between words
	items     []item    // none if it has no marks
	elements  []element // of the run
	inherited []int32   // elements to place that begin before the sentence, the outer ones first
	escaper   *strings.Replacer
}

// with returns a translation with the marks of the sentence.
func (s *sentence) with(t Translation) string {
	switch {
	case s.items == nil:
		return s.escape(t.Text)
	case len(t.Source) == 0 || len(t.Target) == 0:
		return s.raw(0, s.items, false) + s.escape(t.Text)
	}
	p := s.place(t)
	w := writer{placement: p, before: map[place][]mark{}, after: map[*node][]mark{}, current: p.root.nodes[0]}
	w.putMarks()
	at := 0
	for i, t := range p.target {
		n := p.units[i].inner()
		w.move(n, p.translation.Text[at:t.from], i)
		if !n.keeps && !isPlaceholder(p.targetText(i)) {
			w.WriteString(s.escape(p.translation.Text[t.from:t.to]))
		}
		at = t.to
	}
	w.move(p.root.nodes[0], p.translation.Text[at:], len(p.target))
	w.put(w.after[p.root.nodes[0]], "")
	return w.String()
}

func (s *sentence) escape(text string) string {
	if s.escaper == nil {
		return text
	}
	return s.escaper.Replace(text)
}

// raw returns items as they are, with the elements that begin or end elsewhere, but for those inherited ones that
// come first; unless text is true, without characters.
func (s *sentence) raw(inherited int, items []item, text bool) string {
	var b strings.Builder
	var open []string // ends
	for _, e := range s.inherited[inherited:] {
		b.WriteString(s.elements[e].start)
		open = append(open, s.elements[e].end)
	}
	for _, it := range items {
		if it.kind == characters && !text {
			continue
		}
		b.WriteString(it.raw)
		switch it.kind {
		case start:
			open = append(open, s.elements[it.element].end)
		case end:
			open = open[:len(open)-1]
		}
	}
	for _, end := range slices.Backward(open) {
		b.WriteString(end)
	}
	return b.String()
}

// A writer writes a translation and the tags between its parts.
type writer struct {
	*placement
	strings.Builder
	current *node // the innermost one that is open
	before  map[place][]mark
	after   map[*node][]mark // those after the last target of an element
}

// A place is before a target part, inside an element.
type place struct {
	target int
	parent *node
}

// putMarks finds the places of the marks: in their element, before the first part that looks at what is behind them
// or at what follows.
func (w *writer) putMarks() {
	type gap struct {
		parent *node
		part   int
	}
	known := map[gap]int{} // target parts, -1 for none
	slices.SortStableFunc(w.marks, func(a, b mark) int { return cmp.Compare(a.part, b.part) })
	for _, m := range w.marks {
		u := m.parent.unit
		if u.targets == nil && u != w.root {
			continue // with the element, which no word looks at
		}
		target, found := known[gap{m.parent, m.part}]
		if !found {
			target = w.targetOf(m)
			known[gap{m.parent, m.part}] = target
		}
		if target < 0 {
			w.after[m.parent] = append(w.after[m.parent], m)
		} else {
			at := place{target, m.parent}
			w.before[at] = append(w.before[at], m)
		}
	}
}

func (w *writer) targetOf(m mark) int {
	u := m.parent.unit
	switch {
	case m.part >= u.to || len(u.targets) == 0:
		return -1
	case m.parent != u.inner() && m.part <= u.from:
		return u.targets[0]
	case m.parent != u.inner():
		return -1
	}
	for i, t := range u.targets {
		if w.looks[t] < m.part {
			continue
		}
		for i > 0 && u.owners[i] != nil && u.owners[i-1] == u.owners[i] && u.targets[i-1] == u.targets[i]-1 {
			i--
		}
		return u.targets[i]
	}
	return -1
}

// move goes to an element, with the space before a target part between the elements that end and those that begin.
func (w *writer) move(to *node, space string, target int) {
	common := to
	for from := w.current; common != from; {
		if common.depth > from.depth {
			common = common.parent
		} else {
			from = from.parent
		}
	}
	for ; w.current != common; w.current = w.current.parent {
		if u := w.current.unit; len(u.targets) > 0 && u.targets[len(u.targets)-1] < target {
			w.put(w.after[w.current], "")
		}
		w.WriteString(w.current.end)
	}
	if !common.keeps {
		w.WriteString(w.escape(space))
		w.putBefore(target, common)
	}
	var begun []*node
	for n := to; n != common; n = n.parent {
		begun = append(begun, n)
	}
	for _, n := range slices.Backward(begun) {
		w.WriteString(n.start)
		w.putBefore(target, n)
	}
	w.current = to
}

func (w *writer) putBefore(target int, n *node) {
	next := ""
	if target < len(w.target) {
		next = w.targetText(target)
	}
	w.put(w.before[place{target, n}], next)
}

// put writes marks before a target text, with spaces around those that are words.
func (w *writer) put(marks []mark, next string) {
	for _, m := range marks {
		if last, _ := utf8.DecodeLastRuneInString(w.String()); m.isWord && w.Len() > 0 && !unicode.IsSpace(last) && !strings.ContainsRune("([{'’>", last) {
			w.WriteByte(' ')
		}
		w.WriteString(m.raw)
		if m.isWord && strings.ContainsFunc(next, isWordRune) {
			w.WriteByte(' ')
		}
	}
}
