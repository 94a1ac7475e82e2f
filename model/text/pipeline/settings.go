package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// ErrSettings is the error for settings that no pipeline can have.
var ErrSettings = errors.New("impossible text settings")

// languages are those whose text can be tokenised. The last one has the rules that Moses
// applies to a language of which it knows nothing.
var languages = []string{"en", "fr", "de", "other"}

// Settings are what a [Pipeline] is made of.
type Settings struct {
	Language  string    // "en", "fr", "de" or "other"; empty if the text is tokenised already
	Lowercase bool      // lower-case the text
	Codes     bpe.Codes // merges of byte-pair encoding; nil if tokens are not segmented
	Segments  []string  // that may stand, beside characters; nil if all may
}

// New returns the pipeline of settings, which it copies. With Codes that are empty and not
// nil, the segments of a token are its characters. With Segments, a segment that is not among
// them is split as by [bpe.NewSegmenter].
//
// The error wraps [ErrSettings]: if the language is none of those, if there is something to
// lower-case but no language, or segments but no codes, if codes or segments are no UTF-8 or
// have white space, if a merge takes a symbol of several characters that no merge before it
// makes, and if a segment stands twice or does not come of the codes.
func New(s Settings) (Pipeline, error) {
	if err := s.check(); err != nil {
		return Pipeline{}, fmt.Errorf("pipeline: %w: %w", ErrSettings, err)
	}
	s.Codes, s.Segments = slices.Clone(s.Codes), slices.Clone(s.Segments)
	p := Pipeline{settings: s}
	if s.Codes != nil {
		p.segmenter = bpe.NewSegmenter(s.Codes, s.vocabulary(), 1)
	}
	return p, nil
}

// vocabulary returns the segments that may stand, nil if all may.
func (s Settings) vocabulary() bpe.Frequencies {
	if s.Segments == nil {
		return nil
	}
	vocabulary := make(bpe.Frequencies, len(s.Segments))
	vocabulary.Add(s.Segments)
	return vocabulary
}

// check returns an error for the first setting that is impossible.
func (s Settings) check() error {
	switch {
	case s.Language != "" && !slices.Contains(languages, s.Language):
		return fmt.Errorf("language %q, expected one of %q", s.Language, languages)
	case s.Language == "" && s.Lowercase:
		return errors.New("lower case without a language")
	case s.Codes == nil && s.Segments != nil:
		return errors.New("segments without codes")
	}
	known, err := symbolsOf(s.Codes)
	if err != nil {
		return err
	}
	return known.checkSegments(s.Segments)
}
