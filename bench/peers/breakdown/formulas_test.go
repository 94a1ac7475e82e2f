package breakdown

import (
	"testing"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

func values(list ...kernels.Weights) int {
	n := 0
	for _, w := range list {
		n += w.Out() * w.In()
	}
	return n
}

// TestUpdateOperations: on one sentence of one word every matrix is in one product of the
// forward pass and two of the backward pass, but for the encoders' U, of which there is the
// gradient alone.
func TestUpdateOperations(t *testing.T) {
	m, err := model.New(sampled, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Parameters
	recurrent := values(p.Forward.Uzr, p.Forward.U, p.Backward.Uzr, p.Backward.U)
	others := values(p.Forward.W, p.Backward.W, p.Ws, p.Decoder.W, p.Decoder.Uzr, p.Decoder.U, p.Context,
		p.Attention.Wa, p.Attention.Ua, p.Uo, p.Vo, p.Wo)
	got, z := 0, sizesOf(sampled, 1, 1)
	for _, p := range updateParts {
		if p.flop != nil {
			got += p.flop(z)
		}
	}
	if want := 2 * (3*others + recurrent); got != want {
		t.Errorf("%d operations, want %d", got, want)
	}
	if got, want := matrices(z), others+recurrent; got != want {
		t.Errorf("matrices of %d values, want %d", got, want)
	}
	if got, want := embeddings(z), p.Source.Cols()+p.Target.Cols(); got != want {
		t.Errorf("embeddings of %d values, want %d", got, want)
	}
	for _, p := range updateParts {
		one, three := sizesOf(sampled, 1, 5), sizesOf(sampled, 3, 5)
		if p.flop != nil && p.flop(three) != 3*p.flop(one) {
			t.Errorf("%s: %d operations for three sentences, want three times %d", p.name, p.flop(three), p.flop(one))
		}
	}
}

// TestStepBytes: a step reads its weights, and the keys and values of its sentence.
func TestStepBytes(t *testing.T) {
	m, err := model.New(sampled, 1)
	if err != nil {
		t.Fatal(err)
	}
	weights := bench.StepWeights(m.Parameters)
	outputs := 0
	for _, w := range weights {
		outputs += w.Out()
	}
	sentence := 4 * 7 * (sampled.Alignment + 3*sampled.Hidden + 2*sampled.Maxout)
	for precision, want := range map[model.Precision]int{
		model.Float32: 4*values(weights...) + sentence,
		model.Int8:    values(weights...) + 4*outputs + sentence,
	} {
		c, got := sampled, 0
		c.Weights = precision
		for _, p := range stepParts {
			if p.bytes != nil {
				got += p.bytes(sizesOf(c, 1, 7))
			}
		}
		if got != want {
			t.Errorf("weights %q: %d bytes, want %d", precision, got, want)
		}
	}
}
