package model

import (
	"runtime"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// allocated returns the number of bytes that f allocates.
func allocated(t *testing.T, f func() error) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := f(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestBytes compares ScorerBytes and TrainerBytes with what the constructors allocate. Beyond the
// buffers that is their alignment to cache lines, the rounding of the runtime to its size classes
// (at most an eighth), and some structs, twice, since constructors count before they allocate. No
// buffer is large enough for huge pages.
func TestBytes(t *testing.T) {
	wide := Config{
		Kind: RNNsearch, Order: PredictFirst,
		SourceVocab: 501, TargetVocab: 1001, Embedding: 90, Hidden: 70, Alignment: 80, Maxout: 60,
	}
	const structs = 1 << 16
	for _, c := range []Config{smallConfig, wide} {
		eachVariant(t, c, func(t *testing.T, c Config) {
			for _, capacity := range []Capacity{{1, 1, 1}, {30, 9, 50}} {
				m := randomModel(t, c, 1, 0.1)
				check := func(what string, bytes int64, construct func() error) {
					t.Helper()
					got := allocated(t, construct)
					if got < bytes || got > bytes+bytes/8+structs {
						t.Errorf("%s for %+v: constructor allocates %d bytes, want %d and at most an eighth more", what, capacity, got, bytes)
					}
				}
				q := quantized(t, m)
				for _, m := range []*Model{m, q} {
					check("ScorerBytes", ScorerBytes(m.Config, capacity), func() error {
						_, err := NewScorer(kernels.Best(), m, capacity)
						return err
					})
				}
				steps := stepperCapacity(capacity.Sentences, 2*capacity.Sentences, capacity.SourceLength)
				check("StepperBytes", StepperBytes(q.Config, steps), func() error {
					_, err := NewStepper(kernels.Best(), q, steps)
					return err
				})
				if got, weights := q.Config.ParameterBytes(), c.NumParameters(); got < weights || got >= c.ParameterBytes() || c.ParameterBytes() < 4*weights {
					t.Errorf("ParameterBytes is %d for int8, of float32 %d, for %d weights", got, c.ParameterBytes(), weights)
				}
				for _, r := range []Hyperparameters{{}, regularized, {Adam: &Adam{Rate: 1}}, {Precision: BF16}} {
					check("TrainerBytes", TrainerBytes(c, r, capacity), func() error {
						_, err := NewTrainer(kernels.Best(), m, r, capacity)
						return err
					})
				}
			}
		})
	}
}

// TestBytesLarge has a capacity of gigabytes.
func TestBytesLarge(t *testing.T) {
	if n := allocated(t, func() error {
		if bytes := ScorerBytes(smallConfig, Capacity{1 << 16, 1 << 8, 1 << 6}); bytes < 1<<33 {
			t.Errorf("got %d bytes, want more than 8 gigabytes", bytes)
		}
		return nil
	}); n > 1<<14 {
		t.Errorf("counting allocates %d bytes, want a few structs", n)
	}
}
