//go:build !purego && !noasm

package kernels

import (
	"os"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

const vnniEmulated = "SOFTSEARCH_AVXVNNI_EMULATED"

func init() {
	if os.Getenv(vnniEmulated) != "" {
		cpuid.CPU.Enable(cpuid.AVXVNNI)
	}
}

// TestAVXVNNIEmulated runs TestAVXVNNI on an emulator of VPDPBUSD in VEX.
func TestAVXVNNIEmulated(t *testing.T) {
	if _, err := Lookup("avx2"); err != nil {
		t.Skip("the code around VPDPBUSD needs AVX2: ", err)
	}
	if _, err := Lookup("avxvnni"); err == nil {
		t.Skip("the processor has AVX-VNNI, which all tests of int8 use")
	}
	var e emulator
	emulate(t, &e, vnniEmulated+"=1", "avxvnni", "TestAVXVNNI")
	if e.products < 50_000 {
		t.Errorf("%d instructions VPDPBUSD, want at least 50000", e.products)
	}
	t.Logf("%d instructions VPDPBUSD", e.products)
}

// TestAVXVNNI has every number of rows and panels of a tile, and depths on both sides of those of loops and of
// calls.
func TestAVXVNNI(t *testing.T) {
	k, err := Lookup("avxvnni")
	if err != nil {
		t.Skip("no AVX-VNNI: TestAVXVNNIEmulated runs this test")
	}
	for m := range 14 {
		for i, out := range []int{1, 16, 17, 49} {
			in := []int{0, 1, 4, 15, 16, 17, 18, 31, 64, 67}[(3*m+i)%10]
			newInt8Product(newRand(uint64(m)), m, out, in, (m+i)%len(int8Kinds), m%len(int8Kinds)).check(t, k, Activation(m%4))
		}
	}
	for i, s := range [][3]int{{1, 17, 4*int8TileQuads(1) + 2}, {5, 49, 4*int8TileQuads(maxTilePanels) + 3}, {int8Rows + 1, 33, 20}} {
		newInt8Product(newRand(uint64(i)), s[0], s[1], s[2], i, i).check(t, k, Tanh)
		checkAll(t, int8Kernels(s[0], s[1], 10), fills[:1], uint64(i), i)
	}
	for n := range 70 {
		x := int8s(newRand(uint64(n)), 2*n, n%len(int8Kinds))
		if got, want := k.DotInt8(x[:n], x[n:]), dot64(x[:n], x[n:]); int64(got) != want {
			t.Errorf("%s n=%d: %d, want %d", k, n, got, want)
		}
	}
}
