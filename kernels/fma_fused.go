//go:build amd64.v3 || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x

package kernels

// On these processors the compiler fuses x*y + z into one instruction if it optimizes. The language only
// permits that, and a conversion, as in float32(x*y) + z, forbids it. The compiler prefers an instruction
// that adds or multiplies a value in memory, where there is one, so values that may come from memory
// have a conversion, too.

// f32 is the type in which portable Go holds float32 values between operations.
type f32 = float32

// fused reports whether this program fuses x*y + z. Otherwise the functions below emulate it.
var fused bool

func init() {
	emulated := probe()
	fused = true
	fused = probe() == emulated
}

const (
	probeProducts = 3*panel + 3 // results that are 0 where a product is rounded
	probeValues   = 4           // arguments of the functions of an element
)

// probe returns results that differ where a kernel does not fuse.
func probe() (y [probeProducts + 5*probeValues]float32) {
	// The square of a is b + 2⁻²⁴, which rounds to b.
	const a, b = 1 + 0x1p-12, 1 + 0x1p-11
	var w [3 * panel]float32
	var start [panel]float32
	for j := range panel {
		start[j] = -b
	}
	for k := range 3 { // both terms of a round of fmaChains, and the term that remains
		for j := range panel {
			w[k*panel+j] = a
		}
		var x [3]float32
		x[k] = a
		chains((*[panel]float32)(y[k*panel:]), start[:], x[:], 1, w[:], len(x), Identity)
	}
	rest := y[3*panel:]
	rest[0], rest[1] = -b, -b
	weightedSumGo(rest[:2], w[:1], Matrix{1, 2, 2, w[:2]})
	var p, q [dotLanes + 1]float32
	p[0], q[0], p[dotLanes], q[dotLanes] = a, a, a, -a
	rest[2] = dotGo(p[:], q[:])

	// A search found the arguments: each place of these functions that does not fuse changes a result.
	// Products with powers of 2 are exact.
	values := y[probeProducts:]
	for i, x := range [probeValues]float32{-0x1.0af5d6p+2, -0x1.b1b84ap+0, 0x1.426bf8p+0, -0x1.259efep+2} {
		f := values[5*i:]
		f[0], f[1] = expReduce(4096 * x)
		f[2], f[3], f[4] = expm1(x, x), tanhSmall(x), tanh(x)
	}
	return y
}

// fma returns x*y + z rounded once to float32.
func fma(x, y, z float32) float32 {
	if fused {
		return float32(x)*float32(y) + float32(z)
	}
	return fmaEmulated(x, y, z)
}

// fmaSum returns x*y + z rounded once to float32, where s is the sum x*y + z.
func fmaSum(s, x, y, z f32) f32 {
	if fused {
		return s
	}
	return fmaEmulated(x, y, z)
}

// addScaled sets y[i] = fma(a, x[i], y[i]).
func addScaled(y []float32, a float32, x []float32) {
	if !fused {
		for i, v := range x {
			y[i] = fmaEmulated(a, v, y[i])
		}
		return
	}
	for i, v := range x {
		y[i] = a*float32(v) + float32(y[i])
	}
}

// addProducts sets lane[i%64] = fma(x[i], y[i], lane[i%64]), i ascending.
func addProducts(lane *[dotLanes]float32, x, y []float32) {
	if !fused {
		for i, v := range x {
			lane[i%dotLanes] = fmaEmulated(v, y[i], lane[i%dotLanes])
		}
		return
	}
	for i, v := range x {
		lane[i%dotLanes] = float32(v)*float32(y[i]) + float32(lane[i%dotLanes])
	}
}

// chainWidth is the number of outputs whose chains fmaChains keeps in registers.
const chainWidth = 8

// fmaChains adds depth terms to each of chainWidth chains: acc[j] = fma(x[k*step], w[k*16+j], acc[j]),
// k ascending. amd64 has too few registers for so many: two terms per round halve the moves to memory.
func fmaChains(acc *[chainWidth]f32, x []float32, step int, w []float32, depth int) {
	if !fused {
		for k := range depth {
			for j := range acc {
				acc[j] = fmaEmulated(x[k*step], w[k*panel+j], acc[j])
			}
		}
		return
	}
	a0, a1, a2, a3 := acc[0], acc[1], acc[2], acc[3]
	a4, a5, a6, a7 := acc[4], acc[5], acc[6], acc[7]
	k := 0
	for ; k+1 < depth; k += 2 {
		v := (*[panel + chainWidth]float32)(w[k*panel:])
		b, c := x[k*step], x[(k+1)*step]
		a0, a1 = c*v[16]+(b*v[0]+a0), c*v[17]+(b*v[1]+a1)
		a2, a3 = c*v[18]+(b*v[2]+a2), c*v[19]+(b*v[3]+a3)
		a4, a5 = c*v[20]+(b*v[4]+a4), c*v[21]+(b*v[5]+a5)
		a6, a7 = c*v[22]+(b*v[6]+a6), c*v[23]+(b*v[7]+a7)
	}
	*acc = [chainWidth]f32{a0, a1, a2, a3, a4, a5, a6, a7}
	if k < depth {
		b := x[k*step]
		for j, v := range (*[chainWidth]float32)(w[k*panel:]) {
			acc[j] = b*float32(v) + float32(acc[j])
		}
	}
}
