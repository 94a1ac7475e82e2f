package decode

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Node is a hypothesis that entered the beam: that of its parent and one more id.
type Node struct {
	Parent  int32   // index of the hypothesis that it continues, which is less than its own; -1 for none
	ID      int32   // its last id; EOS finishes it
	LogProb float64 // log p of that id
	Total   float64 // log p of all its ids
	Rank    int32   // index of the translation that it is, -1 for none
}

// Search returns what Translate would for the sentence, and all hypotheses that were in the beam,
// step by step, those of a step best first. One that is no other's parent, not finished and no
// translation was pruned, or the search ended before it. A source without words has no hypotheses
// unless there is a prefix.
func (t *Translator) Search(ctx context.Context, s Sentence) (best []Translation, hypotheses []Node, err error) {
	k, err := t.newTask(ctx, 0, s)
	if err != nil {
		return nil, nil, err
	}
	if k.wordless() {
		best, err := t.wordless(ctx)
		return best, nil, err
	}
	k.tree = &tree{rows: []int32{-1}}
	best, err = t.one(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	return best, k.tree.nodes, nil
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
	if n < 1 {
		return nil, fmt.Errorf("%w: %d next ids, expected at least 1", model.ErrExample, n)
	}
	k, err := t.newTask(ctx, 0, Sentence{Source: source, Prefix: prefix, MaxLength: len(prefix) + 1, Beam: 1})
	if err != nil {
		return nil, err
	}
	k.next = make([]float64, t.models[0].Config.TargetVocab)
	if _, err := t.one(ctx, k); err != nil {
		return nil, err
	}
	list := make([]Candidate, len(k.next))
	for id, p := range k.next {
		list[id] = Candidate{int32(id), p}
	}
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(n, len(list))], nil
}

// one runs a task alone.
func (t *Translator) one(ctx context.Context, k *task) (best []Translation, err error) {
	t.run(ctx, []*task{k}, func(_ int, b []Translation, e error) { best, err = b, e })
	return best, err
}

// A tree records the hypotheses of a search. A nil tree records nothing.
type tree struct {
	nodes        []Node
	rows, before []int32 // nodes of the unfinished hypotheses, and of those of the step before
}

// grow begins a step.
func (t *tree) grow() {
	if t != nil {
		t.rows, t.before = t.before[:0], t.rows
	}
}

// add adds a continuation of an unfinished hypothesis of the step before, by its place among them.
func (t *tree) add(parent int, s step, total float64) int32 {
	if t == nil {
		return 0
	}
	place := int32(len(t.nodes))
	t.nodes = append(t.nodes, Node{Parent: t.before[parent], ID: s.word, LogProb: s.logProb, Total: total, Rank: -1})
	if s.word != text.EOS {
		t.rows = append(t.rows, place)
	}
	return place
}

// node returns the node of an unfinished hypothesis.
func (t *tree) node(row int) int32 {
	if t == nil {
		return 0
	}
	return t.rows[row]
}

// setRank marks a node as a translation.
func (t *tree) setRank(node int32, rank int) {
	if t != nil {
		t.nodes[node].Rank = int32(rank)
	}
}
