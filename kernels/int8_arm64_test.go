//go:build !purego && !noasm

package kernels

import "testing"

// TestInt8WithoutExtensions runs the products of NEON as on a processor without FEAT_I8MM, and as on one without
// FEAT_DotProd either.
func TestInt8WithoutExtensions(t *testing.T) {
	if !matrixProducts || !dotProducts {
		t.Skipf("this processor has SMMLA: %t, SDOT: %t", matrixProducts, dotProducts)
	}
	defer func() { matrixProducts, dotProducts = true, true }()
	k := Impl{isa: isaNEON}
	for matrixProducts, dotProducts = false, true; ; dotProducts = false {
		for i, s := range int8Shapes() {
			if s[2] > 2100 {
				continue
			}
			newInt8Product(newRand(uint64(i)), s[0], s[1], s[2], i%len(int8Kinds), 0).check(t, k, Activation(i%4))
		}
		if !dotProducts {
			return
		}
	}
}
