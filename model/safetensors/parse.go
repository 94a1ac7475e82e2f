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

// A layout is what a header says.
type layout struct {
	metadata  map[string]string
	entries   []entry // in file order, without holes
	digestEnd int     // index in the header of the quote after the checksum
}

// An entry is what a header says about one tensor.
type entry struct {
	name       string
	shape      []int
	count      int // product of shape
	begin, end int64
}

// parseHeader returns what header says. Its errors wrap ErrFormat.
func parseHeader(header []byte) (*layout, error) {
	if !utf8.Valid(header) || !json.Valid(header) {
		return nil, fmt.Errorf("%w: header is not JSON in UTF-8", ErrFormat)
	}
	dec := json.NewDecoder(bytes.NewReader(header))
	dec.UseNumber()
	l := &layout{metadata: map[string]string{}}
	if err := parseTop(&walker{dec}, l); err != nil {
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

// parseTop reads the header object into l.
func parseTop(w *walker, l *layout) error {
	return w.object(func(name string) error {
		if name == metadataName {
			if err := parseMetadata(w, l); err != nil {
				return fmt.Errorf("metadata: %w", err)
			}
			return nil
		}
		if err := checkName(name); err != nil {
			return err
		}
		e, err := parseEntry(w)
		if err != nil {
			return fmt.Errorf("tensor %.80q: %w", name, err)
		}
		e.name = name
		l.entries = append(l.entries, e)
		return nil
	})
}

// parseMetadata reads the metadata object into l.
func parseMetadata(w *walker, l *layout) error {
	return w.object(func(key string) error {
		value, err := w.text()
		if err != nil {
			return fmt.Errorf("%.80q: %w", key, err)
		}
		l.metadata[key] = value
		if key == digestKey {
			l.digestEnd = int(w.dec.InputOffset()) - 1
		}
		return nil
	})
}

// parseEntry reads the object of one tensor.
func parseEntry(w *walker) (entry, error) {
	var kind string
	var shape, offsets []uint64
	err := w.object(func(key string) (err error) {
		switch key {
		case "dtype":
			kind, err = w.text()
		case "shape":
			shape, err = w.integers(strconv.IntSize - 1)
		case "data_offsets":
			offsets, err = w.integers(63)
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
	if kind != dtype {
		return entry{}, fmt.Errorf("dtype %.80q, want %q", kind, dtype)
	}
	return newEntry(shape, offsets)
}

// newEntry returns the entry of a tensor that has shape and offsets.
func newEntry(shape, offsets []uint64) (entry, error) {
	if shape == nil {
		return entry{}, errors.New("no shape")
	}
	if len(offsets) != 2 {
		return entry{}, fmt.Errorf("%d data_offsets, want 2", len(offsets))
	}
	e := entry{
		shape: make([]int, len(shape)),
		begin: int64(offsets[0]),
		end:   int64(offsets[1]),
	}
	for i, d := range shape {
		e.shape[i] = int(d)
	}
	count, ok := elements(e.shape)
	if !ok {
		return entry{}, errors.New("shape is too large")
	}
	e.count = count
	if size := valueSize * int64(count); e.begin > e.end || e.end-e.begin != size {
		return entry{}, fmt.Errorf("data_offsets %d to %d, shape wants %d bytes", e.begin, e.end, size)
	}
	return e, nil
}

// checkOffsets reports holes and overlaps between entries in file order.
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
