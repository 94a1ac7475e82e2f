package decode

import (
	"context"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/portable"
	"github.com/softsearch-go/softsearch/model/text"
)

// Score returns log p and the alignment of a given translation of a source sentence, both ids with
// EOS at the end and nowhere else. For an ensemble log p is the mean over the models. A source
// without words is scored like any other, although its translation by Translate has log p 0.
func (t *Translator) Score(ctx context.Context, source, target []int32) (result Translation, err error) {
	t.ScoreEach(ctx, []text.Example{{Source: source, Target: target}}, func(_ int, r Translation, e error) { result, err = r, e })
	return result, err
}

// Perplexity returns exp(−logProb/ids), for log p of translations with that many ids in all, at least one.
func Perplexity(logProb float64, ids int) float64 { return 1 / portable.Exp(logProb/float64(ids)) }

// ScoreEach scores pairs and calls f once for each list[i], with what Score would return, like Each.
func (t *Translator) ScoreEach(ctx context.Context, list []text.Example, f func(i int, r Translation, err error)) {
	check(ctx, f != nil)
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

func (t *Translator) newScore(ctx context.Context, i int, e text.Example) (*task, error) {
	c := t.models[0].Config
	if err := checkIDs("source", e.Source, c.SourceVocab); err != nil {
		return nil, err
	}
	if err := checkIDs("target", e.Target, c.TargetVocab); err != nil {
		return nil, err
	}
	need, beam, err := t.capacityFor(1, len(e.Source), len(e.Target))
	if err != nil {
		return nil, err
	}
	ids := slices.Concat(e.Source, e.Target)
	source, target := ids[:len(e.Source)], ids[len(e.Source):]
	return &task{
		mode: score(target), ctx: ctx, index: i, need: need, beam: beam, source: source, wanted: 1,
		length: max(len(source), len(target)),
	}, nil
}

// score is the mode of a translation that is given.
type score []int32

func (m score) target(time int) int32 { return m[time] }

// extend continues the only hypothesis by the next id.
func (m score) extend(b *beam, s *task, _ kernels.Matrix, row int) {
	p := b.ensemble.scored[row]
	total, next := b.before[row]+p, step{m[s.time], 0, p}
	switch {
	case p != p:
		s.endNotFinite()
	case s.time+1 == len(m):
		s.best = append(s.best, b.finished(next, s.time, total))
		b.finish(s)
	default:
		*b.backpointer(s, s.time, 0) = next
		b.push(next.word, total, row)
	}
}
