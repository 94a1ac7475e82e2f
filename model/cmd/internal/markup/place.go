package markup

import (
	"slices"
	"strings"
	"unicode"
)

// A node is an element in a sentence, or kept content.
type node struct {
	start, end string
	keeps      bool // start is the whole of it
	formatting bool // may be repeated
	parent     *node
	children   []*node
	depth      int
	items      []item   // of the sentence
	from, to   int      // source parts
	marks      []mark   // in it, in order
	rows       [][2]int // target parts beside each other
	own        int      // of a row: how many come from the node
	last       int      // target part, -1 if it has none
}

// A mark is markup without text, or a node, for which it stands if that has no target part.
type mark struct {
	at   int // twice the source part that follows, less one if no white space precedes it
	raw  string
	node *node
}

// A placement says in which node each target part is.
type placement struct {
	*anchored
	root   *node   // the whole sentence, without tags
	inner  []*node // of each source part
	placed []*node // of each target part
}

func (s *sentence) place(t Translation) *placement {
	items := s.paired()
	keys := make([]int, len(items)+1) // bytes before each item that are no white space
	for i, it := range items {
		keys[i+1] = keys[i] + count(it.text, isSolid)
	}
	p := &placement{anchored: anchor(s.text, t, keys)}
	p.root = &node{rows: [][2]int{{0, len(p.target)}}, last: len(p.target)}
	p.inner = slices.Repeat([]*node{p.root}, len(p.source))
	p.placed = slices.Repeat([]*node{p.root}, len(p.target))
	p.addNodes(items, keys)
	p.placeIn(p.root)
	return p
}

func (p *placement) addNodes(items []item, keys []int) {
	current, at, spaced := p.root, 0, true
	for i, it := range items {
		m := mark{at: 2 * at, raw: it.raw}
		if !spaced && !it.breaks {
			m.at--
		}
		switch it.kind {
		case point:
			if next := items[min(i+1, len(items)-1)].raw; spaced && next != strings.TrimLeftFunc(next, unicode.IsSpace) {
				m.raw += " "
			}
			current.marks = append(current.marks, m)
		case start, kept:
			n := &node{start: it.raw, keeps: it.kind == kept, parent: current, depth: current.depth + 1, items: items[i:], from: at, last: -1}
			if it.kind == start {
				n.end, n.formatting = it.element.end, it.element.formatting
			}
			current.marks, current.children = append(current.marks, mark{m.at, "", n}), append(current.children, n)
			current = n
		}
		for at < len(p.source) && p.source[at].from < keys[i+1] {
			at++
		}
		spaced = spaced && it.text == "" || it.text != strings.TrimRightFunc(it.text, unicode.IsSpace)
		if it.kind == end || it.kind == kept {
			current.to, current.items = at, current.items[:len(current.items)-len(items)+i+1]
			current = current.parent
		}
	}
}

// placeIn divides the rows of a node among its children. A child has the row with most parts that come from it, and what
// is between these, as long as that is not more. One that may be repeated has all such rows.
func (p *placement) placeIn(n *node) {
	for _, c := range n.children {
		for k := c.from; k < c.to; k++ {
			p.inner[k] = c
		}
	}
	for _, r := range n.rows {
		var c *node
		var from, to, own, more int // of a row of c: parts that come from it, and how many more than others
		for t := r[0]; t < r[1]; t++ {
			if p.origins[t] < 0 || p.inner[p.origins[t]].parent != n {
				more--
				continue
			}
			if of := p.inner[p.origins[t]]; of != c || more < 0 {
				c.add(from, to, own)
				c, from, own, more = of, t, 0, 0
			}
			to, own, more = t+1, own+1, more+1
		}
		c.add(from, to, own)
	}
	for _, c := range n.children {
		for _, r := range c.rows {
			for t := r[0]; t < r[1]; t++ {
				p.placed[t], c.last = c, t
			}
		}
	}
	for _, c := range n.children {
		if isPart := c.from > 0 && c.from < c.to && p.source[c.from-1].token == p.source[c.from].token; c.rows == nil && c.from < c.to && !c.keeps && !isPart {
			p.take(c)
		}
		p.placeIn(c)
	}
}

func (n *node) add(from, to, own int) {
	switch {
	case n == nil:
	case n.formatting:
		n.rows = append(n.rows, [2]int{from, to})
	case own > n.own:
		n.rows, n.own = [][2]int{{from, to}}, own
	}
}

// take gives a node the word of its parent that looks at it most.
func (p *placement) take(n *node) {
	var largest float32
	for _, r := range n.parent.rows {
		for t := r[0]; t < r[1]; t++ {
			var weight float32
			for _, w := range p.weights.Row(p.target[t].token)[p.source[n.from].token : p.source[n.to-1].token+1] {
				weight += w
			}
			if weight > largest && p.placed[t] == n.parent && isWord(p.translation.Target[p.target[t].token]) {
				n.rows, n.last, largest = [][2]int{{t, t + 1}}, t, weight
			}
		}
	}
	if n.last >= 0 {
		p.placed[n.last] = n
	}
}
