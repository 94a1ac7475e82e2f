package main

import (
	"context"
	"errors"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// A translator translates lines of text in windows.
type translator struct {
	*decode.Translator
	model     *model.Model               // the first of an ensemble
	window    int                        // lines translated before the first of them is written
	split     func(line string) []string // a line into sentences; nil for one sentence per line
	maxSource int                        // words of the longest sentence that is translated
	learned   int                        // words of the longest sentence that the model has learned from
}

func newTranslator(m *model.Model, o decode.Options) (*translator, error) {
	t, err := decode.New(m, o)
	if err != nil {
		return nil, err
	}
	const perThread = 256 // several batches: threads wait for each other at the end of a window
	return &translator{
		Translator: t, model: m, window: perThread * max(1, o.Threads),
		maxSource: maxSentence, learned: longestSource([]*model.Model{m}),
	}, nil
}

// sentences returns the sentences of a line. A line that cannot be used has one bad sentence.
func (t *translator) sentences(line inputLine) []sentence {
	if t.split == nil || line.bad != nil {
		return []sentence{t.sentence(line)}
	}
	var list []sentence
	for _, part := range t.split(line.text) {
		list = append(list, t.sentence(inputLine{text: part, number: line.number}))
	}
	return list
}

// A sentence is a line of input, or a part of one, as a model reads it.
type sentence struct {
	inputLine
	source []int32 // ids, EOS at the end; nil without words
}

// words returns the number of words of a sentence.
func (s sentence) words() int { return max(0, len(s.source)-1) }

// sentence returns the sentence of a line. It is a bad line if the sentence cannot be translated.
func (t *translator) sentence(line inputLine) sentence {
	s := sentence{inputLine: line}
	if s.bad != nil {
		return s
	}
	words := t.model.SourceText.Words(line.text)
	if len(words) == 0 {
		return s
	}
	if s.bad = checkMaxWords(words, t.maxSource); s.bad == nil {
		s.source = t.model.EncodeWords(words)
		s.bad = t.Check(s.source)
	}
	return s
}

// each calls f with the translations of list[i], in any order, unless that is a bad line. A sentence
// without words has one translation without words. If a sentence fails, each returns the number of
// sentences before the first that does and its error, which is not about that sentence alone; f may
// have been called for later ones, too.
func (t *translator) each(ctx context.Context, list []sentence, f func(i int, best []decode.Translation)) (n int, err error) {
	var sources []decode.Sentence
	var indices []int // of the sources in list
	for i, s := range list {
		switch {
		case s.bad != nil:
		case len(s.source) == 0:
			f(i, []decode.Translation{{}})
		default:
			sources, indices = append(sources, decode.Sentence{Source: s.source}), append(indices, i)
		}
	}
	n = len(list)
	t.Each(ctx, sources, func(i int, best []decode.Translation, failure error) {
		if failure == nil {
			f(indices[i], best)
		} else if indices[i] < n {
			n, err = indices[i], failure
		}
	})
	return n, err
}

// scorePairs calls f with the score of each pair, pairs[i], in any order, or with the reason why that
// pair is too long to score. If there is another error, scorePairs returns the index of its pair,
// and the error.
func (t *translator) scorePairs(ctx context.Context, pairs []text.Pair, f func(i int, r decode.Translation, bad error)) (failed int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.ScoreEach(ctx, text.Examples(pairs, t.model.Source, t.model.Target), func(i int, r decode.Translation, failure error) {
		switch {
		case failure == nil || errors.Is(failure, model.ErrCapacity):
			f(i, r, failure)
		case err == nil:
			failed, err = i, failure
			cancel()
		}
	})
	return failed, err
}
