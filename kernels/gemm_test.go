package kernels

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// packed returns random row-major weights and the same weights packed by k.
func packed(k Impl, seed uint64, rows, cols int) (plain Matrix, w Packed) {
	plain = View(random(newRand(seed), rows*cols), rows, cols)
	w = NewPacked(rows, cols)
	k.PackRows(w, 0, plain)
	return plain, w
}

func activate64(x float64, act Activation) float64 {
	switch act {
	case Tanh:
		return math.Tanh(x)
	case Sigmoid:
		return sigmoid64(x)
	case ReLU:
		return max(x, 0)
	}
	return x
}

// gemm64 returns act(start + Σ_k x[m][k]·w[n][k]) in float64, and a bound on the error of a chain of
// K fused multiply-adds, K·2⁻²⁴·(|start| + Σ|x·w|)·1.01, where 1.01 allows for the growth of partial
// sums. Tanh and Sigmoid have a slope of at most 1 and add at most 2.5 ULP of a value up to 1.
func gemm64(start float64, x, w []float32, act Activation) (y, bound float64) {
	sum, size := start, math.Abs(start)
	for k, v := range x {
		p := float64(v) * float64(w[k])
		sum += p
		size += math.Abs(p)
	}
	bound = float64(len(x)) * 0x1p-24 * 1.01 * size
	y = activate64(sum, act)
	if act == Tanh || act == Sigmoid {
		bound += 2.5 * 0x1p-24
	}
	return y, bound
}

func TestGemm(t *testing.T) {
	// 1×150×1024 has more panels than fit in one call.
	shapes := [][3]int{{1, 1, 1}, {1, 33, 40}, {2, 16, 7}, {5, 17, 1}, {6, 47, 257}, {13, 64, 600}, {200, 18, 9}, {3, 5, 0}, {1, 150, 1024}}
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, s := range shapes {
			m, rows, cols := s[0], s[1], s[2]
			r := newRand(uint64(i))
			plain, w := packed(k, uint64(i), rows, cols)
			x, bias := View(random(r, m*cols), m, cols), random(r, rows)
			for act := Identity; act <= ReLU; act++ {
				products := map[string]func(y Matrix){
					"Gemm":     func(y Matrix) { k.Gemm(y, w, x, bias, act) },
					"Gemm nil": func(y Matrix) { k.Gemm(y, w, x, nil, act) },
					"GemmAdd":  func(y Matrix) { k.gemmAdd(y, w, x, act) },
				}
				if m == 1 {
					products["Gemv"] = func(y Matrix) { k.Gemv(y.Row(0), w, x.Row(0), bias, act) }
					products["Gemv nil"] = func(y Matrix) { k.Gemv(y.Row(0), w, x.Row(0), nil, act) }
					products["GemvAdd"] = func(y Matrix) { k.gemvAdd(y.Row(0), w, x.Row(0), act) }
				}
				for name, product := range products {
					before := random(newRand(99), m*rows)
					y := View(append([]float32(nil), before...), m, rows)
					product(y)
					for j, got := range y.Data {
						start := float64(before[j])
						switch name {
						case "Gemm", "Gemv":
							start = float64(bias[j%rows])
						case "Gemm nil", "Gemv nil":
							start = 0
						}
						want, bound := gemm64(start, x.Row(j/rows), plain.Row(j%rows), act)
						if d := math.Abs(float64(got) - want); !(d <= bound) {
							t.Fatalf("%s %s M=%d Out=%d In=%d act=%d [%d][%d] = %g, want %g within %g",
								k, name, m, rows, cols, act, j/rows, j%rows, got, want, bound)
						}
					}
				}
			}
		}
	})
}

// TestGemmChain checks the definition of a product: one chain of fused multiply-adds, k ascending.
func TestGemmChain(t *testing.T) {
	const m, rows, cols = 7, 18, 260
	eachImpl(t, func(t *testing.T, k Impl) {
		plain, w := packed(k, 1, rows, cols)
		r := newRand(2)
		x, bias := View(random(r, m*cols), m, cols), random(r, rows)
		y := NewMatrix(m, rows)
		k.Gemm(y, w, x, bias, Identity)
		for i := range m {
			for n := range rows {
				want := bias[n]
				for c := range cols {
					want = exactFMA(x.Row(i)[c], plain.Row(n)[c], want)
				}
				if got := y.Row(i)[n]; !same(got, want) {
					t.Fatalf("%s M=%d Out=%d In=%d [%d][%d] = %b, want %b", k, m, rows, cols, i, n, got, want)
				}
			}
		}
	})
}

// TestTilesSameBits computes a product in tiles of random rows, widths and depths, each with few set and
// without. Blocks of any size give the bits of rows computed alone.
func TestTilesSameBits(t *testing.T) {
	const m, out, in = 41, 6 * panel, 300
	eachImpl(t, func(t *testing.T, k Impl) {
		_, w := packed(k, 8, out, in)
		r := newRand(9)
		x, bias := View(random(r, m*in), m, in), random(r, out)
		want := NewMatrix(m, out)
		for i := range m {
			k.Gemv(want.Row(i), w, x.Row(i), bias, Tanh)
		}
		for round := range 20 {
			y := NewMatrix(m, out)
			for i := 0; i < m; {
				rows := 1 + r.IntN(m-i)
				for from := 0; from < in; {
					depth := 1 + r.IntN(in-from)
					for p := 0; p < out/panel; {
						n := 1
						if p+k.tilePanels() <= out/panel && r.IntN(4) > 0 {
							n = k.tilePanels()
						}
						tile := tile{
							c: y.Data[i*out+p*panel:], ldc: out, next: panel, rows: rows,
							x: words(x.Data[i*in+from:]), xRow: in, xCol: 1,
							w: words(w.Data[w.at(p*panel, from):]), stride: panelStride(in), depth: depth, panels: n,
							step: panelStride(in), add: from > 0, prefetchAll: r.IntN(2) == 0,
						}
						tile.bias = bias[p*panel : (p+n)*panel]
						if from+depth == in {
							tile.act = Tanh
						}
						k.tile(&tile)
						p += n
					}
					from += depth
				}
				i += rows
			}
			if j := differs(y.Data, want.Data); j >= 0 {
				t.Fatalf("%s round %d: [%d][%d] = %g, alone %g", k, round, j/out, j%out, y.Data[j], want.Data[j])
			}
		}
	})
}

// TestPrefetchEveryPanel counts the panels for which the passes of a wide tile of AVX-512 prefetch: all of
// them, from fewRows rows on.
func TestPrefetchEveryPanel(t *testing.T) {
	const file = "../asm/avx512/gemm_amd64.s"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	perPass := func(function string) (count int) {
		_, rest, found := strings.Cut(string(text), "TEXT ·"+function+"(SB)")
		if !found {
			t.Fatalf("%s: no function %s", file, function)
		}
		body, _, _ := strings.Cut(rest, "\nTEXT ")
		passes := strings.Split(body, "// tile: ")[1:]
		if len(passes) != tilePassRows {
			t.Fatalf("%s: %s has passes of 1 to %d rows, want %d", file, function, len(passes), tilePassRows)
		}
		count = strings.Count(passes[0], "PREFETCHT1")
		for _, pass := range passes {
			if n := strings.Count(pass, "PREFETCHT1"); n != count {
				t.Errorf("%s: %s prefetches for %d and for %d panels", file, function, count, n)
			}
		}
		return count
	}
	wide, few := perPass("GemmWide"), perPass("GemmWideFew")
	for rows := fewRows; rows <= gemmRows; rows++ {
		covered := (rows + tilePassRows - 1) / tilePassRows * wide
		if prefetchesAll(rows) {
			covered = few
		}
		if covered < maxTilePanels {
			t.Errorf("%d rows: the passes prefetch for %d panels, want %d", rows, covered, maxTilePanels)
		}
	}
}

// A batch is the shape of a product and the numbers of rows to compute together.
type batch struct {
	out, in int
	rows    []int
}

// batches returns outputs on both sides of 16 and 48, the widths of tiles, with every remainder of
// rows; depths on both sides of tileDepth; and products of rows and depth on both sides of gemmValues,
// above which the depth is divided first.
func batches() (list []batch) {
	var rows []int
	for m := 1; m <= 20; m++ {
		rows = append(rows, m)
	}
	rows = append(rows, gemmRows, gemmRows+1, 2*gemmRows+8)
	for _, out := range []int{1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 79, 80, 81, 95, 96, 97, 100} {
		list = append(list, batch{out, 5, rows})
	}
	few := []int{2, 9, 20, gemmRows + 1}
	superblock := (gemmValues + gemmRows - 1) / gemmRows
	wide, narrow := tileDepth(maxTilePanels), tileDepth(1)
	list = append(list, batch{49, wide + 1, few}, batch{49, superblock, []int{gemmRows}})
	if !full() {
		return list
	}
	for _, in := range []int{wide - 1, wide, 2 * wide, 2*wide + 1, narrow, narrow + 1} {
		for _, out := range []int{16, 49, 100} {
			list = append(list, batch{out, in, few})
		}
	}
	return append(list, batch{48, superblock - 1, []int{gemmRows}}, batch{17, 2 * superblock, []int{gemmRows + 1, 2*gemmRows + 8}})
}

// TestBatch compares every row of a product with the row computed alone.
func TestBatch(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, b := range batches() {
			b.check(t, k, uint64(i), Identity)
			b.check(t, k, uint64(i), Activation(1+i%3))
		}
	})
}

func (b batch) check(t *testing.T, k Impl, seed uint64, act Activation) {
	t.Helper()
	rows := slices.Max(b.rows)
	_, w := packed(k, seed, b.out, b.in)
	r := newRand(seed)
	x, bias, start := View(random(r, rows*b.in), rows, b.in), random(r, b.out), random(r, rows*b.out)
	for i := range x.Data { // keep the activations from saturating
		x.Data[i] /= float32(math.Sqrt(float64(b.in)))
	}
	set, added := NewMatrix(rows, b.out), View(slices.Clone(start), rows, b.out)
	for i := range rows {
		k.Gemv(set.Row(i), w, x.Row(i), bias, act)
		k.gemvAdd(added.Row(i), w, x.Row(i), act)
	}
	for _, m := range b.rows {
		from := (rows - m) / 2
		y := NewMatrix(m, b.out)
		for _, c := range []struct {
			name  string
			run   func()
			alone Matrix
		}{
			{"Gemm", func() { k.Gemm(y, w, x.Slice(from, from+m), bias, act) }, set},
			{"GemmAdd", func() { copy(y.Data, start[from*b.out:]); k.gemmAdd(y, w, x.Slice(from, from+m), act) }, added},
		} {
			c.run()
			if i := differs(y.Data, c.alone.Slice(from, from+m).Data); i >= 0 {
				t.Fatalf("%s %s M=%d Out=%d In=%d act=%d: row %d [%d] = %g, alone %g",
					k, c.name, m, b.out, b.in, act, i/b.out, i%b.out, y.Data[i], c.alone.Row(from + i/b.out)[i%b.out])
			}
		}
	}
}

// TestBatchReduced does the same for weights of int8 and bfloat16, at every number of rows.
func TestBatchReduced(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, s := range [][2]int{{17, 30}, {48, 64}, {97, 515}, {33, 2000}} {
			r, out, in, rows := newRand(uint64(i)), s[0], s[1], 2*int8Rows+5
			m, x, bias := View(random(r, out*in), out, in), View(random(r, rows*in), rows, in), random(r, out)
			rounded := NewPackedBF16(out, in)
			k.RoundPackedBF16(rounded, k.Pack(m))
			k := k.Using(&Scratch{Int8: NewRowsInt8(rows, in), BF16: NewRowsBF16(rows, in)})
			for _, w := range []Weights{{Int8: k.PackInt8(m)}, {BF16: rounded}} {
				alone := NewMatrix(rows, out)
				for i := range rows {
					k.Linear(alone.Slice(i, i+1), w, x.Slice(i, i+1), bias, Tanh)
				}
				for m := range rows + 1 {
					from, y := (rows-m)/2, NewMatrix(m, out)
					k.Linear(y, w, x.Slice(from, from+m), bias, Tanh)
					if at := differs(y.Data, alone.Slice(from, from+m).Data); at >= 0 {
						t.Fatalf("%s int8 %t M=%d Out=%d In=%d: row %d [%d] = %g, want that of the row alone", k, w.IsInt8(), m, out, in, at/out, at%out, y.Data[at])
					}
				}
			}
		}
	})
}
