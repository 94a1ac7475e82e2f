package asm

// Constants of exp: x = n·ln 2 + r with n the nearest integer, exp(x) = 2ⁿ·(1 + r + r²·q(r)).
//
// The coefficients of q are those of expm1f in Arm Optimized Routines
// (math/aarch64, MIT or Apache-2.0 with LLVM exception).
const (
	Log2E   float32 = 0x1.715476p+0
	Ln2     float32 = 0x1.62e43p-1
	Ln2High float32 = 0x1.62e4p-1 // n·Ln2High is exact
	Ln2Low  float32 = 0x1.7f7d1cp-20

	ExpC2 float32 = 0x1.fffffep-2
	ExpC3 float32 = 0x1.5554aep-3
	ExpC4 float32 = 0x1.555736p-5
	ExpC5 float32 = 0x1.12287cp-7
	ExpC6 float32 = 0x1.6b55a2p-10

	ExpLow   float32 = -0x1.5d589ep6 // ln 2⁻¹²⁶: below it the result is no normal number
	ExpUnder float32 = -104          // exp of anything lower rounds to 0
	ExpOver  float32 = 89            // exp of anything higher is +Inf
)

// RoundInt is added to round to an integer n, which is then in the low bits of the sum. A
// bias added to RoundInt is added to n: with ExponentBias, those bits shifted left by
// ExponentLSB are 2ⁿ.
const RoundInt float32 = 0x1.8p23

// Parts of a float32.
const (
	ExponentBias = 127
	ExponentLSB  = 23
	ExponentBits = 0x7f800000
	SignBit      = 0x80000000
)

// Constants of tanh: an odd polynomial below TanhSplit, 1 - 2/(1+exp(2|x|)) from there on.
//
// The polynomial is the one of tanhf in the Cephes library (Stephen L. Moshier).
const (
	TanhSplit float32 = 0.625
	TanhClamp float32 = 10 // 1 - 2/(1+exp(2x)) is exactly 1 from 9.011 on

	TanhC3  float32 = -3.33332819422e-1
	TanhC5  float32 = 1.33314422036e-1
	TanhC7  float32 = -5.37397155531e-2
	TanhC9  float32 = 2.06390887954e-2
	TanhC11 float32 = -5.70498872745e-3
)

// Bounds between which sigmoid evaluates 1/(1+exp(-x)); outside it is that of the bound.
const (
	SigmoidLow  float32 = -87.3
	SigmoidHigh float32 = 88
)

// Constants of GELU: x/(1+exp(-u)) with u = x·(GELUC1 + GELUC3·x²), which by
// 1+tanh(v) = 2/(1+exp(-2v)) is the approximation 0.5·x·(1+tanh(√(2/π)·(x+0.044715·x³))) of
// Hendrycks and Gimpel (arXiv 1606.08415, 2016).
const (
	twoRoot2ByPi = 1.5957691216057307117597842397375274738 // 2·√(2/π)

	GELUC1 float32 = twoRoot2ByPi
	GELUC3 float32 = 0.044715 * twoRoot2ByPi

	// Below GELULow, where u is -87.29 and so still above SigmoidLow, the result is +0 in place
	// of a value between -2⁻¹²² and 0.
	GELULow float32 = -9.999
)

// AverageFloor is the smallest magnitude of a running average that Adadelta and Adam keep; a
// smaller one counts as 0, so that averages which only decay never become denormal.
const AverageFloor float32 = 0x1p-100

// Widths that the results depend on, the same for every instruction set.
const (
	Panel = 16 // outputs in a panel of packed weights
	Lanes = 16 // partial results of a reduction: element i goes to lane i mod Lanes
)

// Activations that a product applies to its results.
const (
	Identity = iota
	ActTanh
	ActSigmoid
	ActReLU
	ActGELU
)
