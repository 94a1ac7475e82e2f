package decode

import (
	"context"

	"github.com/softsearch-go/softsearch/model/text"
)

// Score returns what the model makes of a given translation of a source sentence, both ids with
// EOS at the end: log p of the whole and of each id, and the alignment.
func (t *Translator) Score(ctx context.Context, source, target []int32) (result Translation, err error) {
	t.ScoreEach(ctx, []text.Example{{Source: source, Target: target}}, func(_ int, r Translation, e error) { result, err = r, e })
	return result, err
}

// ScoreEach calls f once for each pair, list[i], with what Score returns for it, in any order. The
// calls come from the goroutine of the caller as soon as there is a result.
func (t *Translator) ScoreEach(ctx context.Context, list []text.Example, f func(i int, r Translation, err error)) {
	tasks := make([]*task, 0, len(list))
	for i, e := range list {
		k, err := t.newScore(ctx, i, e)
		if err != nil {
			f(i, Translation{}, err)
			continue
		}
		tasks = append(tasks, k)
	}
	t.run(ctx, tasks, func(i int, r []Translation, err error) {
		if err != nil {
			f(i, Translation{}, err)
			return
		}
		f(i, r[0], nil)
	})
}

// newScore returns the task of pair i.
func (t *Translator) newScore(ctx context.Context, i int, e text.Example) (*task, error) {
	c := t.models[0].Config
	if err := checkIDs("source", e.Source, c.SourceVocab); err != nil {
		return nil, err
	}
	if err := checkIDs("target", e.Target, c.TargetVocab); err != nil {
		return nil, err
	}
	s, err := t.shapeFor(1, len(e.Source), roundUp(len(e.Target)))
	if err != nil {
		return nil, err
	}
	ids := append(append(make([]int32, 0, len(e.Source)+len(e.Target)), e.Source...), e.Target...)
	return &task{ctx: ctx, index: i, shape: s, source: ids[:len(e.Source)], target: ids[len(e.Source):]}, nil
}
