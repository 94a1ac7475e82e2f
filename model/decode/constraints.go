package decode

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	maxTerms    = 64  // of a sentence
	beginWeight = 0.1 // of the source of a term that begins
)

// A Constraint is ids that the translations of a sentence contain, without EOS.
type Constraint struct {
	IDs      []int32
	From, To int // the part of Sentence.Source that they translate; none if From = To
}

// constraints are the terms that the translations of a sentence must have, the placeholders that they should
// copy from the source, and how much of both each of its hypotheses has. The search for terms is by Post and
// Vilar, "Fast lexically constrained decoding with dynamic beam allocation" (NAACL 2018): besides the best
// continuations of all hypotheses, the best one of each and those by its next ids of terms are candidates.
// Hypotheses with equally many ids of terms form a bank, the banks share the beam, and what one leaves goes
// to that with an id less.
//
// Terms are words: no term begins within a word. A term that is broken off is unmet again. Terms that
// are met are not repeated.
//
// Attention says where a term belongs. It begins where its part of the source has enough of the weights,
// or at the end of a hypothesis, and hypotheses are ranked by log p + Σ log w, where w is the weight of
// that part when a term begins.
//
// Copies weigh less: no placeholder stands more often than in the source, and of the finished hypotheses those
// that lack fewest rank first.
type constraints struct {
	nodes  []node // a trie of the terms, from its root
	ends   []int  // nodes that are terms
	ids    int    // of all terms
	terms  []Constraint
	joined []bool  // by id: a segment that the next one continues
	copies []int32 // ids of placeholders

	states, before []progress // of the hypotheses, and of those of the step before
	alpha          []float32  // of a hypothesis

	one        ranking // of a hypothesis
	candidates []banked
	rooms      []int // of the banks, by number of ids
}

// A node stands for the ids on the path from the root. Its suffix is the node of the longest end of these ids, from
// the beginning of a word on, that a term begins with. As in the automaton of Aho and Corasick, a hypothesis goes on
// by a child or, without one for its next id, by one of a suffix; links has both, without children of the root.
type node struct {
	id          int32
	depth       int
	suffix      int
	children    []int
	links       []int
	ends, below uint64 // the terms that it is, and that it begins
	any         uint64 // terms that it or a node along the suffixes but the root is or begins
}

// progress is what a hypothesis has of the terms.
type progress struct {
	met  uint64 // terms
	done int    // ids of these
	node int    // for what the last ids begin
	last int    // the term that was begun last
	open bool   // the last id is not the last of its word
	left []int  // copies that are missing, by placeholder

	placed float64 // Σ log w of the terms that have been begun
}

// A banked candidate has a number of ids of terms.
type banked struct {
	candidate
	bank int
	rank float64
}

// newConstraints returns nil without terms and copies. It copies the terms, as newTask does the source.
func newConstraints(terms []Constraint, joined func() []bool, copies []int32, source, vocabulary int) (*constraints, error) {
	if len(terms) > maxTerms {
		return nil, fmt.Errorf("%w: %d terms, expected at most %d", model.ErrExample, len(terms), maxTerms)
	}
	if len(terms) == 0 && len(copies) == 0 {
		return nil, nil
	}
	c := &constraints{nodes: make([]node, 1), copies: copies}
	if len(terms) == 0 {
		return c, nil
	}
	c.terms, c.joined, c.alpha = slices.Clone(terms), joined(), make([]float32, source)
	for i, t := range c.terms {
		side, term := fmt.Sprintf("term %d", i), slices.Clone(t.IDs)
		c.terms[i].IDs = term
		if t.From < 0 || t.To < t.From || t.To > source {
			return nil, fmt.Errorf("%w: %s for the source from %d to %d, expected a part of its %d ids", model.ErrExample, side, t.From, t.To, source)
		}
		if err := checkVocabulary(side, term, vocabulary); err != nil {
			return nil, err
		}
		if len(term) == 0 || slices.Contains(term, text.EOS) {
			return nil, fmt.Errorf("%w: %s is empty or has EOS, expected words", model.ErrExample, side)
		}
		at := 0
		for n, id := range term {
			c.nodes[at].below |= 1 << i
			next := c.child(at, id)
			if next < 0 {
				next = len(c.nodes)
				c.nodes = append(c.nodes, node{id: id, depth: n + 1})
				c.nodes[at].children = append(c.nodes[at].children, next)
			}
			at = next
		}
		if c.nodes[at].ends == 0 {
			c.ends = append(c.ends, at)
		}
		c.nodes[at].ends |= 1 << i
		c.ids += len(term)
	}
	c.link()
	return c, nil
}

// link links the nodes with their suffixes, those of fewer ids first.
func (c *constraints) link() {
	order := []int{0}
	for i := 0; i < len(order); i++ {
		at := order[i]
		n := &c.nodes[at]
		if n.links = slices.Clip(n.children); at > 0 {
			n.any = n.ends | n.below | c.nodes[n.suffix].any
		}
		if n.suffix > 0 {
			for _, other := range c.nodes[n.suffix].links {
				if c.child(at, c.nodes[other].id) < 0 {
					n.links = append(n.links, other)
				}
			}
		}
		for _, child := range n.children {
			if at > 0 {
				c.nodes[child].suffix = c.at(progress{node: n.suffix, open: c.isJoined(n.id)}, c.nodes[child].id)
			}
		}
		order = append(order, n.children...)
	}
}

// child returns the child of a node for an id, -1 for none.
func (c *constraints) child(at int, id int32) int { return c.find(c.nodes[at].children, id) }

// find returns the node for an id, -1 for none.
func (c *constraints) find(list []int, id int32) int {
	for _, n := range list {
		if c.nodes[n].id == id {
			return n
		}
	}
	return -1
}

// at returns the node of the longest end, with an id, of what a hypothesis has begun.
func (c *constraints) at(p progress, id int32) int {
	if p.node > 0 {
		if n := c.find(c.nodes[p.node].links, id); n >= 0 {
			return n
		}
	}
	if p.open {
		return 0 // within a word
	}
	return max(0, c.child(0, id))
}

// begin returns an error unless translations of that length that begin with a prefix can have all terms. left is how
// often they should have each placeholder.
func (c *constraints) begin(prefix []int32, left []int, length int) error {
	if c == nil {
		return nil
	}
	p := progress{left: left}
	c.states = append(c.states[:0], p)
	for _, id := range prefix {
		p = c.next(p, id)
	}
	if n := c.rest(p) + len(prefix); n > length {
		return fmt.Errorf("%w: prefix and terms of %d ids with EOS, expected at most the maximum length of %d", model.ErrExample, n, length)
	}
	return nil
}

// next returns the progress of a hypothesis that continues by an id. Of the ends of what it has then, it
// goes on with the longest that an unmet term begins with, or else with the longest of any term.
func (c *constraints) next(p progress, id int32) progress {
	at := c.at(p, id)
	for n := at; c.nodes[n].any&^p.met != 0; n = c.nodes[n].suffix {
		if c.nodes[n].unmet(p.met) {
			at = n
			break
		}
	}
	p.node, p.open = at, c.isJoined(id)
	if unmet := (c.nodes[at].ends | c.nodes[at].below) &^ p.met; unmet != 0 {
		p.last = bits.TrailingZeros64(unmet)
	}
	if unmet := c.nodes[at].ends &^ p.met; unmet != 0 {
		p.last = bits.TrailingZeros64(unmet)
		p.met, p.done, p.node = p.met|1<<p.last, p.done+len(c.terms[p.last].IDs), 0
	}
	return p
}

func (c *constraints) isJoined(id int32) bool { return c.joined != nil && c.joined[id] }

func (n node) unmet(met uint64) bool { return (n.ends|n.below)&^met != 0 }

// begun reports whether the last ids of a hypothesis begin an unmet term.
func (c *constraints) begun(p progress) bool { return p.node > 0 && c.nodes[p.node].below&^p.met != 0 }

// bank returns the number of ids of terms that a hypothesis has.
func (c *constraints) bank(p progress) int {
	if c.begun(p) {
		return p.done + c.nodes[p.node].depth
	}
	return p.done
}

// rest returns the least number of ids with which a hypothesis can end.
func (c *constraints) rest(p progress) int {
	n := c.ids - c.bank(p) + 1
	if n > 1 && p.open && !c.begun(p) {
		n++ // the end of a word
	}
	return n
}

// wanted returns the nodes of the ids by which terms begin or go on.
func (c *constraints) wanted(p progress) []int {
	switch {
	case c.begun(p):
		return c.nodes[p.node].children
	case p.open:
		return nil
	}
	return c.nodes[0].children
}

// forbidden appends the ids by which hypothesis i would repeat a term or copy a placeholder once more than it should.
func (c *constraints) forbidden(list []int32, i int) []int32 {
	if c == nil {
		return list
	}
	p := c.states[i]
	for k, left := range p.left {
		if left == 0 {
			list = append(list, c.copies[k])
		}
	}
	for _, i := range c.ends {
		if n := &c.nodes[i]; !n.unmet(p.met) && c.next(p, n.id).node == i {
			list = append(list, n.id)
		}
	}
	return list
}

// rank is rank of the beam for a sentence with terms, after its prefix.
func (c *constraints) rank(b *beam, s *task, scores kernels.Matrix, from int) bool {
	r := &b.ranking
	noEOS, left := r.noEOS, s.maxLength-s.time
	defer func() { r.noEOS, r.joined = noEOS, nil }()
	c.candidates = c.candidates[:0]
	for i, p := range c.states {
		row := from + i
		base := b.before[row] - b.ensemble.logSums[row]
		if base-base != 0 {
			s.endNotFinite()
			return false
		}
		unmet := c.ids - p.done
		r.forbidden = c.forbidden(r.forbidden[:0], i)
		r.noEOS, r.joined = noEOS || unmet > 0, nil
		if unmet > 0 && unmet+2 > left-1 {
			r.joined = c.joined // no room for the end of another word
		}
		if unmet == 0 || unmet+1 <= left-1 {
			r.add(b.kernels, row, base, scores.Row(row))
			c.one = ranking{best: c.one.best[:0], width: 1, noEOS: r.noEOS, noUNK: r.noUNK, forbidden: r.forbidden, joined: r.joined}
			c.one.add(b.kernels, row, base, scores.Row(row))
			c.add(b, c.one.best, from)
		} else {
			c.one.best = c.one.best[:0]
		}
		end := len(c.one.best) == 0 || base+float64(scores.Row(row)[text.EOS]) >= c.one.best[0].score
		for _, n := range c.wanted(p) {
			id := c.nodes[n].id
			if c.nodes[n].unmet(p.met) && (end || c.begun(p) || c.weight(b, c.next(p, id), row) >= beginWeight) {
				c.add(b, []candidate{{base + float64(scores.Row(row)[id]), row, id}}, from)
			}
		}
	}
	c.add(b, r.best, from)
	c.allocate(r)
	if len(r.best) == 0 {
		s.endNotFinite()
	}
	return len(r.best) > 0
}

// add adds candidates of a sentence whose hypotheses start at row from.
func (c *constraints) add(b *beam, list []candidate, from int) {
	for _, one := range list {
		if one.score-one.score != 0 {
			continue
		}
		p := c.states[one.parent-from]
		bank, rank := c.ids, one.score+p.placed
		if one.word != text.EOS {
			next := c.follow(b, p, one.word, one.parent)
			bank, rank = c.bank(next), one.score+next.placed
		}
		c.candidates = append(c.candidates, banked{one, bank, rank})
	}
}

// follow is next for a row of this step, whose α weighs a term that begins.
func (c *constraints) follow(b *beam, p progress, id int32, row int) progress {
	next := c.next(p, id)
	next.placed = p.placed
	if !c.begun(p) && c.bank(next) > c.bank(p) {
		next.placed += logarithm(c.weight(b, next, row))
	}
	return next
}

// weight returns the sum of α of the source of a term that a row of this step begins, 1 if that is unknown.
func (c *constraints) weight(b *beam, p progress, row int) float64 {
	t := c.terms[p.last]
	if len(b.ensemble.attending) == 0 || t.From == t.To {
		return 1
	}
	b.ensemble.weights(c.alpha, row) // the history has none without alignments
	sum := 0.0
	for _, w := range c.alpha[t.From:t.To] {
		sum += float64(w)
	}
	return sum
}

// logarithm returns log x for x ≥ 10⁻⁴, which is that of smaller ones, too, linear between powers of two:
// that gives the same bits on every machine.
func logarithm(x float64) float64 {
	fraction, exponent := math.Frexp(max(x, 1e-4))
	return (float64(exponent-2) + float64(2*fraction)) * math.Ln2
}

// allocate makes the best candidates of each bank those of the ranking, which are as many as its width.
func (c *constraints) allocate(r *ranking) {
	slices.SortFunc(c.candidates, func(a, b banked) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.parent, b.parent), cmp.Compare(a.word, b.word))
	})
	list := slices.CompactFunc(c.candidates, func(a, b banked) bool { return a.parent == b.parent && a.word == b.word })
	c.rooms = resize(c.rooms, c.ids+1)
	clear(c.rooms)
	for _, one := range list {
		c.rooms[one.bank]++ // candidates
	}
	each, spare := r.width/len(c.rooms), r.width%len(c.rooms)
	for bank, candidates := range slices.Backward(c.rooms) {
		share := spare + each
		c.rooms[bank] = min(share, candidates)
		spare = share - c.rooms[bank]
	}
	r.best = r.best[:0]
	for i, one := range list {
		if c.rooms[one.bank] > 0 {
			c.rooms[one.bank]--
			list[i].bank = -1 // taken
		}
	}
	for _, one := range list {
		if one.bank < 0 {
			r.best = append(r.best, one.candidate)
		} else if spare > 0 { // of the lowest bank
			spare--
			r.best = append(r.best, one.candidate)
		}
	}
}

// turn makes the states those of the step before. Without constraints it does nothing, as push.
func (c *constraints) turn() {
	if c != nil {
		c.states, c.before = c.before[:0], c.states
	}
}

// push adds the state of the next hypothesis, which continues hypothesis parent, a row of this step.
func (c *constraints) push(b *beam, parent int, id int32, row int) {
	if c == nil {
		return
	}
	p := c.before[parent]
	next := c.follow(b, p, id, row)
	if next.left = p.left; len(p.left) > 0 {
		if k := slices.Index(c.copies, id); k >= 0 && p.left[k] > 0 {
			next.left = slices.Clone(p.left)
			next.left[k]--
		}
	}
	c.states = append(c.states, next)
}

// ended returns what a hypothesis of the step before has.
func (c *constraints) ended(parent int) progress {
	if c == nil {
		return progress{}
	}
	return c.before[parent]
}

// missing returns the number of copies that a hypothesis lacks.
func (p progress) missing() (n int) {
	for _, left := range p.left {
		n += left
	}
	return n
}

// first returns Σ log w of the first hypothesis.
func (c *constraints) first() float64 {
	if c == nil {
		return 0
	}
	return c.states[0].placed
}
