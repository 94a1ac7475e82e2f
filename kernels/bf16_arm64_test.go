//go:build !purego && !noasm

package kernels

import "testing"

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
