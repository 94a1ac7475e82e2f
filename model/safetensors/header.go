package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// An Entry describes a tensor of a file.
type Entry struct {
	Name  string
	DType string // F32, BF16, I64 and so on
	Shape []int  // empty for a scalar

	count      int64 // product of Shape
	begin, end int64 // bytes after the header
}

// parseHeader sets what header says. Its errors wrap ErrFormat.
func (r *Reader) parseHeader(header []byte) error {
	if !utf8.Valid(header) || !json.Valid(header) {
		return fmt.Errorf("%w: header is not JSON in UTF-8", ErrFormat)
	}
	dec := json.NewDecoder(bytes.NewReader(header))
	dec.UseNumber()
	r.header, r.Metadata = header, map[string]string{}
	if err := r.parseTop(&jsonReader{dec}); err != nil {
		return fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	slices.SortStableFunc(r.Tensors, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	if err := checkOverlap(r.Tensors); err != nil {
		return fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	return nil
}

func (r *Reader) parseTop(json *jsonReader) error {
	return json.object(func(name string) error {
		if name == metadataName {
			if err := r.parseMetadata(json); err != nil {
				return fmt.Errorf("metadata: %w", err)
			}
			return nil
		}
		e, err := parseEntry(json)
		if err != nil {
			return fmt.Errorf("tensor %.80q: %w", name, err)
		}
		e.Name = name
		r.Tensors = append(r.Tensors, e)
		return nil
	})
}

func (r *Reader) parseMetadata(json *jsonReader) error {
	return json.object(func(key string) error {
		value, err := json.text()
		if err != nil {
			return fmt.Errorf("%.80q: %w", key, err)
		}
		r.Metadata[key] = value
		if key == digestKey {
			r.digestEnd = int(json.dec.InputOffset()) - 1
		}
		return nil
	})
}

// parseEntry reads the object of one tensor.
func parseEntry(r *jsonReader) (Entry, error) {
	var dtype string
	var shape, offsets []uint64
	err := r.object(func(key string) (err error) {
		switch key {
		case "dtype":
			dtype, err = r.text()
		case "shape":
			shape, err = r.integers(strconv.IntSize - 1)
		case "data_offsets":
			offsets, err = r.integers(63)
		default:
			return fmt.Errorf("unknown key %.80q", key)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
	if err != nil {
		return Entry{}, err
	}
	return newEntry(dtype, shape, offsets)
}

// newEntry checks dtype, shape and offsets and returns their entry.
func newEntry(dtype string, shape, offsets []uint64) (Entry, error) {
	bits, _ := typeOf(dtype)
	if bits == 0 {
		return Entry{}, fmt.Errorf("unknown dtype %.80q", dtype)
	}
	if shape == nil {
		return Entry{}, errors.New("no shape")
	}
	if len(offsets) != 2 {
		return Entry{}, fmt.Errorf("%d data_offsets, want 2", len(offsets))
	}
	e := Entry{DType: dtype, Shape: make([]int, len(shape)), begin: int64(offsets[0]), end: int64(offsets[1])}
	for i, d := range shape {
		e.Shape[i] = int(d)
	}
	count, size, ok := sizes(e.Shape, bits)
	if !ok {
		return Entry{}, errors.New("shape is too large, or ends within a byte")
	}
	e.count = count
	if e.begin > e.end || e.end-e.begin != size {
		return Entry{}, fmt.Errorf("data_offsets %d to %d, shape needs %d bytes", e.begin, e.end, size)
	}
	return e, nil
}

// checkOverlap returns an error if two entries, which are sorted, have bytes in common.
func checkOverlap(entries []Entry) error {
	end := int64(0)
	for _, e := range entries {
		if e.begin < end && e.begin < e.end {
			return fmt.Errorf("tensor %.80q: data begins at %d, want at least %d", e.Name, e.begin, end)
		}
		end = max(end, e.end)
	}
	return nil
}

// A jsonReader reads valid JSON token by token. Its methods return an error if the
// next value is not of the requested type.
type jsonReader struct {
	dec *json.Decoder // with UseNumber
}

// object reads an object. It calls member after each key, and member must read the
// value. A repeated key is an error, and so are more than maxNames.
func (r *jsonReader) object(member func(key string) error) error {
	if err := r.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.dec.More() {
		key, err := r.text()
		if err != nil {
			return err
		}
		switch {
		case seen[key]:
			return fmt.Errorf("key %.80q occurs twice", key)
		case len(seen) == maxNames:
			return fmt.Errorf("more than %d keys", maxNames)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	return r.delim('}')
}

// integers reads an array of up to maxDimensions integers from 0 to 1<<bits - 1. The result is never nil.
func (r *jsonReader) integers(bits int) ([]uint64, error) {
	if err := r.delim('['); err != nil {
		return nil, err
	}
	values := []uint64{}
	for r.dec.More() {
		if len(values) == maxDimensions {
			return nil, fmt.Errorf("more than %d numbers", maxDimensions)
		}
		token, err := r.dec.Token()
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
	return values, r.delim(']')
}

func (r *jsonReader) text() (string, error) {
	token, err := r.dec.Token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("found %.80q, want a string", fmt.Sprint(token))
	}
	return s, nil
}

func (r *jsonReader) delim(want json.Delim) error {
	token, err := r.dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("found %.80q, want %q", fmt.Sprint(token), want.String())
	}
	return nil
}
