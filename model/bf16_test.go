package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// bf16 is the paper's recipe with products of bfloat16.
var bf16 = Hyperparameters{Precision: BF16}

// bf16Digests are the trainingDigests of that recipe.
var bf16Digests = map[string]uint64{
	"search/update-first":  0xf0d42a7edaa0519f,
	"search/predict-first": 0x8f5146adfe87915d,
	"encdec/update-first":  0x2deaeac19db16bea,
	"encdec/predict-first": 0xfe87e40c34c40e51,

	"search/predict-first/dot":    0xdbeb52c02b193031,
	"search/update-first/general": 0xe88b585b0eb60c0f,
}

func TestBF16SameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		float := train(t, portable(), c, Hyperparameters{}).digest()
		want := bf16Digests[nameOf(c)]
		for _, k := range kernels.Available() {
			got := train(t, k, c, bf16).digest()
			if got != want {
				t.Errorf("%s: digest of %s %#x, want %#x", k, nameOf(c), got, want)
			}
			if got == float {
				t.Errorf("%s: digest %#x is that of float32", k, got)
			}
		}
	})
}

// TestBF16Alone: the loss and the log-probabilities of a sentence do not depend on the batch.
func TestBF16Alone(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		batch := randomBatch(newRand(90), c, 5, 7, 6)
		trainer := func() *Trainer {
			trainer, err := NewTrainer(kernels.Best(), randomModel(t, c, 91, 0.4), bf16, capacityOf(batch))
			if err != nil {
				t.Fatal(err)
			}
			return trainer
		}
		together, alone := trainer(), trainer()
		if _, err := together.gradient(batch); err != nil {
			t.Fatal(err)
		}
		for i, e := range batch {
			if _, err := alone.gradient(batch[i : i+1]); err != nil {
				t.Fatal(err)
			}
			n := len(e.Target)
			sameBits(t, "log-probabilities alone",
				logProbabilities(t, scorerOf(alone, batch[i:i+1]), 0, n), logProbabilities(t, scorerOf(together, batch), i, n))
		}
	})
}

// TestBF16Precision: BF16 is the only precision of products but float32, and a recipe without one is
// written as before.
func TestBF16Precision(t *testing.T) {
	for _, p := range []Precision{Int8, "fp16", "bfloat16"} {
		checkError(t, string(p), Hyperparameters{Precision: p}.Check(), ErrConfig, fmt.Sprintf("precision %q", p), `"bf16"`)
	}
	if err := bf16.Check(); err != nil {
		t.Error(err)
	}
	for _, c := range []Config{{}, smallConfig} {
		c.Weights = BF16
		checkError(t, "weights", c.Check(), ErrConfig)
	}
}

// A deviation is how far the results of an oracle's case lie from the oracle: relative to the loss or
// the norm, or to the largest value of a tensor.
type deviation map[string]float64

// deviationOf computes the gradients of a case, three updates, and the results' deviations. Before that
// it changes the matrices. It also returns which value of each pair maxout takes.
func deviationOf(t *testing.T, k kernels.Impl, o *oracle, precision Precision, change func(values []float32)) (deviation, []bool) {
	t.Helper()
	m, batch, recipe, d := o.model(t), o.batch(), o.Hyperparameters, deviation{}
	for _, tensor := range m.Parameters.tensors(m.Config) {
		if len(tensor.shape) == 2 {
			values := slices.Clone(tensor.read())
			change(values)
			tensor.write(values)
		}
	}
	recipe.Precision = precision
	trainer, err := NewTrainer(k, m, recipe, capacityOf(batch))
	if err != nil {
		t.Fatal(err)
	}
	taken := maxoutsOf(trainer, batch)
	loss, err := trainer.gradient(batch)
	if err != nil {
		t.Fatal(err)
	}
	d["loss"] = math.Abs(loss/o.UpdateLosses[0] - 1)
	d["gradient norm"] = math.Abs(float64(trainer.gradients.norm(k))/o.GradientNorm - 1)
	for _, g := range trainer.gradients.tensors(m.Config) {
		largest, most := 0.0, 0.0
		for i, v := range g.read() {
			largest = math.Max(largest, math.Abs(o.Gradients[g.name][i]))
			most = math.Max(most, math.Abs(float64(v)-o.Gradients[g.name][i]))
		}
		if largest > 0 {
			d["gradient of "+g.name] = most / largest
		}
	}
	for range 3 {
		if _, err := trainer.Update(batch); err != nil {
			t.Fatal(err)
		}
	}
	after := newScorerFor(t, k, m, batch)
	d["loss after 3 updates"] = math.Abs(lossOf(t, after, batch)/o.LossAfter3 - 1)
	return d, taken
}

// maxoutsOf reports for each maxout unit of a batch whether its second value is the larger one.
func maxoutsOf(t *Trainer, batch []text.Example) []bool {
	m := t.hyperparameters.Dropout.masks(t.hyperparameters.Seed, t.updates)
	mem := t.network.encoder.forward(t.kernels, t.weights, m, batch)
	t.network.decoder.forward(t.kernels, t.weights, m, mem, batch)
	readout, taken := t.network.decoder.readout(), []bool(nil)
	for i := range readout.Rows {
		for pair := range slices.Chunk(readout.Row(i), 2) {
			taken = append(taken, pair[1] > pair[0])
		}
	}
	return taken
}

// TestBF16Oracle compares gradients and updates in bfloat16 with PyTorch's in float64. A product rounds
// both of its factors, each by a relative error of up to u = 2⁻⁹. The effect may be 4 times as large as
// the largest of 16 draws of random relative errors of up to 2u in all matrices, in float32: the errors
// of activations differ from row to row, and the backward pass rounds gradients, too. A maxout unit with
// two nearly equal values can take the other one, which changes the gradients by any amount: only draws
// without that count, and a case where bfloat16 does it has no bound but the one on the loss.
func TestBF16Oracle(t *testing.T) {
	const u, draws, margin = 0x1p-9, 16, 4
	exact := func([]float32) {}
	compared := 0
	for _, path := range oracleFiles(t) {
		o, k := readOracle(t, path), kernels.Best()
		_, want := deviationOf(t, k, o, Float32, exact)
		bound := deviation{}
		for draw, seed := 0, uint64(100); draw < draws; seed++ {
			r := newRand(seed)
			perturbed, taken := deviationOf(t, k, o, Float32, func(values []float32) {
				for i := range values {
					values[i] *= float32(1 + 2*u*(2*r.Float64()-1))
				}
			})
			if seed > 1000 {
				t.Fatalf("%s: %d draws without another maxout, want %d", path, draw, draws)
			}
			if slices.Equal(taken, want) {
				draw++
				for what, v := range perturbed {
					bound[what] = math.Max(bound[what], margin*v)
				}
			}
		}
		got, taken := deviationOf(t, k, o, BF16, exact)
		if slices.Equal(taken, want) {
			compared++
		} else {
			got = deviation{"loss": got["loss"]}
		}
		for what, v := range got {
			if !(v <= bound[what]) || bound[what] > 0.25 {
				t.Errorf("%s: %s deviates by %.3g, want at most %.3g, and that to be at most 0.25", path, what, v, bound[what])
			}
		}
	}
	if compared == 0 {
		t.Error("bfloat16 takes another maxout in every case")
	}
	t.Logf("%d cases with the maxouts of float64", compared)
}
