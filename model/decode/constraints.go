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

// constraints are the terms that the translations of a sentence must have, and how much of them each of
// its hypotheses has. The search is that of Post and Vilar, "Fast lexically constrained decoding with
// dynamic beam allocation" (NAACL 2018): besides the best continuations of all hypotheses, the best one
// of each and those by its next ids of terms are candidates. Hypotheses with equally many ids of terms
// form a bank, the banks share the beam, and what one leaves goes to that with an id less.
//
// Terms are words: no term begins within a word. A term that is broken off is unmet again. Terms that
// are met are not repeated.
//
// Attention says where a term belongs. It begins where its part of the source has enough of the weights,
// or at the end of a hypothesis, and hypotheses are ranked by log p + Σ log w, where w is the weight of
// that part when a term begins.
type constraints struct {
	nodes  []node // a trie of the terms, from its root
	ids    int    // of all terms
	terms  []Constraint
	joined []bool // by id: a segment that the next one continues

	states, before []progress // of the hypotheses, and of those of the step before
	alpha          []float32  // of a hypothesis

	one        ranking // of a hypothesis
	candidates []banked
	room       []int // of the banks
}

// A node stands for the ids on the path from the root.
type node struct {
	id          int32
	children    []int
	path        []int32
	ends, below uint64 // the terms that it is, and that it begins
}

// progress is what a hypothesis has of the terms.
type progress struct {
	met  uint64 // terms
	done int    // ids of these
	node int    // for what the last ids begin
	last int    // the term that was begun last
	open bool   // the last id is not the last of its word

	placed float64 // Σ log w of the terms that have been begun
}

// A banked candidate has a number of ids of terms.
type banked struct {
	candidate
	bank int
	rank float64
}

// newConstraints returns nil without terms. It copies them, as newTask does the source.
func newConstraints(terms []Constraint, joined func() []bool, source, vocabulary int) (*constraints, error) {
	if len(terms) == 0 {
		return nil, nil
	}
	if len(terms) > maxTerms {
		return nil, fmt.Errorf("%w: %d terms, expected at most %d", model.ErrExample, len(terms), maxTerms)
	}
	c := &constraints{nodes: make([]node, 1), terms: slices.Clone(terms), joined: joined(), alpha: make([]float32, source)}
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
				c.nodes = append(c.nodes, node{id: id, path: term[:n+1]})
				c.nodes[at].children = append(c.nodes[at].children, next)
			}
			at = next
		}
		c.nodes[at].ends |= 1 << i
		c.ids += len(term)
	}
	c.room = make([]int, c.ids+1)
	return c, nil
}

func (c *constraints) child(at int, id int32) int {
	for _, n := range c.nodes[at].children {
		if c.nodes[n].id == id {
			return n
		}
	}
	return -1
}

// begin returns an error unless translations of that length that begin with a prefix can have all terms.
func (c *constraints) begin(prefix []int32, length int) error {
	if c == nil {
		return nil
	}
	c.states = append(c.states[:0], progress{})
	p := progress{}
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
	before := c.nodes[p.node].path
	at := 0
	for from := 0; from <= len(before); from++ {
		if from == 0 && p.node == 0 && p.open || from > 0 && c.isJoined(before[from-1]) {
			continue // within a word
		}
		n := c.find(before[from:], id)
		if n > 0 && c.nodes[n].unmet(p.met) {
			at = n
			break
		}
		at = cmp.Or(at, max(n, 0))
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

// find returns the node for ids and then id, -1 for none.
func (c *constraints) find(ids []int32, id int32) int {
	at := 0
	for _, w := range ids {
		if at = c.child(at, w); at < 0 {
			return at
		}
	}
	return c.child(at, id)
}

func (n node) unmet(met uint64) bool { return (n.ends|n.below)&^met != 0 }

// begun reports whether the last ids of a hypothesis begin an unmet term.
func (c *constraints) begun(p progress) bool { return p.node > 0 && c.nodes[p.node].below&^p.met != 0 }

// bank returns the number of ids of terms that a hypothesis has.
func (c *constraints) bank(p progress) int {
	if c.begun(p) {
		return p.done + len(c.nodes[p.node].path)
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

// forbidden appends the ids by which a hypothesis would repeat a term.
func (c *constraints) forbidden(list []int32, p progress) []int32 {
	for i, n := range c.nodes {
		if n.ends != 0 && !n.unmet(p.met) && c.next(p, n.id).node == i {
			list = append(list, n.id)
		}
	}
	return list
}

// rank is rank of the beam for a sentence with terms, after its prefix.
func (c *constraints) rank(b *beam, s *search, scores kernels.Matrix, from int) bool {
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
		r.forbidden = c.forbidden(b.copies.forbidden(r.forbidden[:0], b.remaining(s, i)), p)
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
	banks := len(c.room)
	clear(c.room)
	for _, one := range list {
		c.room[one.bank]--
	}
	spare := r.width % banks
	for bank := banks - 1; bank >= 0; bank-- {
		candidates := -c.room[bank]
		share := r.width/banks + spare
		c.room[bank] = min(share, candidates)
		spare = share - c.room[bank]
	}
	r.best = r.best[:0]
	for i, one := range list {
		if c.room[one.bank] > 0 {
			c.room[one.bank]--
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

// turn makes the states those of the step before. Without terms it does nothing, as push.
func (c *constraints) turn() {
	if c != nil {
		c.states, c.before = c.before[:0], c.states
	}
}

// push adds the state of the next hypothesis, which continues hypothesis parent, a row of this step.
func (c *constraints) push(b *beam, parent int, id int32, row int) {
	if c != nil {
		c.states = append(c.states, c.follow(b, c.before[parent], id, row))
	}
}

// placed returns Σ log w of a hypothesis of the step before.
func (c *constraints) placed(parent int) float64 {
	if c == nil {
		return 0
	}
	return c.before[parent].placed
}

// first returns Σ log w of the first hypothesis.
func (c *constraints) first() float64 {
	if c == nil {
		return 0
	}
	return c.states[0].placed
}
