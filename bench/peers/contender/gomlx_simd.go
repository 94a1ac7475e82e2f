//go:build goexperiment.simd && amd64

package contender

import (
	"os"
	"simd/archsimd"
)

// gomlxProducts returns the name for the products of gomlx: it has AVX-512 and AVX2 ones in a
// build with GOEXPERIMENT=simd, and GOMLX_SIMD_AVX512=0 keeps it from the former.
func gomlxProducts() string {
	switch {
	case archsimd.X86.AVX512() && os.Getenv("GOMLX_SIMD_AVX512") != "0":
		return "gomlx-avx512"
	case archsimd.X86.AVX2():
		return "gomlx-avx2"
	}
	return "gomlx-go"
}
