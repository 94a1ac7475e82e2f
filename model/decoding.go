package model

import "fmt"

// A Decoding says which translations a search finds.
type Decoding struct {
	Beam int // hypotheses of a sentence that are kept; 1 is greedy search
}

// Check returns an error that wraps ErrConfig for settings that no search can have.
func (d Decoding) Check() error {
	if d.Beam < 1 {
		return fmt.Errorf("model: %w: beam of %d hypotheses, expected at least 1", ErrConfig, d.Beam)
	}
	return nil
}
