package model

import "github.com/softsearch-go/softsearch/kernels"

// A memory is what the decoder reads of the source sentences of a batch: the initial state of
// each, and a key and a value for each position that it attends to, sentence-major. The positions
// are all annotations of a sentence, or for RNNencdec its last one alone. The encoder computes
// the memory, the decoder its gradient.
type memory struct {
	config Config
	offset []int // sentence i has positions offset[i] to offset[i+1]-1

	initial []float32 // sentences×H: s_0
	keys    []float32 // positions×A; RNNencdec has none
	values  []float32 // positions×(3H+2L): [Cz; Cr; C; Co]·h_j
	*memoryGradients
}

// memoryGradients are the gradients of the buffers of the same names.
type memoryGradients struct{ dinitial, dkeys, dvalues []float32 }

func newMemory(a *allocator, c Config, sentences, positions int, training bool) memory {
	units := c.Alignment
	if c.Kind == RNNencdec {
		units = 0
	}
	m := memory{
		config: c, offset: a.ints(sentences + 1),
		initial: a.floats(sentences, c.Hidden), keys: a.floats(positions, units), values: a.floats(positions, c.sums()),
	}
	if training {
		m.memoryGradients = &memoryGradients{
			dinitial: a.floats(sentences, c.Hidden), dkeys: a.floats(positions, units), dvalues: a.floats(positions, c.sums()),
		}
	}
	return m
}

// arrange lays out the positions of sentences of these lengths.
func (m *memory) arrange(lengths []int) {
	m.offset = m.offset[:len(lengths)+1]
	for i, length := range lengths {
		m.offset[i+1] = m.offset[i] + m.config.positions(length)
	}
}

func (m *memory) sentences() int { return len(m.offset) - 1 }

// positions returns the number of positions of sentence i.
func (m *memory) positions(i int) int { return m.offset[i+1] - m.offset[i] }

// total returns the number of positions of all sentences.
func (m *memory) total() int { return m.offset[m.sentences()] }

// sentence returns the rows of sentence i in a buffer with a row of cols columns per position.
func (m *memory) sentence(data []float32, cols, i int) kernels.Matrix {
	return kernels.View(data[m.offset[i]*cols:], m.positions(i), cols)
}

// states returns initial, or its gradient, as a matrix.
func (m *memory) states(data []float32) kernels.Matrix {
	return kernels.View(data, m.sentences(), m.config.Hidden)
}

// clearKeyGradients sets the gradients of the keys to 0, which the steps of the decoder add to.
func (m *memory) clearKeyGradients(k kernels.Impl) {
	k.Clear(m.dkeys[:min(len(m.dkeys), m.total()*m.config.Alignment)])
}
