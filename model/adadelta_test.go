package model

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A denseAdadelta is Adadelta in plain Go. It updates every value, even where the gradient is 0.
type denseAdadelta struct{ weights, g2, dx2 []float32 }

func newDenseAdadelta(weights []float32) *denseAdadelta {
	return &denseAdadelta{weights, make([]float32, len(weights)), make([]float32, len(weights))}
}

func (d *denseAdadelta) update(rule kernels.Adadelta, gradient []float32) {
	average := func(old, v float32) float32 {
		return floored(fma32(rule.Rho, old, float32((1-rule.Rho)*float32(v*v))))
	}
	for i, g := range gradient {
		s := float32(rule.Scale * g)
		d.g2[i] = average(d.g2[i], s)
		ratio := float32(d.dx2[i]+rule.Epsilon) / float32(d.g2[i]+rule.Epsilon)
		step := float32(float32(math.Sqrt(float64(ratio))) * s)
		d.weights[i] -= step
		d.dx2[i] = average(d.dx2[i], step)
	}
}

// floored replaces averages below 2⁻¹⁰⁰ by 0.
func floored(x float32) float32 {
	if x < 0x1p-100 {
		return 0
	}
	return x
}

// fma32 returns x*y + z rounded once, for finite arguments.
func fma32(x, y, z float32) float32 {
	product := new(big.Float).SetPrec(600).SetFloat64(float64(x) * float64(y)) // exact
	sum, _ := product.Add(product, big.NewFloat(float64(z))).Float32()
	return sum
}

// decayed applies to kept, a copy of one of e's averages, the decay of the updates that each row
// missed.
func decayed(e *lazyAdadelta, rho float32, kept kernels.Matrix) {
	for row, current := range e.current {
		values := kept.Row(row)
		for range e.updates - current {
			for i, v := range values {
				values[i] = floored(rho * v)
			}
		}
	}
}

// averages returns Adadelta's averages of all weights as of the last update.
func averages(t *Trainer, kept func(*adadelta) *Parameters) []float32 {
	p, a := newParameters(nil, t.model.Config), t.optimizer.(*adadelta)
	copy(p.Values, kept(a).Values)
	decayed(a.source, a.rule.Rho, p.Source.Float32)
	decayed(a.target, a.rule.Rho, p.Target.Float32)
	return p.Values
}

// denseNorm returns the norm of all gradients from a sum for every row of the embeddings.
func denseNorm(k kernels.Impl, g *Parameters) float32 {
	const line = 16
	first := 0
	for _, m := range []kernels.Matrix{g.Source.Float32, g.Target.Float32} {
		first += (m.Rows*m.Cols + line - 1) / line * line
	}
	sum := k.SumSquares(g.Values[first:])
	for _, m := range []kernels.Matrix{g.Source.Float32, g.Target.Float32} {
		part := 0.0
		for row := range m.Rows {
			part += k.SumSquares(m.Row(row))
		}
		sum += part
	}
	return float32(math.Sqrt(sum))
}

// unevenBatch returns examples in which low ids are frequent, high ids are rare, and the last three
// never occur.
func unevenBatch(r *rand.Rand, c Config, n, length int) []text.Example {
	words := func(vocabulary int) []int32 {
		list := make([]int32, 1+r.IntN(length))
		for i := range list {
			list[i] = int32(r.IntN(1 + r.IntN(1+r.IntN(vocabulary-3))))
		}
		return list
	}
	batch := make([]text.Example, n)
	for i := range batch {
		batch[i] = text.Example{Source: words(c.SourceVocab), Target: words(c.TargetVocab)}
	}
	return batch
}

// TestDenseUpdates compares a trainer with dense updates of all weights. The gradient of each comes
// from a new trainer, so that nothing of an earlier batch can be left in it.
func TestDenseUpdates(t *testing.T) {
	const updates = 40
	c := smallConfig
	c.SourceVocab, c.TargetVocab = 83, 67
	capacity := Capacity{Sentences: 3, SourceLength: 5, TargetLength: 5}
	eachVariant(t, c, func(t *testing.T, c Config) {
		r, reference := newRand(90), randomModel(t, c, 91, 0.4)
		dense := newDenseAdadelta(reference.Parameters.Values)
		trainer := newTrainerFor(t, kernels.Best(), randomModel(t, c, 91, 0.4), capacity)
		for update := range updates {
			batch := unevenBatch(r, c, capacity.Sentences, capacity.SourceLength)
			fresh := newTrainerFor(t, kernels.Best(), reference, capacity)
			if _, err := fresh.gradient(batch); err != nil {
				t.Fatal(err)
			}
			norm := denseNorm(kernels.Best(), fresh.gradients.Parameters)
			dense.update(kernels.Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: min(1, 1/norm)}, fresh.gradients.Values)
			if _, err := trainer.Update(batch); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("update %d: ", update)
			sameBits(t, what+"gradient", trainer.gradients.Values, fresh.gradients.Values)
			sameBits(t, what+"weight", trainer.model.Parameters.Values, dense.weights)
			sameBits(t, what+"average of the gradient", averages(trainer, func(a *adadelta) *Parameters { return a.g2 }), dense.g2)
			sameBits(t, what+"average of the step", averages(trainer, func(a *adadelta) *Parameters { return a.dx2 }), dense.dx2)
			if t.Failed() {
				return
			}
		}
		a := trainer.optimizer.(*adadelta)
		for _, e := range []*lazyAdadelta{a.source, a.target} {
			if slices.Max(e.current) != updates || slices.Min(e.current) != 0 || len(e.rows) > len(e.current)/2 {
				t.Errorf("rows are current as of updates %v with %d rows in the last batch, want a row that is never updated, one that always is, and a sparse batch", e.current, len(e.rows))
			}
		}
	})
}

func newTrainerFor(t testing.TB, k kernels.Impl, m *Model, capacity Capacity) *Trainer {
	t.Helper()
	trainer, err := NewTrainer(k, m, Hyperparameters{}, capacity)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

// An embeddingRun is a lazyAdadelta with random gradients.
type embeddingRun struct {
	*lazyAdadelta
	r *rand.Rand
}

func newEmbeddingRun(rows, cols int) embeddingRun {
	r := newRand(92)
	matrix := func() kernels.Matrix { return kernels.NewMatrix(rows, cols) }
	weights := matrix()
	copy(weights.Data, normal(r, rows*cols, 1))
	return embeddingRun{newLazyAdadelta(nil, newEmbeddingGradient(nil, matrix()), weights, matrix(), matrix()), r}
}

// begin begins a batch of these words and draws the gradient of its rows. A third of the values
// are 0: there, an average shows all of its past.
func (e embeddingRun) begin(k kernels.Impl, words []int32) {
	batch := []text.Example{{Source: words[:len(words)/2]}, {Source: words[len(words)/2:]}}
	e.embeddingGradient.begin(k, batch, func(e text.Example) []int32 { return e.Source })
	for _, row := range e.rows {
		for i := range e.gradient.Cols {
			e.gradient.Row(row)[i] = float32(e.r.IntN(3)) * float32(e.r.NormFloat64())
		}
	}
}

var embeddingRule = kernels.Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: 0.7}

// TestEmbeddingGaps has rows that miss no update, some updates, enough for their averages to decay
// to 0, and all updates.
func TestEmbeddingGaps(t *testing.T) {
	const updates, cols = 3000, 9
	gaps := map[int32][]int{2: {0, 1000}, 3: {10, 1100, 2900}, 4: {7, 1300, 1301}, 5: {updates - 1}, 6: nil}
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		e := newEmbeddingRun(len(gaps)+2, cols)
		dense := newDenseAdadelta(slices.Clone(e.weights.Data))
		for update := range updates {
			words := []int32{0}
			if update%7 == 0 {
				words = append(words, 1)
			}
			for word, list := range gaps {
				if slices.Contains(list, update) {
					words = append(words, word)
				}
			}
			e.begin(k, words)
			e.update(k, embeddingRule)
			dense.update(embeddingRule, e.gradient.Data)
			sameBits(t, fmt.Sprintf("%s: update %d: weight", k, update), e.weights.Data, dense.weights)
			if update%500 != 0 && update != updates-1 {
				continue
			}
			for _, average := range []struct {
				name string
				kept kernels.Matrix
				want []float32
			}{{"gradient", e.g2, dense.g2}, {"step", e.dx2, dense.dx2}} {
				kept := kernels.View(slices.Clone(average.kept.Data), e.g2.Rows, cols)
				decayed(e.lazyAdadelta, embeddingRule.Rho, kept)
				sameBits(t, fmt.Sprintf("%s: update %d: average of the %s", k, update, average.name), kept.Data, average.want)
			}
			if t.Failed() {
				return
			}
		}
	})
}

// TestEmbeddingThreads has enough rows for a team to divide every task.
func TestEmbeddingThreads(t *testing.T) {
	const rows, cols, updates = 1000, 1024, 3
	run := func(k kernels.Impl) (e embeddingRun, sums []float64) {
		e = newEmbeddingRun(rows, cols)
		for range updates {
			words := randomWords(e.r, rows, rows)
			e.begin(k, words)
			slices.Sort(words)
			for i, word := range slices.Compact(words) {
				if e.rows[i] != int(word) {
					t.Fatalf("%s: row %d of the batch is %d, want %d", k, i, e.rows[i], word)
				}
			}
			sums = append(sums, e.sumSquares(k))
			e.update(k, embeddingRule)
		}
		return e, sums
	}
	teams := []int{2, 3, 8}
	if !full() {
		teams = teams[1:2]
	}
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		want, wantSums := run(k)
		for _, threads := range teams {
			team := kernels.NewTeam(threads)
			got, sums := run(k.With(team))
			team.Close()
			what := fmt.Sprintf("%s, %d threads: ", k, threads)
			if !slices.Equal(sums, wantSums) {
				t.Errorf("%ssums of squares: got %v, want those without a team, %v", what, sums, wantSums)
			}
			sameBits(t, what+"gradient", got.gradient.Data, want.gradient.Data)
			sameBits(t, what+"weight", got.weights.Data, want.weights.Data)
			sameBits(t, what+"average of the gradient", got.g2.Data, want.g2.Data)
			sameBits(t, what+"average of the step", got.dx2.Data, want.dx2.Data)
		}
	})
}
