package decode

import (
	"context"
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A task is a sentence to translate or, with a target, a translation to score.
type task struct {
	ctx       context.Context
	index     int   // in the list of its caller
	shape     shape // of the beams that fit
	source    []int32
	prefix    []int32 // of all translations
	wanted    int     // translations
	maxLength int     // ids of the translation with EOS
	target    []int32 // the translation to score; nil to search for one

	// word, if not nil, is called with each step of greedy search. Its α is valid until word returns.
	word func(Word)
	tree *tree     // of the search, unless nil
	next []float64 // log p of each id that can follow the prefix, to compute in place of a search, unless nil

	// done is called once, by the worker, with results set or with an error. Slices in results are
	// reused.
	done    func(*task, error)
	results []Translation
}

// A beam translates a batch of sentences by beam search. Of all continuations of the unfinished
// hypotheses of a sentence it keeps the most probable ones: width of them, less the number of
// finished hypotheses. EOS finishes a hypothesis.
//
// The search for a sentence ends when all hypotheses are finished, when they reach the maximum
// length, or when none can enter the n best: n are finished, and the worst of these scores at least
// as high as the most probable unfinished one could at the maximum length, given that its log p
// only falls.
//
// The translations are the n best finished hypotheses by score, ties in the order in which they
// were found. If the maximum length leaves fewer than n, the most probable unfinished ones follow.
//
// The ranking skips ids that are not allowed: EOS before the minimum length, and UNK. The
// probabilities of the other ids do not change. If the vocabulary has no other id, EOS is always
// allowed.
//
// The hypotheses of all sentences are rows of the same products. The rows of a sentence disappear
// when it is done, and no result depends on the other sentences of the batch.
type beam struct {
	kernels   kernels.Impl
	options   Options
	shape     shape
	bytes     float64   // as the store counts it
	minLength int       // 0 where no id but EOS is allowed
	powers    []float64 // n^Normalization
	ensemble  *ensemble
	ranking   ranking
	sources   [][]int32
	searches  []search

	// The unfinished hypotheses, grouped by sentence, best first.
	words            []int32   // their last ids
	logProbs, before []float64 // log p of each; of those of the step before
	parents          []int     // their rows at the step before
	targets          []int32   // the next id of each one that is scored, -1 of others

	history []step    // time×hypotheses
	alpha   []float32 // time×hypotheses×source; nil without alignments
	endings []ending  // sentences×width
}

// A search is the state of one sentence.
type search struct {
	*task
	live     int // unfinished hypotheses
	finished int
	best     []ending // best first; its capacity is the number wanted
}

// wordless reports whether the source has no words and the translation is EOS without a search.
func (t *task) wordless() bool { return len(t.source) == 1 && len(t.prefix) == 0 }

// A step is one id of a hypothesis, the row of the hypothesis that it continues, and log p of the
// id.
type step struct {
	word    int32
	parent  int
	logProb float64
}

// An ending is the last step of a hypothesis.
type ending struct {
	step
	time         int
	total, score float64
	node         int32 // in the tree
}

// newBeam returns a beam of the shape.
func newBeam(o Options, models []*model.Model, s shape) *beam {
	rows, e := s.rows(), newEnsemble(*o.Kernels, models, s)
	b := &beam{
		kernels: *o.Kernels, options: o, shape: s, powers: o.powers(s.target), ensemble: e,
		ranking: ranking{best: make([]candidate, 0, s.width), noUNK: o.ForbidUNK},
		sources: make([][]int32, 0, s.sentences), searches: make([]search, 0, s.sentences),
		words: make([]int32, 0, rows), parents: make([]int, 0, rows), targets: make([]int32, 0, rows),
		logProbs: make([]float64, 0, rows), before: make([]float64, 0, rows),
		history: make([]step, s.target*rows),
		endings: make([]ending, rows),
	}
	if o.leavesWords(models[0].Config.TargetVocab) {
		b.minLength = o.MinLength
	}
	if len(e.attending) > 0 && !o.NoAlignments {
		b.alpha = make([]float32, s.target*rows*s.source)
	}
	return b
}

// run translates or scores up to shape.sentences tasks, and calls done for each as soon as it has a
// result.
func (b *beam) run(batch []*task) {
	if !b.begin(batch) {
		return
	}
	for time := 0; len(b.words) > 0; time++ {
		b.step(time)
	}
	clear(b.sources) // an idle beam keeps no caller's memory alive
	clear(b.searches)
}

// begin starts a search with one empty hypothesis for each task. It returns false if all ended
// with an error.
func (b *beam) begin(batch []*task) bool {
	b.sources, b.searches = b.sources[:0], b.searches[:0]
	b.clear()
	for i, t := range batch {
		b.sources = append(b.sources, t.source)
		b.searches = append(b.searches, search{task: t, live: 1, best: b.endings[i*b.shape.width:][:0:t.wanted]})
		b.push(-1, 0, -1)
	}
	if err := b.ensemble.begin(b.sources); err != nil {
		b.fail(err)
		return false
	}
	return true
}

// clear removes all hypotheses.
func (b *beam) clear() {
	b.words, b.logProbs, b.parents = b.words[:0], b.logProbs[:0], b.parents[:0]
}

// push adds a hypothesis: its last id, its log p and the row that it continues.
func (b *beam) push(word int32, logProb float64, parent int) {
	b.words, b.logProbs, b.parents = append(b.words, word), append(b.logProbs, logProb), append(b.parents, parent)
}

// fail ends all searches with err.
func (b *beam) fail(err error) {
	b.clear()
	for i := range b.searches {
		if s := &b.searches[i]; s.live > 0 {
			s.end(err)
		}
	}
}

// end removes the search from the batch and reports its result.
func (s *search) end(err error) {
	s.live = 0
	s.done(s.task, err)
}

// step continues all hypotheses by an id.
func (b *beam) step(time int) {
	b.setTargets(time)
	scores, err := b.ensemble.step(b.words, b.targets)
	if err != nil {
		b.fail(err)
		return
	}
	if b.alpha != nil {
		for row := range b.words {
			b.ensemble.weights(b.weights(time, row), row)
		}
	}
	b.extend(time, scores)
	if err := b.ensemble.keep(b.parents); err != nil {
		b.fail(err)
	}
}

// setTargets sets the next id of each hypothesis that is scored.
func (b *beam) setTargets(time int) {
	b.targets = b.targets[:0]
	for i := range b.searches {
		for range b.searches[i].live {
			next := int32(-1)
			if target := b.searches[i].target; target != nil {
				next = target[time]
			}
			b.targets = append(b.targets, next)
		}
	}
}

// weights returns where the history has α of a row at that time.
func (b *beam) weights(time, row int) []float32 {
	return b.alpha[b.place(time, row)*b.shape.source:][:b.shape.source]
}

// place returns where the history has a row at that time.
func (b *beam) place(time, row int) int { return time*b.shape.rows() + row }

// extend replaces the hypotheses of all sentences by their continuations, and ends searches.
func (b *beam) extend(time int, scores kernels.Matrix) {
	b.logProbs, b.before = b.before, b.logProbs
	b.clear()
	b.ranking.noEOS = time < b.minLength
	row := 0
	for i := range b.searches {
		s := &b.searches[i]
		from, to := row, row+s.live
		row = to
		switch {
		case s.live == 0:
		case s.ctx.Err() != nil:
			s.end(fmt.Errorf("translation after %d words: %w", time, s.ctx.Err()))
		case s.target != nil:
			b.score(s, from, time)
		case !b.expand(s, scores, from, to, time):
			s.end(fmt.Errorf("scores after %d words: %w", time, model.ErrNotFinite))
		case s.next != nil && time == len(s.prefix):
			b.setNext(s, scores.Row(from), from)
			s.end(nil)
		default:
			b.advance(s, from, time)
		}
	}
}

// score continues the one hypothesis of a translation that is scored by its next id.
func (b *beam) score(s *search, row, time int) {
	p := b.ensemble.scored[row]
	total, next := b.before[row]+p, step{s.target[time], row, p}
	switch {
	case p != p:
		s.end(fmt.Errorf("scores after %d words: %w", time, model.ErrNotFinite))
	case time+1 == len(s.target):
		s.best = append(s.best, b.ending(next, time, total))
		b.finish(s)
	default:
		b.history[b.place(time, len(b.words))] = next
		b.push(next.word, total, row)
	}
}

// expand ranks the continuations of the hypotheses of a sentence, rows from to to-1: all allowed
// ones, or the next id of the prefix alone. Ties are ordered by hypothesis, then by id. It returns
// false if there are no continuations or if log p of a hypothesis is not finite.
func (b *beam) expand(s *search, scores kernels.Matrix, from, to, time int) bool {
	b.ranking.reset(b.shape.width - s.finished)
	for row := from; row < to; row++ {
		base := b.before[row] - b.ensemble.logSums[row]
		if base-base != 0 {
			return false
		}
		if time >= len(s.prefix) {
			b.ranking.add(b.kernels, row, base, scores.Row(row))
			continue
		}
		id := s.prefix[time]
		score := base + float64(scores.Row(row)[id])
		if score-score != 0 {
			return false
		}
		b.ranking.insert(candidate{score, row, id})
	}
	return len(b.ranking.best) > 0
}

// setNext sets log p of all ids that can follow the prefix.
func (b *beam) setNext(s *search, scores []float32, row int) {
	for id, score := range scores {
		s.next[id] = float64(score) - b.ensemble.logSums[row]
	}
}

// advance ranks the finished continuations and makes the others the hypotheses of the next step, or
// ends the search.
func (b *beam) advance(s *search, from, time int) {
	if s.word != nil {
		b.report(s, time)
	}
	s.tree.grow()
	first := len(b.words)
	for _, c := range b.ranking.best {
		next := step{c.word, c.parent, c.score - b.before[c.parent]}
		node := s.tree.add(c.parent-from, next, c.score)
		if c.word == text.EOS {
			s.finished++
			e := b.ending(next, time, c.score)
			e.node = node
			s.rank(e)
			continue
		}
		b.history[b.place(time, len(b.words))] = next
		b.push(c.word, c.score, c.parent)
	}
	s.live = len(b.words) - first
	if time+1 == s.maxLength {
		b.fill(s, first, time)
	} else if s.live > 0 && !b.decided(s, b.logProbs[first]) {
		return
	}
	b.words, b.logProbs, b.parents = b.words[:first], b.logProbs[:first], b.parents[:first]
	b.finish(s)
}

// report passes on the step that greedy search has taken.
func (b *beam) report(s *search, time int) {
	c := b.ranking.best[0]
	w := Word{ID: c.word, LogProb: c.score - b.before[c.parent]}
	if b.alpha != nil {
		w.Alignment = b.weights(time, c.parent)[:len(s.source)]
	}
	s.word(w)
}

// ending returns the end of a hypothesis at that time.
func (b *beam) ending(last step, time int, total float64) ending {
	return ending{step: last, time: time, total: total, score: total / b.powers[time+1]}
}

// rank inserts e into the best. If they are complete, it replaces the worst, if that is worse.
func (s *search) rank(e ending) {
	if len(s.best) < cap(s.best) {
		s.best = append(s.best, e)
	} else if !(e.score > s.best[len(s.best)-1].score) {
		return
	}
	i := len(s.best) - 1
	for ; i > 0 && s.best[i-1].score < e.score; i-- {
		s.best[i] = s.best[i-1]
	}
	s.best[i] = e
}

// fill completes the best with unfinished hypotheses, which start at row first.
func (b *beam) fill(s *search, first, time int) {
	for row := first; row < len(b.words) && len(s.best) < cap(s.best); row++ {
		e := b.ending(b.history[b.place(time, row)], time, b.logProbs[row])
		e.node = s.tree.node(row - first)
		s.best = append(s.best, e)
	}
}

// decided reports whether no unfinished hypothesis can enter the best. logProb is that of the most
// probable one and at most 0: further ids only lower it, and division by the power of the maximum
// length gives the highest score.
func (b *beam) decided(s *search, logProb float64) bool {
	return len(s.best) == cap(s.best) && s.best[len(s.best)-1].score >= logProb/b.powers[s.maxLength]
}

// finish ends the search with its best hypotheses.
func (b *beam) finish(s *search) {
	list := resize(s.results, len(s.best))
	for i, e := range s.best {
		b.trace(&list[i], e, len(s.source))
		s.tree.setRank(e.node, i)
	}
	s.results = list
	s.end(nil)
}

// trace follows a hypothesis back to its first id. It reuses the slices of r.
func (b *beam) trace(r *Translation, e ending, source int) {
	n := e.time + 1
	r.IDs, r.LogProbs, r.LogProb, r.Score = resize(r.IDs, n), resize(r.LogProbs, n), e.total, e.score
	if b.alpha != nil {
		r.Alignment = kernels.View(resize(r.Alignment.Data, n*source), n, source)
	}
	s := e.step
	for time := n - 1; ; time-- {
		r.IDs[time], r.LogProbs[time] = s.word, s.logProb
		if b.alpha != nil {
			copy(r.Alignment.Row(time), b.weights(time, s.parent))
		}
		if time == 0 {
			return
		}
		s = b.history[b.place(time-1, s.parent)]
	}
}

// resize returns x with length n, or a new slice if x is too small.
func resize[T any](x []T, n int) []T {
	if n <= cap(x) {
		return x[:n]
	}
	return make([]T, n)
}
