package model

import (
	"errors"
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// Errors for sentences that a workspace refuses.
var (
	ErrExample  = errors.New("bad example")            // empty, or a word that is not in the vocabulary
	ErrCapacity = errors.New("more than the capacity") // of the workspace
)

// A Capacity is the largest batch that a workspace has room for: sentences, and words of
// each side with the end of the sentence.
type Capacity struct {
	Sentences, SourceLength, TargetLength int
}

func (c Capacity) Check() error {
	if c.Sentences < 1 || c.SourceLength < 1 || c.TargetLength < 1 {
		return fmt.Errorf("model: %w: capacity of %d sentences of %d and %d words, expected at least 1 each",
			ErrConfig, c.Sentences, c.SourceLength, c.TargetLength)
	}
	return nil
}

// A Scorer computes the log-probabilities of given translations.
type Scorer struct {
	kernels  kernels.Impl
	model    *Model
	capacity Capacity
	encoder  *encoder
	decoder  *decoder
	batch    int // sentences of the last batch
}

// NewScorer returns a workspace for batches within the capacity.
func NewScorer(k kernels.Impl, m *Model, capacity Capacity) (*Scorer, error) {
	return newScorer(k, m, capacity, false)
}

func newScorer(k kernels.Impl, m *Model, capacity Capacity, training bool) (*Scorer, error) {
	if err := capacity.Check(); err != nil {
		return nil, err
	}
	return &Scorer{
		kernels: k, model: m, capacity: capacity,
		encoder: newEncoder(m.Config, capacity.Sentences, capacity.SourceLength, training),
		decoder: newDecoder(m.Config, capacity, training),
	}, nil
}

// Loss returns -log p of all target words of the batch, summed. The error wraps ErrExample
// or ErrCapacity.
func (w *Scorer) Loss(batch []text.Example) (float64, error) {
	if err := w.forward(nil, batch); err != nil {
		return 0, err
	}
	d := w.decoder
	rows := d.layout.Rows()
	maxout := kernels.View(d.maxout, rows, w.model.Config.Maxout)
	return d.out.loss(w.kernels, w.model.Parameters, maxout, d.gold[:rows]), nil
}

// forward checks the batch and computes everything up to the maxout units, with the masks m or
// none.
func (w *Scorer) forward(m *masks, batch []text.Example) error {
	if err := w.check(batch); err != nil {
		return err
	}
	w.batch = len(batch)
	w.encoder.forward(w.kernels, w.model.Parameters, m, batch)
	w.decoder.forward(w.kernels, w.model.Parameters, w.encoder, m, batch)
	return nil
}

func (w *Scorer) check(batch []text.Example) error {
	if len(batch) == 0 {
		return fmt.Errorf("model: %w: batch without sentences", ErrExample)
	}
	if len(batch) > w.capacity.Sentences {
		return fmt.Errorf("model: batch of %d sentences: %w of %d", len(batch), ErrCapacity, w.capacity.Sentences)
	}
	for i, pair := range batch {
		if err := w.model.Config.CheckSource(i, pair.Source, w.capacity.SourceLength); err != nil {
			return err
		}
		if err := checkSentence("target", i, pair.Target, w.model.Config.TargetVocab, w.capacity.TargetLength); err != nil {
			return err
		}
	}
	return nil
}

// CheckSource returns an error unless source has 1 to maxLength ids, all of them in the source
// vocabulary. The error wraps ErrExample or ErrCapacity and names the sentence by its index i.
func (c Config) CheckSource(i int, source []int32, maxLength int) error {
	return checkSentence("source", i, source, c.SourceVocab, maxLength)
}

func checkSentence(side string, i int, words []int32, vocabulary, length int) error {
	if len(words) == 0 {
		return fmt.Errorf("model: %w: %s sentence %d is empty", ErrExample, side, i)
	}
	if len(words) > length {
		return fmt.Errorf("model: %s sentence %d of %d words: %w of %d", side, i, len(words), ErrCapacity, length)
	}
	for j, id := range words {
		if id < 0 || int(id) >= vocabulary {
			return fmt.Errorf("model: %w: word %d of %s sentence %d has id %d, expected 0 to %d", ErrExample, j, side, i, id, vocabulary-1)
		}
	}
	return nil
}

// LogProbabilities writes log p of each target word of sentence i of the last batch to dst
// and returns the number written, at most len(dst).
func (w *Scorer) LogProbabilities(dst []float32, i int) int {
	d := w.decoder
	return w.eachRow(len(dst), i, func(t, row int) { dst[t] = d.out.logProbabilities[row] })
}

// Alignment writes the weights α of sentence i of the last batch to the rows of dst, one
// for each target word, and returns the number written. RNNencdec has none.
func (w *Scorer) Alignment(dst kernels.Matrix, i int) int {
	if w.model.Config.Kind == RNNencdec {
		return 0
	}
	return w.eachRow(dst.Rows, i, func(t, row int) {
		copy(dst.Row(t), w.decoder.weights(w.encoder, row, i))
	})
}

// eachRow calls f with the positions and rows of sentence i, at most limit of them.
func (w *Scorer) eachRow(limit, i int, f func(t, row int)) int {
	if i < 0 || i >= w.batch {
		return 0
	}
	d := w.decoder
	for place, sentence := range d.order {
		if sentence != i {
			continue
		}
		n := min(limit, d.length[i])
		for t := range n {
			f(t, d.layout.Row(t)+place)
		}
		return n
	}
	return 0
}
