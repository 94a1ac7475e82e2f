package safetensors

import (
	"encoding/binary"
	"io"
	"math"
	"unsafe"
)

// The dtypes that Write writes, as a header spells them.
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

// typeOf returns the bits of a value of dtype, 0 for an unknown one, and how to convert values to
// float32, nil if that is impossible.
func typeOf(dtype string) (bits int, convert func(dst []float32, src []byte)) {
	le := binary.LittleEndian
	switch dtype {
	case float32Type:
		return 32, decodeFloat32
	case "F64":
		return 64, each(8, func(b []byte) float32 { return float32(math.Float64frombits(le.Uint64(b))) })
	case "F16":
		return 16, each(2, func(b []byte) float32 { return float16(le.Uint16(b)) })
	case "BF16":
		return 16, each(2, func(b []byte) float32 { return math.Float32frombits(uint32(le.Uint16(b)) << 16) })
	case "I64":
		return 64, each(8, func(b []byte) float32 { return float32(int64(le.Uint64(b))) })
	case "U64":
		return 64, each(8, func(b []byte) float32 { return float32(le.Uint64(b)) })
	case "I32":
		return 32, each(4, func(b []byte) float32 { return float32(int32(le.Uint32(b))) })
	case "U32":
		return 32, each(4, func(b []byte) float32 { return float32(le.Uint32(b)) })
	case "I16":
		return 16, each(2, func(b []byte) float32 { return float32(int16(le.Uint16(b))) })
	case "U16":
		return 16, each(2, func(b []byte) float32 { return float32(le.Uint16(b)) })
	case int8Type:
		return 8, each(1, func(b []byte) float32 { return float32(int8(b[0])) })
	case "U8", "BOOL":
		return 8, each(1, func(b []byte) float32 { return float32(b[0]) })
	case "C64":
		return 64, nil
	case "F8_E4M3", "F8_E5M2", "F8_E8M0":
		return 8, nil
	case "F6_E2M3", "F6_E3M2":
		return 6, nil
	case "F4":
		return 4, nil
	}
	return 0, nil
}

// each returns a conversion of values of size bytes, one by one.
func each(size int, value func([]byte) float32) func(dst []float32, src []byte) {
	return func(dst []float32, src []byte) {
		for i := range dst {
			dst[i] = value(src[size*i:])
		}
	}
}

// float16 returns the value of an IEEE binary16: its exponent is smaller by 112 than in a binary32
// with the same bits in its place, except for infinity and NaN.
func float16(h uint16) float32 {
	magnitude := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	const infinity = 0x7c00
	if h&infinity == infinity {
		magnitude = math.Float32frombits(0x7f800000 | uint32(h&0x3ff)<<13)
	}
	return math.Float32frombits(math.Float32bits(magnitude) | uint32(h&0x8000)<<16)
}

// sizes returns the number of values of a shape and the bytes that they take. It reports false if a
// dimension is negative, a number overflows int64, or the bits fill no whole bytes.
func sizes(shape []int, bits int) (count, bytes int64, ok bool) {
	count = 1
	for _, d := range shape {
		if d < 0 || d > 0 && count > math.MaxInt64/int64(d) {
			return 0, 0, false
		}
		count *= int64(d)
	}
	eights, rest := count/8, count%8*int64(bits) // eight values take as many bytes as one takes bits
	if rest%8 != 0 || eights > (math.MaxInt64-rest/8)/int64(bits) {
		return 0, 0, false
	}
	return count, eights*int64(bits) + rest/8, true
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

// rawBytes returns the memory of data.
func rawBytes[T float32 | int8](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(*new(T))))
}

// littleEndian reports whether values in memory have the bytes of those in a file.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// decodeFloat32 decodes values, for which src may be the memory of dst.
func decodeFloat32(dst []float32, src []byte) {
	if littleEndian {
		if raw := rawBytes(dst); len(raw) > 0 && &raw[0] != &src[0] {
			copy(raw, src)
		}
		return
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[float32Size*i:]))
	}
}

func encodeFloat32(dst []byte, src []float32) {
	for i, v := range src {
		binary.LittleEndian.PutUint32(dst[float32Size*i:], math.Float32bits(v))
	}
}

func encodeInt8(dst []byte, src []int8) {
	for i, v := range src {
		dst[i] = byte(v)
	}
}
