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

// TestBF16WithoutLong runs the products of NEON as on a processor without FEAT_BF16.
func TestBF16WithoutLong(t *testing.T) {
	if !bf16Long {
		t.Skip("this processor has no BFMLALT")
	}
	bf16Long = false
	defer func() { bf16Long = true }()
	k := Impl{isa: isaNEON}
	for i, s := range bf16Shapes() {
		if s[0]*s[1]*s[2] > 300_000 {
			continue
		}
		checkGemmBF16(t, k, i, s, bf16Fills[i%len(bf16Fills)], bf16Fills[i/3%len(bf16Fills)])
		if i%5 == 0 {
			checkAll(t, bf16Kernels(s[0], s[1], s[2]), bf16Fills[i%len(bf16Fills):][:1], uint64(i), i%offsets)
		}
	}
}
