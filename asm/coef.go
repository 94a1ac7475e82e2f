package asm

// Constants of exp(x) = 2ⁿ·(1 + r + r²·q(r)), where n is the integer nearest to x/ln 2 and
// r = x - n·ln 2.
//
// The coefficients of q come from expm1f in Arm Optimized Routines
// (math/aarch64, MIT or Apache-2.0 with LLVM exception). Constants without a type are float32 values, too: where
// products of those are exact in float64 alone, portable Go computes in that.
const (
	Log2E   = 0x1.715476p+0  // 1/ln 2
	Ln2     = 0x1.62e43p-1   // ln 2, as tanh uses it
	Ln2High = 0x1.62e4p-1    // ln 2 in few enough bits that n·Ln2High is exact
	Ln2Low  = 0x1.7f7d1cp-20 // ln 2 - Ln2High

	ExpC2 = 0x1.fffffep-2
	ExpC3 = 0x1.5554aep-3
	ExpC4 = 0x1.555736p-5
	ExpC5 = 0x1.12287cp-7
	ExpC6 = 0x1.6b55a2p-10

	ExpLow   float32 = -0x1.5d589ep6 // ln 2⁻¹²⁶: below it the result is subnormal or zero
	ExpUnder float32 = -104          // here and below, the result rounds to 0
	ExpOver  float32 = 89            // here and above, the result is +Inf
)

// RoundInt is the float32 whose last bit is worth 1: adding it to a small number rounds that to an
// integer n, found in the low bits of the sum. With RoundInt+ExponentBias the low bits hold
// n+ExponentBias, and shifted left by ExponentLSB they are the float32 2ⁿ.
const RoundInt = 0x1.8p23

// The fields of a float32.
const (
	ExponentBias = 127
	ExponentLSB  = 23
	ExponentBits = 0x7f800000
	SignBit      = 0x80000000
)

// Constants of tanh. With a = |x| and the sign of x it is a + a³·p(a²) where a < TanhSplit, and
// 1 - 2/(1+exp(2a)) elsewhere.
//
// The coefficients of p come from tanhf in the Cephes library (Stephen L. Moshier).
const (
	TanhSplit float32 = 0.625
	TanhClamp float32 = 10 // larger a count as this; the result rounds to 1 from 9.011 on

	TanhC3  = -0x1.555532p-2
	TanhC5  = 0x1.110726p-3
	TanhC7  = -0x1.b83c5ap-5
	TanhC9  = 0x1.52269cp-6
	TanhC11 = -0x1.75e1d4p-8
)

// Sigmoid clamps x to these bounds before it evaluates 1/(1+exp(-x)): at the lower one the result is
// still normal, at the upper one it rounds to 1.
const (
	SigmoidLow  float32 = -87.3
	SigmoidHigh float32 = 88
)

// AverageFloor is the smallest magnitude of a running average in Adadelta and Adam. Smaller averages
// are set to 0, so that one which only decays does not become subnormal.
const AverageFloor float32 = 0x1p-100

// Widths that results depend on. They are the same for every instruction set.
const (
	Panel    = 16 // outputs in a panel of packed weights
	Lanes    = 16 // partial results of a reduction: element i goes to lane i mod Lanes
	DotLanes = 64 // partial results of a dot product
)

// The activations that a product can apply to its results.
const (
	Identity = iota
	ActTanh
	ActSigmoid
	ActReLU
)
