package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// ErrSettings: no pipeline can have the settings.
var ErrSettings = errors.New("invalid text settings")

// languages can be tokenized. The last one gets the rules of Moses for unknown languages.
var languages = []string{"en", "fr", "de", "other"}

// Suffixes of package bpe.
const (
	endOfWord = "</w>" // of the last symbol of a word in the codes
	separator = "@@"   // of every segment of a word but the last
)

// Settings define a [Pipeline].
type Settings struct {
	Language  string    `json:"language,omitempty"`  // "en", "fr", "de" or "other"; empty if the text is tokenized already
	Lowercase bool      `json:"lowercase,omitempty"` // lowercase the text; needs a language
	Rules     Rules     `json:"rules,omitempty"`     // how to tokenize and detokenize; needs a language
	Known     []string  `json:"known,omitzero"`      // words that are no names, nil if no word is one
	Codes     bpe.Codes `json:"codes,omitzero"`      // merges of byte-pair encoding; nil to leave tokens whole
	Segments  []string  `json:"segments,omitzero"`   // allowed segments, besides characters; nil to allow all
}

// Rules say how a pipeline with a language tokenizes and detokenizes.
type Rules string

const (
	// Moses are the rules of the Moses scripts: punctuation is normalized, and the tokens are those
	// of lowercase.perl, normalize-punctuation.perl and tokenizer.perl without escapes.
	Moses Rules = ""
	// Reversible rules bring back the line that words were made of, and keep its spans, see the package.
	Reversible Rules = "reversible"
)

// Defaults returns the settings of a new model for text in a language: the Reversible rules. For the empty language
// these are the zero Settings.
func Defaults(language string) Settings {
	if language == "" {
		return Settings{}
	}
	return Settings{Language: language, Rules: Reversible}
}

// New returns the pipeline with these settings, which it copies. If Codes is empty but not nil,
// tokens are split into characters. If Segments is not nil, all other segments are split as by
// [bpe.NewSegmenter].
//
// New returns an error that wraps [ErrSettings] if
//
//   - the language is unknown,
//   - the rules are unknown,
//   - Lowercase, Rules or Known are set without a language, Lowercase with Reversible rules, Known without, or Segments
//     without Codes,
//   - a symbol or segment is empty, not UTF-8 or contains ASCII white space,
//   - a merge has a symbol of several characters that no earlier merge produces, or produces one
//     longer than [bpe.MaxSymbol],
//   - a segment is repeated, or the codes cannot produce it.
func New(s Settings) (Pipeline, error) {
	if err := s.check(); err != nil {
		return Pipeline{}, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	s = s.clone()
	p := Pipeline{settings: s}
	if s.Known != nil {
		p.known = make(map[string]bool, len(s.Known))
		for _, word := range s.Known {
			p.known[word] = true
		}
	}
	if s.Codes != nil {
		var allowed bpe.Frequencies // nil: all
		if s.Segments != nil {
			allowed = make(bpe.Frequencies, len(s.Segments))
			allowed.Add(s.Segments)
		}
		p.segmenter = bpe.NewSegmenter(s.Codes, allowed, 1)
	}
	return p, nil
}

func (s Settings) clone() Settings {
	s.Known, s.Codes, s.Segments = slices.Clone(s.Known), slices.Clone(s.Codes), slices.Clone(s.Segments)
	return s
}

// MarshalJSON returns the settings of p as an object, with the codes as the text of a file of subword-nmt. Zero settings are
// left out.
func (p Pipeline) MarshalJSON() ([]byte, error) { return json.Marshal(p.settings) }

// UnmarshalJSON sets p to the pipeline that [Pipeline.MarshalJSON] wrote. Null and unknown keys are
// errors. An error wraps [ErrSettings] and leaves p unchanged.
func (p *Pipeline) UnmarshalJSON(data []byte) error {
	var s *Settings
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(&s)
	if err == nil && s == nil {
		err = errors.New("null, expected an object")
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	read, err := New(*s)
	if err != nil {
		return err
	}
	*p = read
	return nil
}

// check returns an error for the first setting that is impossible.
func (s Settings) check() error {
	switch {
	case s.Language != "" && !slices.Contains(languages, s.Language):
		return fmt.Errorf("language %q, expected one of %q", s.Language, languages)
	case s.Language == "" && s.Lowercase:
		return errors.New("lower case without a language")
	case s.Rules != Moses && s.Rules != Reversible:
		return fmt.Errorf("rules %q, expected %q or %q", s.Rules, Moses, Reversible)
	case s.Language == "" && s.Rules != Moses:
		return fmt.Errorf("rules %q without a language", s.Rules)
	case s.Rules == Reversible && s.Lowercase:
		return errors.New("lower case with reversible rules, which read case beside words")
	case s.Rules != Reversible && s.Known != nil:
		return errors.New("known words without reversible rules")
	case s.Codes == nil && s.Segments != nil:
		return errors.New("segments without codes")
	}
	produced, err := symbolsOf(s.Codes)
	if err != nil {
		return err
	}
	return produced.checkSegments(s.Segments)
}

// symbols is the set of symbols that merges produce.
type symbols map[string]bool

// symbolsOf returns the symbols that codes produce, or an error for the first impossible merge.
func symbolsOf(codes bpe.Codes) (symbols, error) {
	produced := make(symbols, len(codes))
	for i, m := range codes {
		for _, symbol := range []string{m.Left, m.Right} {
			if err := checkText(symbol); err != nil {
				return nil, fmt.Errorf("merge %d: symbol %w", i, err)
			}
			if !produced.has(symbol) {
				return nil, fmt.Errorf("merge %d: symbol %.80q, expected a character or the result of an earlier merge", i, symbol)
			}
		}
		symbol := m.Left + m.Right
		if n := len(strings.TrimSuffix(symbol, endOfWord)); n > bpe.MaxSymbol {
			return nil, fmt.Errorf("merge %d: symbol %.80q of %d bytes, expected at most %d", i, symbol, n, bpe.MaxSymbol)
		}
		produced[symbol] = true
	}
	return produced, nil
}

// has reports whether symbol is the result of a merge or a single character, with or without
// "</w>".
func (s symbols) has(symbol string) bool {
	return utf8.RuneCountInString(strings.TrimSuffix(symbol, endOfWord)) == 1 ||
		s[symbol] || utf8.RuneCountInString(symbol) == 1
}

// checkSegments returns an error for the first segment that is repeated or is not a symbol inside
// or at the end of a word.
func (s symbols) checkSegments(segments []string) error {
	seen := make(map[string]bool, len(segments))
	for i, segment := range segments {
		if err := checkText(segment); err != nil {
			return fmt.Errorf("segment %d: %w", i, err)
		}
		symbol, inner := strings.CutSuffix(segment, separator)
		switch {
		case seen[segment]:
			return fmt.Errorf("segment %d: %.80q occurs twice", i, segment)
		case !(inner && s.has(symbol)) && !s.has(segment+endOfWord):
			return fmt.Errorf("segment %d: %.80q, expected one that the codes produce", i, segment)
		}
		seen[segment] = true
	}
	return nil
}

// checkText returns an error unless s can be part of a word.
func checkText(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%q: expected characters", s)
	case !utf8.ValidString(s):
		return fmt.Errorf("%.80q: expected UTF-8", s)
	case strings.ContainsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsSpace(r) }):
		return fmt.Errorf("%.80q: expected no white space", s)
	}
	return nil
}

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
