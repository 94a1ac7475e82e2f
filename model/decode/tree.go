package decode

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Node is a hypothesis that entered the beam: its parent's and one more id.
type Node struct {
	Parent  int32   // index of the hypothesis that it continues, which is less than its own; -1 for none
	ID      int32   // its last id; EOS finishes it
	LogProb float64 // log p of that id
	Total   float64 // log p of all its ids
	Rank    int32   // index of the translation that it is, -1 for none
}

// Search returns what Translate would for the sentence, and all hypotheses that were in the beam,
// step by step, within a step best first. One that is no other's parent, not finished and no
// translation was pruned, or the search ended before it. A source without words has no hypotheses
// unless there is a prefix.
func (t *Translator) Search(ctx context.Context, s Sentence) (best []Translation, hypotheses []Node, err error) {
	check(ctx, true)
	k, err := t.newTask(ctx, 0, s)
	if err != nil {
		return nil, nil, err
	}
	m := &trace{rows: []int32{-1}}
	k.mode = m
	best, err = t.one(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	for rank, r := range best {
		m.setRank(r.IDs, int32(rank))
	}
	return t.trimmed(s, best), m.nodes, nil
}

// trace is the mode of a search that records all its hypotheses.
type trace struct {
	translate
	nodes []Node
	rows  []int32 // nodes of the unfinished hypotheses
}

func (m *trace) extend(b *beam, s *task, scores kernels.Matrix, row int) {
	if !b.rank(s, scores, row) {
		return
	}
	before := m.rows
	m.rows = nil
	for _, c := range b.ranking.best {
		last := b.stepTo(c, row)
		if c.word != text.EOS {
			m.rows = append(m.rows, int32(len(m.nodes)))
		}
		m.nodes = append(m.nodes, Node{Parent: before[last.parent], ID: c.word, LogProb: last.logProb, Total: c.score, Rank: -1})
	}
	b.advance(s, row)
}

// setRank marks the node of a translation, which comes after its beginnings.
func (m *trace) setRank(ids []int32, rank int32) {
	parent := int32(-1)
	for i := range m.nodes {
		n := &m.nodes[i]
		if n.Parent != parent || n.ID != ids[0] {
			continue
		}
		if parent, ids = int32(i), ids[1:]; len(ids) == 0 {
			n.Rank = rank
			return
		}
	}
}

// A Candidate is an id that can follow others.
type Candidate struct {
	ID      int32
	LogProb float64 // log p of the id
}

// Next returns the n most probable ids that can follow a prefix in translations of a source, most
// probable first, those that Options do not allow included; fewer if the vocabulary has fewer. The
// source ends with EOS, and the prefix has none.
func (t *Translator) Next(ctx context.Context, source, prefix []int32, n int) ([]Candidate, error) {
	check(ctx, true)
	if n < 1 {
		return nil, fmt.Errorf("%w: %d next ids, expected at least 1", model.ErrExample, n)
	}
	k, err := t.newTask(ctx, 0, Sentence{Source: source, Prefix: prefix, MaxLength: len(prefix) + 1, Beam: 1})
	if err != nil {
		return nil, err
	}
	m := &predict{}
	k.mode, k.results = m, nil
	if _, err := t.one(ctx, k); err != nil {
		return nil, err
	}
	list := m.list
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(n, len(list))], nil
}

// predict is the mode of a search that ends after the prefix, with all ids that can follow.
type predict struct {
	translate
	list []Candidate
}

func (m *predict) extend(b *beam, s *task, scores kernels.Matrix, row int) {
	if !b.rank(s, scores, row) {
		return
	}
	if s.time < len(s.prefix) {
		b.advance(s, row)
		return
	}
	for id, score := range scores.Row(row) {
		m.list = append(m.list, Candidate{int32(id), float64(score) - b.ensemble.logSums[row]})
	}
	s.end(nil)
}

// one runs a task alone.
func (t *Translator) one(ctx context.Context, k *task) (best []Translation, err error) {
	t.run(ctx, []*task{k}, func(_ int, b []Translation, e error) { best, err = b, e })
	return best, err
}
