package markup

import (
	"slices"
	"sort"
	"strings"
)

// A node is an element in a sentence, or kept content.
type node struct {
	start, end string
	keeps      bool // start is the whole of it
	parent     *node
	depth      int
	unit       *unit
}

// A unit is elements around the same source words. The root has the whole sentence and one node without tags.
type unit struct {
	nodes      []*node // the outer ones first
	children   []*unit
	formatting bool    // all of it: may be repeated
	word       string  // that stands for kept content and is copied, or empty
	items      []item  // of the sentence
	from, to   int     // source parts
	targets    []int   // in order
	owners     []*unit // for each target, the child that it is part of, or nil
	seen       int     // targets that look before the marks that have a place
}

func (u *unit) inner() *node { return u.nodes[len(u.nodes)-1] }

// A mark is markup without text, or kept content that the translation lacks, before a source part.
type mark struct {
	place
	raw    string
	isWord bool
}

// A placement is the second pass: where the elements of a sentence are in its translation.
type placement struct {
	*sentence
	anchored
	items []item // in pairs
	root  *unit
	units []*unit // the innermost one of each target part
	marks []mark
}

func (s *sentence) place(t Translation) *placement {
	p := &placement{sentence: s, items: s.paired()}
	keys := make([]int, len(p.items)+1)
	var cuts []int
	for i, it := range p.items {
		keys[i+1] = keys[i] + count(it.text, isSolid)
		if it.kind != characters {
			cuts = append(cuts, keys[i], keys[i+1])
		}
	}
	p.anchored = anchor(s.text, t, cuts, keys[len(p.items)])
	p.units = make([]*unit, len(p.target))
	p.build(keys)
	all := make([]int, len(p.target))
	for i := range all {
		all[i] = i
	}
	p.assign(p.root, all)
	return p
}

// weight returns the weight that a target part has of a unit.
func (p *placement) weight(target int, u *unit) float32 {
	return p.anchored.weight(target, u.from, u.to)
}

// build makes the units of the items, which have that many bytes before them that are no white space.
func (p *placement) build(keys []int) {
	p.root = &unit{to: len(p.source)}
	current := &node{unit: p.root}
	p.root.nodes = []*node{current}
	ends := map[*element]int{} // items
	for i, it := range p.items {
		if it.kind == end {
			ends[it.element] = i
		}
	}
	partAt := func(item int) int {
		return sort.Search(len(p.source), func(i int) bool { return p.source[i].from >= keys[item] })
	}
	// enter begins an element of items from and before to, unless it has no words: then it is a mark.
	enter := func(e element, from, to int, isWord bool) bool {
		u, o := &unit{formatting: e.formatting, items: p.items[from:to], from: partAt(from), to: partAt(to)}, current.unit
		switch {
		case u.from == u.to:
			p.marks = append(p.marks, mark{place{u.from, current}, raw(u.items, true), isWord})
			return false
		case o != p.root && u.from == o.from && u.to == o.to:
			o.formatting = o.formatting && e.formatting
			u = o
		default:
			o.children = append(o.children, u)
		}
		current = &node{start: e.start, end: e.end, parent: current, depth: current.depth + 1, unit: u}
		u.nodes = append(u.nodes, current)
		return true
	}
	for i := 0; i < len(p.items); i++ {
		switch it := p.items[i]; it.kind {
		case point:
			p.marks = append(p.marks, mark{place{partAt(i), current}, it.raw, false})
		case start:
			if last := ends[it.element]; !enter(*it.element, i, last+1, false) {
				i = last
			}
		case end:
			current = current.parent
		case kept:
			if !enter(element{start: it.raw}, i, i+1, true) {
				continue
			}
			current.keeps = true
			if isPlaceholder(it.text) {
				current.unit.word = it.text
			}
			current = current.parent
		}
	}
}

// assign gives target parts to a unit, and of these to each child the ones that look at it most. A child that may be
// repeated has all of those, and of one part between two; another one has a row of them.
func (p *placement) assign(u *unit, targets []int) {
	u.targets, u.owners = targets, make([]*unit, len(targets))
	for i, t := range targets {
		p.units[t] = u
		children := u.children
		if p.target[t].sums == nil { // only one has a weight
			first := sort.Search(len(children), func(k int) bool { return children[k].to > p.target[t].argmax })
			children = children[first:min(first+1, len(children))]
		}
		most := p.weight(t, u)
		for _, c := range children {
			most -= p.weight(t, c)
		}
		for _, c := range children {
			if m := p.weight(t, c); m > most && (c.word == "" || c.word == p.targetText(t)) {
				u.owners[i], most = c, m
			}
		}
	}
	for i := 2; i < len(targets); i++ {
		if c := u.owners[i]; c != nil && c.formatting && c == u.owners[i-2] && u.owners[i-1] == nil && targets[i] == targets[i-2]+2 {
			u.owners[i-1] = c
		}
	}
	for _, c := range u.children {
		if !c.formatting {
			p.longestRun(u, c)
		}
	}
	for _, c := range u.children {
		own := p.span(u, c)
		if own == nil {
			p.marks = append(p.marks, mark{place{c.from, c.nodes[0].parent}, raw(c.items, false), c.word != ""})
			continue
		}
		p.assign(c, own)
	}
}

// longestRun leaves child c of u the row of targets with the largest sum of weights above a half, without those of
// other children.
func (p *placement) longestRun(u, c *unit) {
	var best, sum float32
	from, to, begin := 0, 0, 0
	for i, t := range u.targets {
		switch {
		case u.owners[i] != c && (u.owners[i] != nil || c.word != ""):
			begin, sum = i+1, 0
			continue
		case i > 0 && t != u.targets[i-1]+1 || sum < 0:
			begin, sum = i, 0
		}
		sum += 2*p.weight(t, c) - p.weight(t, u)
		if u.owners[i] == c && (from == to || sum > best) {
			best, from, to = sum, begin, i+1
		}
	}
	for i := range u.targets {
		switch {
		case from <= i && i < to:
			u.owners[i] = c
		case u.owners[i] == c:
			u.owners[i] = nil
		}
	}
}

// span returns the targets that child c of u keeps, or else the one of u alone that looks at it most, if there is one.
// Those at their ends that belong elsewhere are left to u: punctuation that c does not have there, and parts that are
// looked at most by what is outside of c but by nothing in it.
func (p *placement) span(u, c *unit) (own []int) {
	inside := func(s int) bool { return c.from <= s && s < c.to }
	isOther := func(i, end int) bool {
		t := u.targets[i]
		if !strings.ContainsFunc(p.targetText(t), isWordRune) {
			return strings.ContainsFunc(p.sourceText(end), isWordRune)
		}
		return len(p.target[t].covers) > 0 && !slices.ContainsFunc(p.target[t].covers, inside)
	}
	nearest, most := []int(nil), float32(0)
	for i, t := range u.targets {
		if u.owners[i] == c {
			own = append(own, i)
		} else if m := p.weight(t, c); u.owners[i] == nil && c.word == "" && m > most {
			nearest, most = []int{i}, m
		}
	}
	for len(own) > 1 && isOther(own[len(own)-1], c.to-1) {
		u.owners[own[len(own)-1]] = nil
		own = own[:len(own)-1]
	}
	for len(own) > 1 && isOther(own[0], c.from) {
		u.owners[own[0]] = nil
		own = own[1:]
	}
	if own == nil {
		own = nearest
	}
	for k, i := range own {
		u.owners[i], own[k] = c, u.targets[i]
	}
	return own
}

func (p *placement) sourceText(s int) string { return p.translation.Source[p.source[s].token].Text }

func (p *placement) targetText(t int) string { return p.translation.Target[p.target[t].token].Text }
