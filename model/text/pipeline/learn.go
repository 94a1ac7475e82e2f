package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// minFrequency is the default of subword-nmt: a pair of symbols that occurs once is not merged.
const minFrequency = 2

// Learn returns copies of source and target with codes of up to the given number of merges, learned
// from the tokens of both sides together; codes and segments that source and target had are
// replaced. If threshold is above 0, the allowed segments of a language are those that occur at
// least that often when its side is segmented with all segments allowed. These are the steps of
// subword-nmt in
//
//	learn-joint-bpe-and-vocab --input SOURCE TARGET --symbols MERGES
//	apply-bpe --vocabulary VOCABULARY --vocabulary-threshold THRESHOLD
//
// with the exceptions listed in package bpe.
//
// The pairs hold tokens as returned by [Pipeline.Tokenize]. The error wraps [ErrSettings] if merges
// is below 1, threshold is below 0, or a token is empty, not UTF-8 or contains ASCII white space.
func Learn(source, target Pipeline, pairs []text.Pair, merges, threshold int) (Pipeline, Pipeline, error) {
	fail := func(err error) (Pipeline, Pipeline, error) { return Pipeline{}, Pipeline{}, err }
	if merges < 1 || threshold < 0 {
		return fail(fmt.Errorf("pipeline: %w: %d merges, threshold %d: expected at least 1 and 0",
			ErrSettings, merges, threshold))
	}
	sourceTokens, targetTokens := make(bpe.Frequencies), make(bpe.Frequencies)
	for _, pair := range pairs {
		sourceTokens.Add(pair.Source)
		targetTokens.Add(pair.Target)
	}
	codes, err := learnCodes(sourceTokens, targetTokens, merges)
	if err != nil {
		return fail(err)
	}
	if source, err = source.with(codes, sourceTokens, threshold); err != nil {
		return fail(err)
	}
	if target, err = target.with(codes, targetTokens, threshold); err != nil {
		return fail(err)
	}
	return source, target, nil
}

// learnCodes returns joint codes of two languages. They are empty, not nil, if no pair of symbols is
// frequent enough.
func learnCodes(source, target bpe.Frequencies, merges int) (bpe.Codes, error) {
	both := maps.Clone(source)
	for token, n := range target {
		both[token] += n
	}
	for token := range both {
		if err := checkText(token); err != nil {
			return nil, fmt.Errorf("pipeline: %w: token %w", ErrSettings, err)
		}
	}
	codes, err := bpe.Learn(both, merges, minFrequency)
	if codes == nil {
		codes = bpe.Codes{}
	}
	return codes, err
}

// with returns p with codes and, if threshold is above 0, with the frequent segments of tokens.
func (p Pipeline) with(codes bpe.Codes, tokens bpe.Frequencies, threshold int) (Pipeline, error) {
	s := p.settings
	s.Codes, s.Segments = codes, nil
	all, err := New(s)
	if err != nil || threshold == 0 {
		return all, err
	}
	s.Segments = all.frequent(tokens, threshold)
	return New(s)
}

// frequent returns the segments that occur at least threshold times in tokens, in byte order.
func (p Pipeline) frequent(tokens bpe.Frequencies, threshold int) []string {
	counts := make(bpe.Frequencies)
	var segments []string
	for token, n := range tokens {
		segments = p.segmenter.Segment(segments[:0], token)
		for _, segment := range segments {
			counts[segment] += n
		}
	}
	list := []string{}
	for segment, n := range counts {
		if n >= threshold {
			list = append(list, segment)
		}
	}
	slices.Sort(list)
	return list
}
