//go:build amd64.v3 || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x

package kernels

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
)

func TestProbe(t *testing.T) {
	if !fused && optimized() {
		t.Error("portable Go emulates the fused multiply-add, though the compiler can fuse x*y + z")
	}
	y := probe()
	for i, v := range y[:probeProducts] {
		if v == 0 {
			t.Errorf("product %d of probe is 0, so it does not show whether it is fused", i)
		}
	}
	if n := testing.AllocsPerRun(10, func() { probe() }); n != 0 {
		t.Errorf("probe: %g allocations, want 0", n)
	}
}

// optimized reports whether no flags of the compiler chose how to build this test. With -N it does not
// fuse.
func optimized() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && !slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-gcflags" })
}

// emulating calls f while portable Go emulates the fused multiply-add.
func emulating(f func()) {
	defer func(old bool) { fused = old }(fused)
	fused = false
	f()
}

// TestFusedBits compares every kernel of portable Go with its emulation. Values of few bits make sums
// that almost cancel, in which the rounding of a product shows.
func TestFusedBits(t *testing.T) {
	few := fill{"few bits", each(func(r *rand.Rand) float32 {
		return float32(1-2*r.IntN(2)) * (1 + float32(r.IntN(8))*0x1p-12)
	})}
	lists := [][]kernel{
		vectorKernels(67), vectorKernels(1000), attentionKernels(5, 67, 70), attentionKernels(17, 130, 130),
		rowKernels(3, 35, 35), productKernels(1, 67, 33), productKernels(1, 33, 1000), productKernels(5, 33, 34),
		productKernels(19, 67, 257), int8Kernels(5, 33, 70),
	}
	for round := range 4 {
		for _, list := range lists {
			for _, kn := range list {
				for _, f := range append(fills[:len(fills):len(fills)], few) {
					got := operands(kn, f, uint64(round))
					want := clone(got)
					kn.run(Impl{}, got)
					emulating(func() { kn.run(Impl{}, want) })
					for i, a := range kn.args {
						if j := differs(got[i], want[i]); j >= 0 && a.use != works {
							t.Errorf("%s %s, fill %s: %s[%d] = %g (%b), emulated %g (%b)",
								kn.name, kn.shape, f.name, a.name, j, got[i][j], got[i][j], want[i][j], want[i][j])
						}
					}
				}
			}
		}
	}
}

// TestFusedFunctions compares the functions of an element with their emulation.
func TestFusedFunctions(t *testing.T) {
	functions := []struct {
		name string
		f    func(x float32) float32
	}{{"exp", exp}, {"expTerm", expTerm}, {"tanh", tanh}, {"sigmoid", sigmoid}}
	r := newRand(17)
	n := 400_000
	if !full() {
		n = 40_000
	}
	for i := range n {
		x := float32(r.NormFloat64()) * float32(int(1)<<r.IntN(7))
		switch {
		case i < len(specials):
			x = specials[i]
		case i%8 == 0:
			x = rawBits(r)
		}
		for _, c := range functions {
			if c.name == "expTerm" && x > 0 {
				continue
			}
			var want float32
			emulating(func() { want = c.f(x) })
			if got := c.f(x); !same(got, want) {
				t.Fatalf("%s(%b) = %b, emulated %b", c.name, x, got, want)
			}
		}
	}
}
