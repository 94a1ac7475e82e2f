package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// errTooLong is the error for a sentence whose alignments do not fit in memory.
var errTooLong = errors.New("sentence too long")

const (
	mostHypotheses = 1000
	mostWeights    = 1 << 29 // alignment weights that the searches of a pool keep, 2 GiB of them
	sourceStep     = 64      // words by which the longest source of a pool grows
	batchRows      = 96      // hypotheses of a batch, from which on more make a step no faster for each
)

// A translator translates sentences of any length on several threads.
type translator struct {
	models      []*model.Model
	decoding    decode.Options
	limit       int // most words of a translation, 0 for the default of length
	threads     int
	short, long bucket // sources of up to sourceStep words, and of more
}

func newTranslator(d decode.Options, limit, threads int, models ...*model.Model) *translator {
	return &translator{models: models, decoding: d, limit: limit, threads: threads}
}

// translate calls f with the translations of each sentence and its place in the list, in any
// order but one at a time. They are valid until f returns; a sentence without words has one
// without words. A sentence that is too long ends the list: translate returns the number of
// sentences before it, and the error.
func (t *translator) translate(ctx context.Context, list [][]string, f func(i int, best []decode.Translation)) (n int, err error) {
	n, tooLong := t.sort(list)
	for i, words := range list[:n] {
		if len(words) == 0 {
			f(i, []decode.Translation{{}})
		}
	}
	for _, b := range []*bucket{&t.long, &t.short} {
		if err := t.search(ctx, b, f); err != nil {
			return 0, err
		}
	}
	return n, tooLong
}

// sort puts the sentences before the first that is too long into the buckets, except those
// without words.
func (t *translator) sort(list [][]string) (n int, err error) {
	t.short.empty()
	t.long.empty()
	for i, words := range list {
		if len(words) == 0 {
			continue
		}
		ids := t.models[0].Source.Encode(words)
		if err := t.check(len(ids)); err != nil {
			return i, err
		}
		b := &t.short
		if len(ids) > sourceStep {
			b = &t.long
		}
		b.add(i, decode.Sentence{Source: ids, MaxLength: t.length(len(ids))})
	}
	return len(list), nil
}

// search translates the sentences of a bucket.
func (t *translator) search(ctx context.Context, b *bucket, f func(i int, best []decode.Translation)) error {
	if len(b.sentences) == 0 {
		return nil
	}
	if b.longest > b.room {
		room := roomFor(b.longest)
		pool, err := t.newPool(room)
		if err != nil {
			return err
		}
		b.pool, b.room = pool, room
	}
	return b.pool.Translate(ctx, b.sentences, func(i int, best []decode.Translation) { f(b.places[i], best) })
}

// check returns an error if the alignments of a source of that many words with EOS do not fit.
func (t *translator) check(words int) error {
	if source := roomFor(words); t.length(source) > mostWeights/t.decoding.Beam/source {
		return fmt.Errorf("%w: %d words with a beam of %d and translations of up to %d words: expected a product of at most %d",
			errTooLong, words, t.decoding.Beam, t.length(words), mostWeights)
	}
	return nil
}

// length returns the most words that the translation of a source may have, by default three
// times its own, and room for the fewest and EOS.
func (t *translator) length(source int) int {
	if t.limit > 0 {
		return t.limit
	}
	return max(3*source, t.decoding.MinLength+1)
}

// newPool returns a pool for sources of up to that many words.
func (t *translator) newPool(source int) (*decode.Pool, error) {
	threads, sentences := t.share(source)
	capacity := model.Capacity{Sentences: sentences, SourceLength: source, TargetLength: t.length(source)}
	return decode.NewPool(kernels.Best(), t.decoding, capacity, threads, t.models...)
}

// share returns the threads of a pool for sources of up to that many words, and the sentences
// of a batch. The more words a source may have, the fewer sources are in a batch.
func (t *translator) share(source int) (threads, sentences int) {
	most := mostWeights / (t.decoding.Beam * source * t.length(source)) // sentences whose alignments fit
	threads = min(t.threads, most)
	return threads, max(1, min(batchRows/t.decoding.Beam*sourceStep/source, most/threads))
}
