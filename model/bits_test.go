package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A training holds the results of a few updates.
type training struct {
	losses  []float64
	weights []float32
}

// train takes 6 updates on batches of different sizes and lengths.
func train(t *testing.T, k kernels.Impl, c Config, recipe Hyperparameters) training {
	t.Helper()
	m := randomModel(t, c, 5, 0.3)
	trainer, err := NewTrainer(k, m, recipe, Capacity{Sentences: 11, SourceLength: 9, TargetLength: 10})
	if err != nil {
		t.Fatal(err)
	}
	var result training
	r := newRand(6)
	for _, n := range []int{11, 1, 4, 9, 2, 7} {
		loss, err := trainer.Update(randomBatch(r, c, n, 1+r.IntN(9), 1+r.IntN(10)))
		if err != nil {
			t.Fatal(err)
		}
		result.losses = append(result.losses, loss)
	}
	result.weights = m.Parameters.Values
	return result
}

// digest returns a hash of the bits.
func (r training) digest() uint64 {
	d := newDigest()
	for _, v := range r.losses {
		d.number(math.Float64bits(v))
	}
	d.values(r.weights)
	return d.Sum64()
}

func portable() kernels.Impl {
	list := kernels.Available()
	return list[len(list)-1]
}

// trainingDigests are the digests of train. They are the same on every machine, and change if the
// arithmetic of any kernel does.
var trainingDigests = map[string]uint64{
	"search/update-first":  0xadb79089db15e9da,
	"search/predict-first": 0x52345ec8b713a075,
	"encdec/update-first":  0x9bcadf5f2d7ffd09,
	"encdec/predict-first": 0x379b35e6feaebcf,

	"search/predict-first/dot":    0xcb365363b866822f,
	"search/update-first/general": 0x787ca4051d22cf84,
}

func TestTrainingSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		want := train(t, portable(), c, Hyperparameters{})
		name := nameOf(c)
		if got := want.digest(); got != trainingDigests[name] {
			t.Errorf("%s: digest %#x, want %#x", portable(), got, trainingDigests[name])
		}
		for _, k := range kernels.Available() {
			got := train(t, k, c, Hyperparameters{})
			for i, loss := range want.losses {
				if math.Float64bits(got.losses[i]) != math.Float64bits(loss) {
					t.Errorf("%s: loss of update %d: got %x, want %x", k, i, got.losses[i], loss)
				}
			}
			sameBits(t, k.String()+": weight", got.weights, want.weights)
		}
	})
}

// wideConfig has contexts of more than 256 values and, with 30 source words, more than 16384 values
// of keys: products and attention work on them in several parts.
var wideConfig = Config{
	Kind: RNNsearch, Order: PredictFirst,
	SourceVocab: 21, TargetVocab: 27, Embedding: 5, Hidden: 131, Alignment: 601, Maxout: 9,
}

func TestSentenceSameBitsInBatch(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			checkAlone(t, k, randomModel(t, c, 7, 0.4), randomBatch(newRand(8), c, 80, 14, 12), 3)
		})
	})
	t.Run("wide", func(t *testing.T) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			batch := randomBatch(newRand(9), wideConfig, 5, 30, 3)
			checkAlone(t, k, randomModel(t, wideConfig, 7, 0.1), batch, 2)
		})
	})
}

// checkAlone compares the results of every sentence of a batch with those in the reversed batch,
// and for each sentence at a multiple of every also with those of the sentence alone, both with
// the scorer of the batch and with one of the smallest capacity.
func checkAlone(t *testing.T, k kernels.Impl, m *Model, batch []text.Example, every int) {
	t.Helper()
	all := newScorerFor(t, k, m, batch)
	lossOf(t, all, batch)
	var logs, alphas [][]float32
	for i, e := range batch {
		logs = append(logs, logProbabilities(t, all, i, len(e.Target)))
		alphas = append(alphas, alignment(t, all, i, e))
	}
	compare := func(what string, w *Scorer, i, sentence int) {
		what = fmt.Sprintf("%s: sentence %d %s: ", k, sentence, what)
		sameBits(t, what+"log-probability", logProbabilities(t, w, i, len(batch[sentence].Target)), logs[sentence])
		sameBits(t, what+"alignment", alignment(t, w, i, batch[sentence]), alphas[sentence])
	}

	reversed := slices.Clone(batch)
	slices.Reverse(reversed)
	lossOf(t, all, reversed)
	for i := range batch {
		compare("in reverse order", all, i, len(batch)-1-i)
	}
	for i := 0; i < len(batch); i += every {
		one := batch[i : i+1]
		lossOf(t, all, one)
		compare("alone, with the scorer of the batch", all, 0, i)
		small := newScorerFor(t, k, m, one)
		lossOf(t, small, one)
		compare("alone, with a scorer of its own", small, 0, i)
	}
}

// TestLossIsSum compares Loss with the sum of the log-probabilities. Both add up the same float32
// values in float64; n additions in another order differ by at most n roundings of 2⁻⁵³.
func TestLossIsSum(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m, batch := randomModel(t, c, 10, 0.4), randomBatch(newRand(11), c, 50, 5, 12)
		w := newScorerFor(t, kernels.Best(), m, batch)
		loss, sum, n := lossOf(t, w, batch), 0.0, 0
		for i, e := range batch {
			for _, p := range logProbabilities(t, w, i, len(e.Target)) {
				sum -= float64(p)
				n++
			}
		}
		if !(math.Abs(loss-sum) <= float64(n)*0x1p-53*sum) {
			t.Errorf("loss of %d words: got %v, want %v", n, loss, sum)
		}
	})
}

// TestGradientForwardSameBits compares the forward pass of training with that of Loss.
func TestGradientForwardSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			m, batch := randomModel(t, c, 12, 0.4), randomBatch(newRand(13), c, 40, 6, 12)
			w := newScorerFor(t, k, m, batch)
			want := lossOf(t, w, batch)
			trainer, err := NewTrainer(k, m, Hyperparameters{}, capacityOf(batch))
			if err != nil {
				t.Fatal(err)
			}
			got, err := trainer.gradient(batch)
			if err != nil {
				t.Fatal(err)
			}
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%s: loss with gradient: got %x, want %x", k, got, want)
			}
			for i, e := range batch {
				what := fmt.Sprintf("%s: sentence %d with gradient: ", k, i)
				n := len(e.Target)
				sameBits(t, what+"log-probability", logProbabilities(t, scorerOf(trainer, batch), i, n), logProbabilities(t, w, i, n))
				sameBits(t, what+"alignment", alignment(t, scorerOf(trainer, batch), i, e), alignment(t, w, i, e))
			}
		})
	})
}
