package markup

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A node is an element in a sentence, or kept content.
type node struct {
	start, end string
	keeps      bool // start is the whole of it
	formatting bool // may be repeated
	parent     *node
	children   []*node
	depth      int
	items      []item // of the sentence
	from, to   int    // source parts
	marks      []mark // in it, in order
	parts      []int  // of the target, in order
	own        int    // of parts: how many come from it
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
	p.root = &node{}
	for i := range p.target {
		p.root.parts = append(p.root.parts, i)
	}
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
			n := &node{start: it.raw, keeps: it.kind == kept, parent: current, depth: current.depth + 1, items: items[i:], from: at}
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

// placeIn divides the target parts of a node among its children. A child has the row with most parts that come from it,
// and what is between these, as long as that is not more. One that may be repeated has all such rows. A child with the
// beginning of a word and without a row has the word that looks at it most.
func (p *placement) placeIn(n *node) {
	for _, c := range n.children {
		for k := c.from; k < c.to; k++ {
			p.inner[k] = c
		}
	}
	var c *node
	var from, to, own, more int // of a row of c: parts that come from it, and how many more than others
	for i, t := range n.parts {
		if i > 0 && n.parts[i-1] < t-1 {
			more = -1
		}
		if k := p.origins[t]; k < 0 || p.inner[k].parent != n {
			if more--; more >= 0 && i == to && p.isElided(t) {
				to++
			}
			continue
		} else if p.inner[k] != c || more < 0 {
			c.add(n.parts[from:to], own)
			c, from, own, more = p.inner[k], i, 0, 0
		}
		to, own, more = i+1, own+1, more+1
	}
	c.add(n.parts[from:to], own)
	for _, c := range n.children {
		for _, t := range c.parts {
			p.placed[t] = c
		}
	}
	for _, c := range n.children {
		if begins := c.from < c.to && (c.from == 0 || p.source[c.from-1].token < p.source[c.from].token); begins && c.parts == nil && !c.keeps {
			p.take(c)
		}
		p.placeIn(c)
	}
}

func (n *node) add(parts []int, own int) {
	switch {
	case n == nil:
	case n.formatting:
		n.parts = append(n.parts, parts...)
	case own > n.own:
		n.parts, n.own = parts, own
	}
}

// isElided reports whether a part follows an apostrophe. A * between these would be no end of emphasis in Markdown.
func (p *placement) isElided(t int) bool {
	last, _ := utf8.DecodeLastRuneInString(p.translation.Text[:p.target[t].from])
	return last == '\'' || last == '’'
}

// take gives a node the word of its parent that looks at it most.
func (p *placement) take(n *node) {
	var largest float32
	for _, t := range n.parent.parts {
		var weight float32
		for _, w := range p.weights.Row(p.target[t].token)[p.source[n.from].token : p.source[n.to-1].token+1] {
			weight += w
		}
		if weight > largest && p.placed[t] == n.parent && isWord(p.translation.Target[p.target[t].token]) {
			n.parts, largest = []int{t}, weight
		}
	}
	for _, t := range n.parts {
		p.placed[t] = n
	}
}
