package model

import "github.com/softsearch-go/softsearch/kernels"

// outputRows is the number of rows whose scores are held at a time.
const outputRows = 240

// An output predicts each target word from its maxout units, softmax(Wo units + b) over the
// target vocabulary, and computes the loss. It works on a block of rows at a time, so that the
// scores of a batch need not be held at once.
type output struct {
	scores           []float32 // outputRows×V, then their gradients
	logProbabilities []float32 // rows
	dunits           []float32 // rows×L; none unless training
}

func newOutput(a *allocator, c Config, rows int, training bool) *output {
	o := &output{scores: a.floats(min(outputRows, rows), c.TargetVocab), logProbabilities: a.floats(rows)}
	if training {
		o.dunits = a.floats(rows, c.Maxout)
	}
	return o
}

// loss computes the log-probability of the gold word of each row, and returns minus their sum.
func (o *output) loss(k kernels.Impl, p *Parameters, units kernels.Matrix, gold []int32) float64 {
	sum := 0.0
	for from := 0; from < units.Rows; from += outputRows {
		to := min(from+outputRows, units.Rows)
		loss, _ := o.block(k, p, nil, units.Slice(from, to), gold[from:to], o.logProbabilities[from:to])
		sum += loss
	}
	return sum
}

// backward is loss that also adds the gradients of Wo and b to g and returns the gradient of the units.
// Label smoothing applies to the gradients, not to the loss.
func (o *output) backward(k kernels.Impl, p *Parameters, g *gradients, s *labelSmoothing, units kernels.Matrix, gold []int32) (sum float64, dunits kernels.Matrix) {
	dunits = kernels.View(o.dunits, units.Rows, units.Cols)
	for from := 0; from < units.Rows; from += outputRows {
		to := min(from+outputRows, units.Rows)
		x := units.Slice(from, to)
		loss, dscores := o.block(k, p, s, x, gold[from:to], o.logProbabilities[from:to])
		sum += loss
		k.LinearGrad(g.Wo.Float32, dscores, x)
		k.SumRows(g.B, dscores)
		k.Linear(dunits.Slice(from, to), g.transposed.wo, dscores, nil, kernels.Identity)
	}
	return sum, dunits
}

// block computes the loss of up to outputRows rows, and its gradient with respect to the scores.
func (o *output) block(k kernels.Impl, p *Parameters, s *labelSmoothing, units kernels.Matrix, gold []int32, logProbabilities []float32) (sum float64, dscores kernels.Matrix) {
	scores := kernels.View(o.scores, units.Rows, p.Wo.Out())
	k.Linear(scores, p.Wo, units, p.B, kernels.Identity)
	s.crossEntropyRows(k, logProbabilities, scores, gold)
	for i, loss := range logProbabilities {
		logProbabilities[i] = -loss
		sum += float64(loss)
	}
	return sum, scores
}

// A labelSmoothing changes the target distribution q of training from 1 for the gold word to 1-ε
// for it plus ε/V for each of all V words (Szegedy et al. 2016). Nil changes nothing.
type labelSmoothing struct {
	epsilon float32
	uniform []float32 // smoothingPart times -ε/V

	// The operands of crossEntropyRows.
	losses []float32
	scores kernels.Matrix
	gold   []int32
}

// smoothingPart is the number of scores that -ε/V is added to at a time, from the first-level
// cache.
const smoothingPart = 1024

func newLabelSmoothing(epsilon float64, vocabulary int) *labelSmoothing {
	if epsilon == 0 {
		return nil
	}
	s := &labelSmoothing{epsilon: float32(epsilon), uniform: make([]float32, min(vocabulary, smoothingPart))}
	for i := range s.uniform {
		s.uniform[i] = float32(-epsilon / float64(vocabulary))
	}
	return s
}

// crossEntropyRows is kernels.Impl.CrossEntropyRows with another gradient in place of the scores:
// p - q, the gradient of -Σ_v q_v log p_v. It follows from the gradient of the losses by adding
// ε at the gold word and subtracting ε/V everywhere. The losses are not smoothed.
func (s *labelSmoothing) crossEntropyRows(k kernels.Impl, losses []float32, scores kernels.Matrix, gold []int32) {
	if s == nil {
		k.CrossEntropyRows(losses, scores, gold)
		return
	}
	s.losses, s.scores, s.gold = losses, scores, gold
	k.Parallel(s, scores.Rows, kernels.CostFunction*scores.Rows*scores.Cols)
}

// Run smooths each row while it is still in a cache. It is a method for the same reason as that
// of dropoutLayer.
func (s *labelSmoothing) Run(k kernels.Impl, from, to int) {
	for i := from; i < to; i++ {
		row, gold := s.scores.Row(i), s.gold[i]
		s.losses[i] = k.CrossEntropy(row, int(gold))
		row[gold] += s.epsilon
		for len(row) > 0 {
			n := min(len(row), len(s.uniform))
			k.Add(row[:n], s.uniform[:n])
			row = row[n:]
		}
	}
}
