// Package safetensors reads and writes named float32 tensors in the safetensors
// file format, and detects every alteration of what it wrote.
//
// A file is the length of the header as 8 little-endian bytes, the header as a
// JSON object padded with spaces to a multiple of 8, and the values:
//
//	{"__metadata__":{"key":"value"},
//	 "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}
//
// The values of a tensor are little-endian and row-major, at
// data_offsets[0] ≤ i < data_offsets[1] counted from the end of the header. The
// tensors follow one another without holes. See
// https://github.com/huggingface/safetensors#format.
//
// # Checksum
//
// [Write] adds the metadata entry "sha256": 64 lower-case hexadecimal digits,
// the SHA-256 of the whole file in which these 64 digits are replaced by "0".
// Other readers of the format see an ordinary metadata entry. [Read] requires
// it, so a file of another program is refused with [ErrChecksum] even where its
// form is valid.
//
// # Limits
//
// F32 is the only dtype. All values are finite. A header has at most 100,000,000
// bytes. Names are not empty, not "__metadata__", and occur once. Names and
// metadata are UTF-8.
//
// # Memory
//
// [Read] allocates in proportion to the bytes that arrive, never to a length
// that the file claims. [Write] holds one chunk of encoded values at a time.
package safetensors
