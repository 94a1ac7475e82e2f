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

// A layout is the content of a header.
type layout struct {
	metadata  map[string]string
	entries   []entry // in file order, contiguous
	digestEnd int     // index in the header of the closing quote of the checksum
}

// An entry describes one tensor.
type entry struct {
	name       string
	dtype      string
	shape      []int
	count      int   // product of shape
	begin, end int64 // bytes after the header
}

// parseHeader returns the content of header. Its errors wrap ErrFormat.
func parseHeader(header []byte) (*layout, error) {
	if !utf8.Valid(header) || !json.Valid(header) {
		return nil, fmt.Errorf("%w: header is not JSON in UTF-8", ErrFormat)
	}
	dec := json.NewDecoder(bytes.NewReader(header))
	dec.UseNumber()
	l := &layout{metadata: map[string]string{}}
	if err := parseTop(&jsonReader{dec}, l); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	if err := checkOffsets(l.entries); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	return l, nil
}

func parseTop(r *jsonReader, l *layout) error {
	return r.object(func(name string) error {
		if name == metadataName {
			if err := parseMetadata(r, l); err != nil {
				return fmt.Errorf("metadata: %w", err)
			}
			return nil
		}
		if err := checkName(name); err != nil {
			return err
		}
		e, err := parseEntry(r)
		if err != nil {
			return fmt.Errorf("tensor %.80q: %w", name, err)
		}
		e.name = name
		l.entries = append(l.entries, e)
		return nil
	})
}

func parseMetadata(r *jsonReader, l *layout) error {
	return r.object(func(key string) error {
		value, err := r.text()
		if err != nil {
			return fmt.Errorf("%.80q: %w", key, err)
		}
		l.metadata[key] = value
		if key == digestKey {
			l.digestEnd = int(r.dec.InputOffset()) - 1
		}
		return nil
	})
}

// parseEntry reads the object of one tensor.
func parseEntry(r *jsonReader) (entry, error) {
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
		return entry{}, err
	}
	return newEntry(dtype, shape, offsets)
}

// newEntry checks dtype, shape and offsets and returns their entry.
func newEntry(dtype string, shape, offsets []uint64) (entry, error) {
	valueSize := sizeOf(dtype)
	if valueSize == 0 {
		return entry{}, fmt.Errorf("dtype %.80q, want %q or %q", dtype, float32Type, int8Type)
	}
	if shape == nil {
		return entry{}, errors.New("no shape")
	}
	if len(offsets) != 2 {
		return entry{}, fmt.Errorf("%d data_offsets, want 2", len(offsets))
	}
	e := entry{
		dtype: dtype,
		shape: make([]int, len(shape)),
		begin: int64(offsets[0]),
		end:   int64(offsets[1]),
	}
	for i, d := range shape {
		e.shape[i] = int(d)
	}
	count, ok := elements(e.shape, valueSize)
	if !ok {
		return entry{}, errors.New("shape is too large")
	}
	e.count = count
	if size := int64(valueSize) * int64(count); e.begin > e.end || e.end-e.begin != size {
		return entry{}, fmt.Errorf("data_offsets %d to %d, shape needs %d bytes", e.begin, e.end, size)
	}
	return e, nil
}

// checkOffsets returns an error for a gap or an overlap between entries in file
// order.
func checkOffsets(entries []entry) error {
	end := int64(0)
	for _, e := range entries {
		if e.begin != end {
			return fmt.Errorf("tensor %.80q: data begins at %d, want %d", e.name, e.begin, end)
		}
		end = e.end
	}
	return nil
}

// A jsonReader reads valid JSON token by token. Its methods return an error if the
// next value is not of the requested type.
type jsonReader struct {
	dec *json.Decoder // with UseNumber
}

// object reads an object. It calls member after each key, and member must read the
// value. A repeated key is an error.
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
		if seen[key] {
			return fmt.Errorf("key %.80q occurs twice", key)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	return r.delim('}')
}

// integers reads an array of integers from 0 to 1<<bits - 1. The result is never nil.
func (r *jsonReader) integers(bits int) ([]uint64, error) {
	if err := r.delim('['); err != nil {
		return nil, err
	}
	values := []uint64{}
	for r.dec.More() {
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
