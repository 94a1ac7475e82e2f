package model

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// An oracle is a small model, a batch, and the results of PyTorch in float64.
type oracle struct {
	Kind            Kind            `json:"kind"`
	Order           Order           `json:"order"`
	Score           AlignmentModel  `json:"score"`
	Hyperparameters Hyperparameters `json:"recipe"`
	Sizes           struct {
		SourceVocab int `json:"source_vocab"`
		TargetVocab int `json:"target_vocab"`
		Embedding   int `json:"embedding"`
		Hidden      int `json:"hidden"`
		Alignment   int `json:"alignment"`
		Maxout      int `json:"maxout"`
	} `json:"sizes"`
	Source           [][]int32         `json:"source"`
	Target           [][]int32         `json:"target"`
	Links            [][]int32         `json:"links"`
	Parameters       map[string]nested `json:"parameters"`
	LogProbabilities [][]float64       `json:"log_probabilities"`
	Attention        [][][]float64     `json:"attention"`
	Loss             float64           `json:"loss"`
	GradientNorm     float64           `json:"gradient_norm"`
	Gradients        map[string]nested `json:"gradients"`
	After1           map[string]nested `json:"parameters_after_1_updates"`
	After3           map[string]nested `json:"parameters_after_3_updates"`
	LossAfter3       float64           `json:"loss_after_3_updates"`
	UpdateLosses     []float64         `json:"update_losses"` // with dropout; in cases without it, of the first
}

// nested is a vector or a matrix, read row-major.
type nested []float64

func (n *nested) UnmarshalJSON(data []byte) error {
	var matrix [][]float64
	if json.Unmarshal(data, &matrix) == nil {
		*n = nil
		for _, row := range matrix {
			*n = append(*n, row...)
		}
		return nil
	}
	return json.Unmarshal(data, (*[]float64)(n))
}

// oracleFiles returns the case in testdata and those in the folder that ORACLE_DIR names.
func oracleFiles(t *testing.T) []string {
	t.Helper()
	files := casesIn(t, "testdata")
	if len(files) == 0 {
		t.Fatal("testdata: no oracle files")
	}
	dir := os.Getenv("ORACLE_DIR")
	if dir == "" {
		t.Log("no ORACLE_DIR: testdata alone")
		return files
	}
	more := casesIn(t, dir)
	if len(more) == 0 {
		t.Fatalf("ORACLE_DIR %s: no oracle files", dir)
	}
	return append(files, more...)
}

func casesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readOracle(t *testing.T, path string) *oracle {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{}
	if err := json.Unmarshal(data, o); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if o.UpdateLosses == nil {
		o.UpdateLosses = []float64{o.Loss}
	}
	return o
}

func (o *oracle) model(t *testing.T) *Model {
	t.Helper()
	m, err := New(Config{
		Kind: o.Kind, Order: o.Order, AlignmentModel: o.Score,
		SourceVocab: o.Sizes.SourceVocab, TargetVocab: o.Sizes.TargetVocab,
		Embedding: o.Sizes.Embedding, Hidden: o.Sizes.Hidden, Alignment: o.Sizes.Alignment, Maxout: o.Sizes.Maxout,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	tensors := m.Parameters.tensors(m.Config)
	if len(tensors) != len(o.Parameters) {
		t.Fatalf("model has %d tensors, oracle %d", len(tensors), len(o.Parameters))
	}
	for _, p := range tensors {
		values, ok := o.Parameters[p.name]
		if !ok {
			t.Fatalf("oracle has no %s", p.name)
		}
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		if len(narrow) != len(p.read()) {
			t.Fatalf("oracle has %d values of %s, expected %d", len(narrow), p.name, len(p.read()))
		}
		p.write(narrow)
	}
	return m
}

func (o *oracle) batch() []text.Example {
	batch := make([]text.Example, len(o.Source))
	for i := range batch {
		batch[i] = text.Example{Source: o.Source[i], Target: o.Target[i]}
		if o.Links != nil {
			batch[i].Links = o.Links[i]
		}
	}
	return batch
}

// capacityOf returns the smallest capacity that holds the batch.
func capacityOf(batch []text.Example) Capacity {
	return CapacityOf(batch, len(batch))
}

// The bounds on differences from PyTorch's float64 results: a few hundred roundings of float32
// (2⁻²⁴ = 6e-8 each) along the longest path through a batch, amplified by recurrence and softmax.
const (
	lossBound      = 1e-5 // relative
	logProbBound   = 1e-4
	attentionBound = 1e-5
	tensorBound    = 1e-4 // of the tensor's largest magnitude
)

func TestOracle(t *testing.T) {
	for _, path := range oracleFiles(t) {
		o := readOracle(t, path)
		for _, k := range kernels.Available() {
			t.Run(path+"/"+k.String(), func(t *testing.T) { checkOracle(t, k, o) })
		}
	}
}

func checkOracle(t *testing.T, k kernels.Impl, o *oracle) {
	m, batch := o.model(t), o.batch()
	trainer, err := NewTrainer(k, m, o.Hyperparameters, capacityOf(batch))
	if err != nil {
		t.Fatal(err)
	}
	scorer := scorerOf(trainer, batch)
	loss, err := scorer.Loss(batch)
	if err != nil {
		t.Fatal(err)
	}
	checkLoss(t, "loss", loss, o.Loss)
	checkSentences(t, scorer, o)

	loss, err = trainer.gradient(batch)
	if err != nil {
		t.Fatal(err)
	}
	checkLoss(t, "loss with gradient", loss, o.UpdateLosses[0])
	checkTensors(t, "gradient", trainer.gradients.tensors(m.Config), o.Gradients)
	checkLoss(t, "gradient norm", float64(trainer.gradients.norm(k)), o.GradientNorm)

	for update := 1; update <= 3; update++ {
		loss, err := trainer.Update(batch)
		if err != nil {
			t.Fatal(err)
		}
		if update <= len(o.UpdateLosses) {
			checkLoss(t, fmt.Sprintf("loss of update %d", update), loss, o.UpdateLosses[update-1])
		}
		switch update {
		case 1:
			checkTensors(t, "after 1 update", m.Parameters.tensors(m.Config), o.After1)
		case 3:
			checkTensors(t, "after 3 updates", m.Parameters.tensors(m.Config), o.After3)
		}
	}
	loss, err = scorer.Loss(batch)
	if err != nil {
		t.Fatal(err)
	}
	checkLoss(t, "loss after 3 updates", loss, o.LossAfter3)
}

func checkLoss(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= lossBound*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func checkSentences(t *testing.T, w *Scorer, o *oracle) {
	t.Helper()
	for i, want := range o.LogProbabilities {
		got := make([]float32, len(want))
		if n := w.LogProbabilities(got, i); n != len(o.Target[i]) || n != len(want) {
			t.Fatalf("sentence %d: %d log-probabilities, want %d", i, n, len(want))
		}
		for j := range want {
			if !(math.Abs(float64(got[j])-want[j]) <= logProbBound) {
				t.Errorf("log-probability %d of sentence %d: got %v, want %v", j, i, got[j], want[j])
			}
		}
	}
	for i, want := range o.Attention {
		n := len(o.Source[i])
		got := kernels.NewMatrix(len(want), n)
		if rows := w.Alignment(got, i); rows != len(want) {
			t.Fatalf("sentence %d: %d rows of attention, want %d", i, rows, len(want))
		}
		for r := range want {
			for c := range want[r] {
				if !(math.Abs(float64(got.Row(r)[c])-want[r][c]) <= attentionBound) {
					t.Errorf("attention %d of word %d of sentence %d: got %v, want %v", c, r, i, got.Row(r)[c], want[r][c])
				}
			}
		}
	}
}

func checkTensors(t *testing.T, what string, got []tensor, want map[string]nested) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d tensors, want %d", what, len(got), len(want))
	}
	for _, g := range got {
		w, values := want[g.name], g.read()
		if len(w) != len(values) {
			t.Errorf("%s: %s has %d values, want %d", what, g.name, len(values), len(w))
			continue
		}
		largest := 0.0
		for _, v := range w {
			largest = math.Max(largest, math.Abs(v))
		}
		for i, v := range w {
			if !(math.Abs(float64(values[i])-v) <= tensorBound*largest) {
				t.Errorf("%s: %s[%d]: got %v, want %v, bound %v", what, g.name, i, values[i], v, tensorBound*largest)
				break
			}
		}
	}
}
