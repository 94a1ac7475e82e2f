package model

import (
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
)

// A Dropout holds the probabilities p in [0, 1) with which training sets values to 0. It divides
// the others by 1-p, so that the mean over all masks is the value itself. With masks m of factors
// 0 and 1/(1-p), drawn anew for each update and each place,
//
//	x_j = m_j ∘ source embedding of word j
//	y_i = m_i ∘ target embedding of word i
//	h_j = m ∘ [→h_j; ←h_j]                        as the decoder reads it
//	p(y_i) = softmax(Wo (m_i ∘ maxout(t_i)) + b)
//
// Readout and GRU see the same y_i, in both orders. One mask m serves all positions of a sentence
// (Gal and Ghahramani 2016), so that the contexts of all its words have it, too:
// c_i = Σ_j α_ij (m∘h_j) = m ∘ Σ_j α_ij h_j. The keys Ua h_j and s_0 are computed from the same
// annotations; the states of the encoder's GRUs continue without it. For RNNencdec, h_S = m ∘ →h_S
// is the context and gives s_0.
//
// A mask depends on the seed, the number of the update, and the number that the sentence or the
// word has in the batch.
type Dropout struct {
	Embedding float64 `json:"embedding"` // of x_j and y_i
	Context   float64 `json:"context"`   // of h_j
	Readout   float64 `json:"readout"`   // of the maxout units
}

func (d Dropout) check() error {
	if err := checkProbability("dropout of embeddings", d.Embedding); err != nil {
		return err
	}
	if err := checkProbability("dropout of the context", d.Context); err != nil {
		return err
	}
	return checkProbability("dropout of the readout", d.Readout)
}

func checkProbability(name string, p float64) error {
	if !(p >= 0 && p < 1) {
		return fmt.Errorf("model: %w: %s of %v, expected at least 0 and less than 1", ErrConfig, name, p)
	}
	return nil
}

// A place is where dropout acts.
type place int

const (
	sourceEmbeddings place = iota
	targetEmbeddings
	annotations
	maxoutUnits
	places
)

// masks are those of one update. They are drawn again wherever they act, forward and backward.
// Without masks, nil, all methods leave values as they are.
type masks struct {
	seed uint64
	at   [places]mask
	task dropping
}

func newMasks(r Recipe) *masks {
	m := &masks{seed: r.Seed}
	for i, p := range [places]float64{
		sourceEmbeddings: r.Dropout.Embedding, targetEmbeddings: r.Dropout.Embedding,
		annotations: r.Dropout.Context, maxoutUnits: r.Dropout.Readout,
	} {
		m.at[i] = newMask(p)
	}
	return m
}

// of returns the masks of an update: m, whose keys it sets.
func (m *masks) of(update int) *masks {
	key := splitMix(splitMix(m.seed) ^ uint64(update))
	for i := range m.at {
		m.at[i].key = splitMix(key ^ uint64(i))
	}
	return m
}

// source masks time-major rows of source embeddings, or, as all of these methods, their gradients.
// Words are numbered sentence by sentence.
func (m *masks) source(k kernels.Impl, x kernels.Matrix, e *encoder) {
	m.drop(k, sourceEmbeddings, x, e.place, 0)
}

// context masks annotations, which lie sentence by sentence, by the numbers of the sentences.
func (m *masks) context(k kernels.Impl, h kernels.Matrix, e *encoder) {
	m.drop(k, annotations, h, e.owner, 0)
}

// read masks the embeddings that the readout sees, of the word before each row. Before the first
// word of a sentence they are 0, whatever the mask.
func (m *masks) read(k kernels.Impl, y kernels.Matrix, d *decoder) {
	m.drop(k, targetEmbeddings, y, d.place, -1)
}

// fed masks the embeddings that the GRU sees, of the word before each row or of its own.
func (m *masks) fed(k kernels.Impl, y kernels.Matrix, d *decoder) {
	if d.config.Order == UpdateFirst {
		m.read(k, y, d)
		return
	}
	m.drop(k, targetEmbeddings, y, d.place, 0)
}

// readout masks the maxout units of all rows.
func (m *masks) readout(k kernels.Impl, units kernels.Matrix, d *decoder) {
	m.drop(k, maxoutUnits, units, d.place, 0)
}

// drop masks row i of x as number numbers[i]+shift of its place.
func (m *masks) drop(k kernels.Impl, at place, x kernels.Matrix, numbers []int32, shift int) {
	if m == nil || m.at[at].threshold == 0 {
		return
	}
	m.task = dropping{m.at[at], x, numbers, shift}
	k.Divide(&m.task, x.Rows, kernels.CostFunction*x.Rows*x.Cols)
}

// A dropping is the operands of drop, whose rows are divided.
type dropping struct {
	mask    mask
	x       kernels.Matrix
	numbers []int32
	shift   int
}

func (t *dropping) Run(_ kernels.Impl, from, to int) {
	for i := from; i < to; i++ {
		t.mask.multiply(t.x.Row(i), uint64(int(t.numbers[i])+t.shift))
	}
}
