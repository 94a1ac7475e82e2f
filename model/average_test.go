package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// averaged is a recipe with d_t = Average from update 16 on.
var averaged = Hyperparameters{Adam: &Adam{Rate: 0.01}, Average: 0.6}

// TestAverage compares the average after each of 30 updates with one in float64 of the trainer's
// own weights. A step rounds the rate 1-d_t, the difference and the result.
func TestAverage(t *testing.T) {
	m, batches := randomModel(t, smallConfig, 90, 0.4), trainingBatches(30)
	trainer, err := NewTrainer(kernels.Best(), m, averaged, smallCapacity)
	if err != nil {
		t.Fatal(err)
	}
	got := trainer.Model().Parameters.Values
	sameBits(t, "average before the first update", got, m.Parameters.Values)
	want, bound := make([]float64, len(got)), make([]float64, len(got))
	for i, w := range got {
		want[i] = float64(w)
	}
	for update, batch := range batches {
		learn(t, trainer, [][]text.Example{batch})
		step := float64(update + 1)
		d := min(averaged.Average, (step-1)/(step+9))
		for i, w := range m.Parameters.Values {
			difference := math.Abs(float64(w) - want[i])
			want[i] = d*want[i] + (1-d)*float64(w)
			bound[i] = d*bound[i] + 1.001*0x1p-24*(2*(1-d)*difference+math.Abs(want[i]))
			if !(math.Abs(float64(got[i])-want[i]) <= bound[i]) {
				t.Fatalf("update %g: average %d: got %v, want %v within %v", step, i, got[i], want[i], bound[i])
			}
		}
	}
	if differs(got, m.Parameters.Values) < 0 {
		t.Error("the average equals the weights after the last update")
	}
}

// TestAverageSameBits compares the average on all implementations, and the weights with those of
// a training without it.
func TestAverageSameBits(t *testing.T) {
	trained := func(k kernels.Impl, r Hyperparameters) (weights, average []float32) {
		m := randomModel(t, smallConfig, 91, 0.4)
		trainer, err := NewTrainer(k, m, r, smallCapacity)
		if err != nil {
			t.Fatal(err)
		}
		learn(t, trainer, trainingBatches(5))
		return m.Parameters.Values, trainer.Model().Parameters.Values
	}
	plain := averaged
	plain.Average = 0
	wantWeights, _ := trained(portable(), plain)
	_, wantAverage := trained(portable(), averaged)
	for _, k := range kernels.Available() {
		weights, average := trained(k, averaged)
		sameBits(t, k.String()+": weight", weights, wantWeights)
		sameBits(t, k.String()+": average", average, wantAverage)
	}
}

// TestAverageModel checks that Model returns the trained model itself, or one that shares
// everything except the weights.
func TestAverageModel(t *testing.T) {
	m := randomModel(t, smallConfig, 92, 0.4)
	m.Source, m.Target = vocabularyOf(t, "s", smallConfig.SourceVocab), vocabularyOf(t, "t", smallConfig.TargetVocab)
	for _, r := range []Hyperparameters{{}, averaged} {
		trainer, err := NewTrainer(kernels.Best(), m, r, smallCapacity)
		if err != nil {
			t.Fatal(err)
		}
		got := trainer.Model()
		if (got == m) != (r.Average == 0) || got != trainer.Model() {
			t.Errorf("average %v: got model %p, then %p; the trained model is %p", r.Average, got, trainer.Model(), m)
		}
		shared := *got
		shared.Parameters = m.Parameters
		if !reflect.DeepEqual(&shared, m) {
			t.Errorf("average %v: got %+v, want the fields of the trained model: %+v", r.Average, got, m)
		}
	}
}

// TestAverageNotFinite checks that an update with a gradient that is not finite leaves the average.
func TestAverageNotFinite(t *testing.T) {
	trainer := checkpointed(t, averaged)
	batches := trainingBatches(3)
	learn(t, trainer, batches)
	before := slices.Clone(trainer.Model().Parameters.Values)
	setWeight(t, trainer.model, "output.b", 1, float32(math.NaN()))
	if _, err := trainer.Update(batches[0]); !errors.Is(err, ErrNotFinite) {
		t.Errorf("got %v, want ErrNotFinite", err)
	}
	sameBits(t, "average", trainer.Model().Parameters.Values, before)
	if trainer.Updates() != len(batches) {
		t.Errorf("%d updates, want %d", trainer.Updates(), len(batches))
	}
}

func TestAverageCheck(t *testing.T) {
	for _, d := range []float64{-0.1, 1, 2, math.NaN(), math.Inf(1)} {
		_, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 1, 0.1), Hyperparameters{Average: d}, smallCapacity)
		checkError(t, fmt.Sprint("average ", d), err, ErrConfig, "moving average's decay of "+fmt.Sprint(d))
	}
}

// TestAverageCheckpoint loads a checkpoint without an average into a trainer with one, and the
// reverse.
func TestAverageCheckpoint(t *testing.T) {
	plain := averaged
	plain.Average = 0
	for _, recipes := range [][2]Hyperparameters{{plain, averaged}, {averaged, plain}} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		saved, other := checkpointed(t, recipes[0]), checkpointed(t, recipes[1])
		learn(t, saved, trainingBatches(2))
		if err := saved.Save(path, ""); err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(other.Model().Parameters.Values)
		if _, err := other.Load(path); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("average %v from one of %v: got %v, want ErrCheckpoint", recipes[1].Average, recipes[0].Average, err)
		}
		sameBits(t, "model after the error", other.Model().Parameters.Values, before)
	}
}

// TestRecipeWithoutAverage checks that the JSON of a recipe mentions an average only if there is
// one, so that checkpoints of programs without averages stay valid.
func TestRecipeWithoutAverage(t *testing.T) {
	got, err := json.Marshal(Hyperparameters{})
	if want := `{"dropout":{"embedding":0,"context":0,"readout":0},"label_smoothing":0,"seed":0}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
