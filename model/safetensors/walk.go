package safetensors

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// A walker reads JSON that is known to be valid, token by token, and reports
// values of another type than the one asked for.
type walker struct {
	dec *json.Decoder // with UseNumber
}

// object reads an object. It calls member after each key, which must read the
// value. A repeated key is an error.
func (w *walker) object(member func(key string) error) error {
	if err := w.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for w.dec.More() {
		key, err := w.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("key %.80q occurs twice", key)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	return w.delim('}')
}

// integers reads an array of integers from 0 to 1<<bits - 1. The result is not
// nil.
func (w *walker) integers(bits int) ([]uint64, error) {
	if err := w.delim('['); err != nil {
		return nil, err
	}
	values := []uint64{}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return nil, err
		}
		number, ok := token.(json.Number)
		if !ok {
			return nil, fmt.Errorf("found %.80q, want an integer", fmt.Sprint(token))
		}
		v, err := strconv.ParseUint(number.String(), 10, bits)
		if err != nil {
			return nil, fmt.Errorf("number %.80s, want an integer from 0 to 1<<%d - 1", number, bits)
		}
		values = append(values, v)
	}
	return values, w.delim(']')
}

// text reads a string.
func (w *walker) text() (string, error) {
	token, err := w.dec.Token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("found %.80q, want a string", fmt.Sprint(token))
	}
	return s, nil
}

// delim reads the delimiter want.
func (w *walker) delim(want json.Delim) error {
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("found %.80q, want %q", fmt.Sprint(token), want.String())
	}
	return nil
}
