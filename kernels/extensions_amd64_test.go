//go:build !purego && !noasm

package kernels

import "testing"

// TestInt8WithoutVNNI runs the products of AVX-512 as on a processor without VPDPBUSD.
func TestInt8WithoutVNNI(t *testing.T) {
	k, err := Lookup("avx512")
	if err != nil || !vnni {
		t.Skip("this processor has no VPDPBUSD")
	}
	defer func() { vnni = true }()
	for i, s := range [][3]int{{1, 50, 70}, {5, 50, 70}, {9, 97, 33}} {
		vnni = true
		if isa := k.int8ISA(); isa != isaAVX512VNNI {
			t.Errorf("instruction set %d with VPDPBUSD, want %d", isa, isaAVX512VNNI)
		}
		vnni = false
		if isa := k.int8ISA(); isa != isaAVX2 {
			t.Errorf("instruction set %d without VPDPBUSD, want %d", isa, isaAVX2)
		}
		newInt8Product(newRand(uint64(i)), s[0], s[1], s[2], 0, 0).check(t, k, Tanh)
		checkAll(t, int8Kernels(s[0], s[1], s[2]), fills[:1], uint64(i), i)
	}
}

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
