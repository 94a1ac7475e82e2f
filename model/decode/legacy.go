package decode

import (
	"context"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A Pool translates lists of sentences. Use a [Translator].
type Pool struct {
	options  Options
	capacity model.Capacity
	models   []*model.Model
}

// NewPool returns a pool.
func NewPool(k kernels.Impl, o Options, capacity model.Capacity, threads int, models ...*model.Model) (*Pool, error) {
	o.Kernels, o.Threads, o.Ensemble = &k, threads, models[1:]
	return &Pool{o, capacity, models}, nil
}

// Translate calls f with the translations of each sentence.
func (p *Pool) Translate(ctx context.Context, list []Sentence, f func(i int, best []Translation)) error {
	t, err := New(p.models[0], p.options)
	if err != nil {
		return err
	}
	defer t.Close()
	var first error
	t.Each(ctx, list, func(i int, best []Translation, err error) {
		if err == nil {
			f(i, best)
		} else if first == nil {
			first = err
		}
	})
	return first
}

// A Beam translates a sentence. Use a [Translator].
type Beam struct{ pool *Pool }

// NewBeam returns a beam.
func NewBeam(k kernels.Impl, o Options, capacity model.Capacity, models ...*model.Model) (*Beam, error) {
	p, err := NewPool(k, o, capacity, 1, models...)
	return &Beam{p}, err
}

// Translate returns the translations of a sentence.
func (b *Beam) Translate(ctx context.Context, source []int32, length int) (best []Translation, err error) {
	err = b.pool.Translate(ctx, []Sentence{{source, length}}, func(_ int, r []Translation) { best = r })
	return best, err
}
