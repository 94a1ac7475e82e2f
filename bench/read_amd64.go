//go:build !purego && !noasm

package bench

// read512 and read256 read n > 0 blocks of 512 bytes into registers, and do nothing else: the bound of kernels that
// read their operands once.
//
//go:noescape
func read512(x *float32, n int)

//go:noescape
func read256(x *float32, n int)
