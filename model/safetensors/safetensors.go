// Package safetensors reads tensors from any file in the safetensors format, such as PyTorch models
// are published in, and writes files in which every alteration is detected.
//
// A file consists of the header length as 8 little-endian bytes, the header as a
// JSON object padded with spaces to a multiple of 8, and the values:
//
//	{"__metadata__":{"key":"value"},
//	 "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}
//
// The values of a tensor are little-endian and row-major, in the bytes
// data_offsets[0] ≤ i < data_offsets[1] after the header.
// See https://github.com/huggingface/safetensors#format.
//
// # Reading
//
// [Open] reads the header of a file of any size, and a [Reader] the tensors that are asked for by
// name: converted to float32, from F64, F32, F16, BF16, BOOL and integers of 8 to 64 bits, or as bytes,
// which C64 and the formats of 8 bits and less have to be. Tensors may leave gaps between each other,
// and begin anywhere. A file is not one of safetensors if tensors overlap, a name occurs twice, a shape
// does not fit its data_offsets, or bytes follow the last value. Nor is one with more than 100,000,000 bytes of
// header, 262,144 tensors or entries of metadata, or 64 dimensions of a tensor.
//
// # Writing
//
// A [File] is what [Save] and [Write] write: tensors of float32 and int8, contiguous, float32
// first. Each then begins at a multiple of 4 bytes in the file, as programs need that use mapped values
// in place. All float32 values are finite, and no name is empty.
//
// # Checksum
//
// [Write] adds the metadata entry "sha256": 64 lowercase hexadecimal digits, the
// SHA-256 of the whole file with these 64 digits replaced by "0". To other
// readers of the format this is an ordinary metadata entry. [Reader.Verify] compares it with the
// content. [Load] and [Read] read what Write wrote, and nothing else: a file without a checksum is
// refused with [ErrChecksum], even a valid one.
//
// # Memory
//
// A Reader holds the header, and allocates the result of a call. [Read] allocates in proportion to the
// bytes that arrive, whatever length the file claims. [Write] holds one chunk of encoded values at a
// time.
package safetensors

import (
	"encoding/binary"
	"errors"
	"math"
)

// Errors of reading. [Write] and [Save] wrap ErrNotFinite only.
var (
	// ErrFormat: the data is not a safetensors file, or for [Load] and [Read] not one of [Write].
	ErrFormat = errors.New("not a safetensors file")

	// ErrTruncated: the data ends too early.
	ErrTruncated = errors.New("truncated")

	// ErrChecksum: the data was altered or has no checksum.
	ErrChecksum = errors.New("wrong checksum")

	// ErrMissing: the file has no tensor of that name.
	ErrMissing = errors.New("no such tensor")

	// ErrNotFinite: a value that [Load], [Read], [Write] or [Save] met is infinite or NaN.
	ErrNotFinite = errors.New("value not finite")
)

const (
	prefixSize   = 8 // header length
	alignment    = 8 // of the first value, in bytes
	metadataName = "__metadata__"
	digestKey    = "sha256"
	chunkSize    = 1 << 16 // bytes of encoded values per read or write

	maxHeader     = 100_000_000
	maxNames      = 1 << 18 // of tensors and the metadata, or of entries of the metadata
	maxDimensions = 64
)

// zeroDigest takes the place of the checksum while it is computed.
const zeroDigest = "0000000000000000000000000000000000000000000000000000000000000000"

// A Tensor is a named array of any rank: of int8 if Int8 is not nil, even if Int8
// is empty, and of float32 otherwise. Its values are row-major; their number
// is the product of Shape.
type Tensor struct {
	Name  string
	Shape []int     // empty for a scalar
	Data  []float32 // dtype F32; nil if Int8 is not
	Int8  []int8    // dtype I8
}

// A File is the content of a file of this package.
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

// nonFinite returns the index of the first value that is infinite or NaN, or -1.
func nonFinite(data []float32) int {
	const exponent, one = 0x7f800000, 1 << 23
	const block = 1 << 10
	for from := 0; from < len(data); from += block {
		part := data[from:min(from+block, len(data))]
		var signs uint64 // of a pair of values: set by the carry from an exponent of ones
		for raw := rawBytes(part); len(raw) >= 2*float32Size; raw = raw[2*float32Size:] {
			signs |= binary.NativeEndian.Uint64(raw)&(exponent<<32|exponent) + (one<<32 | one)
		}
		if signs&(1<<63|1<<31) == 0 && len(part)%2 == 0 {
			continue
		}
		for i, v := range part {
			if math.Float32bits(v)&exponent == exponent {
				return from + i
			}
		}
	}
	return -1
}
