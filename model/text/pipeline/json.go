package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// encoded is the JSON form of a pipeline.
type encoded struct {
	Language  string   `json:"language,omitempty"`
	Lowercase bool     `json:"lowercase,omitempty"`
	Rules     Rules    `json:"rules,omitempty"`
	Protected []string `json:"protected,omitempty"`
	Codes     *string  `json:"codes,omitempty"`   // the text of a file of subword-nmt's learn-bpe
	Segments  []string `json:"segments,omitzero"` // empty and nil differ, see Settings
}

// MarshalJSON returns an object with the keys "language", "lowercase", "rules", "protected", "codes"
// and "segments". The codes are the text of a file of subword-nmt, the protected patterns and the
// segments lists. Zero settings are left out.
func (p Pipeline) MarshalJSON() ([]byte, error) {
	s := encoded{
		Language:  p.settings.Language,
		Lowercase: p.settings.Lowercase,
		Rules:     p.settings.Rules,
		Protected: p.settings.Protected,
		Segments:  p.settings.Segments,
	}
	if p.segmenter != nil {
		var file strings.Builder
		if _, err := p.settings.Codes.WriteTo(&file); err != nil {
			return nil, err
		}
		codes := file.String()
		s.Codes = &codes
	}
	return json.Marshal(s)
}

// UnmarshalJSON sets p to the pipeline that [Pipeline.MarshalJSON] wrote. Null and unknown keys are
// errors. An error wraps [ErrSettings] and leaves p unchanged.
func (p *Pipeline) UnmarshalJSON(data []byte) error {
	settings, err := parse(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	read, err := New(settings)
	if err != nil {
		return err
	}
	*p = read
	return nil
}

func parse(data []byte) (Settings, error) {
	var s *encoded
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Settings{}, err
	}
	if s == nil {
		return Settings{}, errors.New("null, expected an object")
	}
	settings := Settings{
		Language:  s.Language,
		Lowercase: s.Lowercase,
		Rules:     s.Rules,
		Protected: s.Protected,
		Segments:  s.Segments,
	}
	if s.Codes == nil {
		return settings, nil
	}
	var err error
	settings.Codes, err = bpe.ReadCodes(strings.NewReader(*s.Codes))
	return settings, err
}
