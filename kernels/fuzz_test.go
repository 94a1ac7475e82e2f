package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A stream repeats the bytes of a fuzzed input forever.
type stream struct {
	data []byte
	at   int
}

func (s *stream) byte() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[s.at%len(s.data)]
	s.at++
	return b
}

func (s *stream) float() float32 {
	var word [4]byte
	for i := range word {
		word[i] = s.byte()
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(word[:]))
}

// check compares the implementations of kn on values from the stream.
func (s *stream) check(t *testing.T, kn kernel, offset int) {
	t.Helper()
	bits := fill{"fuzzed", func(_ *rand.Rand, x []float32) {
		for i := range x {
			x[i] = s.float()
		}
	}}
	checkBits(t, kn, bits.name, 0, operands(kn, bits, 0), offset)
}

// seeds adds values of every kind as seeds of a fuzz target.
func seeds(f *testing.F, shapes ...byte) {
	for i, kind := range fills {
		x := make([]float32, 61)
		kind.set(newRand(uint64(i)), x)
		var data []byte
		for _, v := range x {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		for _, shape := range shapes {
			f.Add(shape, shape/2+byte(i), shape+byte(3*i), data)
		}
	}
	f.Add(byte(0), byte(0), byte(0), []byte(nil))
}

// The fuzz targets cover every kernel in the tables.

func FuzzProducts(f *testing.F) {
	seeds(f, 1, 13, 34)
	f.Fuzz(func(t *testing.T, m, rows, cols byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range productKernels(int(m%20), int(rows%120), int(cols)) {
			s.check(t, kn, int(m)%offsets)
		}
	})
}

func FuzzWeights(f *testing.F) {
	seeds(f, 1, 17, 80)
	f.Fuzz(func(t *testing.T, rows, cols, offset byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range weightKernels(int(rows), int(cols)) {
			s.check(t, kn, int(offset)%offsets)
		}
	})
}

func FuzzInt8(f *testing.F) {
	seeds(f, 1, 13, 34)
	f.Fuzz(func(t *testing.T, m, rows, cols byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range int8Kernels(int(m%20), int(rows%120), int(cols)) {
			s.check(t, kn, int(m)%offsets)
		}
	})
}

func FuzzBF16(f *testing.F) {
	seeds(f, 1, 13, 34)
	f.Fuzz(func(t *testing.T, m, rows, cols byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range bf16Kernels(int(m%40), int(rows%120), int(cols)) {
			s.check(t, kn, int(m)%offsets)
		}
	})
}

func FuzzPointwise(f *testing.F) {
	seeds(f, 1, 17, 80)
	f.Fuzz(func(t *testing.T, n, offset, _ byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range vectorKernels(int(n)) {
			if kn.pointwise {
				s.check(t, kn, int(offset)%offsets)
			}
		}
	})
}

func FuzzReductions(f *testing.F) {
	seeds(f, 1, 17, 80)
	f.Fuzz(func(t *testing.T, n, offset, _ byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range vectorKernels(int(n)) {
			if !kn.pointwise {
				s.check(t, kn, int(offset)%offsets)
			}
		}
	})
}

// FuzzUpdate also draws the settings of the optimizers, steps without gradients, averages of either
// sign, and the rate of a moving average.
func FuzzUpdate(f *testing.F) {
	seeds(f, 1, 17, 80)
	f.Fuzz(func(t *testing.T, n, offset, _ byte, data []byte) {
		s := &stream{data: data}
		rule := Adadelta{s.float(), s.float(), s.float()}
		size := int(n)
		s.check(t, kernel{
			name: "UpdateAdadelta", shape: fmt.Sprintf("n=%d %+v", n, rule),
			args: []arg{out("x", size), in("g", size), out("g2", size), out("dx2", size)},
			run:  func(k Impl, v [][]float32) { k.UpdateAdadelta(rule, v[0], v[1], v[2], v[3]) },
		}, int(offset)%offsets)
		adam := Adam{s.float(), s.float(), s.float(), s.float(), s.float()}
		s.check(t, kernel{
			name: "UpdateAdam", shape: fmt.Sprintf("n=%d %+v", n, adam),
			args: []arg{out("x", size), in("g", size), out("m", size), out("v", size)},
			run:  func(k Impl, v [][]float32) { k.UpdateAdam(adam, v[0], v[1], v[2], v[3]) },
		}, int(offset)%offsets)
		steps := 2 * int(s.byte())
		s.check(t, kernel{
			name: "Decay", shape: fmt.Sprintf("n=%d rho=%g steps=%d", n, rule.Rho, steps), args: []arg{out("x", size)},
			run: func(k Impl, v [][]float32) { k.Decay(v[0], rule.Rho, steps) },
		}, int(offset)%offsets)
		rate := s.float()
		s.check(t, kernel{
			name: "MovingAverage", shape: fmt.Sprintf("n=%d rate=%g", n, rate), args: []arg{out("average", size), in("x", size)},
			run: func(k Impl, v [][]float32) { k.MovingAverage(v[0], v[1], rate) },
		}, int(offset)%offsets)
	})
}

func FuzzAttention(f *testing.F) {
	seeds(f, 1, 17, 80)
	f.Fuzz(func(t *testing.T, rows, cols, gap byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range attentionKernels(int(rows%40), int(cols), int(cols)+int(gap%9)) {
			s.check(t, kn, int(gap)%offsets)
		}
	})
}
