package model

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
)

// badModels returns models that nothing accepts.
func badModels(t *testing.T) map[string]*Model {
	good := randomModel(t, smallConfig, 1, 0.1)
	with := func(change func(m *Model)) *Model {
		m, p := *good, *good.Parameters
		m.Parameters = &p
		change(&m)
		return &m
	}
	wide := smallConfig
	wide.Hidden++
	// As many values, in matrices of other shapes: 21×7 and 27×7 become 27×7 and 21×7.
	exchanged := withVocabularies(t, smallConfig)
	exchanged.Config.SourceVocab, exchanged.Config.TargetVocab = 27, 21
	return map[string]*Model{
		"nil":                       nil,
		"empty":                     {},
		"no parameters":             {Config: smallConfig},
		"zero parameters":           {Config: smallConfig, Parameters: &Parameters{}},
		"parameters of other sizes": {Config: smallConfig, Parameters: randomModel(t, wide, 1, 0.1).Parameters},
		"parameters of another kind": {
			Config: smallConfig, Parameters: randomModel(t, variants(smallConfig)[2], 1, 0.1).Parameters,
		},
		"vocabularies exchanged": exchanged,
		"views of other values":  with(func(m *Model) { m.Parameters.Values = slices.Clone(m.Parameters.Values) }),
		"a bias replaced":        with(func(m *Model) { m.Parameters.B = slices.Clone(m.Parameters.B) }),
		"a bias cut short":       with(func(m *Model) { m.Parameters.B = m.Parameters.B[:26] }),
		"a matrix exchanged": with(func(m *Model) {
			m.Parameters.Forward, m.Parameters.Backward = m.Parameters.Backward, m.Parameters.Forward
		}),
		"a matrix of other columns": with(func(m *Model) { m.Parameters.Uo.Float32.In++ }),
		"a stride":                  with(func(m *Model) { m.Parameters.Source.Float32.Stride++ }),
		"values without fields":     with(func(m *Model) { m.Parameters = &Parameters{Values: m.Parameters.Values} }),
		"impossible config":         with(func(m *Model) { m.Config.Hidden = -1 }),
		"huge config":               with(func(m *Model) { m.Config.Hidden = 1 << 24 }),
		"small source vocabulary":   with(func(m *Model) { m.Source = vocabularyOf(t, "s", 20) }),
		"large target vocabulary":   with(func(m *Model) { m.Target = vocabularyOf(t, "t", 28) }),
		"longest source":            with(func(m *Model) { m.LongestSource = -1 }),
		"beam of Search":            with(func(m *Model) { m.Search.Beam = -1 }),
		"normalization of Search":   with(func(m *Model) { m.Search.Normalization = math.NaN() }),
		"bound of Search":           with(func(m *Model) { m.Search.Unsure = 0.1 }),
	}
}

func TestBadModels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for name, m := range badModels(t) {
		for constructor, construct := range map[string]func() error{
			"Check":      m.Check,
			"NewTrainer": func() error { _, err := NewTrainer(kernels.Best(), m, Hyperparameters{}, smallCapacity); return err },
			"NewScorer":  func() error { _, err := NewScorer(kernels.Best(), m, smallCapacity); return err },
			"NewStepper": func() error { _, err := NewStepper(kernels.Best(), m, stepperCapacity(1, 1, 1)); return err },
			"Save":       func() error { return Save(path, m) },
			"Write":      func() error { return Write(new(bytes.Buffer), m) },
		} {
			checkError(t, constructor+": "+name, construct(), ErrConfig)
		}
	}
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m := withVocabularies(t, c)
		copied := *m
		for _, m := range []*Model{m, &copied} {
			if err := m.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}

// hugeCapacities are positive and beyond every machine. Their products overflow int, or int64, or
// neither.
func hugeCapacities() []Capacity {
	const most, half = math.MaxInt, math.MaxInt/2 + 1
	list := []Capacity{{most, most, most}, {half, half, half}, {1 << 21, 1 << 21, 1 << 21}, {buffers.MaxBytes / 16, 1, 1}}
	for _, n := range []int{most, half, buffers.MaxBytes} {
		list = append(list, Capacity{n, 1, 1}, Capacity{1, n, 1}, Capacity{1, 1, n}, Capacity{n, 2, 1}, Capacity{4, n, n})
	}
	return list
}

func TestHugeCapacities(t *testing.T) {
	recipes := []Hyperparameters{{}, regularized, averaged, {Precision: BF16}}
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		m := randomModel(t, c, 1, 0.1)
		for _, capacity := range hugeCapacities() {
			what := fmt.Sprintf("%+v", capacity)
			atLeast := func(name string, bytes int64) {
				if bytes <= buffers.MaxBytes {
					t.Errorf("%s: %s returns %d, want more than %d", what, name, bytes, int64(buffers.MaxBytes))
				}
			}
			_, err := NewScorer(kernels.Best(), m, capacity)
			checkError(t, "NewScorer: "+what, err, ErrConfig, "bytes")
			atLeast("ScorerBytes", ScorerBytes(c, capacity))
			for _, r := range recipes {
				_, err = NewTrainer(kernels.Best(), m, r, capacity)
				checkError(t, "NewTrainer: "+what, err, ErrConfig, "bytes")
				atLeast("TrainerBytes", TrainerBytes(c, r, capacity))
			}
			n := max(capacity.Sentences, capacity.TargetLength)
			_, err = NewStepper(kernels.Best(), m, stepperCapacity(capacity.Sentences, n, capacity.SourceLength))
			checkError(t, "NewStepper: "+what, err, ErrConfig, "bytes")
			atLeast("StepperBytes", StepperBytes(c, stepperCapacity(capacity.Sentences, n, capacity.SourceLength)))
		}
	})
}

// TestBytesOfBadArguments asks for the bytes of what no constructor takes.
func TestBytesOfBadArguments(t *testing.T) {
	one := Capacity{1, 1, 1}
	huge := smallConfig
	huge.SourceVocab, huge.TargetVocab, huge.Embedding, huge.Hidden, huge.Alignment, huge.Maxout = 1<<24, 1<<24, 1<<24, 1<<24, 1<<24, 1<<24
	for _, c := range []Config{{}, huge} {
		for name, bytes := range map[string]int64{
			"ScorerBytes": ScorerBytes(c, one), "TrainerBytes": TrainerBytes(c, Hyperparameters{}, one), "StepperBytes": StepperBytes(c, stepperCapacity(1, 1, 1)),
		} {
			if bytes != math.MaxInt64 {
				t.Errorf("%s of %+v: got %d", name, c, bytes)
			}
		}
	}
	for _, n := range []int{0, -1, math.MinInt} {
		for name, bytes := range map[string]int64{
			"ScorerBytes": ScorerBytes(smallConfig, Capacity{n, 1, 1}), "TrainerBytes": TrainerBytes(smallConfig, Hyperparameters{}, Capacity{1, 1, n}),
			"TrainerBytes of a recipe": TrainerBytes(smallConfig, Hyperparameters{Average: 2}, one), "StepperBytes": StepperBytes(smallConfig, stepperCapacity(1, 1, n)),
		} {
			if bytes != math.MaxInt64 {
				t.Errorf("%s of %d: got %d", name, n, bytes)
			}
		}
	}
	if m, err := New(huge, 1); m != nil {
		t.Error("New returned a model of the largest sizes")
	} else {
		checkError(t, "New", err, ErrConfig, "parameters")
	}
}

// TestGradScratch compares with kernels.GradScratch.
func TestGradScratch(t *testing.T) {
	for _, in := range []int{1, 7, 15, 16, 17, 31, 32, 33, 255, 256, 1000, 4096} {
		if got, want := gradScratch(in), kernels.GradScratch(in); got != want {
			t.Errorf("%d inputs: got %d, want %d", in, got, want)
		}
	}
	if got := gradScratch(1 << 25); math.MaxInt == math.MaxInt32 && got != math.MaxInt {
		t.Errorf("got %d, want the largest int", got)
	}
}
