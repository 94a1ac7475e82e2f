//go:build !goexperiment.simd || !amd64

package contender

// gomlxProducts returns the name for the products of gomlx, which are Go in a build without
// GOEXPERIMENT=simd.
func gomlxProducts() string { return "gomlx-go" }
