package decode

import (
	"context"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A Sentence is one to translate: its ids, EOS at the end, and the most words of its
// translation, with EOS.
type Sentence struct {
	Source    []int32
	MaxLength int
}

// A Translation is a translated sentence. Its slices are valid until the next call.
type Translation struct {
	IDs       []int32        // with EOS at the end, unless the length ran out
	LogProb   float64        // log p(Words | source), for an ensemble the mean over the models
	Score     float64        // LogProb / words^Normalization
	Alignment kernels.Matrix // α, words × source positions with EOS; no rows for model.RNNencdec
}

// A Beam finds the most probable translations by beam search: of all continuations of
// the unfinished hypotheses of a sentence it keeps those of the largest log p, as many as the
// beam is wide less the number that are finished. A hypothesis is finished with EOS.
//
// A search ends when no hypothesis is unfinished, when the length runs out, or when no
// unfinished one can enter the best: their number is complete, and the worst of them has no
// lower score than the most probable unfinished one would have with its log p, which only
// falls, and the sentence's limit of words.
//
// The translations of a sentence are the best finished ones by score, equal ones in the order
// in which they were found, and where those are too few and the length ran out, the most
// probable unfinished ones after them. There are fewer only where the beam had no others.
//
// Words that may not come, EOS before MinLength and UNK, are left out when continuations are
// ranked; the probabilities of the others stay what they are. A sentence whose limit does not
// exceed MinLength has translations without EOS. Where the vocabulary has no other word, EOS
// may come at any time.
//
// Several models decode as an ensemble: log p of a word is the mean of the log p that the
// models give it, and α the mean of their α. Means are summed up in the order of the models,
// so another order of three or more can give other bits.
//
// The hypotheses of all sentences of a batch are rows of the same products. A sentence that
// is translated leaves no row behind, and its translation does not depend on the others.
type Beam struct {
	kernels   kernels.Impl
	decoding  Options
	minLength int // 0 where no word but EOS may come
	capacity  model.Capacity
	powers    []float64 // n^Normalization
	ensemble  *ensemble
	sources   [][]int32
	searches  []search
	width     int // of the beam
	ranking   ranking

	// Of the hypotheses of all sentences, those of a sentence side by side, best first.
	words            []int32   // the last ones
	logProbs, before []float64 // of the words of each hypothesis; those of the step before
	parents          []int     // their rows at the step before

	history []step    // TargetLength×hypotheses: those of each time
	alpha   []float32 // TargetLength×hypotheses×SourceLength
	endings []ending  // Sentences×Best

	lists   [][]Translation
	results []Translation // Sentences×Best
	output  []int32       // Sentences×Best×TargetLength
	aligned []float32     // Sentences×Best×TargetLength×SourceLength
}

// NewBeam returns a translator of batches within the capacity, by one model or by an
// ensemble of models with the same vocabularies. The error wraps ErrConfig.
func NewBeam(k kernels.Impl, d Options, capacity model.Capacity, models ...*model.Model) (*Beam, error) {
	if err := capacity.Check(); err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	rows, results := capacity.Sentences*d.Beam, capacity.Sentences*d.best()
	e, err := newEnsemble(k, models, capacity, rows)
	if err != nil {
		return nil, err
	}
	t := &Beam{
		kernels: k, decoding: d, capacity: capacity, powers: d.powers(capacity.TargetLength), ensemble: e,
		sources: make([][]int32, 0, capacity.Sentences), searches: make([]search, 0, capacity.Sentences),
		ranking: ranking{best: make([]candidate, 0, d.Beam), noUNK: d.ForbidUNK},
		words:   make([]int32, 0, rows), parents: make([]int, 0, rows),
		logProbs: make([]float64, 0, rows), before: make([]float64, 0, rows),
		history: make([]step, capacity.TargetLength*rows),
		endings: make([]ending, results),
		lists:   make([][]Translation, 0, capacity.Sentences),
		results: make([]Translation, results), output: make([]int32, results*capacity.TargetLength),
	}
	if d.allows(models[0].Config.TargetVocab) {
		t.minLength = d.MinLength
	}
	if len(e.attending) > 0 {
		t.alpha = make([]float32, capacity.TargetLength*rows*capacity.SourceLength)
		t.aligned = make([]float32, results*capacity.TargetLength*capacity.SourceLength)
	}
	return t, nil
}

// Translate translates a sentence of ids that ends with EOS into at most length words and
// returns its translations, the best first. The error wraps ErrExample, ErrCapacity,
// ErrNotFinite if weights are so large that scores are infinite or NaN, or, if ctx ended before the last word,
// the error of ctx, which every step looks at. A Translator goes on after any error.
func (t *Beam) Translate(ctx context.Context, source []int32, length int) ([]Translation, error) {
	lists, err := t.TranslateBatch(ctx, []Sentence{{source, length}})
	if err != nil {
		return nil, err
	}
	return lists[0], nil
}

// TranslateBatch translates sentences, each into what Translate makes of it. The errors are
// those of Translate.
func (t *Beam) TranslateBatch(ctx context.Context, batch []Sentence) ([][]Translation, error) {
	if err := t.begin(batch, t.decoding.Beam); err != nil {
		return nil, err
	}
	for time := 0; len(t.words) > 0; time++ {
		if err := t.step(ctx, time); err != nil {
			return nil, err
		}
	}
	t.lists = t.lists[:0]
	for i := range t.searches {
		t.lists = append(t.lists, t.trace(i))
	}
	return t.lists, nil
}
