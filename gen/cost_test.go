package main

import (
	"math"
	"strings"
	"testing"
)

// TestMainLoop compares with counts by hand: of a loop over elements, with a comment in it, and of one
// of multiply-adds. The code around them does not count.
func TestMainLoop(t *testing.T) {
	neon := strings.Split(`	MOVD    n+8(FP), R1
	SUBS    $8, R1, R1
	BLT     tail1

loop1:
	// fmla of two rows
	FMOVQ   (R0), F0
	WORD    $0x4f811002 // fmla v2.4s, v0.4s, v1.s[0]
	VFMLA   V1.S4, V0.S4, V3.S4
	SUBS    $8, R1, R1
	BGE     loop1

tail1:
	ADDS    $8, R1, R1
	BEQ     done1

row1:
	FMOVQ   (R0), F0
	FMOVQ   F0, (R0)
	VFMLA   V1.S4, V0.S4, V3.S4
	SUBS    $1, R1, R1
	BNE     row1

done1:
	RET`, "\n")
	avx := strings.Split(`loop3:
	VMOVUPS      (CX)(BX*1), Y0
	VFMADD231PS  (AX), Y0, Y1
	ADDQ         $0x00000040, BX
	SUBQ         $+16, DX
	JGE          loop3`, "\n")
	for name, test := range map[string]struct {
		lines []string
		unit  unit
		lanes int
		want  float64
	}{
		"NEON, elements":      {neon, element, 4, 5.0 / 8},
		"NEON, multiply-adds": {neon, multiplyAdd, 4, 5.0 / 8},
		"AVX2, elements":      {avx, element, 8, 5.0 / 16},
		"AVX2, multiply-adds": {avx, multiplyAdd, 8, 5.0 / 8},
		"AVX2, int8":          {strings.Split("loop:\n\tVPMOVSXBW (AX), Y1\n\tVPMADDWD Y0, Y1, Y1\n\tVPADDD Y1, Y2, Y2\n\tDECQ BX\n\tJNZ loop", "\n"), int8MultiplyAdd, 8, 5.0 / 16},
		"AVX2, sums of int8":  {strings.Split("loop:\n\tVPADDW (AX), Y1, Y2\n\tVPADDW 32(AX), Y3, Y4\n\tVPMADDWD Y2, Y4, Y4\n\tVPADDD Y4, Y0, Y0\n\tDECQ BX\n\tJNZ loop", "\n"), int8MultiplyAdd, 8, 6.0 / 32},
		"AVX-VNNI":            {strings.Split("loop:\n\tVPBROADCASTD (AX), Y1\n\tLONG $0 // VPDPBUSD.VEX Y1, Y2, Y3\n\tDECQ BX\n\tJNZ loop", "\n"), int8MultiplyAdd, 8, 4.0 / 32},
		"SDOT":                {strings.Split("loop:\n\tFMOVS (R0), F1\n\tWORD $0 // sdot v0.4s, v1.16b, v2.4b[0]\n\tBNE loop", "\n"), int8MultiplyAdd, 4, 3.0 / 16},
		"SMMLA":               {strings.Split("loop:\n\tFMOVQ (R0), F1\n\tWORD $0 // smmla v0.4s, v1.16b, v2.16b\n\tBNE loop", "\n"), int8MultiplyAdd, 4, 3.0 / 32},
		"NEON, int8":          {strings.Split("loop:\n\tWORD $0 // smull v0.8h, v1.8b, v2.8b\n\tWORD $0 // smull2 v0.8h, v1.16b, v2.16b\n\tBNE loop", "\n"), int8MultiplyAdd, 4, 3.0 / 16},
		"no loop":             {neon[:4], element, 4, 0},
	} {
		if got := mainLoop(innermost(test.lines), test.unit, test.lanes); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %v instructions, want %v", name, got, test.want)
		}
	}
}
