//go:build (!amd64 && !arm64) || purego || noasm

package kernels

func native() []isa { return nil }

func (k Impl) tilePanels() int { return 1 }

func (k Impl) tile(t *tile)   { tileGo(t) }
func (k Impl) gemv(v *vector) { gemvGo(v) }
func (k Impl) gather(dst []float32, size int, src []float32, stride, rows, n int) {
	gatherGo(dst, size, src, stride, rows, n)
}
func (k Impl) transpose(dst []float32, dstStride int, src []float32, srcStride int) {
	transposeGo(dst, dstStride, src, srcStride)
}

func (k Impl) tilePanelsInt8() int                            { return 1 }
func (k Impl) widensInt8() bool                               { return false }
func (k Impl) tileInt8(t *tileInt8)                           { tileInt8Go(t) }
func (k Impl) gemvInt8(v *vectorInt8)                         { gemvInt8Go(v) }
func (k Impl) dequantize(d *dequantization)                   { dequantizeGo(d) }
func (k Impl) maxBits(x []float32) uint32                     { return maxBitsGo(x) }
func (k Impl) dotInt8(x, y []int8) int32                      { return dotInt8Go(x, y) }
func (k Impl) scaleInt8(y []float32, q []int8, scale float32) { scaleInt8Go(y, q, scale) }

func (k Impl) quantize(q []int8, x []float32, scale float32) (sum int32) {
	return quantizeGo(q, x, scale)
}

func (k Impl) exp(dst, src []float32)           { expGo(dst, src) }
func (k Impl) tanh(dst, src []float32)          { tanhGo(dst, src) }
func (k Impl) sigmoid(dst, src []float32)       { sigmoidGo(dst, src) }
func (k Impl) relu(dst, src []float32)          { reluGo(dst, src) }
func (k Impl) gelu(dst, src []float32)          { geluGo(dst, src) }
func (k Impl) tanhBackward(dx, y, dy []float32) { tanhBackwardGo(dx, y, dy) }

func (k Impl) add(dst, src []float32)       { addGo(dst, src) }
func (k Impl) mul(dst, x, y []float32)      { mulGo(dst, x, y) }
func (k Impl) scale(x []float32, a float32) { scaleGo(x, a) }
func (k Impl) dot(x, y []float32) float32   { return dotGo(x, y) }
func (k Impl) max(x []float32) float32      { return maxGo(x) }

func (k Impl) expSum(dst, src []float32, m float32) float32     { return expSumGo(dst, src, m) }
func (k Impl) sumExp(x []float32, m float32) float32            { return sumExpGo(x, m) }
func (k Impl) softmaxGradient(dx, y, dy []float32, sum float32) { softmaxGradientGo(dx, y, dy, sum) }

func (k Impl) scores(e, q []float32, keys Matrix, v []float32) { scoresGo(e, q, keys, v) }
func (k Impl) scoresBackward(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	scoresBackwardGo(dq, dkeys, dv, q, keys, v, de)
}
func (k Impl) weightedSum(dst, a []float32, rows Matrix) { weightedSumGo(dst, a, rows) }

func (k Impl) gruGates(z, r, rh, h []float32)           { gruGatesGo(z, r, rh, h) }
func (k Impl) gruState(next, candidate, z, h []float32) { gruStateGo(next, candidate, z, h) }
func (k Impl) gruStateBackward(dh, candidate, z, h, dnext []float32) {
	gruStateBackwardGo(dh, candidate, z, h, dnext)
}
func (k Impl) gruGatesBackward(dh, r, drh, h []float32) { gruGatesBackwardGo(dh, r, drh, h) }
func (k Impl) maxout(dst, src []float32)                { maxoutGo(dst, src) }
func (k Impl) maxoutBackward(src, ddst []float32)       { maxoutBackwardGo(src, ddst) }

func (k Impl) adadelta(a Adadelta, x, g, g2, dx2 []float32)     { adadeltaGo(a, x, g, g2, dx2) }
func (k Impl) adam(a Adam, x, g, m, v []float32)                { adamGo(a, x, g, m, v) }
func (k Impl) movingAverage(average, x []float32, rate float32) { movingAverageGo(average, x, rate) }
func (k Impl) decay(x []float32, rho float32, steps int)        { decayGo(x, rho, steps) }

func (k Impl) tilePanelsBF16() int                            { return 1 }
func (k Impl) tileBF16(t *tileBF16)                           { tileBF16Go(t) }
func (k Impl) widensBF16() bool                               { return false }
func (k Impl) widenBF16(dst, src []uint32)                    { widenBF16Go(dst, src) }
func (k Impl) gatherWidened(dst, src []uint32, stride, n int) { gatherWidenedGo(dst, src, stride, n) }
func (k Impl) gatherBF16(dst, src []uint32, stride, n int)    { gatherBF16Go(dst, src, stride, n) }
func (k Impl) roundBF16(dst []uint32, src []float32)          { roundBF16Go(dst, src) }
func (k Impl) roundPanelBF16(dst []uint32, src []float32)     { roundPanelBF16Go(dst, src) }

// Products of bfloat16 on tiles: only amd64 has AMX.

func (k Impl) amxPanels(*productBF16, int, int) bool                   { return false }
func (k Impl) amxColumns([]uint32)                                     {}
func (k Impl) amxGradPanels(Packed, RowsBF16, []uint32, int, int) bool { return false }
