package decl

import "fmt"

// Products of bfloat16. A word holds two values. A block is 16 words for 32 inputs: words of even index hold
// the even inputs, words of odd index the odd ones.
var (
	GemmBF16 = gemmBF16("GemmBF16", 1)

	GemmBF16Pairs     = gemmBF16("GemmBF16Pairs", 1)
	GemmWideBF16Pairs = gemmBF16("GemmWideBF16Pairs", 3)

	GemmWidened     = gemmWidened("GemmWidened", 1)
	GemmWideWidened = gemmWidened("GemmWideWidened", 3)

	WidenBF16 = Func{"WidenBF16", "func(dst *float32, src *uint32, blocks int)", []string{
		"WidenBF16 sets the 32*blocks values of dst to the halves of the 16*blocks words of src: of each block the even inputs,",
		"then the odd ones."}}

	GatherWidened = Func{"GatherWidened", "func(dst *float32, src *uint32, stride, rows int)", []string{
		"GatherWidened sets, for i < rows and j < 16, dst[i*16+j] to value j of row i, which is 8 words from",
		"src[i*stride] on."}}

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
	return gemmOfBlocks(name, panels, "uint32",
		"fma over the words of even index of a block, the upper half of each first, plus the same over words of odd",
		"index. Word t of block b is x[i*xRow+(16b+t)*xCol] and w[p*stride+(16b+t)*16+j]. bias may be nil.")
}

// gemmWidened declares a product of values of x that are float32.
func gemmWidened(name string, panels int) Func {
	return gemmOfBlocks(name, panels, "float32",
		"fma over the words of even index of a block of w, the upper half of each first, plus the same over words of",
		"odd index. Word t of block b is w[p*stride+(16b+t)*16+j]. The values that meet their halves, in the order of",
		"the chains, are x[i*xRow+(32b+t)*xCol], t < 32. bias may be nil.")
}

func gemmOfBlocks(name string, panels int, x string, chains ...string) Func {
	return Func{
		name, "func(c *float32, ldc, next, rows int, x *" + x + ", xRow, xCol int, w *uint32, stride, blocks, add int, bias *float32, act int)", append([]string{
			name + " sets c[i*ldc+p*next+j] = act((C + Σ_b S_b) + bias[p*16+j]) for i < rows,",
			fmt.Sprintf("p < %d, j < 16, b < blocks ascending, where C is the old c if add is not 0, and else +0. S_b is the chain of", panels),
		}, chains...),
	}
}
