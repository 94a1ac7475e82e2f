package safetensors

import (
	"encoding/binary"
	"io"
	"math"
)

// The dtypes, as a header spells them.
const (
	float32Type = "F32"
	int8Type    = "I8"
)

// Bytes of a value in a file.
const (
	float32Size = 4
	int8Size    = 1
)

func (t *Tensor) dtype() string {
	if t.Int8 != nil {
		return int8Type
	}
	return float32Type
}

// sizeOf returns the bytes of a value of dtype, 0 for an unknown one.
func sizeOf(dtype string) int {
	switch dtype {
	case float32Type:
		return float32Size
	case int8Type:
		return int8Size
	}
	return 0
}

// readValues reads count values of size bytes through chunk. The slice grows with
// the bytes that arrive; the result is not nil and has no spare capacity.
func readValues[T float32 | int8](r io.Reader, count int, chunk []byte, size int, decode func(dst []T, src []byte)) ([]T, error) {
	data := make([]T, 0, min(count, len(chunk)/size))
	for len(data) < count {
		part := chunk[:min(len(chunk), size*(count-len(data)))]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, err
		}
		have, need := len(data), len(data)+len(part)/size
		if need > cap(data) {
			grown := make([]T, have, min(count, max(need, 2*cap(data))))
			copy(grown, data)
			data = grown
		}
		data = data[:need]
		decode(data[have:], part)
	}
	return data, nil
}

// writeValues writes data, size bytes for each value, in pieces no larger than
// chunk.
func writeValues[T float32 | int8](w io.Writer, data []T, chunk []byte, size int, encode func(dst []byte, src []T)) error {
	for len(data) > 0 {
		n := min(len(data), len(chunk)/size)
		part := chunk[:n*size]
		encode(part, data[:n])
		if _, err := w.Write(part); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

func decodeFloat32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[float32Size*i:]))
	}
}

func encodeFloat32(dst []byte, src []float32) {
	for i, v := range src {
		binary.LittleEndian.PutUint32(dst[float32Size*i:], math.Float32bits(v))
	}
}

func decodeInt8(dst []int8, src []byte) {
	for i, b := range src {
		dst[i] = int8(b)
	}
}

func encodeInt8(dst []byte, src []int8) {
	for i, v := range src {
		dst[i] = byte(v)
	}
}
