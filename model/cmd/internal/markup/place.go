package markup

import "slices"

// A node is an element in a sentence, or kept content.
type node struct {
	start, end string
	keeps      bool // start is the whole of it
	formatting bool // may be repeated
	parent     *node
	depth      int
	items      []item // of the sentence
	from, to   int    // source parts
	marks      []mark // in it, in order
	last       int    // target part, -1 if it has none
}

// A mark before a source part is markup without text, or a node, for which it stands if that has no target part.
type mark struct {
	part int
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
	p.root = &node{last: len(p.target)}
	p.placed = slices.Repeat([]*node{p.root}, len(p.target))
	for _, n := range p.nodes(items, keys) {
		if n.parent.last >= 0 && n.from < n.to {
			p.assign(n)
		}
	}
	return p
}

// nodes returns the nodes of items, the outer ones first.
func (p *placement) nodes(items []item, keys []int) (list []*node) {
	current := p.root
	for i, it := range items {
		at := len(p.inner)
		switch it.kind {
		case point:
			current.marks = append(current.marks, mark{part: at, raw: it.raw})
		case start, kept:
			n := &node{start: it.raw, keeps: it.kind == kept, parent: current, depth: current.depth + 1, items: items[i:], from: at, last: -1}
			if it.kind == start {
				n.end, n.formatting = it.element.end, it.element.formatting
			}
			current.marks = append(current.marks, mark{part: at, node: n})
			list, current = append(list, n), n
		}
		for at < len(p.source) && p.source[at].from < keys[i+1] {
			p.inner = append(p.inner, current)
			at++
		}
		if it.kind == end || it.kind == kept {
			current.to, current.items = at, current.items[:len(current.items)-len(items)+i+1]
			current = current.parent
		}
	}
	return list
}

// assign gives a node the row of its parent's target parts with most that come from it or, if none does, the word that
// looks at it most. One that may be repeated has all that come from it, and what is between two. Kept content has its
// object alone.
func (p *placement) assign(n *node) {
	isObject := n.keeps && n.items[0].text == object
	isOwn := func(t int) bool {
		return p.placed[t] == n.parent && n.from <= p.origins[t] && p.origins[t] < n.to &&
			(!isObject || p.translation.Target[p.target[t].token].Text == object)
	}
	isFree := func(t int) bool {
		return p.placed[t] == n.parent && (p.origins[t] < 0 || p.inner[p.origins[t]] == n.parent)
	}
	from, to, most, begin, sum := 0, 0, 0, 0, 0
	for t := range p.target {
		switch {
		case isOwn(t):
			if sum <= 0 {
				begin, sum = t, 0
			}
			if sum++; sum > most {
				from, to, most = begin, t+1, sum
			}
		case isFree(t):
			sum--
		default:
			sum = 0
		}
	}
	var largest float32
	for t := 0; t < len(p.target) && most == 0 && !n.keeps; t++ {
		var weight float32
		for _, w := range p.weights.Row(p.target[t].token)[p.source[n.from].token : p.source[n.to-1].token+1] {
			weight += w
		}
		if weight > largest && isFree(t) && isWord(p.translation.Target[p.target[t].token]) {
			from, to, largest = t, t+1, weight
		}
	}
	for t := range p.target {
		isBetween := n.formatting && isFree(t) && t > 0 && p.placed[t-1] == n && t+1 < len(p.target) && isOwn(t+1)
		if from <= t && t < to || n.formatting && isOwn(t) || isBetween {
			p.placed[t], n.last = n, t
		}
	}
}
