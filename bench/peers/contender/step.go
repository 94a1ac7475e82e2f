package contender

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// softsearchInt8 is one implementation of the kernels with weights of int8.
func softsearchInt8(k kernels.Impl) Contender {
	return table{
		"DecoderStep": func(c suite.Case, m *suite.Memory) Operation { return decoderStep(k, c, modelInt8(c, m)) },
	}.contender("softsearch-" + k.String() + "-int8")
}

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
	stepper := bench.NewStepper(naiveModel(c, m), c.Source)
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

// modelFloat32 returns the model of c, which all implementations share.
func modelFloat32(c suite.Case, m *suite.Memory) *model.Model {
	return suite.Shared(m, "model", func() *model.Model { return newModel(c, m) })
}

// newModel returns the model of c with weights of float32.
func newModel(c suite.Case, m *suite.Memory) *model.Model {
	config := must(json.Marshal(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: c.SourceVocabulary(), TargetVocab: c.Vocabulary,
		Embedding: c.Embedding, Hidden: c.Units, Alignment: c.Units, Maxout: c.Maxout,
	}))
	f := &safetensors.File{Metadata: map[string]string{"format": "softsearch 1", "config": string(config)}}
	for _, w := range c.Weights() {
		shape := []int{w.Rows, w.Cols}
		if w.Cols == 0 {
			shape = shape[:1]
		}
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: w.Name, Shape: shape, Data: m.Weight(w)})
	}
	var file bytes.Buffer
	check(safetensors.Write(&file, f))
	return must(model.Read(&file))
}

// modelInt8 returns the same model with weights of int8.
func modelInt8(c suite.Case, m *suite.Memory) *model.Model {
	return suite.Shared(m, "model of int8", func() *model.Model { return must(modelFloat32(c, m).Quantize()) })
}

// naiveModel returns the same model for plain Go.
func naiveModel(c suite.Case, m *suite.Memory) *bench.RNNsearch {
	n := bench.NewRNNsearch(bench.Sizes{
		SourceVocab: c.SourceVocabulary(), TargetVocab: c.Vocabulary,
		Embedding: c.Embedding, Hidden: c.Units, Alignment: c.Units, Maxout: c.Maxout,
	})
	fields := map[string][]float32{
		"source.embedding": n.Source, "target.embedding": n.Target, "decoder.Ws": n.Ws, "decoder.bs": n.Bs,
		"decoder.Cz": n.Cz, "decoder.Cr": n.Cr, "decoder.C": n.C,
		"attention.Wa": n.Wa, "attention.Ua": n.Ua, "attention.va": n.Va,
		"readout.Uo": n.Uo, "readout.Vo": n.Vo, "readout.Co": n.Co, "readout.bo": n.Bo,
		"output.Wo": n.Wo, "output.b": n.B,
	}
	for name, g := range map[string]*bench.GRU{"encoder.forward": &n.Forward, "encoder.backward": &n.Backward, "decoder": &n.Decoder} {
		fields[name+".Wz"], fields[name+".Wr"], fields[name+".W"] = g.Wz, g.Wr, g.W
		fields[name+".Uz"], fields[name+".Ur"], fields[name+".U"] = g.Uz, g.Ur, g.U
		fields[name+".bz"], fields[name+".br"], fields[name+".b"] = g.Bz, g.Br, g.B
	}
	for _, w := range c.Weights() {
		copy(fields[w.Name], m.Weight(w))
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
