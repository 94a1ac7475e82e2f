package kernels

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

const (
	fence     = 24 // sentinels on either side of an operand
	fenceBits = 0x7fc5e471
	offsets   = 8
)

// fenced returns a copy of values that starts offset values behind a cache line plus the
// fence, and the buffer around it.
func fenced(values []float32, offset int) (x, buffer []float32) {
	buffer = Alloc(2*fence + offsets + len(values))
	at := fence + offset
	x = buffer[at : at+len(values) : at+len(values)]
	for _, side := range [][]float32{buffer[:at], buffer[at+len(x):]} {
		for i := range side {
			side[i] = math.Float32frombits(fenceBits)
		}
	}
	copy(x, values)
	return x, buffer
}

// brokenFence returns the index in x, possibly negative, of a sentinel that changed.
func brokenFence(buffer []float32, offset, n int) (int, bool) {
	at := fence + offset
	for i, v := range buffer[:at] {
		if math.Float32bits(v) != fenceBits {
			return i - at, true
		}
	}
	for i, v := range buffer[at+n:] {
		if math.Float32bits(v) != fenceBits {
			return n + i, true
		}
	}
	return 0, false
}

// operands returns values for every argument of kn, NaN for scratch.
func operands(kn kernel, f fill, seed uint64) [][]float32 {
	r := newRand(seed)
	values := make([][]float32, len(kn.args))
	for i, a := range kn.args {
		if a.use == works {
			values[i] = slices.Repeat([]float32{nan}, a.n)
			continue
		}
		values[i] = make([]float32, a.n)
		f.set(r, values[i])
	}
	return values
}

func clone(values [][]float32) [][]float32 {
	c := make([][]float32, len(values))
	for i, v := range values {
		c[i] = slices.Clone(v)
	}
	return c
}

// checkBits runs kn on portable Go and on every implementation with operands inside fences,
// the operands at different offsets, and compares bit for bit. Fences, inputs and the gaps
// between rows must keep their bits.
func checkBits(t *testing.T, kn kernel, fillName string, seed uint64, values [][]float32, offset int) {
	t.Helper()
	want := clone(values)
	kn.run(Impl{}, want)
	for _, k := range Available() {
		got, buffers := make([][]float32, len(values)), make([][]float32, len(values))
		shift := func(i int) int { return offset * (2*i + 1) % offsets }
		for i, v := range values {
			got[i], buffers[i] = fenced(v, shift(i))
		}
		kn.run(k, got)
		for i, a := range kn.args {
			if at, broken := brokenFence(buffers[i], shift(i), a.n); broken {
				t.Fatalf("%s %s %s, fill %s seed %d, offset %d: writes %s[%d] outside its %d values",
					k, kn.name, kn.shape, fillName, seed, shift(i), a.name, at, a.n)
			}
			if a.use == works {
				continue
			}
			for j, v := range got[i] {
				expected := want[i][j]
				kept := a.use == reads || a.gap(j)
				if kept {
					expected = values[i][j]
				}
				if !same(v, expected) {
					t.Fatalf("%s %s %s, fill %s seed %d, offset %d: %s[%d] = %g (%#x), want %g (%#x), kept=%t",
						k, kn.name, kn.shape, fillName, seed, shift(i), a.name, j,
						v, math.Float32bits(v), expected, math.Float32bits(expected), kept)
				}
			}
		}
	}
}

func checkAll(t *testing.T, list []kernel, kinds []fill, seed uint64, offset int) {
	t.Helper()
	for _, kn := range list {
		for _, f := range kinds {
			checkBits(t, kn, f.name, seed, operands(kn, f, seed), offset)
		}
	}
}

// some returns n of the fills, others for each i.
func some(i, n int) (kinds []fill) {
	for j := range n {
		kinds = append(kinds, fills[(i*n+j)%len(fills)])
	}
	return kinds
}

// TestTable checks that the tables of this package's tests name every method of Impl.
func TestTable(t *testing.T) {
	listed := map[string]bool{"String": true, "With": true, "Divide": true, "Packed": true} // not kernels, or Pack in new memory
	for _, list := range [][]kernel{vectorKernels(1), attentionKernels(1, 1, 1), rowKernels(1, 1, 1), productKernels(1, 1, 1), weightKernels(1, 1)} {
		for _, kn := range list {
			listed[kn.name] = true
		}
	}
	for i, typ := 0, reflect.TypeFor[Impl](); i < typ.NumMethod(); i++ {
		if name := typ.Method(i).Name; !listed[name] {
			t.Errorf("Impl.%s stands in no table of kernels", name)
		}
	}
}
