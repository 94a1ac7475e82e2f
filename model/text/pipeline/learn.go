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

// LearnOptions are the options of [Learn].
type LearnOptions struct {
	Merges    int              // maximum number of merges
	Threshold int              // minimum frequency of a segment; 0 to allow all segments
	Progress  func(merges int) // called after each merge with their number; may be nil
}

// Learn returns copies of source and target with codes of up to the given number of merges, learned
// from the tokens of both sides together; codes and segments that source and target had are
// replaced. If the threshold is above 0, the allowed segments of a language are those that occur at
// least that often when its side is segmented with all segments allowed. These are the steps of
// subword-nmt in
//
//	learn-joint-bpe-and-vocab --input SOURCE TARGET --symbols MERGES
//	apply-bpe --vocabulary VOCABULARY --vocabulary-threshold THRESHOLD
//
// with the exceptions listed in package bpe.
//
// The pairs hold tokens as returned by [Pipeline.Tokenize]. The error wraps [ErrSettings] if the
// number of merges is below 1, the threshold is below 0, or a token is empty, not UTF-8 or contains
// ASCII white space.
func Learn(source, target Pipeline, pairs []text.Pair, o LearnOptions) (Pipeline, Pipeline, error) {
	if o.Merges < 1 || o.Threshold < 0 {
		return Pipeline{}, Pipeline{}, fmt.Errorf("pipeline: %w: %d merges, threshold %d: expected at least 1 and 0",
			ErrSettings, o.Merges, o.Threshold)
	}
	tokens, err := countTokens(pairs)
	if err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	codes, err := tokens.learn(o)
	if err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	return tokens.with(source, target, codes, o.Threshold)
}

// WithCodes returns copies of source and target with codes that exist, and otherwise like those of
// [Learn]: the threshold selects the allowed segments of each side. The pairs are not used if the
// threshold is 0. The error wraps [ErrSettings] if the threshold is below 0, [New] rejects the codes
// or Learn would reject a token.
func WithCodes(source, target Pipeline, pairs []text.Pair, codes bpe.Codes, threshold int) (Pipeline, Pipeline, error) {
	if threshold < 0 {
		return Pipeline{}, Pipeline{}, fmt.Errorf("pipeline: %w: threshold %d, expected at least 0", ErrSettings, threshold)
	}
	if threshold == 0 {
		pairs = nil
	}
	tokens, err := countTokens(pairs)
	if err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	if codes == nil {
		codes = bpe.Codes{} // New would leave the tokens whole
	}
	return tokens.with(source, target, codes, threshold)
}

// sides are the frequencies of the tokens of two languages.
type sides struct{ source, target bpe.Frequencies }

// countTokens returns an error if a token is not part of any text.
func countTokens(pairs []text.Pair) (sides, error) {
	s := sides{make(bpe.Frequencies), make(bpe.Frequencies)}
	for _, pair := range pairs {
		s.source.Add(pair.Source)
		s.target.Add(pair.Target)
	}
	for _, side := range []bpe.Frequencies{s.source, s.target} {
		for _, token := range slices.Sorted(maps.Keys(side)) {
			if err := checkText(token); err != nil {
				return s, fmt.Errorf("pipeline: %w: token %w", ErrSettings, err)
			}
		}
	}
	return s, nil
}

// learn returns joint codes. They are empty, not nil, if no pair of symbols is frequent enough.
func (s sides) learn(o LearnOptions) (bpe.Codes, error) {
	both := maps.Clone(s.source)
	for token, n := range s.target {
		both[token] += n
	}
	merges, err := bpe.Merges(both, minFrequency)
	if err != nil {
		return nil, err
	}
	codes := bpe.Codes{}
	for m := range merges {
		codes = append(codes, m)
		if o.Progress != nil {
			o.Progress(len(codes))
		}
		if len(codes) == o.Merges {
			break
		}
	}
	return codes, nil
}

// with returns both pipelines with codes and, if threshold is above 0, with the frequent segments
// of their tokens.
func (s sides) with(source, target Pipeline, codes bpe.Codes, threshold int) (_, _ Pipeline, err error) {
	if source, err = source.with(codes, s.source, threshold); err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	if target, err = target.with(codes, s.target, threshold); err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	return source, target, nil
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
