package kernels

const (
	badGRUGates         = "kernels: GRUGates: lengths differ"
	badGRUState         = "kernels: GRUState: lengths differ"
	badGRUStateBackward = "kernels: GRUStateBackward: lengths differ"
	badGRUGatesBackward = "kernels: GRUGatesBackward: lengths differ"
)

// GRUGates finishes the gates of a gated recurrent unit from their pre-activations:
//
//	z[i] = σ(z[i])    r[i] = σ(r[i])    rh[i] = r[i]·h[i]
//
// All have the length of h, the previous state. It panics if the lengths differ.
func (k Impl) GRUGates(z, r, rh, h []float32) {
	if len(z) != len(h) || len(r) != len(h) || len(rh) != len(h) {
		panic(badGRUGates)
	}
	for i := 0; i < len(h); i += block {
		to := min(i+block, len(h))
		k.gruGates(z[i:to], r[i:to], rh[i:to], h[i:to])
	}
}

// GRUState finishes the candidate state from its pre-activation and takes the new state:
//
//	candidate[i] = tanh(candidate[i])
//	next[i] = fma(z[i], candidate[i]-h[i], h[i])
//
// next must not overlap the others. It panics if the lengths differ.
func (k Impl) GRUState(next, candidate, z, h []float32) {
	if len(next) != len(h) || len(candidate) != len(h) || len(z) != len(h) {
		panic(badGRUState)
	}
	for i := 0; i < len(h); i += block {
		to := min(i+block, len(h))
		k.gruState(next[i:to], candidate[i:to], z[i:to], h[i:to])
	}
}

// GRUStateBackward is the backward pass of GRUState for the gradient dnext of next. It
// replaces candidate and z by the gradients of their pre-activations:
//
//	dh[i]        = dnext[i] - z[i]·dnext[i]
//	z[i]         ← dnext[i]·(candidate[i]-h[i]) · z[i]·(1-z[i])
//	candidate[i] ← dnext[i]·z[i] · (1-candidate[i]²)
//
// dh may be dnext. It panics if the lengths differ.
func (k Impl) GRUStateBackward(dh, candidate, z, h, dnext []float32) {
	if len(dh) != len(h) || len(candidate) != len(h) || len(z) != len(h) || len(dnext) != len(h) {
		panic(badGRUStateBackward)
	}
	for i := 0; i < len(h); i += block {
		to := min(i+block, len(h))
		k.gruStateBackward(dh[i:to], candidate[i:to], z[i:to], h[i:to], dnext[i:to])
	}
}

// GRUGatesBackward is the backward pass of GRUGates for the gradient drh of rh. It
// replaces r by the gradient of its pre-activation:
//
//	dh[i] += drh[i]·r[i]    r[i] ← drh[i]·h[i] · r[i]·(1-r[i])
//
// It panics if the lengths differ.
func (k Impl) GRUGatesBackward(dh, r, drh, h []float32) {
	if len(dh) != len(h) || len(r) != len(h) || len(drh) != len(h) {
		panic(badGRUGatesBackward)
	}
	for i := 0; i < len(h); i += block {
		to := min(i+block, len(h))
		k.gruGatesBackward(dh[i:to], r[i:to], drh[i:to], h[i:to])
	}
}

func gruGatesGo(z, r, rh, h []float32) {
	for i, x := range h {
		z[i] = sigmoid(z[i])
		r[i] = sigmoid(r[i])
		rh[i] = r[i] * x
	}
}

func gruStateGo(next, candidate, z, h []float32) {
	for i, x := range h {
		c := tanh(candidate[i])
		candidate[i] = c
		next[i] = fma(z[i], c-x, x)
	}
}

func gruStateBackwardGo(dh, candidate, z, h, dnext []float32) {
	for i, d := range dnext {
		u, c := z[i], candidate[i]
		dh[i] = fma(-u, d, d)
		z[i] = float32(d*(c-h[i])) * fma(-u, u, u)
		candidate[i] = float32(d*u) * fma(-c, c, 1)
	}
}

func gruGatesBackwardGo(dh, r, drh, h []float32) {
	for i, d := range drh {
		u := r[i]
		dh[i] = fma(d, u, dh[i])
		r[i] = float32(d*h[i]) * fma(-u, u, u)
	}
}
