//go:build !purego && !noasm

package kernels

import "testing"

// TestBF16WithoutPairs runs the products of AVX-512 as on a processor without VDPBF16PS.
func TestBF16WithoutPairs(t *testing.T) {
	k, err := Lookup("avx512")
	if err != nil || !bf16Pairs {
		t.Skip("this processor has no VDPBF16PS")
	}
	defer func() { bf16Pairs = true }()
	bf16Pairs = false
	checkStackGrowth(t, k)
	for i, s := range bf16Shapes() {
		if s[0]*s[1]*s[2] > 200_000 {
			continue
		}
		bf16Pairs = true
		if isa := k.bf16ISA(); isa != isaAVX512BF16 {
			t.Errorf("instruction set %d with VDPBF16PS, want %d", isa, isaAVX512BF16)
		}
		bf16Pairs = false
		if isa := k.bf16ISA(); isa != isaAVX512 {
			t.Errorf("instruction set %d without VDPBF16PS, want %d", isa, isaAVX512)
		}
		checkGemmBF16(t, k, i, s, bf16Fills[i%len(bf16Fills)], bf16Fills[i/3%len(bf16Fills)])
		if i%5 == 0 {
			checkAll(t, bf16Kernels(s[0], s[1], s[2]), bf16Fills[i%len(bf16Fills):][:1], uint64(i), i%offsets)
		}
	}
}
