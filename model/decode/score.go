package decode

import (
	"context"

	"github.com/softsearch-go/softsearch/model/text"
)

// Score returns log p and the alignment of a given translation of a source sentence, both ids with
// EOS at the end and nowhere else. For an ensemble log p is the mean over the models. A source
// without words is scored like any other, although its translation by Translate has log p 0.
func (t *Translator) Score(ctx context.Context, source, target []int32) (result Translation, err error) {
	t.ScoreEach(ctx, []text.Example{{Source: source, Target: target}}, func(_ int, r Translation, e error) { result, err = r, e })
	return result, err
}

// ScoreEach scores pairs and calls f once for each list[i], with what Score would return, like Each.
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
	return &task{ctx: ctx, index: i, shape: s, wanted: 1, source: ids[:len(e.Source)], target: ids[len(e.Source):]}, nil
}
