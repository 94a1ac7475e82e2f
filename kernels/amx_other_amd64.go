//go:build !linux && !purego && !noasm

package kernels

// permitTiles returns false: only on Linux is it known how to ask for tiles.
func permitTiles() bool { return false }
