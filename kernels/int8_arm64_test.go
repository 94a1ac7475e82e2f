//go:build !purego && !noasm

package kernels

import "testing"

// TestInt8WithoutSDOT runs the products of NEON as on a processor without FEAT_DotProd.
func TestInt8WithoutSDOT(t *testing.T) {
	if !dotProducts {
		t.Skip("this processor has no SDOT")
	}
	dotProducts = false
	defer func() { dotProducts = true }()
	k := Impl{isa: isaNEON}
	for i, s := range int8Shapes() {
		if s[2] > 2100 {
			continue
		}
		newInt8Product(newRand(uint64(i)), s[0], s[1], s[2], i%len(int8Kinds), 0).check(t, k, Activation(i%4))
	}
}
