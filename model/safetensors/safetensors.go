// Package safetensors reads and writes named tensors of float32 and int8 in the
// safetensors file format, and detects every alteration of a file that it wrote.
//
// A file consists of the header length as 8 little-endian bytes, the header as a
// JSON object padded with spaces to a multiple of 8, and the values:
//
//	{"__metadata__":{"key":"value"},
//	 "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}
//
// The values of a tensor are little-endian and row-major, in the bytes
// data_offsets[0] ≤ i < data_offsets[1] after the header. Tensors are contiguous.
// The dtype is F32 for float32 and I8 for int8.
// See https://github.com/huggingface/safetensors#format.
//
// [Write] puts the float32 tensors before those of int8. Each then begins at a
// multiple of 4 bytes in the file, as programs need that use mapped values in
// place. [Read] accepts any order.
//
// # Checksum
//
// [Write] adds the metadata entry "sha256": 64 lowercase hexadecimal digits, the
// SHA-256 of the whole file with these 64 digits replaced by "0". To other
// readers of the format this is an ordinary metadata entry. [Read] requires it
// and rejects a file without it with [ErrChecksum], even a valid one.
//
// # Limits
//
// F32 and I8 are the only dtypes. All float32 values are finite. A header has at
// most 100,000,000 bytes. Names are unique, not empty and not "__metadata__".
// Names and metadata are UTF-8.
//
// # Memory
//
// [Read] allocates in proportion to the bytes that arrive, whatever length the
// file claims. [Write] holds one chunk of encoded values at a time.
package safetensors

import (
	"errors"
	"math"
)

// Errors that [Read] and [Open] wrap. [Write] and [Save] wrap ErrNotFinite only.
var (
	// ErrFormat: the data is not a safetensors file within the limits of this
	// package.
	ErrFormat = errors.New("not a safetensors file")

	// ErrTruncated: the data ends too early.
	ErrTruncated = errors.New("truncated")

	// ErrChecksum: the data was altered or has no checksum.
	ErrChecksum = errors.New("wrong checksum")

	// ErrNotFinite: a value is infinite or NaN.
	ErrNotFinite = errors.New("value not finite")
)

const (
	prefixSize   = 8 // header length
	alignment    = 8 // of the first value, in bytes
	maxHeader    = 100_000_000
	metadataName = "__metadata__"
	digestKey    = "sha256"
	chunkSize    = 1 << 16 // bytes of encoded values per read or write
)

// zeroDigest takes the place of the checksum while it is computed.
const zeroDigest = "0000000000000000000000000000000000000000000000000000000000000000"

// A Tensor is a named array of any rank: of int8 if Int8 is not nil, even if Int8
// is empty, and of float32 otherwise. Its values are row-major, as many as the
// product of Shape.
type Tensor struct {
	Name  string
	Shape []int     // empty for a scalar
	Data  []float32 // dtype F32; nil if Int8 is not
	Int8  []int8    // dtype I8
}

// A File is the content of a safetensors file.
type File struct {
	Metadata map[string]string // without the checksum
	Tensors  []Tensor          // in file order after Read
}

// Tensor returns the tensor with the given name and whether f has one. The
// pointer is into f.Tensors.
func (f *File) Tensor(name string) (*Tensor, bool) {
	for i := range f.Tensors {
		if f.Tensors[i].Name == name {
			return &f.Tensors[i], true
		}
	}
	return nil, false
}

// elements returns the product of shape. It reports false if a dimension is
// negative or the size in bytes, size for each value, overflows int.
func elements(shape []int, size int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt/size/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// nonFinite returns the index of the first value that is infinite or NaN, or -1.
func nonFinite(data []float32) int {
	const exponent = 0x7f800000
	for i, v := range data {
		if math.Float32bits(v)&exponent == exponent {
			return i
		}
	}
	return -1
}
