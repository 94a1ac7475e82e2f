package decode

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// Stream translates a line by greedy search, whatever Options.Beam is, and yields the text so far
// after each word, or once what [Translator.Line] keeps of a line without words. If there is an error, it is the
// last pair. A loop may be slow without blocking the workers, and leaving it ends the search.
func (t *Translator) Stream(ctx context.Context, line string) iter.Seq2[string, error] {
	check(ctx, true)
	return func(yield func(string, error) bool) {
		r, err := t.Read(line)
		if err != nil {
			yield("", err)
			return
		}
		for w, err := range t.StreamWords(ctx, Sentence{Source: t.models[0].EncodeWords(r.Words)}) {
			if err != nil {
				yield("", err)
				return
			}
			if w.ID == text.EOS && len(r.Words) > 0 {
				return
			}
			if line := t.Write(r, w.SoFar).Line; line != "" && !yield(line, nil) {
				return
			}
		}
	}
}

// A Word is a step of a translation.
type Word struct {
	ID        int32
	LogProb   float64   // log p of ID
	Alignment []float32 // α of each source id; none for RNNencdec or with NoAlignments

	SoFar Translation // of all ids so far, without repetitions unless Options keep them
}

// StreamWords is Stream for a sentence of ids, whose Beam and NBest it ignores: it yields each id of
// the translation, with the prefix and EOS, and repetitions whole. The words belong to the caller.
func (t *Translator) StreamWords(ctx context.Context, s Sentence) iter.Seq2[Word, error] {
	check(ctx, true)
	return func(yield func(Word, error) bool) {
		if err := t.stream(ctx, s, func(w Word) bool { return yield(w, nil) }); err != nil {
			yield(Word{}, err)
		}
	}
}

// stream calls yield with each word of a greedy search, until it returns false.
func (t *Translator) stream(ctx context.Context, s Sentence, yield func(Word) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.Beam, s.NBest = 1, 1
	k, err := t.newTask(ctx, 0, s)
	if err != nil {
		return err
	}
	words := feed{more: make(chan struct{}, 1)}
	k.mode = stream{word: words.add}
	for _, r := range k.results {
		words.add(Word{ID: text.EOS, Alignment: r.Alignment.Data})
	}
	var failure error
	var all Translation
	k.done = func(_ *task, err error) {
		failure = err
		close(words.more)
	}
	c, err := t.enqueue(ctx, []*task{k})
	if err != nil {
		return err
	}
	defer t.queue.remove(c)
	for open := true; open; {
		select {
		case _, open = <-words.more:
		case <-ctx.Done():
			return ctx.Err()
		}
		for _, w := range words.take() {
			if err := ctx.Err(); err != nil {
				return err
			}
			all.add(w)
			if w.SoFar = t.trimmed(s, []Translation{all})[0]; !yield(w) {
				return nil
			}
		}
	}
	return failure
}

// add adds the next word of a stream, which has LogProb, Score and Unsure, to the translation so far.
func (r *Translation) add(w Word) {
	r.IDs, r.LogProbs = append(r.IDs, w.ID), append(r.LogProbs, w.LogProb)
	r.LogProb, r.Score, r.Unsure = w.SoFar.LogProb, w.SoFar.Score, w.SoFar.Unsure
	if n := len(w.Alignment); n > 0 {
		r.Alignment = kernels.View(append(r.Alignment.Data, w.Alignment...), len(r.IDs), n)
	}
}

// A feed takes words from a worker to a loop, for which the worker never waits.
type feed struct {
	mutex sync.Mutex
	words []Word
	more  chan struct{} // has an element if there are words; closed after the last one
}

// add adds a copy of a word.
func (f *feed) add(w Word) {
	w.Alignment = slices.Clone(w.Alignment)
	f.mutex.Lock()
	f.words = append(f.words, w)
	f.mutex.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// take returns the words since the last call.
func (f *feed) take() []Word {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	list := f.words
	f.words = nil
	return list
}

// stream is the mode of a greedy search that reports each step. α of a word is valid until the function
// returns.
type stream struct {
	translate
	word func(Word)
}

func (m stream) extend(b *beam, s *task, scores kernels.Matrix, row int) {
	if b.rank(s, scores, row) {
		best := b.ranking.best[0]
		e := b.finished(b.stepTo(best, row), s.time, best.score)
		m.word(Word{ID: e.word, LogProb: e.logProb, Alignment: b.alphaOf(s, s.time, 0), SoFar: Translation{LogProb: e.total, Score: e.score, Unsure: b.unsure(e)}})
		b.advance(s, row)
	}
}
