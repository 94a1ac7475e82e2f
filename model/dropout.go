package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
)

// A Dropout holds the probabilities p in [0, 1) with which training sets values to 0. The values
// that remain are divided by 1-p, so that the mean over all masks is the value itself. With masks
// m of factors 0 and 1/(1-p), drawn independently for each update and each use,
//
//	x_j = m_j ∘ source embedding of word j
//	y_i = m_i ∘ target embedding of word i
//	h_j = m ∘ [→h_j; ←h_j]                        as the decoder reads it
//	p(y_i) = softmax(Wo (m_i ∘ maxout(t_i)) + b)
//
// Readout and GRU see the same y_i, in both orders. All positions of a sentence share one mask m
// (Gal and Ghahramani 2016), which therefore masks the contexts as well:
// c_i = Σ_j α_ij (m∘h_j) = m ∘ Σ_j α_ij h_j. The keys Ua h_j and s_0 are computed from the masked
// annotations; the GRUs of the encoder continue from unmasked states. For RNNencdec, the context
// is h_S = m ∘ →h_S, and s_0 is computed from it.
//
// A mask depends on the seed, the number of the update, the shard of the batch (see Hyperparameters.Shards), and
// the index of the sentence or word in that shard.
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
		return fmt.Errorf("%w: %s of %v, expected at least 0 and less than 1", ErrConfig, name, p)
	}
	return nil
}

// masks belong to one update. They are named after what they multiply. The zero value drops nothing.
type masks struct{ source, target, annotations, maxout mask }

// masks returns the masks of an update.
func (d Dropout) masks(seed uint64, update int) masks {
	key := splitMix(splitMix(seed) ^ uint64(update))
	return masks{
		source:      newMask(d.Embedding, splitMix(key)),
		target:      newMask(d.Embedding, splitMix(key^1)),
		annotations: newMask(d.Context, splitMix(key^2)),
		maxout:      newMask(d.Readout, splitMix(key^3)),
	}
}

// A dropoutLayer multiplies rows of a matrix by a mask: values in the forward pass, their
// gradients in the backward pass. It draws the same factors each time, so it stores none.
type dropoutLayer struct {
	mask mask

	// The operands of apply.
	x       kernels.Matrix
	numbers []int32
	shift   int
}

// apply multiplies row i of x by the factors of row numbers[i]+shift of the mask.
func (d *dropoutLayer) apply(k kernels.Impl, x kernels.Matrix, numbers []int32, shift int) {
	if d.mask.dropsNothing() {
		return
	}
	d.x, d.numbers, d.shift = x, numbers, shift
	k.Parallel(d, x.Rows, kernels.CostFunction*x.Rows*x.Cols)
}

// Run multiplies rows from to to-1. It is a method of the layer, where a closure would allocate
// at every call.
func (d *dropoutLayer) Run(_ kernels.Impl, from, to int) {
	for i := from; i < to; i++ {
		d.mask.multiply(d.x.Row(i), uint64(int(d.numbers[i])+d.shift))
	}
}

// A mask holds a row of random factors for every row number: 0 with probability p and 1/(1-p)
// otherwise. A factor is a function of the key, the row number and the column alone.
type mask struct {
	key       uint64
	threshold uint32 // p·2³²: random numbers below it drop a value
	scale     uint32 // the bits of 1/(1-p)
}

// newMask returns the mask of a key. p is in [0, 1) and is rounded down to a multiple of 2⁻³².
func newMask(p float64, key uint64) mask {
	return mask{key: key, threshold: uint32(p * 0x1p32), scale: math.Float32bits(float32(1 / (1 - p)))}
}

func (m mask) dropsNothing() bool { return m.threshold == 0 }

// multiply multiplies row by the factors of a row number. Columns 2i and 2i+1 use the low and
// the high half of output i of a generator seeded with a hash of key and number.
func (m mask) multiply(row []float32, number uint64) {
	state := splitMix(m.key ^ number)
	for ; len(row) >= 2; row = row[2:] {
		bits := splitMix(state)
		row[0] *= m.factor(uint32(bits))
		row[1] *= m.factor(uint32(bits >> 32))
		state += golden
	}
	if len(row) > 0 {
		row[0] *= m.factor(uint32(splitMix(state)))
	}
}

// factor returns 0 or 1/(1-p).
func (m mask) factor(bits uint32) float32 {
	scale := m.scale
	if bits < m.threshold {
		scale = 0
	}
	return math.Float32frombits(scale)
}

// golden is 2⁶⁴ divided by the golden ratio, made odd: the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// splitMix returns the output of SplitMix64 in a state; the next state is state + golden. See
// Steele, Lea and Flood (2014), with the constants of Stafford's variant 13.
func splitMix(state uint64) uint64 {
	state += golden
	state = (state ^ state>>30) * 0xbf58476d1ce4e5b9
	state = (state ^ state>>27) * 0x94d049bb133111eb
	return state ^ state>>31
}
