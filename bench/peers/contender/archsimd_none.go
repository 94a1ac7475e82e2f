//go:build !goexperiment.simd || !amd64

package contender

// archSIMD lists nothing: simd/archsimd is there in a build with GOEXPERIMENT=simd on amd64.
func archSIMD() []Contender { return nil }
