package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MarshalJSON returns an object with the keys "language", "lowercase", "rules", "known", "codes" and
// "segments". The codes are the text of a file of subword-nmt, the known words and the segments lists. Zero settings are left out.
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
