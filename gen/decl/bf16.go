package decl

import "fmt"

// Products of bfloat16. A word holds two values. A block is 16 words: those of even index hold the even
// inputs of 32, those of odd index the odd ones.
var (
	GemmBF16     = gemmBF16("GemmBF16", 1)
	GemmWideBF16 = gemmBF16("GemmWideBF16", 3)

	GemmBF16Pairs     = gemmBF16("GemmBF16Pairs", 1)
	GemmWideBF16Pairs = gemmBF16("GemmWideBF16Pairs", 3)

	GemmBF16Long = Func{"GemmBF16Long", GemmBF16.Signature, []string{
		"GemmBF16Long is GemmBF16 with the instructions of FEAT_BF16."}}

	GatherBF16 = Func{"GatherBF16", "func(dst, src *uint32, stride, quads int)", []string{
		"GatherBF16 sets, for q < quads, odd < 2 and j < 16, the halves of word dst[q*32+odd*16+j] to values j of rows",
		"4q+odd and 4q+odd+2, where row i is 8 words from src[i*stride] on."}}

	RoundBF16 = Func{"RoundBF16", "func(dst *uint32, src *float32, blocks int)", []string{
		"RoundBF16 sets the 16*blocks words of dst to the 32*blocks values of src, rounded."}}

	RoundPanelBF16 = Func{"RoundPanelBF16", "func(dst *uint32, src *float32, quads int)", []string{
		"RoundPanelBF16 sets, for q < quads, odd < 2 and j < 16, the halves of word dst[q*32+odd*16+j] to",
		"src[(4q+odd)*16+j] and src[(4q+odd+2)*16+j], rounded."}}
)

func gemmBF16(name string, panels int) Func {
	return Func{
		name, "func(c *float32, ldc, next, rows int, x *uint32, xRow, xCol int, w *uint32, stride, blocks, add int, bias *float32, act int)", []string{
			name + " sets c[i*ldc+p*next+j] = act((C + Σ_b S_b) + bias[p*16+j]) for i < rows,",
			fmt.Sprintf("p < %d, j < 16, b < blocks ascending, where C is the old c if add is not 0, and else +0. S_b is the chain of", panels),
			"fma over the words of even index of a block, the upper half of each first, plus that over those of odd",
			"index. Word t of block b is x[i*xRow+(16b+t)*xCol] and w[p*stride+(16b+t)*16+j]. bias may be nil."},
	}
}
