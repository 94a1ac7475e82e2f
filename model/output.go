package model

import "github.com/softsearch-go/softsearch/kernels"

// outputRows is the number of positions whose scores of all words are held at a time.
const outputRows = 240

// An output is the last layer: softmax(Wo t + b) over the target vocabulary and its loss,
// a block of rows at a time.
type output struct {
	scores           []float32 // outputRows×vocabulary
	logProbabilities []float32 // rows
}

func newOutput(c Config, rows int) *output {
	return &output{
		scores:           kernels.Alloc(min(outputRows, rows) * c.TargetVocab),
		logProbabilities: make([]float32, rows),
	}
}

// loss sets the log-probability of the word of each row of maxout and returns minus their sum.
func (o *output) loss(k kernels.Impl, p *Parameters, maxout kernels.Matrix, words []int32) float64 {
	sum := 0.0
	for i := 0; i < maxout.Rows; i += outputRows {
		to := min(i+outputRows, maxout.Rows)
		sum += o.block(k, p, nil, maxout.Slice(i, to), words[i:to], o.logProbabilities[i:to]).loss
	}
	return sum
}

// backward is loss that also adds the gradients of the layer's weights to g and writes
// those of maxout to dmaxout. The gradients, and not the loss, are smoothed by s.
func (o *output) backward(k kernels.Impl, p, g *Parameters, tr *transposed, s *smoothing, maxout, dmaxout kernels.Matrix, words []int32, scratch []float32) float64 {
	sum := 0.0
	for i := 0; i < maxout.Rows; i += outputRows {
		to := min(i+outputRows, maxout.Rows)
		x := maxout.Slice(i, to)
		b := o.block(k, p, s, x, words[i:to], o.logProbabilities[i:to])
		sum += b.loss
		k.GemmGrad(g.Wo, b.dscores, x, scratch)
		k.SumRows(g.B, b.dscores)
		k.Gemm(dmaxout.Slice(i, to), tr.wo, b.dscores, nil, kernels.Identity)
	}
	return sum
}

type outputBlock struct {
	loss    float64
	dscores kernels.Matrix
}

// block computes the loss of up to outputRows rows and its gradient, smoothed by s.
func (o *output) block(k kernels.Impl, p *Parameters, s *smoothing, maxout kernels.Matrix, words []int32, logProbabilities []float32) outputBlock {
	scores := kernels.View(o.scores, maxout.Rows, p.Wo.Out)
	k.Gemm(scores, p.Wo, maxout, p.B, kernels.Identity)
	s.crossEntropyRows(k, logProbabilities, scores, words)
	sum := 0.0
	for i, loss := range logProbabilities {
		logProbabilities[i] = -loss
		sum += float64(loss)
	}
	return outputBlock{sum, scores}
}
