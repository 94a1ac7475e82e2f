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

// chain returns act of the chain of fused multiply-adds that defines a product, k ascending.
func chain(start float32, x, w []float32, act Activation) float32 {
	sum := []float32{start}
	for k, v := range x {
		sum[0] = fmaEmulated(v, w[k], sum[0])
	}
	if act != Identity {
		[]func(k Impl, dst, src []float32){Tanh: Impl.Tanh, Sigmoid: Impl.Sigmoid, ReLU: Impl.ReLU}[act](Impl{}, sum, sum)
	}
	return sum[0]
}

// TestGemm checks the definition of a product.
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
						start := before[j]
						switch name {
						case "Gemm", "Gemv":
							start = bias[j%rows]
						case "Gemm nil", "Gemv nil":
							start = 0
						}
						if want := chain(start, x.Row(j/rows), plain.Row(j%rows), act); !same(got, want) {
							t.Fatalf("%s %s M=%d Out=%d In=%d act=%d [%d][%d] = %b, want %b",
								k, name, m, rows, cols, act, j/rows, j%rows, got, want)
						}
					}
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
		perTerm := func(pass string) int { return strings.Count(pass, "PREFETCHT1") / strings.Count(pass, "// acc[r] += ") }
		count = perTerm(passes[0])
		for _, pass := range passes {
			if n := perTerm(pass); n != count {
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

// TestBatch compares every row of a product with the row computed alone, in every precision: numbers of rows up to 80
// and around the limits of tiles; outputs on both sides of 16 and 48, the widths of tiles; depths on both sides of
// tileDepth; and products of rows and depth on both sides of gemmValues, above which the depth is divided first.
func TestBatch(t *testing.T) {
	every, few := []int{gemmRows, gemmRows + 1, 2*gemmRows + 8}, []int{2, 9, 20, int8Rows + 1, gemmRows + 1}
	for m := range 81 {
		every = append(every, m)
	}
	superblock := (gemmValues + gemmRows - 1) / gemmRows
	wide, narrow := tileDepth(maxTilePanels), tileDepth(1)
	type shape struct {
		out, in int
		rows    []int
	}
	shapes := []shape{{17, 30, every}, {97, 515, few}, {49, wide + 1, few[:3]}, {49, superblock, []int{gemmRows}}}
	for i, out := range []int{1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 79, 80, 81, 95, 96, 97, 100} {
		if full() || i%3 == 0 {
			shapes = append(shapes, shape{out, 5, every})
		}
	}
	if full() {
		for _, in := range []int{wide - 1, wide, 2 * wide, 2*wide + 1, narrow, narrow + 1} {
			for _, out := range []int{16, 49, 100} {
				shapes = append(shapes, shape{out, in, few})
			}
		}
		shapes = append(shapes, shape{48, 64, every}, shape{48, superblock - 1, []int{gemmRows}}, shape{17, 2 * superblock, []int{gemmRows + 1, 2*gemmRows + 8}})
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, s := range shapes {
			checkBatch(t, k, uint64(i), s.out, s.in, s.rows)
		}
	})
}

func checkBatch(t *testing.T, k Impl, seed uint64, out, in int, batches []int) {
	t.Helper()
	rows, act := slices.Max(batches), Activation(seed%4)
	plain, w := packed(k, seed, out, in)
	r := newRand(seed)
	x, bias, start := View(random(r, rows*in), rows, in), random(r, out), View(random(r, rows*out), rows, out)
	k.Scale(x.Data, float32(1/math.Sqrt(float64(in)))) // keeps the activations from saturating
	rounded := NewPackedBF16(out, in)
	k.RoundPackedBF16(rounded, w)
	k = k.Using(&Scratch{Int8: NewRowsInt8(rows, in), BF16: NewRowsBF16(rows, in)})
	for name, w := range map[string]Weights{"float32": {Float32: w}, "int8": {Int8: k.PackInt8(plain)}, "bfloat16": {BF16: rounded}} {
		set, added := NewMatrix(rows, out), View(slices.Clone(start.Data), rows, out)
		for i := range rows {
			k.Linear(set.Slice(i, i+1), w, x.Slice(i, i+1), bias, act)
			k.LinearAdd(added.Slice(i, i+1), w, x.Slice(i, i+1), act)
		}
		for _, m := range batches {
			from := (rows - m) / 2
			to := from + m
			y, sum := View(slices.Repeat([]float32{nan}, m*out), m, out), View(slices.Clone(start.Slice(from, to).Data), m, out)
			k.Linear(y, w, x.Slice(from, to), bias, act)
			k.LinearAdd(sum, w, x.Slice(from, to), act)
			for i, c := range [][2]Matrix{{y, set.Slice(from, to)}, {sum, added.Slice(from, to)}} {
				if at := differs(c[0].Data, c[1].Data); at >= 0 {
					t.Fatalf("%s %s, added %d, M=%d Out=%d In=%d act=%d: row %d [%d] = %g, alone %g",
						k, name, i, m, out, in, act, at/out, at%out, c[0].Data[at], c[1].Data[at])
				}
			}
		}
	}
}
