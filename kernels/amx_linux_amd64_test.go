//go:build !purego && !noasm

package kernels

import (
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/softsearch-go/softsearch/asm/amxbf16"
)

// emulated tells the process under the emulator what that computes: right or wrong products.
var emulated = os.Getenv("SOFTSEARCH_AMX_EMULATED")

func init() { amx = amx || emulated != "" }

// needsAMX skips a test, whose name starts with TestAMX, where it would not run on tiles.
func needsAMX(t *testing.T) Impl {
	t.Helper()
	if !amx {
		t.Skip("no AMX: TestAMXEmulated runs this test")
	}
	return Impl{isa: isaAVX512}
}

// emulateAMX runs tests of this package under an emulator of AMX.
func emulateAMX(t *testing.T, e *emulator, products string, tests ...string) {
	t.Helper()
	if !bf16Pairs {
		t.Skip("the code around the products on tiles needs AVX512-BF16")
	}
	if slices.Contains(nativeBF16(), isaAMXBF16) {
		t.Skipf("the processor has AMX, of which the emulator would not see every instruction; the other tests run on it: %t", amx)
	}
	emulate(t, e, "SOFTSEARCH_AMX_EMULATED="+products, "avx512", tests...)
	for thread, state := range e.threads {
		if state.configured {
			t.Errorf("thread %d ends without TILERELEASE", thread)
		}
	}
}

// TestAMXEmulated runs the tests of products of bfloat16 on an emulator of AMX.
func TestAMXEmulated(t *testing.T) {
	e := emulator{dot: dotPairs}
	emulateAMX(t, &e, "right", "TestAMXAgrees", "TestAMXProducts", "TestAMXGradients", "TestAMXTiny", "TestAMXLoad",
		"TestGemmBF16", "TestGemmGradBF16", "TestGemmGradBF16Chain", "TestBF16Overflow", "TestAllocations", "TestEscape")
	if e.products < 10_000 {
		t.Errorf("%d products of tiles, want at least 10000", e.products)
	}
	t.Logf("%d products of tiles", e.products)
}

// TestAMXFaults: the comparison at the start notices instructions that compute something else.
func TestAMXFaults(t *testing.T) {
	exact := func(c float32, x, w []float32) float32 {
		var chains [2]float64
		for k, v := range x {
			chains[k%2] += float64(v) * float64(w[k])
		}
		return c + float32(chains[0]+chains[1])
	}
	for name, dot := range map[string]func(c float32, x, w []float32) float32{
		"wider sums": exact,
		"one chain": func(c float32, x, w []float32) (sum float32) {
			for k, v := range x {
				sum = fmaFlushed(v, w[k], sum)
			}
			return c + sum
		},
		"chains from c": func(c float32, x, w []float32) float32 {
			for k, v := range x {
				c = fmaFlushed(v, w[k], c)
			}
			return c
		},
		"rounded products": func(c float32, x, w []float32) float32 {
			var chains [2]float32
			for k, v := range x {
				chains[k%2] += float32(v * w[k])
			}
			return c + (chains[0] + chains[1])
		},
		"c before odd": func(c float32, x, w []float32) float32 {
			var chains [2]float32
			for k, v := range x {
				chains[k%2] = fmaFlushed(v, w[k], chains[k%2])
			}
			return c + chains[0] + chains[1]
		},
		"descending": func(c float32, x, w []float32) float32 {
			var chains [2]float32
			for k := range x {
				k = len(x) - 1 - k
				chains[k%2] = fmaFlushed(x[k], w[k], chains[k%2])
			}
			return c + (chains[0] + chains[1])
		},
		"small values flushed": func(c float32, x, w []float32) float32 {
			if y := dotPairs(c, x, w); math.Abs(float64(y)) > 0x1p-100 {
				return y
			}
			return 0
		},
		"no infinity": func(c float32, x, w []float32) float32 {
			return max(min(dotPairs(c, x, w), math.MaxFloat32), -math.MaxFloat32)
		},
		"no NaN": func(c float32, x, w []float32) float32 {
			if y := dotPairs(c, x, w); y == y {
				return y
			}
			return 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			emulateAMX(t, &emulator{dot: dot}, "wrong", "TestAMXAgrees")
		})
	}
}

// TestAMXAgrees also is what TestAMXFaults starts, under an emulator that computes wrong products.
func TestAMXAgrees(t *testing.T) {
	if want := best.isa == isaAVX512 && slices.Contains(nativeBF16(), isaAMXBF16) && permitTiles(); emulated == "" && amx != want {
		t.Errorf("Best is %s and tiles are used: %t, want %t, where they compute what portable Go does", best, amx, want)
	}
	needsAMX(t)
	if want := emulated != "wrong"; amxAgrees() != want {
		t.Errorf("amxAgrees() = %t, want %t", !want, want)
	}
}

// TestAMXProducts has rows and columns on both sides of those of tiles, and depths on both sides of those of
// calls.
func TestAMXProducts(t *testing.T) {
	k := needsAMX(t)
	rows := []int{amxRows - 1, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, gemmRows - 1, gemmRows, gemmRows + 1, gemmRows + 16, gemmRows + 33}
	deep := bf16Block * amxDepth
	for i, m := range rows {
		for j, out := range []int{1, 15, 16, 17, 31, 32, 33, 48, 50} {
			in := []int{1, 2, 31, 32, 33, 63, 65, 97}[(i+j)%8]
			checkAll(t, bf16Kernels(m, out, in), bf16Fills[(i+j)%len(bf16Fills):][:1], uint64(i+j), (i+j)%offsets)
		}
		in := []int{deep - 1, deep, deep + 1, deep + 33, 2*deep + 32}[i%5]
		checkAll(t, bf16Kernels(m, []int{16, 33, 47}[i%3], in), fills[:1], uint64(i), i%offsets)
	}
	team := NewTeam(3)
	defer team.Close()
	team.minSize = 1
	const out, in = 70, 40
	r := newRand(1)
	w := NewPackedBF16(out, in)
	k.RoundPackedBF16(w, k.Packed(View(random(r, out*in), out, in)))
	for _, m := range []int{20, 100} { // it divides panels, and rows
		x, want, got := NewRowsBF16(m, in), NewMatrix(m, out), NewMatrix(m, out)
		k.roundRowsBF16(x, View(random(r, m*in), m, in))
		Impl{}.gemmBF16(want, w, x, nil, Tanh)
		k.With(team).gemmBF16(got, w, x, nil, Tanh)
		if at := differs(got.Data, want.Data); at >= 0 {
			t.Errorf("M=%d with a team: [%d] = %b, want %b", m, at, got.Data[at], want.Data[at])
		}
	}
}

// TestAMXGradients has inputs on both sides of those of a call.
func TestAMXGradients(t *testing.T) {
	k := needsAMX(t)
	team := NewTeam(2)
	defer team.Close()
	team.minSize = 1
	for i, s := range [][3]int{{33, 40, gemmRows - 1}, {80, 33, gemmRows}, {80, 16, gemmRows + 1}, {gradRows + 1, 17, gemmRows + 40}} {
		m, out, in := s[0], s[1], s[2]
		r := newRand(uint64(i))
		dy, x := NewRowsBF16(m, out), NewRowsBF16(m, in)
		k.roundRowsBF16(dy, View(random(r, m*out), m, out))
		k.roundRowsBF16(x, View(random(r, m*in), m, in))
		_, want := packed(k, 1, out, in)
		for i := range want.Data {
			if i%3 == 0 {
				want.Data[i] = 0
			}
		}
		got, divided := NewPacked(out, in), NewPacked(out, in)
		copy(got.Data, want.Data)
		copy(divided.Data, want.Data)
		scratch := make([]float32, GradScratch(in))
		Impl{}.gemmGradBF16(want, dy, x, scratch)
		k.gemmGradBF16(got, dy, x, scratch)
		k.With(team).gemmGradBF16(divided, dy, x, scratch)
		if i := differs(got.Data, want.Data); i >= 0 {
			t.Errorf("%v: Data[%d] = %b, want %b", s, i, got.Data[i], want.Data[i])
		}
		if i := differs(divided.Data, want.Data); i >= 0 {
			t.Errorf("%v with a team: Data[%d] = %b, want %b", s, i, divided.Data[i], want.Data[i])
		}
	}
}

// TestAMXTiny adds sums of blocks of 2⁻¹²⁶ to values so small that results are subnormal.
func TestAMXTiny(t *testing.T) {
	k := needsAMX(t)
	const m, out, in = 40, 33, 70
	x, w := NewMatrix(m, in), NewMatrix(out, in)
	xColumns, wColumns := NewMatrix(in, m), NewMatrix(in, out)
	for c := range in {
		var xs, ws float32
		switch c % bf16Block { // (1+2⁻⁷)² - (1+2⁻⁶) = 2⁻¹⁴
		case 0:
			xs, ws = 0x1.02p-56, 0x1.02p-56
		case 2:
			xs, ws = -0x1.04p-56, 0x1p-56
		}
		for i := range m {
			x.Row(i)[c], xColumns.Row(c)[i] = xs, xs
		}
		for n := range out {
			w.Row(n)[c], wColumns.Row(c)[n] = ws, ws
		}
	}
	weights, scratch := NewPackedBF16(out, in), make([]float32, GradScratch(out))
	k.RoundPackedBF16(weights, k.Packed(w))
	rows, dy, inputs := NewRowsBF16(m, in), NewRowsBF16(in, m), NewRowsBF16(in, out)
	k.roundRowsBF16(rows, x)
	k.roundRowsBF16(dy, xColumns)
	k.roundRowsBF16(inputs, wColumns)
	for _, place := range []int{0, 17, 16*out + 16, 39*out + 32} {
		for _, start := range []float32{0x1p-149, -0x1p-127, -0x1.8p-126, 0x1.000002p-126, 0x1.fffffep-104, -0x1.8p-125} {
			y := NewMatrix(m, out)
			y.Data[place] = start
			want, dw, dwWant := View(slices.Clone(y.Data), m, out), k.Packed(y), k.Packed(y)
			k.gemmAddBF16(y, weights, rows, Identity)
			Impl{}.gemmAddBF16(want, weights, rows, Identity)
			if at := differs(y.Data, want.Data); at >= 0 {
				t.Errorf("%b at %d: [%d] = %b, want %b", start, place, at, y.Data[at], want.Data[at])
			}
			k.gemmGradBF16(dw, dy, inputs, scratch)
			Impl{}.gemmGradBF16(dwWant, dy, inputs, scratch)
			if at := differs(dw.Data, dwWant.Data); at >= 0 {
				t.Errorf("gradient, %b at %d: Data[%d] = %b, want %b", start, place, at, dw.Data[at], dwWant.Data[at])
			}
		}
	}
}

// TestAMXLoad compares products while signals interrupt them, the garbage collector runs, and other goroutines
// compute too.
func TestAMXLoad(t *testing.T) {
	k := needsAMX(t)
	rounds, m, out, in := 2000, gemmRows, 100, 300
	if emulated != "" {
		rounds, m, out, in = 3, 33, 33, 65
	}
	r := newRand(1)
	w, x, want := NewPackedBF16(out, in), NewRowsBF16(m, in), NewMatrix(m, out)
	k.RoundPackedBF16(w, k.Packed(View(random(r, out*in), out, in)))
	k.roundRowsBF16(x, View(random(r, m*in), m, in))
	Impl{}.gemmBF16(want, w, x, nil, Tanh)
	var products, others sync.WaitGroup
	done := make(chan struct{})
	for _, disturb := range []func(){
		func() { _ = unix.Kill(os.Getpid(), unix.SIGURG) },
		func() { _ = unix.Kill(os.Getpid(), unix.SIGPROF) },
		runtime.GC,
		runtime.Gosched,
	} {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					disturb()
				}
			}
		})
	}
	for worker := range 2 * runtime.GOMAXPROCS(0) {
		products.Go(func() {
			y := NewMatrix(m, out)
			for round := range rounds {
				k.gemmBF16(y, w, x, nil, Tanh)
				if at := differs(y.Data, want.Data); at >= 0 {
					t.Errorf("worker %d, round %d: [%d] = %b, want %b", worker, round, at, y.Data[at], want.Data[at])
					return
				}
			}
		})
	}
	products.Wait()
	close(done)
	others.Wait()
}

// TestAMXOrder compares the conversions of operands, which need AVX-512 alone, with the formula.
func TestAMXOrder(t *testing.T) {
	k, err := Lookup("avx512")
	if err != nil {
		t.Skip(err)
	}
	const m, in, from, to = 21, 150, 1, 4
	x := NewMatrix(m, in)
	for i := range x.Data {
		x.Data[i] = float32(1 + i%251)
	}
	rows, w := NewRowsBF16(m, in), NewPackedBF16(m, in)
	k.roundRowsBF16(rows, x)
	k.RoundPackedBF16(w, k.Packed(x))
	xs, ws := make([]uint32, 2*(to-from)*tileWords), make([]uint32, (to-from)*tileWords)
	rows.tiles(xs, from, to)
	for p := range 2 {
		amxbf16.TilePanel(&ws[0], &w.panel(p)[from*tileWords], to-from)
		for i := p * panel; i < min(m, (p+1)*panel); i++ {
			for c := from * bf16Block; c < to*bf16Block; c++ {
				var want float32
				if c < in {
					want = x.Row(i)[c]
				}
				b, word, half := c/bf16Block-from, c%bf16Block/2, c%2
				row := xs[((p*(to-from)+b)*tileRows+i%tileRows)*bf16Words+word] >> (16 * half) << 16
				column := ws[(b*bf16Words+word)*panel+i%panel] >> (16 * half) << 16
				for kind, got := range map[string]uint32{"row": row, "panel": column} {
					if v := math.Float32frombits(got); v != want {
						t.Fatalf("%s %d input %d is %g, want %g", kind, i, c, v, want)
					}
				}
			}
		}
	}
}

// TestAMXAnyTiny places one value among others that add up with multiples of 2⁻¹²⁶ to normal ones.
func TestAMXAnyTiny(t *testing.T) {
	if _, err := Lookup("avx512"); err != nil {
		t.Skip(err)
	}
	for v, want := range map[float32]int{
		0: 0, negZero: 0, 0x1p-103: 0, -0x1p-103: 0, 1: 0, inf: 0, -inf: 0, nan: 0, math.MaxFloat32: 0,
		0x1.fffffep-104: 1, -0x1.fffffep-104: 1, 0x1p-149: 1, -0x1p-149: 1, 0x1p-126: 1, -0x1p-127: 1,
	} {
		const ldc, rows = 20, 5
		for at := range rows * ldc {
			c := []float32{1, -2, 0, negZero, 0x1p-103, inf, nan}
			c = slices.Repeat(c, rows*ldc/len(c)+1)[:rows*ldc]
			c[at] = v
			inside := want
			if at%ldc >= panel {
				inside = 0
			}
			if got := amxbf16.AnyTiny(&c[0], ldc, rows); got != inside {
				t.Fatalf("AnyTiny of %b at %d = %d, want %d", v, at, got, inside)
			}
		}
	}
}
