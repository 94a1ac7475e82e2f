package decl

// A Method is an unexported method of kernels.Impl that calls a kernel if its instruction set has that, and
// otherwise the portable function, whose name ends in Go.
type Method struct {
	Kernel    Func
	Signature string // Go source, from the name on
	Arguments string // of the kernel, made of the parameters
}

// Methods lists the methods whose choice depends on the instruction set of Impl alone.
var Methods = []Method{
	{Exp, "exp(dst, src []float32)", "&dst[0], &src[0], len(src)"},
	{Tanh, "tanh(dst, src []float32)", "&dst[0], &src[0], len(src)"},
	{Sigmoid, "sigmoid(dst, src []float32)", "&dst[0], &src[0], len(src)"},
	{ReLU, "relu(dst, src []float32)", "&dst[0], &src[0], len(src)"},
	{TanhBackward, "tanhBackward(dx, y, dy []float32)", "&dx[0], &y[0], &dy[0], len(y)"},

	{Add, "add(dst, src []float32)", "&dst[0], &src[0], len(src)"},
	{Mul, "mul(dst, x, y []float32)", "&dst[0], &x[0], &y[0], len(dst)"},
	{Scale, "scale(x []float32, a float32)", "&x[0], len(x), a"},
	{Dot, "dot(x, y []float32) float32", "&x[0], &y[0], len(x)"},
	{RowDots, "rowDots(dst []float32, rows Matrix, x []float32)",
		"&dst[0], &rows.Data[0], rows.Stride, rows.Rows, &x[0], len(x)"},

	{Max, "max(x []float32) float32", "&x[0], len(x)"},
	{ExpSum, "expSum(dst, src []float32, m float32) float32", "&dst[0], &src[0], len(src), m"},
	{SumExp, "sumExp(x []float32, m float32) float32", "&x[0], len(x), m"},
	{SoftmaxGradient, "softmaxGradient(dx, y, dy []float32, sum float32)", "&dx[0], &y[0], &dy[0], len(y), sum"},

	{Scores, "scores(e, q []float32, keys Matrix, v []float32)",
		"&e[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v)"},
	{ScoresBackward, "scoresBackward(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32)",
		"&dq[0], &dkeys.Data[0], &dv[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v), &de[0]"},
	{WeightedSum, "weightedSum(dst, a []float32, rows Matrix)",
		"&dst[0], len(dst), &a[0], &rows.Data[0], rows.Stride, rows.Rows"},

	{GRUGates, "gruGates(z, r, rh, h []float32)", "&z[0], &r[0], &rh[0], &h[0], len(h)"},
	{GRUState, "gruState(next, candidate, z, h []float32)", "&next[0], &candidate[0], &z[0], &h[0], len(h)"},
	{GRUStateBackward, "gruStateBackward(dh, candidate, z, h, dnext []float32)",
		"&dh[0], &candidate[0], &z[0], &h[0], &dnext[0], len(h)"},
	{GRUGatesBackward, "gruGatesBackward(dh, r, drh, h []float32)", "&dh[0], &r[0], &drh[0], &h[0], len(h)"},
	{GRUResetAfter, "gruResetAfter(next, x, r, z, u, h []float32)",
		"&next[0], &x[0], &r[0], &z[0], &u[0], &h[0], len(h)"},
	{LSTMState, "lstmState(next, cell, input, forget, candidate, output, c []float32)",
		"&next[0], &cell[0], &input[0], &forget[0], &candidate[0], &output[0], &c[0], len(c)"},

	{Maxout, "maxout(dst, src []float32)", "&dst[0], &src[0], len(dst)"},
	{MaxoutBackward, "maxoutBackward(src, ddst []float32)", "&src[0], &ddst[0], len(ddst)"},
	{Adadelta, "adadelta(a Adadelta, x, g, g2, dx2 []float32)",
		"&x[0], &g[0], &g2[0], &dx2[0], len(x), a.Rho, 1-a.Rho, a.Epsilon, a.Scale"},
	{Adam, "adam(a Adam, x, g, m, v []float32)",
		"&x[0], &g[0], &m[0], &v[0], len(x), a.Beta1, 1-a.Beta1, a.Beta2, 1-a.Beta2, a.Epsilon, a.Rate, a.Scale"},
	{Decay, "decay(x []float32, rho float32, steps int)", "&x[0], len(x), steps, rho"},
	{MovingAverage, "movingAverage(average, x []float32, rate float32)", "&average[0], &x[0], len(x), rate"},

	{Transpose, "transpose(dst []float32, dstStride int, src []float32, srcStride int)",
		"&dst[0], dstStride, &src[0], srcStride"},
	{Gather, "gather(dst []float32, size int, src []float32, stride, rows, n int)",
		"&dst[0], size, &src[0], stride, rows, n"},

	{MaxBits, "maxBits(x []float32) int32", "&x[0], len(x)"},
	{Quantize, "quantize(q []int8, x []float32, scale float32) int32", "&q[0], &x[0], len(x), scale"},
	{ScaleInt8, "scaleInt8(y []float32, q []int8, scale float32)", "&y[0], &q[0], len(y), scale"},
	{Dequantize, "dequantize(d *dequantization)", "&d.y[0], d.stride, &d.acc[0], d.ld, d.rows, d.cols, " +
		"&d.rowScales[0], &d.scales[0], &d.start[0], d.startStride, int(d.act)"},

	{WidenBF16, "widenBF16(dst, src []uint32)",
		"(*float32)(unsafe.Pointer(&dst[0])), &src[0], len(src)/bf16Words"},
	{GatherWidened, "gatherWidened(dst, src []uint32, stride, rows int)",
		"(*float32)(unsafe.Pointer(&dst[0])), &src[0], stride, rows"},
	{GatherBF16, "gatherBF16(dst, src []uint32, stride, quads int)", "&dst[0], &src[0], stride, quads"},
	{RoundBF16, "roundBF16(dst []uint32, src []float32)", "&dst[0], &src[0], len(src)/bf16Block"},
	{RoundPanelBF16, "roundPanelBF16(dst []uint32, src []float32)", "&dst[0], &src[0], len(src)/(4*panel)"},
}
