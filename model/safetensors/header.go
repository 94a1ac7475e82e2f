package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// appendHeader appends the bytes of a file before its first value: the header
// length, and the header with digest as its checksum. The names, shapes and
// metadata of f have been checked.
func appendHeader(b []byte, f *File, digest string) ([]byte, error) {
	start := len(b)
	b = append(b, make([]byte, prefixSize)...)
	b = append(b, '{')
	b = appendString(b, metadataName)
	b = append(b, ':')
	b = appendMetadata(b, f.Metadata, digest)
	offset := int64(0)
	for i := range f.Tensors {
		t := &f.Tensors[i]
		end := offset + valueSize*int64(len(t.Data))
		b = append(b, ',')
		b = appendTensor(b, t, offset, end)
		offset = end
	}
	b = append(b, '}')
	if extra := (len(b) - start) % alignment; extra != 0 {
		b = append(b, bytes.Repeat([]byte{' '}, alignment-extra)...)
	}
	n := len(b) - start - prefixSize
	if n > maxHeader {
		return nil, fmt.Errorf("safetensors: header has %d bytes, want at most %d", n, maxHeader)
	}
	binary.LittleEndian.PutUint64(b[start:], uint64(n))
	return b, nil
}

// appendMetadata appends the metadata object, digest included, keys sorted.
func appendMetadata(b []byte, metadata map[string]string, digest string) []byte {
	all := map[string]string{digestKey: digest}
	maps.Copy(all, metadata)
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, key)
		b = append(b, ':')
		b = appendString(b, all[key])
	}
	return append(b, '}')
}

// appendTensor appends the header entry of t, whose values stand at offsets
// begin to end.
func appendTensor(b []byte, t *Tensor, begin, end int64) []byte {
	b = appendString(b, t.Name)
	b = append(b, `:{"dtype":`...)
	b = appendString(b, dtype)
	b = append(b, `,"shape":[`...)
	for i, d := range t.Shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Append(b, d)
	}
	return fmt.Appendf(b, `],"data_offsets":[%d,%d]}`, begin, end)
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("safetensors: json.Marshal failed for a string")
	}
	return append(b, quoted...)
}
