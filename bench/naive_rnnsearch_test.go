package bench

import "github.com/softsearch-go/softsearch/model"

// An RNNsearch holds the weights of a model of kind model.RNNsearch and order model.UpdateFirst,
// which package model documents, or the gradients of all of them. Matrices are row-major. E, H, A and L
// are the sizes Embedding, Hidden, Alignment and Maxout.
type RNNsearch struct {
	model.Config
	Values []float32 // all of the following, one after another

	Source, Target             []float32 // embeddings, vocabulary×E
	Forward, Backward, Decoder GRU       // E inputs, H units
	Ws, Bs                     []float32 // H×H, H
	Cz, Cr, C                  []float32 // H×2H
	Wa, Ua, Va                 []float32 // A×H, A×2H, A
	Uo, Vo, Co, Bo             []float32 // 2L×H, 2L×E, 2L×2H, 2L
	Wo, B                      []float32 // target vocabulary×L, target vocabulary
}

// NewRNNsearch returns a model of zero weights.
func NewRNNsearch(c model.Config) *RNNsearch {
	m := &RNNsearch{Config: c}
	total := 0
	for _, t := range m.Tensors() {
		total += t.size()
	}
	m.Values = make([]float32, total)
	rest := m.Values
	for _, t := range m.Tensors() {
		n := t.size()
		*t.Values, rest = rest[:n:n], rest[n:]
	}
	return m
}

// A Tensor is a field of an RNNsearch under its name in model files: a Rows×Cols matrix, or a vector
// of Rows values if Cols is 0.
type Tensor struct {
	Name       string
	Values     *[]float32
	Rows, Cols int
}

func (t Tensor) size() int { return t.Rows * max(t.Cols, 1) }

// Tensors lists all weights.
func (m *RNNsearch) Tensors() []Tensor {
	e, h, a, l := m.Embedding, m.Hidden, m.Alignment, m.Maxout
	list := []Tensor{
		{"source.embedding", &m.Source, m.SourceVocab, e}, {"target.embedding", &m.Target, m.TargetVocab, e},
		{"decoder.Ws", &m.Ws, h, h}, {"decoder.bs", &m.Bs, h, 0},
		{"decoder.Cz", &m.Cz, h, 2 * h}, {"decoder.Cr", &m.Cr, h, 2 * h}, {"decoder.C", &m.C, h, 2 * h},
		{"attention.Wa", &m.Wa, a, h}, {"attention.Ua", &m.Ua, a, 2 * h}, {"attention.va", &m.Va, a, 0},
		{"readout.Uo", &m.Uo, 2 * l, h}, {"readout.Vo", &m.Vo, 2 * l, e},
		{"readout.Co", &m.Co, 2 * l, 2 * h}, {"readout.bo", &m.Bo, 2 * l, 0},
		{"output.Wo", &m.Wo, m.TargetVocab, l}, {"output.b", &m.B, m.TargetVocab, 0},
	}
	list = append(list, m.Forward.tensors("encoder.forward", e, h)...)
	list = append(list, m.Backward.tensors("encoder.backward", e, h)...)
	return append(list, m.Decoder.tensors("decoder", e, h)...)
}

func (g *GRU) tensors(name string, e, h int) []Tensor {
	return []Tensor{
		{name + ".Wz", &g.Wz, h, e}, {name + ".Wr", &g.Wr, h, e}, {name + ".W", &g.W, h, e},
		{name + ".Uz", &g.Uz, h, h}, {name + ".Ur", &g.Ur, h, h}, {name + ".U", &g.U, h, h},
		{name + ".bz", &g.Bz, h, 0}, {name + ".br", &g.Br, h, 0}, {name + ".b", &g.B, h, 0},
	}
}

// addContexts adds the projections of the contexts to the gates.
func (m *RNNsearch) addContexts(s Gates, contexts []float32, rows int) {
	GemmAdd(s.z, m.Cz, contexts, rows)
	GemmAdd(s.r, m.Cr, contexts, rows)
	GemmAdd(s.candidate, m.C, contexts, rows)
}

// attend computes the weights a and the context of the state s_{i-1}. q receives Wa·s_{i-1}.
func (m *RNNsearch) attend(context, a, q, state, keys, annotations []float32) {
	clear(q)
	GemmAdd(q, m.Wa, state, 1)
	Attention(context, a, q, keys, annotations, m.Va)
}

// read computes the scores of all words from rows of states s, embeddings y of the previous words
// and contexts c: t = Uo·s + Vo·y + Co·c + bo, then Wo·maxout(t) + b.
func (m *RNNsearch) read(scores, maxout, t, states, y, contexts []float32, rows int) {
	GemmUnrolled(t, m.Uo, states, m.Bo, rows)
	GemmAdd(t, m.Vo, y, rows)
	GemmAdd(t, m.Co, contexts, rows)
	for j := range maxout {
		maxout[j] = max(t[2*j], t[2*j+1])
	}
	GemmUnrolled(scores, m.Wo, maxout, m.B, rows)
}

// embed sets each row of x, of n values, to the embedding of its word.
func embed(x, embedding []float32, words []int32, n int) {
	for i, w := range words {
		copy(x[i*n:(i+1)*n], embedding[int(w)*n:])
	}
}

// scatter adds each row of dx to the gradient of the embedding of its word.
func scatter(embedding, dx []float32, words []int32, n int) {
	for i, w := range words {
		axpy(embedding[int(w)*n:][:n], 1, dx[i*n:(i+1)*n])
	}
}
