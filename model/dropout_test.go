package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// regularized is a recipe with dropout, label smoothing and averaged weights.
var regularized = Hyperparameters{
	Dropout:        Dropout{Embedding: 0.2, Context: 0.3, Readout: 0.4},
	LabelSmoothing: 0.1,
	Average:        0.9,
	Seed:           1 << 40,
}

// regularizedDigests are the trainingDigests of that recipe.
var regularizedDigests = map[string]uint64{
	"search/update-first":  0xc522260811f29b1c,
	"search/predict-first": 0x49d5c9458931c5cb,
	"encdec/update-first":  0x55a1e68f84c21fa5,
	"encdec/predict-first": 0x557ef066607f5beb,

	"search/predict-first/dot":    0xf8ab72ebaf6ee918,
	"search/update-first/general": 0xd29868cc642b2277,
}

func TestRegularizedSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		want := regularizedDigests[nameOf(c)]
		for _, k := range kernels.Available() {
			if got := train(t, k, c, regularized).digest(); got != want {
				t.Errorf("%s: digest %#x, want %#x", k, got, want)
			}
		}
	})
}

// TestDropoutSeed trains with two seeds, which make a difference only with dropout.
func TestDropoutSeed(t *testing.T) {
	seeded := func(r Hyperparameters, seed uint64) []float32 {
		r.Seed = seed
		return train(t, kernels.Best(), smallConfig, r).weights
	}
	sameBits(t, "weight without dropout", seeded(Hyperparameters{}, 1), seeded(Hyperparameters{}, 2))
	if differs(seeded(regularized, 1), seeded(regularized, 2)) < 0 {
		t.Error("weights are the same for two seeds")
	}
}

// TestDropoutLoss compares the loss of a scorer that shares the network of a trainer, after a
// gradient with dropout, with that of a scorer of its own.
func TestDropoutLoss(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m, batch := randomModel(t, c, 60, 0.4), randomBatch(newRand(61), c, 7, 6, 5)
		trainer, err := NewTrainer(kernels.Best(), m, regularized, capacityOf(batch))
		if err != nil {
			t.Fatal(err)
		}
		training, err := trainer.gradient(batch)
		if err != nil {
			t.Fatal(err)
		}
		got, want := lossOf(t, scorerOf(trainer, batch), batch), lossOf(t, newScorerFor(t, kernels.Best(), m, batch), batch)
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("loss with the trainer's network: got %v, want %v", got, want)
		}
		if training == want {
			t.Errorf("loss with dropout: got %v, the same as without", training)
		}
	})
}

// TestDropoutPlaces sets one probability at a time. Each changes the loss, except 2⁻³³, which is
// rounded down to 0.
func TestDropoutPlaces(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m, batch := randomModel(t, c, 62, 0.4), randomBatch(newRand(63), c, 7, 6, 5)
		loss := func(d Dropout) float64 {
			trainer, err := NewTrainer(kernels.Best(), m, Hyperparameters{Dropout: d}, capacityOf(batch))
			if err != nil {
				t.Fatal(err)
			}
			loss, err := trainer.gradient(batch)
			if err != nil {
				t.Fatal(err)
			}
			return loss
		}
		none := loss(Dropout{})
		for _, d := range []Dropout{{Embedding: 0.1}, {Context: 0.1}, {Readout: 0.1}} {
			if loss(d) == none {
				t.Errorf("%+v: got loss %v, the same as without dropout", d, none)
			}
		}
		if got := loss(Dropout{0x1p-33, 0x1p-33, 0x1p-33}); got != none {
			t.Errorf("dropout below the resolution: loss %v, want %v", got, none)
		}
	})
}

// TestDropoutCount checks that masks depend on the number of updates, which a batch with an error
// does not add to.
func TestDropoutCount(t *testing.T) {
	m, batch := randomModel(t, smallConfig, 64, 0.4), randomBatch(newRand(65), smallConfig, 7, 6, 5)
	first, err := NewTrainer(kernels.Best(), m, regularized, capacityOf(batch))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Update(batch); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Update(nil); err == nil {
		t.Fatal("no error for a batch without sentences")
	}
	gradient := func(trainer *Trainer) []float32 {
		if _, err := trainer.gradient(batch); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(trainer.gradients.Values)
	}
	second, err := NewTrainer(kernels.Best(), m, regularized, capacityOf(batch))
	if err != nil {
		t.Fatal(err)
	}
	other := gradient(second)
	second.updates = 1
	want := gradient(first)
	sameBits(t, "gradient of the second update", gradient(second), want)
	if differs(other, want) < 0 {
		t.Error("two updates have the same gradient")
	}
}

func TestRecipeErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 66, 0.4)
	for name, set := range map[string]func(r *Hyperparameters, p float64){
		"dropout of embeddings":  func(r *Hyperparameters, p float64) { r.Dropout.Embedding = p },
		"dropout of the context": func(r *Hyperparameters, p float64) { r.Dropout.Context = p },
		"dropout of the readout": func(r *Hyperparameters, p float64) { r.Dropout.Readout = p },
		"label smoothing":        func(r *Hyperparameters, p float64) { r.LabelSmoothing = p },
	} {
		for _, p := range []float64{-0.1, 1, 2, math.Inf(1), math.Inf(-1), math.NaN()} {
			var r Hyperparameters
			set(&r, p)
			_, err := NewTrainer(kernels.Best(), m, r, smallCapacity)
			checkError(t, fmt.Sprint(name, " ", p), err, ErrConfig, name, fmt.Sprint(p))
		}
		for _, p := range []float64{0, math.SmallestNonzeroFloat64, 0.5, math.Nextafter(1, 0)} {
			var r Hyperparameters
			set(&r, p)
			if err := r.Check(); err != nil {
				t.Errorf("%s %v: %v", name, p, err)
			}
		}
	}
}
