package kernels

import (
	"encoding/binary"
	"math"
	"testing"
)

// A stream gives the bytes of a fuzzed input over and over.
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

// check compares the implementations on kn with values from the stream.
func (s *stream) check(t *testing.T, kn kernel, offset int) {
	t.Helper()
	values := make([][]float32, len(kn.args))
	for i, a := range kn.args {
		values[i] = make([]float32, a.n)
		for j := range values[i] {
			values[i][j] = s.float()
		}
	}
	checkBits(t, kn, "fuzzed", 0, values, offset)
}

// seeds adds values of every kind as the seeds of a fuzz target.
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

func FuzzGemm(f *testing.F) {
	seeds(f, 1, 13, 34)
	f.Fuzz(func(t *testing.T, m, rows, cols byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range productKernels(int(m%20), int(rows%70), int(cols)) {
			s.check(t, kn, int(m)%offsets)
		}
	})
}

func FuzzSoftmax(f *testing.F) {
	seeds(f, 1, 17, 80)
	f.Fuzz(func(t *testing.T, n, offset, _ byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range vectorKernels(int(n)) {
			switch kn.name {
			case "Softmax", "SoftmaxBackward", "LogSumExp", "CrossEntropy":
				s.check(t, kn, int(offset)%offsets)
			}
		}
	})
}

func FuzzElementwise(f *testing.F) {
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

func FuzzAttention(f *testing.F) {
	seeds(f, 1, 17, 80)
	f.Fuzz(func(t *testing.T, rows, cols, gap byte, data []byte) {
		s := &stream{data: data}
		for _, kn := range attentionKernels(int(rows%40), int(cols), int(cols)+int(gap%9)) {
			s.check(t, kn, int(gap)%offsets)
		}
	})
}
