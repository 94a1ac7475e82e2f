package safetensors

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
)

// Write writes f to w and adds the checksum to the metadata. Equal files give
// equal bytes: tensors of float32 precede int8 and otherwise keep their
// order, and metadata keys are sorted.
//
// Write checks f before it writes the first byte. It returns an error if a name
// is empty, "__metadata__", repeated or not UTF-8, a tensor has both Data and
// Int8, a shape does not fit the values, the metadata has the key "sha256" or is
// not UTF-8, or the header exceeds the limit. If a value is not finite, the error
// wraps [ErrNotFinite]. Errors of w are wrapped. Write panics if w or f is nil.
func Write(w io.Writer, f *File) error {
	if w == nil || f == nil {
		panic("safetensors: Write: nil writer or file")
	}
	if len(f.Tensors) >= maxNames || len(f.Metadata) >= maxNames { // beside the metadata, and the checksum
		return fmt.Errorf("%d tensors, %d entries of metadata, want less than %d", len(f.Tensors), len(f.Metadata), maxNames)
	}
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
	return encode(w, f, digest)
}

// checkMetadata returns an error if a file cannot hold the metadata.
func checkMetadata(metadata map[string]string) error {
	if _, ok := metadata[digestKey]; ok {
		return fmt.Errorf("metadata key %q is reserved for the checksum", digestKey)
	}
	for key, value := range metadata {
		if !utf8.ValidString(key) {
			return fmt.Errorf("metadata key %.80q is not UTF-8", key)
		}
		if !utf8.ValidString(value) {
			return fmt.Errorf("metadata %.80q: value is not UTF-8", key)
		}
	}
	return nil
}

// checkTensors returns an error if a file cannot hold the tensors.
func checkTensors(tensors []Tensor) error {
	seen := make(map[string]bool, len(tensors))
	for i := range tensors {
		t := &tensors[i]
		if err := checkName(t.Name); err != nil {
			return fmt.Errorf("tensor number %d: %w", i, err)
		}
		if seen[t.Name] {
			return fmt.Errorf("tensor %.80q occurs twice", t.Name)
		}
		seen[t.Name] = true
		if t.Data != nil && t.Int8 != nil {
			return fmt.Errorf("tensor %.80q: both Data and Int8, want one of them to be nil", t.Name)
		}
		bits, _ := typeOf(t.dtype())
		n, _, ok := sizes(t.Shape, bits)
		if !ok || len(t.Shape) > maxDimensions {
			return fmt.Errorf("tensor %.80q: shape %.80s is negative or too large", t.Name, fmt.Sprint(t.Shape))
		}
		if got := int64(len(t.Data)) + int64(len(t.Int8)); n != got {
			return fmt.Errorf("tensor %.80q: %d values, shape %.80s needs %d", t.Name, got, fmt.Sprint(t.Shape), n)
		}
	}
	return checkFinite(tensors)
}

// checkName returns an error if name cannot be the name of a tensor.
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

// checkFinite returns an error for the first value that is not finite.
func checkFinite(tensors []Tensor) error {
	for i := range tensors {
		t := &tensors[i]
		if j := nonFinite(t.Data); j >= 0 {
			return fmt.Errorf("%w: tensor %.80q: value %d is %v", ErrNotFinite, t.Name, j, t.Data[j])
		}
	}
	return nil
}

// digestOf returns the checksum of the encoded f.
func digestOf(f *File) (string, error) {
	h := sha256.New()
	if err := encode(h, f, zeroDigest); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// encode writes f with digest as its checksum.
func encode(w io.Writer, f *File, digest string) error {
	tensors := inFileOrder(f.Tensors)
	header, err := appendHeader(nil, f.Metadata, tensors, digest)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	chunk := make([]byte, chunkSize)
	for _, t := range tensors {
		if t.Int8 != nil {
			err = writeValues(w, t.Int8, chunk, int8Size, encodeInt8)
		} else {
			err = writeValues(w, t.Data, chunk, float32Size, encodeFloat32)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inFileOrder returns the tensors of float32 first, otherwise in their order: every
// offset is then a multiple of the size of a value.
func inFileOrder(tensors []Tensor) []Tensor {
	return slices.SortedStableFunc(slices.Values(tensors), func(a, b Tensor) int {
		return cmp.Compare(a.dtype(), b.dtype()) // F32, I8
	})
}

// A tensorHeader is the JSON of a tensor.
type tensorHeader struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // of the first byte and the one after the last
}

// appendHeader appends the header length and the header with digest as its
// checksum. The metadata and the tensors, in file order, must have been checked.
func appendHeader(b []byte, metadata map[string]string, tensors []Tensor, digest string) ([]byte, error) {
	start := len(b)
	b = append(b, make([]byte, prefixSize)...)
	all := map[string]string{digestKey: digest}
	maps.Copy(all, metadata)
	b = fmt.Appendf(b, `{"%s":%s`, metadataName, marshal(all))
	offset := int64(0)
	for _, t := range tensors {
		end := offset + float32Size*int64(len(t.Data)) + int8Size*int64(len(t.Int8))
		b = fmt.Appendf(b, ",%s:%s", marshal(t.Name), marshal(tensorHeader{t.dtype(), append([]int{}, t.Shape...), [2]int64{offset, end}}))
		offset = end
	}
	b = append(b, '}')
	if extra := (len(b) - start) % alignment; extra != 0 {
		b = append(b, bytes.Repeat([]byte{' '}, alignment-extra)...)
	}
	n := len(b) - start - prefixSize
	if n > maxHeader {
		return nil, fmt.Errorf("header has %d bytes, want at most %d", n, maxHeader)
	}
	binary.LittleEndian.PutUint64(b[start:], uint64(n))
	return b, nil
}

// marshal returns the JSON of a header's member.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("safetensors: json.Marshal failed for a header")
	}
	return data
}

// Save writes f to the file at path like [Write]. An existing file, which must be
// regular, is replaced once the new one is complete and synced: at any moment path
// is either the old file or the new one. Its permissions stay, and a symbolic link
// at path is followed. A crash may leave a temporary file, whose name is path
// followed by a dot, 16 hexadecimal digits and ".tmp".
//
// After an error the old file is unchanged, unless syncing the folder failed: path
// is then the new file, and a crash of the system may still restore the old one.
func Save(path string, f *File) error {
	out, err := atomic.Create(path)
	if err == nil {
		defer out.Close()
		if err = Write(out, f); err == nil {
			err = out.Commit(true)
		}
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}
