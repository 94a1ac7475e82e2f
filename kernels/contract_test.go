package kernels

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

const (
	fence       = 24 // sentinels on either side of an operand
	fenceBits   = 0x7fc5e471
	offsets     = 8
	longVectors = 300 // from here on not every offset is tried
)

// fenced returns a copy of values that starts offset values behind a cache line plus the
// fence, and the buffer around it.
func fenced(values []float32, offset int) (x, buffer []float32) {
	buffer = Alloc(2*fence + offsets + len(values))
	for i := range buffer {
		buffer[i] = math.Float32frombits(fenceBits)
	}
	at := fence + offset
	x = buffer[at : at+len(values) : at+len(values)]
	copy(x, values)
	return x, buffer
}

// brokenFence returns the index in x, possibly negative, of a sentinel that changed.
func brokenFence(buffer []float32, offset, n int) (int, bool) {
	for i, v := range buffer {
		if at := i - fence - offset; (at < 0 || at >= n) && math.Float32bits(v) != fenceBits {
			return at, true
		}
	}
	return 0, false
}

// operands returns values for every argument of kn.
func operands(kn kernel, f fill, seed uint64) [][]float32 {
	r := newRand(seed)
	values := make([][]float32, len(kn.args))
	for i, a := range kn.args {
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
			for j, v := range got[i] {
				expected := want[i][j]
				kept := !a.out || a.gap(j)
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

func TestVectorBits(t *testing.T) {
	lengths := []int{127, 128, 129, 191, 192, 193, 255, 256, 257, block - 1, block, block + 1, block + 16, 2*block + 17}
	for n := range 68 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for offset := range offsets {
			if n > longVectors && offset%5 != 0 || testing.Short() && offset%3 != 0 {
				continue
			}
			checkAll(t, vectorKernels(n), fills, uint64(100*n+offset), offset)
		}
	}
}

func TestAttentionBits(t *testing.T) {
	for cols := range 68 {
		for _, rows := range []int{0, 1, 2, 5} {
			offset := (cols + rows) % offsets
			checkAll(t, attentionKernels(rows, cols, cols), fills, uint64(100*cols+rows), offset)
			checkAll(t, attentionKernels(rows, cols, cols+3), fills, uint64(100*cols+rows), 7-offset)
		}
	}
	for offset := range offsets {
		checkAll(t, attentionKernels(3, 79, 83), fills, uint64(offset), offset)
	}
	shapes := [][2]int{
		{gradRows - 1, 17}, {gradRows, 17}, {gradRows + 1, 17}, // SumRows takes 256 rows at a time
		{129, 127}, {16, 1000}, {17, 1000}, {2, attentionValues + 1}, // the others 16k values
	}
	for i, s := range shapes {
		checkAll(t, attentionKernels(s[0], s[1], s[1]+i), fills, uint64(i), i%offsets)
	}
}

func TestProductBits(t *testing.T) {
	outs := []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 80, 81}
	for m := range 14 {
		for i, rows := range outs {
			for j, cols := range []int{0, 1, 2, 3, 7, 15, 16, 17, 33} {
				seed := uint64(10000*m + 100*rows + cols)
				checkAll(t, productKernels(m, rows, cols), some(m+i+j, 3), seed, (m+i+cols)%offsets)
			}
		}
	}
}

// TestProductBlocks has shapes on both sides of the rows and the depth that a block takes,
// and of the panels that go into one call.
func TestProductBlocks(t *testing.T) {
	const perCall = gemvBytes / 4 // values of weights
	shapes := [][3]int{
		{gemmRows - 1, 17, 5}, {gemmRows, 16, 5}, {gemmRows + 1, 33, 5}, {2*gemmRows + 7, 17, 3},
		{gradRows - 1, 5, 17}, {gradRows, 16, 16}, {gradRows + 1, 17, 33}, {2*gradRows + 1, 3, 5},
		{1, 16 * 7, gemmDepth}, {1, 16*9 + 5, 1024}, {1, perCall/100 + 40, 100}, {1, 2*perCall/64 + 1, 64},
		{gemmRows + 1, 17, gemmDepth + 1},
	}
	for _, cols := range []int{gemmDepth - 1, gemmDepth, gemmDepth + 1, 2*gemmDepth - 1, 2 * gemmDepth, 2*gemmDepth + 1} {
		for _, m := range []int{1, 2, 6, 7, 13} {
			shapes = append(shapes, [3]int{m, 33, cols})
		}
	}
	for i, s := range shapes {
		kinds := some(i, 3)
		if testing.Short() {
			kinds = kinds[:1]
		}
		checkAll(t, productKernels(s[0], s[1], s[2]), kinds, uint64(i), i%offsets)
	}
}

// TestTable checks that the tables of this package's tests name every method of Impl.
func TestTable(t *testing.T) {
	listed := map[string]bool{"String": true, "With": true}
	for _, list := range [][]kernel{vectorKernels(1), attentionKernels(1, 1, 1), productKernels(1, 1, 1)} {
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

// TestPosition computes every part of a vector alone: results of pointwise kernels depend
// on neither position nor length.
func TestPosition(t *testing.T) {
	const n = 83
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, kn := range vectorKernels(n) {
			if !kn.pointwise {
				continue
			}
			for _, f := range fills {
				values := operands(kn, f, 3)
				whole := clone(values)
				kn.run(k, whole)
				for from := range 20 {
					for to := from; to <= n; to += 1 + to/40 {
						part := make([][]float32, len(values))
						for i, v := range values {
							unit := len(v) / n
							part[i] = slices.Clone(v[from*unit : to*unit])
						}
						kn.run(k, part)
						for i, a := range kn.args {
							unit := a.n / n
							if at := differs(part[i], whole[i][from*unit:to*unit]); at >= 0 {
								t.Fatalf("%s %s, fill %s: elements %d to %d alone: %s[%d] = %g, want %g",
									k, kn.name, f.name, from, to, a.name, at, part[i][at], whole[i][from*unit+at])
							}
						}
					}
				}
			}
		}
	})
}
