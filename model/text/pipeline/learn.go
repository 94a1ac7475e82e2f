package pipeline

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// minFrequency is the default of subword-nmt: a pair of symbols that occurs once is not merged.
const minFrequency = 2

// Merges yields merges of byte-pair encoding, learned from the tokens of both sides together, for one
// loop. They end when no pair of symbols is frequent enough. The error wraps [ErrSettings] if a token is
// empty, not UTF-8 or contains ASCII white space.
func Merges(source, target bpe.Frequencies) (iter.Seq[bpe.Merge], error) {
	if err := checkTokens(source, target); err != nil {
		return nil, err
	}
	both := make(bpe.Frequencies, len(source))
	maps.Copy(both, source)
	for token, n := range target {
		both[token] += n
	}
	return bpe.Merges(uncasedCounts(both), minFrequency)
}

// WithCounts returns copies of source and target with these codes instead of their own codes and
// segments, for text whose tokens have these frequencies on each side. If the threshold is above 0, the
// allowed segments of a language are those that occur at least that often when its side is segmented
// with all segments allowed. With the first MERGES of [Merges], these are the steps of subword-nmt in
//
//	learn-joint-bpe-and-vocab --input SOURCE TARGET --symbols MERGES
//	apply-bpe --vocabulary VOCABULARY --vocabulary-threshold THRESHOLD
//
// with the exceptions listed in package bpe. The error wraps [ErrSettings] if the threshold is below 0,
// [New] rejects the codes or [Merges] would reject a token.
func WithCounts(source, target Pipeline, codes bpe.Codes, sourceTokens, targetTokens bpe.Frequencies, threshold int) (_, _ Pipeline, err error) {
	if threshold < 0 {
		return Pipeline{}, Pipeline{}, fmt.Errorf("%w: threshold %d, expected at least 0", ErrSettings, threshold)
	}
	if err := checkTokens(sourceTokens, targetTokens); err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	if source, err = source.with(codes, sourceTokens, threshold); err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	if target, err = target.with(codes, targetTokens, threshold); err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	return source, target, nil
}

// checkTokens returns an error if a token is not part of any text: for the first one in byte order.
func checkTokens(sides ...bpe.Frequencies) error {
	for _, side := range sides {
		first, bad := "", error(nil)
		for token := range side {
			if bad != nil && token >= first {
				continue
			}
			if err := checkText(token); err != nil {
				first, bad = token, err
			}
		}
		if bad != nil {
			return fmt.Errorf("%w: token %w", ErrSettings, bad)
		}
	}
	return nil
}

// with returns p with codes, the words of tokens that are known and, if threshold is above 0, with the frequent segments of tokens.
func (p Pipeline) with(codes bpe.Codes, tokens bpe.Frequencies, threshold int) (Pipeline, error) {
	s := p.settings
	s.Codes, s.Segments, s.Known = codes, nil, nil
	if s.Rules == Reversible {
		s.Known, tokens = known(s.Language, tokens), uncasedCounts(tokens)
	}
	all, err := New(s)
	if err != nil || threshold == 0 || codes == nil {
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
