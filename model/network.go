package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A network computes the loss of a batch, from source sentences through encoder, memory, decoder
// and output, and the gradients of all weights on the way back. It has room for batches up to a
// capacity and keeps the results of the last one.
type network struct {
	encoder *encoder
	decoder *decoder
	output  *output
}

// newNetwork returns a network, with the buffers of the backward pass if it is for training.
func newNetwork(a *allocator, c Config, capacity Capacity, training bool) *network {
	sentences, length := capacity.Sentences, capacity.SourceLength
	mem := newMemory(a, c, sentences, product(sentences, c.positions(length)), training)
	return &network{
		encoder: newEncoder(a, c, sentences, length, product(sentences, length), mem, training),
		decoder: newDecoder(a, c, capacity, training),
		output:  newOutput(a, c, product(capacity.Sentences, capacity.TargetLength), training),
	}
}

// loss returns -log p of all target words of a batch, summed.
func (n *network) loss(k kernels.Impl, p *Parameters, batch []text.Example) float64 {
	mem := n.encoder.forward(k, p, masks{}, batch)
	units, gold := n.decoder.forward(k, p, masks{}, mem, batch)
	return n.output.loss(k, p, units, gold)
}

// gradient is loss with dropout that also adds the gradients of all weights to g, for targets
// with label smoothing. p may be rounded; then the gradients are those at the rounded weights.
func (n *network) gradient(k kernels.Impl, p *Parameters, g *gradients, m masks, s *labelSmoothing, batch []text.Example) float64 {
	mem := n.encoder.forward(k, p, m, batch)
	units, gold := n.decoder.forward(k, p, m, mem, batch)
	loss, dunits := n.output.backward(k, p, g, s, units, gold)
	n.decoder.attention.guidance.batch = batch
	n.decoder.backward(k, p, g, mem, dunits)
	n.encoder.backward(k, g)
	return loss
}

// targetLength returns the number of target words of sentence i of the last batch.
func (n *network) targetLength(i int) int { return n.decoder.layout.length[i] }

// logProbability returns log p of target word t of sentence i of the last batch.
func (n *network) logProbability(i, t int) float32 {
	return n.output.logProbabilities[n.decoder.layout.row(i, t)]
}

// alpha returns α of target word t of sentence i of the last batch.
func (n *network) alpha(i, t int) []float32 {
	return n.decoder.attention.alphaOf(n.decoder.layout.row(i, t), n.encoder.memory.positions(i))
}
