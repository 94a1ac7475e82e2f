package decode

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
	"github.com/softsearch-go/softsearch/model/internal/portable"
	"github.com/softsearch-go/softsearch/model/text"
)

// A task is a sentence to translate, or a translation to score, and the state of its search.
type task struct {
	mode
	ctx       context.Context
	index     int      // in the list of its caller
	need      capacity // of its search
	beam      capacity // of the beams for it
	source    []int32
	prefix    []int32 // of all translations
	keep      *keep
	wanted    int  // translations
	maxLength int  // ids of the translation with EOS
	length    int  // ids to whose number the time of the task is about proportional
	long      bool // of a long call

	// done is called once, by the worker, with results set or with an error. Slices in results are
	// reused. A task that has results from the beginning needs no search.
	done    func(*task, error)
	results []Translation

	time         int        // steps that have been taken
	live         int        // unfinished hypotheses
	ended        int        // finished hypotheses
	best         []finished // best first, up to the number wanted
	power        float64    // maxLength^Normalization
	backpointers int        // slot of its history
	weights      int        // slot of its α
}

// A mode is what a task asks for: translate, stream, trace, predict or score.
type mode interface {
	// target returns the id to score at a step, or -1 to rank all ids.
	target(time int) int32

	// extend replaces the hypotheses of a search, the first of which is in a row of the scores, by their
	// continuations, or ends the search.
	extend(b *beam, s *task, scores kernels.Matrix, row int)
}

// translate is the mode of a search for translations.
type translate struct{}

func (translate) target(int) int32 { return -1 }

func (translate) extend(b *beam, s *task, scores kernels.Matrix, row int) {
	if b.rank(s, scores, row) {
		b.advance(s, row)
	}
}

// A beam translates sentences by beam search. Of all continuations of the unfinished hypotheses of a
// sentence it keeps the most probable ones: the beam of the sentence, less the number of finished
// hypotheses. EOS finishes a hypothesis. Hypotheses too far below the best one are dropped, see
// Options.Prune.
//
// The search for a sentence ends when all hypotheses are finished, when they reach the maximum
// length, or when none can enter the n best: n are finished, and the worst of these scores at least
// as high as the most probable unfinished one could at the maximum length, given that its log p
// only falls.
//
// The translations are the n best finished hypotheses by score, ties in the order in which they were found.
// If the maximum length leaves fewer than n, the most probable unfinished ones follow.
//
// The ranking skips ids that are not allowed: EOS before the minimum length, UNK, and what [keep] forbids.
// The probabilities of the other ids do not change. If the vocabulary has no other id, EOS is always allowed.
//
// The hypotheses of all sentences are rows of the same products. Sentences join at any step. The rows
// of a sentence disappear when it is done, and no result depends on the other sentences.
type beam struct {
	kernels   kernels.Impl
	options   Options
	capacity  capacity
	used      capacity  // by searches and tasks that join
	bytes     float64   // as the store counts it
	counted   int       // rows as the queue counts them
	waited    int       // steps for which tasks have waited to join
	long      bool      // for long calls
	turn      int       // rows that short calls may advance before long ones have a turn
	hurried   bool      // another one rests meanwhile
	paused    time.Time // zero where a search has ended since
	minLength int       // of sources with words; 0 where no id but EOS is allowed
	bound     float64   // of model.Search.Unsure; -Inf if that is unknown
	ensemble  *ensemble
	ranking   ranking
	joining   []*task
	sources   [][]int32 // of the tasks that join
	searches  []*task   // in the order of their rows

	// The unfinished hypotheses, grouped by sentence, best first.
	words            []int32   // their last ids
	logProbs, before []float64 // log p of each, now and at the step before
	parents          []int     // their rows at the step before
	targets          []int32   // the next id of each one that is scored, -1 of others

	// The history has a span for each sentence: time×width, and time×width×source.
	backpointers, weights *buffers.Spans
	history               []step
	alpha                 []float32 // none without alignments
}

// A step is one id of a hypothesis, the place of the hypothesis that it continues among the ones of its
// sentence, and log p of the id.
type step struct {
	word    int32
	parent  int32
	logProb float64
}

// A finished hypothesis is its last step.
type finished struct {
	step
	time         int
	total, score float64
}

func newBeam(l *ledger, o Options, models []*model.Model, c capacity) *beam {
	rows, n := c.rows, c.sentences
	b := &beam{
		kernels: *o.Kernels, options: o, capacity: c, ensemble: newEnsemble(l, *o.Kernels, models, c),
		ranking: ranking{best: room[candidate](l, rows)[:0], noUNK: o.ForbidUNK},
		joining: room[*task](l, n)[:0], sources: room[[]int32](l, n)[:0],
		searches: room[*task](l, n)[:0],
		words:    room[int32](l, rows)[:0], parents: room[int](l, rows)[:0], targets: room[int32](l, rows)[:0],
		logProbs: room[float64](l, rows)[:0], before: room[float64](l, rows)[:0],
		backpointers: l.spans(n, c.backpointers), history: room[step](l, c.backpointers),
		weights: l.spans(n, c.weights), alpha: room[float32](l, c.weights),
	}
	others := models[0].Config.TargetVocab - 1 // allowed ids but EOS
	if o.ForbidUNK {
		others--
	}
	if others > 0 {
		b.minLength = o.MinLength
	}
	if b.bound = models[0].Search.Unsure; b.bound == 0 {
		b.bound = math.Inf(-1)
	}
	return b
}

// admit lets a task join at the next step, if there is room for it.
func (b *beam) admit(k *task) bool {
	used := b.used.plus(k.need)
	if !used.within(b.capacity) {
		return false
	}
	b.used, b.joining = used, append(b.joining, k)
	return true
}

// left returns the most steps until all tasks of the beam are done.
func (b *beam) left() (n int) {
	for _, s := range b.searches {
		n = max(n, s.need.steps()-s.time)
	}
	for _, k := range b.joining {
		n = max(n, k.need.steps())
	}
	return n
}

// join starts the searches of the tasks that join, except of those whose contexts have ended.
func (b *beam) join() {
	for _, k := range b.joining {
		if err := k.ctx.Err(); err != nil {
			b.used = b.used.minus(k.need)
			k.done(k, err)
			continue
		}
		b.sources = append(b.sources, k.source)
		b.searches = append(b.searches, k)
		b.start(k)
	}
	if len(b.sources) > 0 {
		if err := b.ensemble.join(b.sources); err != nil {
			b.fail(err)
		}
	}
	b.used.joining = 0
	clear(b.joining) // a beam keeps no caller's memory alive
	clear(b.sources)
	b.joining, b.sources = b.joining[:0], b.sources[:0]
}

// start begins the search for a task with one empty hypothesis.
func (b *beam) start(k *task) {
	b.backpointers.Reserve(k.need.backpointers, func(to, from, n int) { copy(b.history[to:], b.history[from:from+n]) })
	b.weights.Reserve(k.need.weights, func(to, from, n int) { copy(b.alpha[to:], b.alpha[from:from+n]) })
	k.backpointers, k.weights = b.backpointers.Add(k.need.backpointers), b.weights.Add(k.need.weights)
	k.time, k.live, k.ended, k.best = 0, 1, 0, resize(k.best, k.wanted)[:0]
	k.keep.begin(k.source, k.need.rows)
	k.power = portable.Power(float64(k.maxLength), *b.options.Normalization)
	b.push(-1, 0, -1)
}

func (b *beam) clear() {
	b.words, b.logProbs, b.parents = b.words[:0], b.logProbs[:0], b.parents[:0]
}

// push adds a hypothesis: its last id, its log p and the row that it continues.
func (b *beam) push(word int32, logProb float64, parent int) {
	b.words, b.logProbs, b.parents = append(b.words, word), append(b.logProbs, logProb), append(b.parents, parent)
}

func (b *beam) fail(err error) {
	for _, s := range b.searches {
		s.end(err)
	}
	b.clear()
	b.leave()
	if err := b.ensemble.keep(b.parents); err != nil {
		panic(err) // no hypotheses are never too many
	}
}

// end ends the search and reports its result.
func (s *task) end(err error) {
	s.live = 0
	s.done(s, err)
}

func (s *task) endNotFinite() {
	s.end(fmt.Errorf("scores after %d words: %w", s.time, model.ErrNotFinite))
}

func (b *beam) leave() {
	live := b.searches[:0]
	for _, s := range b.searches {
		if s.live > 0 {
			live = append(live, s)
			continue
		}
		b.paused = time.Time{}
		b.used = b.used.minus(s.need)
		b.used.joining = 0
		b.backpointers.Remove(s.backpointers)
		b.weights.Remove(s.weights)
	}
	clear(b.searches[len(live):])
	b.searches = live
}

// step continues all hypotheses by an id.
func (b *beam) step() {
	b.targets = b.targets[:0]
	for _, s := range b.searches {
		for range s.live {
			b.targets = append(b.targets, s.target(s.time))
		}
	}
	scores, err := b.ensemble.step(b.words, b.targets)
	if err != nil {
		b.fail(err)
		return
	}
	b.remember()
	b.extend(scores)
	if err := b.ensemble.keep(b.parents); err != nil {
		b.fail(err)
	}
	b.leave()
}

// remember adds α of all hypotheses to the history.
func (b *beam) remember() {
	row := 0
	for _, s := range b.searches {
		for i := range s.live {
			if alpha := b.alphaOf(s, s.time, i); alpha != nil {
				b.ensemble.weights(alpha, row)
			}
			row++
		}
	}
}

// alphaOf returns where the history has α of hypothesis i of a sentence at that time, nil if it has
// none.
func (b *beam) alphaOf(s *task, time, i int) []float32 {
	if s.need.weights == 0 {
		return nil
	}
	n := len(s.source)
	return b.alpha[b.weights.Start(s.weights)+(time*s.need.rows+i)*n:][:n]
}

// backpointer returns where the history has hypothesis i of a sentence at that time.
func (b *beam) backpointer(s *task, time, i int) *step {
	return &b.history[b.backpointers.Start(s.backpointers)+time*s.need.rows+i]
}

// extend replaces the hypotheses of all sentences by their continuations, and ends searches.
func (b *beam) extend(scores kernels.Matrix) {
	b.logProbs, b.before = b.before, b.logProbs
	b.clear()
	row := 0
	for _, s := range b.searches {
		from := row
		row += s.live
		if err := s.ctx.Err(); err != nil {
			s.end(fmt.Errorf("translation after %d words: %w", s.time, err))
		} else {
			s.extend(b, s, scores, from)
		}
		s.time++
	}
}

// rank ranks the continuations of the hypotheses of a sentence, which start at row from: all allowed
// ones, or the next id of the prefix alone. Ties are ordered by hypothesis, then by id. If there are no
// continuations or log p of a hypothesis is not finite, it ends the search and returns false.
func (b *beam) rank(s *task, scores kernels.Matrix, from int) bool {
	b.ranking.reset(s.need.rows - s.ended)
	b.ranking.noEOS = s.time < b.minLength && len(s.source) > 1
	forced := s.time < len(s.prefix)
	for row := from; row < from+s.live; row++ {
		score := b.before[row] - b.ensemble.logSums[row]
		if forced {
			score += float64(scores.Row(row)[s.prefix[s.time]])
		}
		if score-score != 0 {
			s.endNotFinite()
			return false
		}
		switch {
		case forced:
			b.ranking.insert(candidate{score, row, s.prefix[s.time]})
		case s.keep != nil:
			s.keep.rank(b, s, row-from, row, score, scores.Row(row))
		default:
			b.ranking.left = nil
			b.ranking.add(b.kernels, row, score, scores.Row(row))
		}
	}
	if len(b.ranking.best) == 0 {
		s.endNotFinite()
		return false
	}
	b.ranking.prune(s.wanted-s.ended, b.options.Prune)
	return true
}

// advance adds the finished continuations to the best and makes the others the hypotheses of the next
// step, or ends the search. The hypotheses of the sentence start at row from.
func (b *beam) advance(s *task, from int) {
	first := len(b.words)
	s.keep.turn()
	for _, c := range b.ranking.best {
		next := b.stepTo(c, from)
		if c.word == text.EOS {
			s.ended++
			s.insert(b.finished(next, s.time, c.score))
			continue
		}
		*b.backpointer(s, s.time, len(b.words)-first) = next
		b.push(c.word, c.score, c.parent)
		s.keep.push(int(next.parent), c.word)
	}
	s.live = len(b.words) - first
	if s.time+1 == s.maxLength {
		b.fill(s, first)
	} else if s.live > 0 && !s.decided(b.logProbs[first]) {
		return
	}
	b.words, b.logProbs, b.parents = b.words[:first], b.logProbs[:first], b.parents[:first]
	b.finish(s)
}

// stepTo returns the last step of a candidate whose sentence has its hypotheses from row first on.
func (b *beam) stepTo(c candidate, first int) step {
	return step{c.word, int32(c.parent - first), c.score - b.before[c.parent]}
}

// finished returns a hypothesis that ends at that time.
func (b *beam) finished(last step, time int, total float64) finished {
	return finished{step: last, time: time, total: total, score: total / portable.Power(float64(time+1), *b.options.Normalization)}
}

// unsure reports whether the mean log p of a hypothesis is below the bound of the model.
func (b *beam) unsure(e finished) bool { return e.total/float64(e.time+1) < b.bound }

// insert inserts e into the best. If they are complete, it replaces the worst, if that is worse.
func (s *task) insert(e finished) {
	if len(s.best) < s.wanted {
		s.best = append(s.best, e)
	} else if s.best[len(s.best)-1].score >= e.score {
		return
	}
	i := len(s.best) - 1
	for ; i > 0 && s.best[i-1].score < e.score; i-- {
		s.best[i] = s.best[i-1]
	}
	s.best[i] = e
}

// fill completes the best with unfinished hypotheses, which start at row first.
func (b *beam) fill(s *task, first int) {
	for row := first; row < len(b.words) && len(s.best) < s.wanted; row++ {
		s.best = append(s.best, b.finished(*b.backpointer(s, s.time, row-first), s.time, b.logProbs[row]))
	}
}

// decided reports whether no unfinished hypothesis can enter the best. logProb is that of the first one, at
// most 0: further ids only lower it, and division by the power of the maximum length gives the highest score.
func (s *task) decided(logProb float64) bool {
	return len(s.best) == s.wanted && s.best[len(s.best)-1].score >= logProb/s.power
}

func (b *beam) finish(s *task) {
	list := resize(s.results, len(s.best))
	for i, e := range s.best {
		b.trace(&list[i], s, e)
	}
	s.results = list
	s.end(nil)
}

// trace follows a hypothesis back to its first id. It reuses the slices of r.
func (b *beam) trace(r *Translation, s *task, e finished) {
	n, source := e.time+1, len(s.source)
	r.IDs, r.LogProbs, r.LogProb, r.Score = resize(r.IDs, n), resize(r.LogProbs, n), e.total, e.score
	r.Unsure = b.unsure(e)
	if s.need.weights > 0 {
		r.Alignment = kernels.View(resize(r.Alignment.Data, n*source), n, source)
	}
	for last := e.step; ; last = *b.backpointer(s, n-1, int(last.parent)) {
		n--
		r.IDs[n], r.LogProbs[n] = last.word, last.logProb
		if s.need.weights > 0 {
			copy(r.Alignment.Row(n), b.alphaOf(s, n, int(last.parent)))
		}
		if n == 0 {
			return
		}
	}
}

// resize returns x with length n, or a new slice if x is too small.
func resize[T any](x []T, n int) []T {
	if n <= cap(x) {
		return x[:n]
	}
	return make([]T, n)
}
