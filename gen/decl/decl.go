// Package decl declares the raw kernels, which the package of every instruction set in asm contains.
package decl

import "fmt"

// A Func is the declaration of one kernel.
type Func struct {
	Name      string
	Signature string   // Go source
	Doc       []string // lines that start with the name
}

// Exponential and activations.
var (
	Exp     = elementwise("Exp", "exp(src[i])")
	Tanh    = elementwise("Tanh", "tanh(src[i])")
	Sigmoid = elementwise("Sigmoid", "1/(1+exp(-src[i])), src[i] clamped to [SigmoidLow, SigmoidHigh],")

	ReLU = Func{"ReLU", "func(dst, src *float32, n int)", []string{
		"ReLU sets dst[i] = src[i] where src[i] > 0 or src[i] is NaN, and +0 elsewhere, for i < n."}}

	TanhBackward = Func{"TanhBackward", "func(dx, y, dy *float32, n int)", []string{
		"TanhBackward sets dx[i] = dy[i]*(1-y[i]*y[i]) for i < n."}}
)

func elementwise(name, formula string) Func {
	return Func{name, "func(dst, src *float32, n int)", []string{name + " sets dst[i] = " + formula + " for i < n."}}
}

// Vectors.
var (
	Add = Func{"Add", "func(dst, src *float32, n int)", []string{
		"Add adds src[i] to dst[i] for i < n."}}

	Mul = Func{"Mul", "func(dst, x, y *float32, n int)", []string{
		"Mul sets dst[i] = x[i]*y[i] for i < n. dst may be x or y."}}

	Scale = Func{"Scale", "func(x *float32, n int, a float32)", []string{
		"Scale sets x[i] = a*x[i] for i < n."}}

	Dot = Func{"Dot", "func(x, y *float32, n int) float32", []string{
		"Dot returns the sum of x[i]*y[i] for i < n in 64 lanes. Of a zero, the sign is not defined."}}

	RowDots = Func{"RowDots", "func(dst, rows *float32, stride, count int, x *float32, n int)", []string{
		"RowDots sets dst[j] to the Dot of x and rows[j*stride:], +0 instead of -0, for j < count."}}
)

// Softmax.
var (
	Max = Func{"Max", "func(x *float32, n int) float32", []string{
		"Max returns the largest of x[i] for i < n."}}

	ExpSum = Func{"ExpSum", "func(dst, src *float32, n int, max float32) float32", []string{
		"ExpSum sets dst[i] = exp(src[i]-max), or 0 where that is subnormal, for i < n,",
		"and returns their sum in 16 lanes."}}

	SumExp = Func{"SumExp", "func(src *float32, n int, max float32) float32", []string{
		"SumExp returns the result of ExpSum without storing the terms."}}

	SoftmaxGradient = Func{"SoftmaxGradient", "func(dx, y, dy *float32, n int, sum float32)", []string{
		"SoftmaxGradient sets dx[i] = y[i]*(dy[i]-sum) for i < n."}}
)

// Attention.
var (
	Scores = Func{"Scores", "func(e, q, keys *float32, stride, count int, v *float32, n int)", []string{
		"Scores sets e[j] = Σ_i v[i]*tanh(q[i]+keys[j*stride+i]) for j < count, i < n, each in 16 lanes."}}

	ScoresBackward = Func{"ScoresBackward", "func(dq, dkeys, dv, q, keys *float32, stride, count int, v *float32, n int, de *float32)", []string{
		"ScoresBackward adds, for j < count ascending and i < n, with u = tanh(q[i]+keys[j*stride+i])",
		"and g = de[j]*v[i]*(1-u*u): de[j]*u to dv[i], g to dq[i] and to dkeys[j*stride+i]."}}

	WeightedSum = Func{"WeightedSum", "func(dst *float32, n int, a, rows *float32, stride, count int)", []string{
		"WeightedSum adds Σ_j a[j]*rows[j*stride+i] to dst[i] for i < n, j < count ascending."}}
)

// The gated recurrent unit and the long short-term memory.
var (
	GRUGates = Func{"GRUGates", "func(z, r, rh, h *float32, n int)", []string{
		"GRUGates sets z[i] = sigmoid(z[i]), r[i] = sigmoid(r[i]), rh[i] = r[i]*h[i] for i < n."}}

	GRUState = Func{"GRUState", "func(next, candidate, z, h *float32, n int)", []string{
		"GRUState sets candidate[i] = tanh(candidate[i]), next[i] = h[i] + z[i]*(candidate[i]-h[i]) for i < n."}}

	GRUStateBackward = Func{"GRUStateBackward", "func(dh, candidate, z, h, dnext *float32, n int)", []string{
		"GRUStateBackward sets dh[i] = d - z*d, z[i] = d*(c-h)*(z-z*z), candidate[i] = d*z*(1-c*c) for i < n,",
		"with d, z, c and h the old values of dnext[i], z[i], candidate[i] and h[i]."}}

	GRUGatesBackward = Func{"GRUGatesBackward", "func(dh, r, drh, h *float32, n int)", []string{
		"GRUGatesBackward adds drh[i]*r to dh[i] and sets r[i] = drh[i]*h[i]*(r-r*r) for i < n, with r the old r[i]."}}

	GRUResetAfter = Func{"GRUResetAfter", "func(next, x, r, z, u, h *float32, n int)", []string{
		"GRUResetAfter sets next[i] = c + sigmoid(z[i])*(h[i]-c), c = tanh(x[i]+sigmoid(r[i])*u[i]), for i < n. next may",
		"be h."}}

	LSTMState = Func{"LSTMState", "func(next, cell, input, forget, candidate, output, c *float32, n int)", []string{
		"LSTMState sets cell[i] = sigmoid(input[i])*tanh(candidate[i]) + sigmoid(forget[i])*c[i] and",
		"next[i] = sigmoid(output[i])*tanh(cell[i]) for i < n. cell may be c."}}
)

// Readout and optimizers.
var (
	Maxout = Func{"Maxout", "func(dst, src *float32, n int)", []string{
		"Maxout sets dst[j] to the larger of src[2j] and src[2j+1] for j < n, n a multiple of 16."}}

	MaxoutBackward = Func{"MaxoutBackward", "func(src, ddst *float32, n int)", []string{
		"MaxoutBackward sets the larger of src[2j] and src[2j+1] to ddst[j] and the other to 0 for j < n, n a multiple",
		"of 16. Of two equal ones the first counts as the larger."}}

	Adadelta = Func{"Adadelta", "func(x, gradient, g2, dx2 *float32, n int, rho, keep, epsilon, scale float32)", []string{
		"Adadelta takes one step for i < n: s = scale*gradient[i], g2[i] = rho*g2[i] + keep*s*s,",
		"d = √((dx2[i]+epsilon)/(g2[i]+epsilon))*s, x[i] -= d, dx2[i] = rho*dx2[i] + keep*d*d.",
		"g2[i] and dx2[i] below AverageFloor are set to 0."}}

	Adam = Func{"Adam", "func(x, gradient, m, v *float32, n int, beta1, keep1, beta2, keep2, epsilon, rate, scale float32)", []string{
		"Adam takes one step for i < n: s = scale*gradient[i], m[i] = beta1*m[i] + keep1*s, v[i] = beta2*v[i] + keep2*s*s,",
		"x[i] -= rate*m[i]/(√v[i]+epsilon). m[i] and v[i] of a magnitude below AverageFloor are set to 0."}}

	Decay = Func{"Decay", "func(x *float32, n, steps int, rho float32)", []string{
		"Decay sets x[i] = rho*x[i], or 0 where that is below AverageFloor, for i < n, and repeats this steps ≥ 1 times."}}

	MovingAverage = Func{"MovingAverage", "func(average, x *float32, n int, rate float32)", []string{
		"MovingAverage sets average[i] = average[i] + rate*(x[i]-average[i]) for i < n."}}
)

// Matrix products and the packing of their operands.
var (
	Gemm        = gemm("Gemm", 1, "from ahead on.")
	GemmWide    = gemm("GemmWide", 3, "the first from ahead on, and each later one step values further on.")
	GemmWideFew = gemm("GemmWideFew", 3, "for the panels from ahead, ahead+step and ahead+2*step on.")

	Gemv = Func{"Gemv", "func(y, x, w *float32, stride, depth, panels int, start *float32, step, act int)", []string{
		"Gemv sets y[p*16+j] = act(start[p*step+j] + Σ_k x[k]*w[p*stride+k*16+j]) for p < panels, j < 16, k < depth,",
		"k ascending. start may be y."}}

	GemvNear = Func{"Gemv", "func(y, x, w *float32, stride, depth, panels int, start *float32, step, act, near int)", []string{
		Gemv.Doc[0], Gemv.Doc[1] + " If near is not 0, the weights are in the second-level cache, and it prefetches few."}}

	Transpose = Func{"Transpose", "func(dst *float32, dstStride int, src *float32, srcStride int)", []string{
		"Transpose sets dst[j*dstStride+i] = src[i*srcStride+j] for i, j < 16."}}

	Gather = Func{"Gather", "func(dst *float32, size int, src *float32, stride, rows, panels int)", []string{
		"Gather sets dst[p*size+i*16+j] = src[i*stride+p*16+j] for p < panels, i < rows, j < 16. panels is 1 or 3."}}
)

// Products of int8. A panel holds w[(k/4)*64+j*4+k%4] for input k and output j. VPDPBUSD multiplies by
// unsigned weights, w+128; the caller makes up for that in start and starts.
var (
	GemmInt8 = gemmInt8("GemmInt8", 1, "w")
	GemvInt8 = gemvInt8("w")

	GemmInt8Pairs = Func{"GemmInt8", "func(acc *int32, rows int, x *int8, xStride int, w *int8, stride, quads, panels, add int, wide *int16)", []string{
		"GemmInt8 sets acc[i*48+p*16+j] = s + Σ_k x[i*xStride+k]*w[p*stride+(k/4)*64+j*4+k%4] for i < rows, p < panels ≤ 3,",
		"j < 16, k < 4*quads ≤ 256, where s is 0, or acc[i*48+p*16+j] if add is not 0. It reads whole groups of 16 inputs of",
		"a row; those from 4*quads on do not change the result if they are zeros. wide is scratch of 1152 + 64*panels*quads",
		"values."}}
	GemvInt8Scaled = Func{"GemvInt8", "func(acc *int32, x, w *int8, stride, quads, panels int, wide *int16)", []string{
		"GemvInt8 sets acc[p*16+j] = Σ_k x[k]*w[p*stride+(k/4)*64+j*4+k%4] for p < panels, j < 16, k < 4*quads. It reads",
		"whole groups of 16 inputs. wide is scratch for them."}}
	GemmInt8Dot    = gemmInt8("GemmInt8Dot", 1, "w")
	GemmInt8Matrix = Func{"GemmInt8Matrix", GemmInt8.Signature, []string{
		"GemmInt8Matrix is GemmInt8 with the instructions of FEAT_I8MM. It reads whole groups of 8 inputs of a row; those",
		"from 4*quads on do not change the result if they are zeros."}}
	GemvInt8Dot = Func{"GemvInt8Dot", GemvInt8.Signature, []string{
		"GemvInt8Dot is GemvInt8 with the instructions of FEAT_DotProd, as GemmInt8Dot is GemmInt8."}}

	GemmInt8Unsigned     = gemmInt8("GemmInt8", 1, "(w+128)")
	GemmWideInt8Unsigned = gemmInt8("GemmWideInt8", 3, "(w+128)")
	GemvInt8Unsigned     = gemvInt8("(w+128)")

	MaxBits = Func{"MaxBits", "func(x *float32, n int) int32", []string{
		"MaxBits returns the largest of the bits of |x[i]| for i < n."}}

	Quantize = Func{"Quantize", "func(q *int8, x *float32, n int, scale float32) int32", []string{
		"Quantize sets q[i] = x[i]/scale, rounded to the nearest integer and clamped to [-127, 127], for i < n, and q[i] = 0",
		"up to the next multiple of its vector of at most 16. It returns the sum of q. scale > 0."}}

	ScaleInt8 = Func{"ScaleInt8", "func(y *float32, q *int8, n int, scale float32)", []string{
		"ScaleInt8 sets y[i] = float32(q[i])*scale for i < n. It reads q up to the next multiple of 16."}}

	Dequantize = Func{"Dequantize", "func(y *float32, stride int, acc *int32, ld, rows, cols int, rowScales, scales, start *float32, startStride, act int)", []string{
		"Dequantize sets y[i*stride+j] = act(fma(float32(acc[i*ld+j]), rowScales[i]*scales[j], start[i*startStride+j]))",
		"for i < rows, j < cols. start may be y."}}
)

func gemmInt8(name string, panels int, w string) Func {
	return Func{name, "func(acc *int32, rows int, x *int8, xStride int, w *int8, stride, quads int, starts *int32)", []string{
		name + " sets acc[i*48+p*16+j] = s + Σ_k x[i*xStride+k]*" + w + "[p*stride+(k/4)*64+j*4+k%4]",
		fmt.Sprintf("for i < rows, p < %d, j < 16, k < 4*quads, where s is starts[i], or acc[i*48+p*16+j] if starts is nil.", panels)}}
}

func gemvInt8(w string) Func {
	return Func{"GemvInt8", "func(acc *int32, x, w *int8, stride, quads, panels int, start int32)", []string{
		"GemvInt8 sets acc[p*16+j] = start + Σ_k x[k]*" + w + "[p*stride+(k/4)*64+j*4+k%4] for p < panels, j < 16, k < 4*quads."}}
}

// gemm declares a product with adjacent panels. prefetched says where the values are that each tile prefetches.
func gemm(name string, panels int, prefetched string) Func {
	ahead := "ahead *float32"
	if panels > 1 {
		ahead += ", step int"
	}
	return Func{name, "func(c *float32, ldc, next, rows int, x *float32, xRow, xCol int, w *float32, stride, depth int, " + ahead + ", start *float32, act int)", []string{
		name + " sets c[i*ldc+p*next+j] = act(s + Σ_k x[i*xRow+k*xCol]*w[p*stride+k*16+j])",
		fmt.Sprintf("for i < rows, p < %d, j < 16, k < depth, k ascending, where s is start[p*16+j],", panels),
		"or c[i*ldc+p*next+j] if start is nil. It computes a tile of rows at a time, each of which may prefetch",
		"16 values for every k: " + prefetched,
	}}
}
