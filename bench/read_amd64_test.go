//go:build !purego && !noasm

package bench

// readers has, by implementation, the loop that reads with its widest vectors.
var readers = map[string]func(x *float32, n int){"avx512": read512, "avx2": read256}
