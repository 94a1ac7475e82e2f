package trainlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// An Error is a line of a log that is not a valid record.
type Error struct {
	Name string // of the log
	Line int    // from 1
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// ReadFile reads the log in a file.
func ReadFile(path string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f)
}

// Read reads a log in JSON and skips blank lines. A progress record has an update and a loss, and a
// validation record also has a validation loss and BLEU; other events and fields may be missing or
// unknown. The error is an *[Error] for an invalid line, and names the log if reading fails.
func Read(name string, r io.Reader) ([]Record, error) {
	var list []Record
	in := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			r, err := parse(line)
			if err != nil {
				return nil, &Error{name, number, err}
			}
			list = append(list, r)
		}
		if err == io.EOF {
			return list, nil
		}
	}
}

func parse(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, jsonError(err)
	}
	return r, r.check()
}

// jsonError returns an error of package json without the names of Go types.
func jsonError(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return fmt.Errorf("%w, expected a JSON object", err)
	case e.Field == "":
		return fmt.Errorf("JSON %s, expected a JSON object", e.Value)
	}
	return fmt.Errorf("%s: JSON %s, expected %s", e.Field, e.Value, e.Type)
}

// Upper bounds of measurements.
const (
	maxLoss = 1_000_000
	maxBLEU = 100
)

// check returns an error for an event whose measurements are missing or out of bounds.
func (r Record) check() error {
	switch {
	case r.Event == EventProgress && (r.Update < 1 || !within(r.Loss, maxLoss)):
		return fmt.Errorf("progress record: expected update, at least 1, and loss, 0 to %d", maxLoss)
	case r.Event == EventValidation && (r.Update < 1 || !within(r.Loss, maxLoss) || !within(r.ValidationLoss, maxLoss) || !within(r.BLEU, maxBLEU)):
		return fmt.Errorf("validation record: expected update, at least 1, loss and validation_loss, 0 to %d, and bleu, 0 to %d", maxLoss, maxBLEU)
	}
	return nil
}

// within reports whether a measurement is present and from 0 to limit.
func within(value *float64, limit float64) bool {
	return value != nil && *value >= 0 && *value <= limit
}
