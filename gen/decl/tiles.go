package decl

import "fmt"

// Products of bfloat16 with AMX. A tile of words is 16 rows of 16 words; word t of a block of 32 inputs holds
// input 2t in its lower half and input 2t+1 in its upper half.
var (
	GemmTiles     = gemmTiles("GemmTiles", 1)
	GemmWideTiles = gemmTiles("GemmWideTiles", 2)

	TilePanel = Func{"TilePanel", "func(dst, src *uint32, blocks int)", []string{
		"TilePanel sets, for b < blocks, q < 8 and j < 16, words dst[b*256+q*32+j] and dst[b*256+q*32+16+j] to the upper, and to",
		"the lower, halves of words src[b*256+q*32+j] and src[b*256+q*32+16+j], of which the second becomes the upper half.",
		"dst may be src."}}

	TileRows = Func{"TileRows", "func(dst, src *uint32, stride, rows, blocks int)", []string{
		"TileRows sets, for r < rows ≤ 16, b < blocks and q < 8, words dst[b*256+r*16+2q] and dst[b*256+r*16+2q+1] to the upper,",
		"and to the lower, halves of words src[r*stride+b*16+2q] and src[r*stride+b*16+2q+1], of which the second becomes the",
		"upper half."}}

	AnyTiny = Func{"AnyTiny", "func(c *float32, ldc, rows int) int", []string{
		"AnyTiny returns 1 if 0 < |c[i*ldc+j]| < 2⁻¹⁰³ for an i < rows and a j < 16, or else 0."}}
)

func gemmTiles(name string, panels int) Func {
	return Func{
		name, "func(c *float32, ldc, next, rows int, x, w *uint32, stride, blocks, add int, bias *float32, act int, config *byte)", []string{
			name + " sets c[i*ldc+p*next+j] = act((C + Σ_b S_b) + bias[p*16+j]) for i < rows,",
			fmt.Sprintf("p < %d, j < 16, b < blocks ascending, where C is the old c if add is not 0, and else +0. S_b is the chain of", panels),
			"fma over the lower halves of a block, plus that over the upper ones. Row i of block b is the words from",
			"x[((i/16*blocks+b)*16+i%16)*16] on, word t of it meets w[p*stride+(16b+t)*16+j]. bias may be nil.",
			"config is two configurations of tiles: of 16 rows, and of the last rows%32."},
	}
}
