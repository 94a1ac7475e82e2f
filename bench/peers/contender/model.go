package contender

import (
	"bytes"
	"encoding/json"
	"math"
	"runtime"
	"strings"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// decoderStep extends the hypotheses of c by a word, and again at every call: their states advance.
func decoderStep(k kernels.Impl, c suite.Case, weights *model.Model) Operation {
	stepper := must(model.NewStepper(k, weights, model.StepperCapacity{Sentences: 1, Hypotheses: c.Batch, Words: c.Source, Joining: c.Source}))
	check(stepper.Begin(c.Sentence()))
	must(stepper.Step([]int32{-1}))
	check(stepper.Keep(make([]int, c.Batch)))
	next, scores := c.Next(), kernels.Matrix{}
	op := once(nil, func() { scores = must(stepper.Step(next)) })
	op.Result = func() []float32 { return logProbabilities(scores.Data, c.Vocabulary) }
	return op
}

// naiveStep is decoderStep in plain Go, one hypothesis after the other.
func naiveStep(c suite.Case, m *suite.Memory) Operation {
	stepper := bench.NewStepper(naiveModel(c))
	next := c.Next()
	states, scores := m.Floats(c.Batch*c.Units), m.Floats(c.Batch*c.Vocabulary)
	run := func(i int, word int32) {
		stepper.Step(scores[i*c.Vocabulary:(i+1)*c.Vocabulary], states[i*c.Units:(i+1)*c.Units], word)
	}
	for i := range next {
		stepper.Begin(states[i*c.Units:(i+1)*c.Units], c.Sentence())
		run(i, -1)
	}
	op := once(nil, func() {
		for i, word := range next {
			run(i, word)
		}
	})
	op.Result = func() []float32 { return logProbabilities(scores, c.Vocabulary) }
	return op
}

// comparedUpdates is the number of updates whose losses are the result of a TrainingUpdate. The
// losses after the first depend on the gradients of all weights.
const comparedUpdates = 4

// updates lists the fastest implementation of the kernels with factors of float32 and of bfloat16, on
// as many threads as the process has.
func updates() []Contender {
	k := kernels.Best()
	name := "softsearch-" + k.String()
	k = k.With(kernels.NewTeam(runtime.GOMAXPROCS(0)))
	update := func(name string, precision model.Precision) Contender {
		return Contender{Name: name, Operations: Operations{"TrainingUpdate": func(c suite.Case, m *suite.Memory) Operation {
			capacity := model.Capacity{Sentences: c.Batch, SourceLength: c.Source, TargetLength: c.Source}
			trainer := must(model.NewTrainer(k, newModel(c), model.Recipe{Precision: precision}, capacity))
			batch := c.Pairs()
			return losses(func() float64 { return must(trainer.Update(batch)) })
		}}}
	}
	return []Contender{update(name, model.Float32), update(name+"-bf16", model.BF16)}
}

// naiveUpdate is a training update in plain Go.
func naiveUpdate(c suite.Case, m *suite.Memory) Operation {
	trainer := bench.NewTrainer(naiveModel(c))
	batch := c.Pairs()
	return losses(func() float64 { return trainer.Update(batch) })
}

// losses returns the operation of an update, which returns the loss before it.
func losses(update func() float64) Operation {
	var list []float32
	op := once(nil, func() { list = append(list, float32(update())) })
	op.Result = func() []float32 {
		op.Run(comparedUpdates - len(list))
		return list
	}
	return op
}

// newModel returns the model of c with weights of float32.
func newModel(c suite.Case) *model.Model {
	naive := naiveModel(c)
	config := must(json.Marshal(naive.Config))
	f := &safetensors.File{Metadata: map[string]string{"format": "softsearch 1", "config": string(config)}}
	for _, t := range naive.Tensors() {
		shape := []int{t.Rows}
		if t.Cols > 0 {
			shape = append(shape, t.Cols)
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: t.Name, Shape: shape, Data: *t.Values})
	}
	var file bytes.Buffer
	check(safetensors.Write(&file, f))
	return must(model.Read(&file))
}

// naiveModel returns the same model for plain Go. Its matrices have values such that the sums of a
// product are about as large as its inputs.
func naiveModel(c suite.Case) *bench.RNNsearch {
	n := bench.NewRNNsearch(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: c.SourceVocabulary(), TargetVocab: c.Vocabulary,
		Embedding: c.Embedding, Hidden: c.Units, Alignment: c.Units, Maxout: c.Maxout,
	})
	for _, t := range n.Tensors() {
		limit := float32(0.1)
		switch {
		case strings.HasSuffix(t.Name, ".embedding"):
			limit = 1
		case t.Cols > 0:
			limit = float32(math.Sqrt(3 / float64(t.Cols)))
		}
		suite.Uniform(*t.Values, t.Name, limit)
	}
	return n
}

// logProbabilities returns log softmax of every row of scores.
func logProbabilities(scores []float32, cols int) []float32 {
	p := make([]float32, len(scores))
	for from := 0; from < len(scores); from += cols {
		sum := 0.0
		for _, s := range scores[from : from+cols] {
			sum += math.Exp(float64(s))
		}
		for i, s := range scores[from : from+cols] {
			p[from+i] = float32(float64(s) - math.Log(sum))
		}
	}
	return p
}
