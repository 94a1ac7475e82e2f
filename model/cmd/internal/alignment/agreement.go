package alignment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A voter is a model and the pairs as it reads them, in its direction.
type voter struct {
	*model.Model
	pairs []translation.Pair
	batch int // sentences that its scorers take at once
}

// agreement writes the agreement of the models of both directions on the tokens of given pairs: what a target token
// needs of a source token and the other way round, averaged over the models of each direction, see [agree].
func (o Options) agreement(ctx context.Context, stdout, stderr io.Writer, treatment string) error {
	var sides [2][]voter
	for side, paths := range [][]string{o.Models, o.Agree} {
		files := [2]string{o.Source, o.Target}
		for _, path := range paths {
			m, err := openAligner(path)
			if err != nil {
				return err
			}
			pairs, err := translation.ReadPairs(ctx, m, files[side], files[1-side], translation.AsInTraining)
			if err != nil {
				return err
			}
			sides[side] = append(sides[side], voter{Model: m, pairs: pairs})
		}
	}
	pairs := sides[0][0].pairs // all voters have the same reasons to be bad
	for i := range pairs {
		pairs[i].Bad = cmp.Or(pairs[i].Bad, checkPair(pairs[i].Pair, o.Source, o.Target, i+1))
		source, target := sides[0][0].tokens(0, i)
		for side := range sides {
			for _, v := range sides[side] {
				s, t := v.tokens(side, i)
				if pairs[i].Bad = cmp.Or(pairs[i].Bad, v.pairs[i].Bad); pairs[i].Bad == nil && (len(s) != len(source) || len(t) != len(target)) {
					pairs[i].Bad = files.LineError(o.Source, i+1, fmt.Errorf("%d and %d tokens for one model, %d and %d for another", len(source), len(target), len(s), len(t)))
				}
			}
		}
	}
	a := aligner{out: o.newWriter(stdout), bad: terminal.Warnings{W: stderr, Treatment: treatment}}
	list := make([]AttentionMap, len(pairs))
	errs := make([]error, o.Threads)
	var running sync.WaitGroup
	for thread := range errs {
		var scorers [2][]*model.Scorer
		for side := range sides {
			for k := range sides[side] {
				s, err := sides[side][k].scorer(pairs)
				if err != nil {
					return err
				}
				scorers[side] = append(scorers[side], s)
			}
		}
		running.Go(func() {
			for i := thread; i < len(pairs) && errs[thread] == nil; i += o.Threads {
				if list[i].bad = pairs[i].Bad; list[i].bad == nil {
					list[i], errs[thread] = align(sides, scorers, i)
					errs[thread] = cmp.Or(errs[thread], ctx.Err())
				}
			}
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return cmp.Or(a.write(o.Source, 1, list), a.finish(o.Source+", "+o.Target, len(pairs)))
}

// tokens returns the tokens of pair i in the first direction, whatever the voter's.
func (v *voter) tokens(side, i int) (source, target []pipeline.Token) {
	source, target = v.pairs[i].From.Tokens, v.pairs[i].To.Tokens
	if side == 1 {
		source, target = target, source
	}
	return source, target
}

// scorer returns a scorer for the pairs that are not bad. It takes up to 32 sentences, fewer where they are long.
func (v *voter) scorer(pairs []translation.Pair) (*model.Scorer, error) {
	c := model.Capacity{SourceLength: 1, TargetLength: 1}
	for i, p := range v.pairs {
		if pairs[i].Bad == nil {
			c.SourceLength, c.TargetLength = max(c.SourceLength, len(p.Source)+1), max(c.TargetLength, len(p.Target)+1)
		}
	}
	c.Sentences = min(32, max(1, maxWords/max(c.SourceLength, c.TargetLength)))
	v.batch = c.Sentences
	return model.NewScorer(kernels.Best(), v.Model, c)
}

// linkedFrom is the agreement that a link needs.
const linkedFrom = 0.5

// align returns the agreement on pair i. The ends agree with each other.
func align(sides [2][]voter, scorers [2][]*model.Scorer, i int) (a AttentionMap, err error) {
	var needs [2]kernels.Matrix
	for side := range sides {
		for k := range sides[side] {
			n, logProb, err := sides[side][k].needs(scorers[side][k], i)
			if err != nil {
				return a, err
			}
			if k == 0 {
				needs[side] = n
			} else {
				kernels.Best().Add(needs[side].Data, n.Data)
			}
			if side == 0 {
				a.logProb += logProb / float64(len(sides[0]))
			}
		}
		kernels.Best().Scale(needs[side].Data, 1/float32(len(sides[side])))
	}
	source, target := sides[0][0].tokens(0, i)
	a.Source, a.Target, a.least = tokens(source), tokens(target), linkedFrom
	a.Weights = kernels.NewMatrix(len(a.Target), len(a.Source))
	agreed := agree(needs[0], needs[1])
	for j := range agreed.Rows {
		copy(a.Weights.Row(j), agreed.Row(j))
	}
	a.Weights.Row(len(target))[len(source)] = 1
	return a, nil
}

const attentionFactor = 2

// needs returns how much each target token (row) of pair i needs each source token (column): attentionFactor times its
// attention weight, plus log p(y_j | y_1 … y_{j-1}, x) - log p(y_j | y_1 … y_{j-1}, x without x_i), which Li et al.
// (2019) call prediction difference. It also returns log p of the whole target.
func (v *voter) needs(scorer *model.Scorer, i int) (kernels.Matrix, float64, error) {
	p := v.pairs[i]
	e := text.Example{Source: v.EncodeWords(p.Source), Target: v.Target.Encode(p.Target)}
	source, target := v.tokens(0, i)
	needs, end := kernels.NewMatrix(len(target), len(source)), len(e.Target)
	loss, err := scorer.Loss([]text.Example{e})
	if err != nil {
		return needs, 0, err
	}
	all, without, weights := make([]float32, end), make([]float32, end), kernels.NewMatrix(end, len(e.Source))
	scorer.LogProbabilities(all, 0)
	scorer.Alignment(weights, 0)
	for first := 0; first < len(source); first += v.batch {
		columns := source[first:min(first+v.batch, len(source))]
		var batch []text.Example
		for _, s := range columns {
			batch = append(batch, text.Example{Source: slices.Delete(slices.Clone(e.Source), s.Words[0], s.Words[1]), Target: e.Target})
		}
		if _, err := scorer.Loss(batch); err != nil {
			return needs, 0, err
		}
		for k, s := range columns {
			scorer.LogProbabilities(without, k)
			for j, t := range target {
				for word := t.Words[0]; word < t.Words[1]; word++ {
					attention := float32(0)
					for _, weight := range weights.Row(word)[s.Words[0]:s.Words[1]] {
						attention += weight
					}
					needs.Row(j)[first+k] += attentionFactor/float32(t.Words[1]-t.Words[0])*attention + all[word] - without[word]
				}
			}
		}
	}
	return needs, -loss, nil
}

// agree returns how much both directions agree that a target token (row) and a source token (column) translate each
// other, from 0 to 1: √(P(i|j) · P(j|i)), where P are the posterior probabilities of two hidden Markov models (Vogel, Ney
// and Tillmann, 1996), one whose states are the source tokens and one whose states are the target tokens. Liang, Taskar
// and Klein (2006) multiply posteriors in this way. The emissions come from what the target tokens need of the source
// tokens, and in the other direction, backward, which are overwritten.
func agree(forward, backward kernels.Matrix) kernels.Matrix {
	for j := range forward.Rows {
		for i, v := range forward.Row(j) {
			sum := v + backward.Row(i)[j]
			forward.Row(j)[i], backward.Row(i)[j] = sum, sum
		}
	}
	for _, needs := range []kernels.Matrix{forward, backward} {
		kernels.Best().SoftmaxRows(needs, needs)
	}
	there, back := probabilities(forward.Rows, forward.Cols), probabilities(backward.Rows, backward.Cols)
	for j, row := range there {
		for i := range row {
			emission := float64(forward.Row(j)[i]) * float64(backward.Row(i)[j])
			there[j][i], back[i][j] = emission, emission
		}
	}
	there, back = posterior(there), posterior(back)
	for j, row := range there {
		for i, v := range row {
			forward.Row(j)[i] = float32(math.Sqrt(v * back[i][j]))
		}
	}
	return forward
}

func probabilities(rows, columns int) [][]float64 {
	p := make([][]float64, rows)
	for r := range p {
		p[r] = make([]float64, columns)
	}
	return p
}

// posterior returns the probabilities of the states (columns) at each position (row) of a hidden Markov model, given
// the emission probabilities there. State i follows state h with a probability proportional to exp(-|i-h-1|/2) + 1/50.
// Before the first position the state is -1; after the last one it is the number of states, with that weight.
func posterior(emission [][]float64) [][]float64 {
	if len(emission) == 0 {
		return nil
	}
	positions, states := len(emission), len(emission[0])
	weight := func(from, to int) float64 { return math.Exp(-math.Abs(float64(to-from-1))/2) + 0.02 }
	jump := probabilities(states+1, states) // from -1, 0, 1, …
	for from := range jump {
		for to := range jump[from] {
			jump[from][to] = weight(from-1, to)
		}
		normalize(jump[from])
	}
	// p holds the forward probabilities, multiplied by the backward ones from the last position on.
	p := probabilities(positions, states)
	for j := range p {
		for i := range p[j] {
			if j == 0 {
				p[j][i] = jump[0][i]
			} else {
				for from, before := range p[j-1] {
					p[j][i] += before * jump[from+1][i]
				}
			}
			p[j][i] *= emission[j][i]
		}
		normalize(p[j])
	}
	after := make([]float64, states)
	for i := range after {
		after[i] = weight(i, states)
	}
	for j := positions - 1; j >= 0; j-- {
		next := make([]float64, states)
		for i := range next {
			for to := range after {
				next[i] += jump[i+1][to] * emission[j][to] * after[to]
			}
			p[j][i] *= after[i]
		}
		normalize(p[j])
		normalize(next)
		after = next
	}
	return p
}

// normalize divides x by its sum.
func normalize(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for i := range x {
		x[i] /= sum
	}
}

// openAligner opens a model that has alignments.
func openAligner(path string) (*model.Model, error) {
	m, err := models.OpenModel(path)
	if err == nil && !m.HasAlignments() {
		err = fmt.Errorf("%s: model of kind %s has no alignments, expected %s", path, m.Config.Kind, model.RNNsearch)
	}
	return m, err
}
