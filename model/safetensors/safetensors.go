package safetensors

import (
	"errors"
	"math"
)

// Errors that [Read] and [Open] wrap. [Write] and [Save] wrap ErrNotFinite.
var (
	// ErrFormat reports data that is not a safetensors file within the limits
	// of this package.
	ErrFormat = errors.New("safetensors: wrong format")

	// ErrTruncated reports data that ends too early.
	ErrTruncated = errors.New("safetensors: truncated")

	// ErrChecksum reports data that was altered, or that has no checksum.
	ErrChecksum = errors.New("safetensors: wrong checksum")

	// ErrNotFinite reports a value that is an infinity or not a number.
	ErrNotFinite = errors.New("safetensors: value not finite")
)

const (
	dtype        = "F32"
	valueSize    = 4
	prefixSize   = 8 // the header length
	alignment    = 8 // of the first value in the file
	maxHeader    = 100_000_000
	metadataName = "__metadata__"
	digestKey    = "sha256"
	chunkSize    = 1 << 16 // bytes of encoded values
)

// zeroDigest stands for the digest while the digest is computed.
const zeroDigest = "0000000000000000000000000000000000000000000000000000000000000000"

// A Tensor is a named array.
type Tensor struct {
	Name  string
	Shape []int     // empty for a single value
	Data  []float32 // row-major, as many values as the product of Shape
}

// A File is the content of a safetensors file.
type File struct {
	Metadata map[string]string // without the checksum
	Tensors  []Tensor          // in the order of their values in the file
}

// Tensor returns the tensor called name, and whether f has one. The result
// points into f.Tensors.
func (f *File) Tensor(name string) (*Tensor, bool) {
	for i := range f.Tensors {
		if f.Tensors[i].Name == name {
			return &f.Tensors[i], true
		}
	}
	return nil, false
}

// elements returns the product of shape. It reports false for a negative
// dimension and for a product whose size in bytes exceeds an int.
func elements(shape []int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt/valueSize/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// nonFinite returns the index of the first value that is an infinity or not a
// number, or -1.
func nonFinite(data []float32) int {
	const exponent = 0x7f800000
	for i, v := range data {
		if math.Float32bits(v)&exponent == exponent {
			return i
		}
	}
	return -1
}
