package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// stored is what JSON has of a pipeline.
type stored struct {
	Language  string   `json:"language,omitempty"`
	Lowercase bool     `json:"lowercase,omitempty"`
	Codes     *string  `json:"codes,omitempty"`   // a file of subword-nmt's learn-bpe
	Segments  []string `json:"segments,omitzero"` // of which an empty list is none that may stand
}

// MarshalJSON returns an object: "language" and "lowercase"; "codes", the text of a file of
// codes as subword-nmt has it; and "segments", a list. What does not apply is left out.
func (p Pipeline) MarshalJSON() ([]byte, error) {
	s := stored{Language: p.settings.Language, Lowercase: p.settings.Lowercase, Segments: p.settings.Segments}
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

// UnmarshalJSON sets p to the pipeline that [Pipeline.MarshalJSON] wrote. The error wraps
// [ErrSettings] and leaves p: also for null, and for an object with other keys.
func (p *Pipeline) UnmarshalJSON(data []byte) error {
	settings, err := parse(data)
	if err != nil {
		return fmt.Errorf("pipeline: %w: %w", ErrSettings, err)
	}
	read, err := New(settings)
	if err != nil {
		return err
	}
	*p = read
	return nil
}

// parse returns the settings of a JSON object.
func parse(data []byte) (Settings, error) {
	var s *stored
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Settings{}, err
	}
	if s == nil {
		return Settings{}, errors.New("null, expected an object")
	}
	settings := Settings{Language: s.Language, Lowercase: s.Lowercase, Segments: s.Segments}
	if s.Codes == nil {
		return settings, nil
	}
	var err error
	settings.Codes, err = bpe.ReadCodes(strings.NewReader(*s.Codes))
	return settings, err
}
