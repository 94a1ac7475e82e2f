package model

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// guided is a recipe with guided alignment.
var guided = Hyperparameters{GuidedAlignment: 0.8, Dropout: Dropout{Context: 0.2}, Average: 0.9, Seed: 3}

// withLinks returns a batch in which about a third of the target words have links, some of them several.
func withLinks(seed uint64, batch []text.Example) []text.Example {
	r := newRand(seed)
	for i, e := range batch {
		for t := range e.Target {
			for j := range e.Source {
				if r.IntN(3*len(e.Source)) < 2 {
					batch[i].Links = append(batch[i].Links, int32(t), int32(j))
				}
			}
		}
	}
	return batch
}

// guidedLoss returns what training with guided alignment minimizes, from the results of a scorer.
func guidedLoss(t *testing.T, m *Model, weight float64, batch []text.Example) float64 {
	t.Helper()
	s := newScorerFor(t, kernels.Best(), m, batch)
	loss := lossOf(t, s, batch)
	for i, e := range batch {
		alpha := kernels.View(alignment(t, s, i, e), len(e.Target), len(e.Source))
		for word := range e.Target {
			sum, n := 0.0, 0.0
			for k := 0; k < len(e.Links); k += 2 {
				if e.Links[k] == int32(word) {
					sum, n = sum+float64(alpha.Row(word)[e.Links[k+1]]), n+1
				}
			}
			if n > 0 {
				loss -= weight * math.Log(sum/n)
			}
		}
	}
	return loss
}

// TestGuidedGradient compares gradients with finite differences.
func TestGuidedGradient(t *testing.T) {
	const weight, step = 2.0, 1.0 / 256
	for _, c := range []Config{tinyConfig, withAlignment(smallConfig, Dot), withAlignment(smallConfig, General)} {
		t.Run(nameOf(c), func(t *testing.T) {
			m := randomModel(t, c, 21, 0.4)
			batch := withLinks(22, randomBatch(newRand(23), c, 4, 6, 5))
			trainer, err := NewTrainer(kernels.Best(), m, Hyperparameters{GuidedAlignment: weight}, capacityOf(batch))
			if err != nil {
				t.Fatal(err)
			}
			loss, err := trainer.gradient(batch)
			if err != nil {
				t.Fatal(err)
			}
			if want := lossOf(t, newScorerFor(t, kernels.Best(), m, batch), batch); loss != want {
				t.Errorf("loss %v, want %v as without guided alignment", loss, want)
			}
			gradients := trainer.gradients.tensors(c)
			for p, parameter := range m.Parameters.tensors(c) {
				values, gradient := append([]float32(nil), parameter.read()...), gradients[p].read()
				at := 0 // of the largest value of the gradient
				for i, g := range gradient {
					if math.Abs(float64(g)) > math.Abs(float64(gradient[at])) {
						at = i
					}
				}
				shifted := func(by float32) float64 {
					moved := append([]float32(nil), values...)
					moved[at] += by
					parameter.write(moved)
					defer parameter.write(values)
					return guidedLoss(t, m, weight, batch)
				}
				got, want := float64(gradient[at]), (shifted(step)-shifted(-step))/(2*step)
				if !(math.Abs(got-want) <= 0.01*math.Abs(want)+0.005) {
					t.Errorf("%s[%d]: gradient %v, finite difference %v", parameter.name, at, got, want)
				}
			}
		})
	}
}

// TestGuidedUnderflow has links to a word whose weight is 0: the gradient is that of the uniform distribution
// over the links.
func TestGuidedUnderflow(t *testing.T) {
	g := guidance{2, []text.Example{{Links: []int32{0, 2, 1, 1, 1, 2, 3, 0}}}}
	dscores := []float32{0.5, 0.5, 0.5}
	g.backward(dscores, []float32{1, 0, 0}, 0, 1)
	sameBits(t, "gradient of scores", dscores, []float32{2.5, -0.5, -0.5})
	g.backward(dscores, []float32{1, 0, 0}, 0, 2)
	sameBits(t, "gradient of scores without links", dscores, []float32{2.5, -0.5, -0.5})
}

// guidedDigest is the digest of two guided updates, on every machine and with any number of threads.
const guidedDigest = 0xfe3c149e35f8d98a

func TestGuidedSameBits(t *testing.T) {
	random := randomBatch(newRand(4), threadsConfig, 24, 30, 12)
	linked := withLinks(5, slices.Clone(random))
	updates := func(k kernels.Impl, recipe Hyperparameters, batch []text.Example) (result training) {
		trainer, err := NewTrainer(k, randomModel(t, threadsConfig, 3, 0.3), recipe, threadsCapacity)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			loss, err := trainer.Update(batch)
			if err != nil {
				t.Fatal(err)
			}
			result.losses = append(result.losses, loss)
		}
		result.weights = append(result.weights, trainer.Model().Parameters.Values...)
		return result
	}
	team := kernels.NewTeam(3)
	defer team.Close()
	list := append(kernels.Available(), kernels.Best().With(team))
	if !full() && len(list) > 2 {
		list = slices.DeleteFunc(list, func(k kernels.Impl) bool { return k == portable() })
	}
	for _, k := range list {
		if got := updates(k, guided, linked).digest(); got != guidedDigest {
			t.Errorf("%s: digest %#x, want %#x", k, got, uint64(guidedDigest))
		}
	}
	ignored := guided
	ignored.GuidedAlignment = 0
	if got, want := updates(kernels.Best(), ignored, linked).digest(), updates(kernels.Best(), ignored, random).digest(); got != want {
		t.Errorf("digest %#x with links that the recipe ignores, %#x without links", got, want)
	}
}

func TestGuidedNoAllocations(t *testing.T) {
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		batches := allocBatches(smallConfig)
		for i, batch := range batches {
			batches[i] = withLinks(uint64(i), batch)
		}
		updateAllocations(t, k, randomModel(t, smallConfig, 31, 0.3), guided, batches)
	})
}

func TestGuidedErrors(t *testing.T) {
	encdec := smallConfig
	encdec.Kind = RNNencdec
	capacity := Capacity{Sentences: 1, SourceLength: 4, TargetLength: 4}
	if _, err := NewTrainer(kernels.Best(), randomModel(t, encdec, 1, 0.3), guided, capacity); !errors.Is(err, ErrConfig) {
		t.Errorf("RNNencdec: got %v", err)
	}
	m := randomModel(t, smallConfig, 1, 0.3)
	for _, weight := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := NewTrainer(kernels.Best(), m, Hyperparameters{GuidedAlignment: weight}, capacity); !errors.Is(err, ErrConfig) {
			t.Errorf("weight %v: got %v", weight, err)
		}
	}
	trainer, err := NewTrainer(kernels.Best(), m, guided, capacity)
	if err != nil {
		t.Fatal(err)
	}
	for _, links := range [][]int32{{0}, {0, 0, 1}, {-1, 0}, {0, -1}, {3, 0}, {0, 2}, {1, 0, 0, 1}, {0, 1, 0, 0}, {0, 1, 0, 1}} {
		_, err := trainer.Update([]text.Example{{Source: []int32{1, 0}, Target: []int32{1, 2, 0}, Links: links}})
		if !errors.Is(err, ErrExample) {
			t.Errorf("links %v: got %v", links, err)
		}
	}
}
