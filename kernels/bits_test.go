package kernels

import (
	"math"
	"slices"
	"testing"
)

const (
	fence     = 24 // sentinels on either side of an operand
	fenceBits = 0x7fc5e471
	offsets   = 8
)

// fenced returns a copy of values between fences, offset values after the end of the first, and the
// buffer that holds them.
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

// brokenFence returns the index, relative to the values, of a sentinel that changed.
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

// checkBits runs kn on every implementation, with operands between fences at different offsets, and
// compares the results with those of portable Go bit for bit. Fences, inputs and the gaps between
// rows must not change.
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
				kept := a.use == input || a.gap(j)
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

// some returns n of the fills, a different selection for each i.
func some(i, n int) (kinds []fill) {
	for j := range n {
		kinds = append(kinds, fills[(i*n+j)%len(fills)])
	}
	return kinds
}

// sample returns all fills, or two of them unless tests are to be full.
func sample(i int) []fill {
	if full() {
		return fills
	}
	return some(i, 2)
}

// longVectors is the length above which only some offsets are tried.
const longVectors = 300

func TestVectorBits(t *testing.T) {
	lengths := []int{127, 128, 129, 191, 192, 193, 255, 256, 257, block - 1, block, block + 1, block + 16, 2*block + 17}
	for n := range 68 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for offset := range offsets {
			if n > longVectors && offset%5 != 0 || !full() && offset%3 != 0 {
				continue
			}
			checkAll(t, vectorKernels(n), sample(n+offset), uint64(100*n+offset), offset)
		}
	}
}

func TestAttentionBits(t *testing.T) {
	for cols := range 68 {
		for _, rows := range []int{0, 1, 2, 5} {
			offset := (cols + rows) % offsets
			checkAll(t, attentionKernels(rows, cols, cols), sample(cols+rows), uint64(100*cols+rows), offset)
			checkAll(t, attentionKernels(rows, cols, cols+3), sample(cols+rows+1), uint64(100*cols+rows), 7-offset)
		}
	}
	for offset := range offsets {
		checkAll(t, attentionKernels(3, 79, 83), fills, uint64(offset), offset)
	}
	shapes := [][2]int{
		{attentionRows - 1, 17}, {attentionRows, 17}, {attentionRows, 64}, {attentionRows + 1, 3}, // rows of a call
		{129, 127}, {16, 1000}, {17, 1000}, {5, block - 1}, {5, block}, {2, block + 1}, {1, attentionValues + 1}, // its values
	}
	for i, s := range shapes {
		checkAll(t, attentionKernels(s[0], s[1], s[1]+i), sample(i), uint64(i), i%offsets)
	}
}

func TestRowBits(t *testing.T) {
	for _, cols := range []int{1, 2, 15, 16, 17, 33, 67, block + 1} {
		for _, rows := range []int{0, 1, 2, 5} {
			offset := (cols + rows) % offsets
			checkAll(t, rowKernels(rows, cols, cols), sample(cols+rows), uint64(100*cols+rows), offset)
			checkAll(t, rowKernels(rows, cols, cols+3), sample(cols+rows+1), uint64(100*cols+rows), 7-offset)
		}
	}
}

func TestProductBits(t *testing.T) {
	outs := []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 81, 95, 96, 97}
	kinds, step := 3, 1
	if !full() {
		kinds, step = 1, 4
	}
	for m := range 18 {
		for i, rows := range outs {
			for j, cols := range []int{0, 1, 2, 3, 7, 15, 16, 17, 33} {
				if (m+i+j)%step != 0 {
					continue
				}
				seed := uint64(10000*m + 100*rows + cols)
				checkAll(t, productKernels(m, rows, cols), some(m+i+j, kinds), seed, (m+i+cols)%offsets)
			}
		}
	}
}

func TestWeightBits(t *testing.T) {
	for rows := range 50 {
		for _, cols := range []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 65, 128} {
			checkAll(t, weightKernels(rows, cols), fills[len(fills)-1:], uint64(100*rows+cols), (rows+cols)%offsets)
		}
	}
}

// TestProductBlocks has shapes on both sides of the limits of a block of rows, of its depth, and of
// the panels in one call.
func TestProductBlocks(t *testing.T) {
	wide, narrow := tileDepth(maxTilePanels), tileDepth(1)
	shapes := [][3]int{
		{gemmRows - 1, 17, 5}, {gemmRows, 16, 5}, {gemmRows + 1, 33, 5}, {2*gemmRows + 7, 17, 3},
		{gradRows - 1, 5, 17}, {gradRows, 16, 16}, {gradRows + 1, 17, 33}, {2*gradRows + 1, 3, 5},
		{1, 16 * 7, wide}, {1, 16*9 + 5, 1024}, {1, gemvValues/100 + 40, 100}, {1, 2*gemvValues/64 + 1, 64},
		{1, 33, gemvDepth}, {1, 33, gemvDepth + 1}, {1, 85, 2*gemvDepth + 1}, {1, 2*block + 1, 3},
		{gemmRows + 1, 17, narrow + 1}, {gemmRows, 49, gemmValues/gemmRows + 1},
	}
	kinds, count := 3, 5
	if !full() {
		kinds, count = 1, 2
	}
	for _, cols := range []int{wide - 1, wide, wide + 1, 2 * wide, 2*wide + 1, narrow - 1, narrow, narrow + 1, 2*narrow + 1} {
		for _, m := range []int{1, 7, 2, 6, 13}[:count] {
			shapes = append(shapes, [3]int{m, 65, cols})
		}
	}
	for i, s := range shapes {
		if !full() && i%2 != 0 {
			continue
		}
		checkAll(t, productKernels(s[0], s[1], s[2]), some(i, kinds), uint64(i), i%offsets)
	}
}
