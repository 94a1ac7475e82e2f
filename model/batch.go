package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/rnn"
)

// Errors for batches.
var (
	ErrExample  = errors.New("bad example")            // see the list of errors in the package documentation
	ErrCapacity = errors.New("more than the capacity") // too many sentences, or one that is too long
)

// A Capacity is the largest batch that there is room for: the number of sentences, and the
// number of words on each side, EOS included.
type Capacity struct {
	Sentences, SourceLength, TargetLength int
}

// CapacityOf returns the smallest capacity for batches of up to that many of the examples.
func CapacityOf(examples []text.Example, sentences int) Capacity {
	c := Capacity{Sentences: sentences}
	for _, e := range examples {
		c.SourceLength, c.TargetLength = max(c.SourceLength, len(e.Source)), max(c.TargetLength, len(e.Target))
	}
	return c
}

// Check returns an error that wraps ErrConfig unless all of c is at least 1.
func (c Capacity) Check() error {
	if c.Sentences < 1 || c.SourceLength < 1 || c.TargetLength < 1 {
		return fmt.Errorf("%w: capacity of %d sentences of %d and %d words, expected at least 1 each",
			ErrConfig, c.Sentences, c.SourceLength, c.TargetLength)
	}
	return nil
}

// checkBatch returns an error that wraps ErrExample or ErrCapacity unless a model of
// configuration c can score the batch within the capacity.
func (c Config) checkBatch(batch []text.Example, capacity Capacity) error {
	if len(batch) == 0 {
		return fmt.Errorf("%w: batch without sentences", ErrExample)
	}
	if len(batch) > capacity.Sentences {
		return fmt.Errorf("batch of %d sentences: %w of %d", len(batch), ErrCapacity, capacity.Sentences)
	}
	for i, example := range batch {
		if err := c.checkSource(i, example.Source, capacity.SourceLength); err != nil {
			return err
		}
		if err := checkSentence("target", i, example.Target, c.TargetVocab, capacity.TargetLength); err != nil {
			return err
		}
		if err := checkLinks(i, example); err != nil {
			return err
		}
	}
	return nil
}

// checkLinks returns an error that wraps ErrExample unless the links of sentence pair i are between its words
// and ascend.
func checkLinks(i int, e text.Example) error {
	ok, before := len(e.Links)%2 == 0, [2]int32{-1, -1}
	for k := 0; ok && k < len(e.Links); k += 2 {
		link := [2]int32(e.Links[k:])
		ok = min(link[0], link[1]) >= 0 && int(link[0]) < len(e.Target) && int(link[1]) < len(e.Source) &&
			(before[0] < link[0] || before[0] == link[0] && before[1] < link[1])
		before = link
	}
	if !ok {
		return fmt.Errorf("%w: links of sentence pair %d, expected ascending pairs of a position in %d target words and one in %d source words",
			ErrExample, i, len(e.Target), len(e.Source))
	}
	return nil
}

// checkSource returns an error unless source has 1 to maxLength ids, all in the source
// vocabulary. The error wraps ErrExample or ErrCapacity and names the sentence by its index i.
func (c Config) checkSource(i int, source []int32, maxLength int) error {
	return checkSentence("source", i, source, c.SourceVocab, maxLength)
}

func checkSentence(side string, i int, ids []int32, vocabulary, maxLength int) error {
	if len(ids) == 0 {
		return fmt.Errorf("%w: %s sentence %d is empty", ErrExample, side, i)
	}
	if len(ids) > maxLength {
		return fmt.Errorf("%s sentence %d of %d words: %w of %d", side, i, len(ids), ErrCapacity, maxLength)
	}
	for j, id := range ids {
		if id < 0 || int(id) >= vocabulary {
			return fmt.Errorf("%w: word %d of %s sentence %d has id %d, expected 0 to %d", ErrExample, j, side, i, id, vocabulary-1)
		}
	}
	return nil
}

// A batchLayout numbers the words of one side of a batch as rows of matrices, in two orders.
// Time-major, as GRUs step: the first word of every sentence, longest sentence first, then the
// second word of those that have one (see rnn.Layout). Sentence-major, as attention reads: all
// words of sentence 0, then all words of sentence 1.
type batchLayout struct {
	rnn.Layout            // of the time-major rows
	order         []int   // order[i] is the i-th longest sentence
	length        []int   // length[sentence]
	sorted        []int   // lengths in that order
	start         []int   // start[sentence] is its first sentence-major row
	sentenceMajor []int32 // sentenceMajor[row] is the sentence-major row of a time-major one
	timeMajor     []int32 // the inverse
}

// newBatchLayout returns a layout with room for that many sentences of up to length words, rows in
// all.
func newBatchLayout(a *allocator, sentences, length, rows int) batchLayout {
	l := batchLayout{
		order: a.ints(sentences), length: a.ints(sentences), sorted: a.ints(sentences), start: a.ints(sentences),
		sentenceMajor: a.int32s(rows), timeMajor: a.int32s(rows),
	}
	if a == nil {
		l.Layout = rnn.NewLayout(length)
	}
	return l
}

// arrange lays out n sentences. Sentences of equal length keep their order.
func (l *batchLayout) arrange(n int, length func(sentence int) int) {
	l.order, l.length, l.sorted, l.start = l.order[:n], l.length[:n], l.sorted[:n], l.start[:n]
	rows := 0
	for i := range n {
		l.order[i], l.length[i], l.start[i] = i, length(i), rows
		rows += l.length[i]
	}
	slices.SortStableFunc(l.order, func(s, t int) int { return cmp.Compare(l.length[t], l.length[s]) })
	for i, sentence := range l.order {
		l.sorted[i] = l.length[sentence]
	}
	l.Set(l.sorted)
	l.sentenceMajor, l.timeMajor = l.sentenceMajor[:rows], l.timeMajor[:rows]
	for t := range l.Steps() {
		for i, sentence := range l.order[:l.Active(t)] {
			timeRow, sentenceRow := l.Row(t)+i, l.start[sentence]+t
			l.sentenceMajor[timeRow], l.timeMajor[sentenceRow] = int32(sentenceRow), int32(timeRow)
		}
	}
}

// row returns the time-major row of word t of a sentence.
func (l *batchLayout) row(sentence, t int) int { return int(l.timeMajor[l.start[sentence]+t]) }
