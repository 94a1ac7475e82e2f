package kernels

const badDecay = "kernels: Decay: steps < 0"

// decaySteps is the number of steps that one call of assembly takes on a block.
const decaySteps = 64

// Decay does to running averages what so many steps of Adadelta with a gradient of 0 do:
//
//	for range steps { x[i] = rho·x[i] }
//
// each product rounded, and 0 if it is below 2⁻¹⁰⁰. It panics if steps < 0.
func (k Impl) Decay(x []float32, rho float32, steps int) {
	if steps < 0 {
		panic(badDecay)
	}
	for i := 0; i < len(x); i += block {
		k.decayBlock(x[i:min(i+block, len(x))], rho, steps)
	}
}

// decayBlock ends early when nothing is left to decay.
func (k Impl) decayBlock(x []float32, rho float32, steps int) {
	for ; steps > decaySteps; steps -= decaySteps {
		k.decay(x, rho, decaySteps)
		if zero(x) {
			return
		}
	}
	if steps > 0 {
		k.decay(x, rho, steps)
	}
}

// zero reports whether all elements are 0.
func zero(x []float32) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

func decayGo(x []float32, rho float32, steps int) {
	for i, v := range x {
		for range steps {
			v = atLeastFloor(rho * v)
		}
		x[i] = v
	}
}
