package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// Write writes f to w, with the checksum added to the metadata. Equal files give
// equal bytes: the tensors keep their order, the metadata keys are sorted.
//
// Write checks f before the first byte. It returns an error for a name that is
// empty, "__metadata__", repeated or not UTF-8, for a shape that does not fit
// the data, for the metadata key "sha256", for metadata that is not UTF-8, for a
// header beyond the limit, and one that wraps [ErrNotFinite] for a value that is
// not finite. An error of w is wrapped.
func Write(w io.Writer, f *File) error {
	if err := checkMetadata(f.Metadata); err != nil {
		return err
	}
	if err := checkTensors(f.Tensors); err != nil {
		return err
	}
	digest, err := digestOf(f)
	if err != nil {
		return err
	}
	if err := encode(w, f, digest); err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	return nil
}

// digestOf returns the checksum that belongs into the file of f.
func digestOf(f *File) (string, error) {
	h := sha256.New()
	if err := encode(h, f, zeroDigest); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// encode writes the file of f with digest as its checksum.
func encode(w io.Writer, f *File, digest string) error {
	header, err := appendHeader(nil, f, digest)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	chunk := make([]byte, 0, chunkSize)
	for i := range f.Tensors {
		if err := writeValues(w, f.Tensors[i].Data, chunk); err != nil {
			return err
		}
	}
	return nil
}

// writeValues writes data in pieces of at most the capacity of chunk.
func writeValues(w io.Writer, data []float32, chunk []byte) error {
	for len(data) > 0 {
		n := min(len(data), cap(chunk)/valueSize)
		chunk = chunk[:0]
		for _, v := range data[:n] {
			chunk = binary.LittleEndian.AppendUint32(chunk, math.Float32bits(v))
		}
		if _, err := w.Write(chunk); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// checkMetadata reports metadata that a file cannot hold.
func checkMetadata(metadata map[string]string) error {
	if _, ok := metadata[digestKey]; ok {
		return fmt.Errorf("safetensors: metadata key %q is reserved for the checksum", digestKey)
	}
	for key, value := range metadata {
		if !utf8.ValidString(key) {
			return fmt.Errorf("safetensors: metadata key %q is not UTF-8", key)
		}
		if !utf8.ValidString(value) {
			return fmt.Errorf("safetensors: metadata %q: value is not UTF-8", key)
		}
	}
	return nil
}

// checkTensors reports tensors that a file cannot hold.
func checkTensors(tensors []Tensor) error {
	seen := make(map[string]bool, len(tensors))
	for i := range tensors {
		t := &tensors[i]
		if err := checkName(t.Name); err != nil {
			return fmt.Errorf("safetensors: tensor number %d: %w", i, err)
		}
		if seen[t.Name] {
			return fmt.Errorf("safetensors: tensor %q occurs twice", t.Name)
		}
		seen[t.Name] = true
		n, ok := elements(t.Shape)
		if !ok {
			return fmt.Errorf("safetensors: tensor %q: shape %v is negative or too large", t.Name, t.Shape)
		}
		if n != len(t.Data) {
			return fmt.Errorf("safetensors: tensor %q: %d values, shape %v wants %d", t.Name, len(t.Data), t.Shape, n)
		}
	}
	return checkFinite(tensors)
}

// checkName reports a name that no tensor can have.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("empty name")
	case name == metadataName:
		return fmt.Errorf("name %.80q is reserved for the metadata", name)
	case !utf8.ValidString(name):
		return fmt.Errorf("name %.80q is not UTF-8", name)
	}
	return nil
}

// checkFinite reports the first value that is not finite.
func checkFinite(tensors []Tensor) error {
	for i := range tensors {
		t := &tensors[i]
		if j := nonFinite(t.Data); j >= 0 {
			return fmt.Errorf("%w: tensor %q: value %d is %v", ErrNotFinite, t.Name, j, t.Data[j])
		}
	}
	return nil
}
