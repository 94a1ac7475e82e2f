package kernels

// The products below take operands that Linear, LinearAdd and LinearGrad would round, or their weights
// alone, so that tests see the rounding and the products apart.

func (k Impl) gemmAdd(y Matrix, w Packed, x Matrix, act Activation) {
	k.LinearAdd(y, Weights{Float32: w}, x, act)
}

func (k Impl) gemvAdd(y []float32, w Packed, x []float32, act Activation) {
	k.LinearAdd(row(y), Weights{Float32: w}, row(x), act)
}

func (k Impl) gemmInt8(y Matrix, w PackedInt8, x RowsInt8, bias []float32, act Activation) {
	k.multiply(&product{y: y, w: Weights{Int8: w}, x: inputs{int8: x}, bias: bias, act: act})
}

func (k Impl) gemmAddInt8(y Matrix, w PackedInt8, x RowsInt8, act Activation) {
	k.multiply(&product{y: y, w: Weights{Int8: w}, x: inputs{int8: x}, act: act, add: true})
}

func (k Impl) gemmBF16(y Matrix, w PackedBF16, x RowsBF16, bias []float32, act Activation) {
	k.multiply(&product{y: y, w: Weights{BF16: w}, x: inputs{bf16: x}, bias: bias, act: act})
}

func (k Impl) gemmAddBF16(y Matrix, w PackedBF16, x RowsBF16, act Activation) {
	k.multiply(&product{y: y, w: Weights{BF16: w}, x: inputs{bf16: x}, act: act, add: true})
}

func (k Impl) gemmGrad(dw Packed, dy, x Matrix, scratch []float32) {
	k.accumulate(&gradient{dw: dw, dy: inputs{float32: dy}, x: inputs{float32: x}, scratch: words(scratch)})
}

func (k Impl) gemmGradBF16(dw Packed, dy, x RowsBF16, scratch []float32) {
	k.accumulate(&gradient{dw: dw, dy: inputs{bf16: dy}, x: inputs{bf16: x}, bf16: true, scratch: words(scratch)})
}
