package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// triple returns arguments of an fma of one kind per turn: any bits, similar magnitudes, almost
// canceling, just beside the midpoint of two normal or two subnormal float32, with a subnormal result,
// and near overflow.
func triple(r *rand.Rand, kind int) (x, y, z float32) {
	// scaled returns a value in [2ᵉ, 2ᵉ⁺¹) of either sign.
	scaled := func(e int) float32 { return math.Float32frombits(r.Uint32()&0x807fffff | uint32(e+127)<<23) }
	sign := float32(1 - 2*r.IntN(2))
	switch kind % 7 {
	case 0:
		for x, y, z = rawBits(r), rawBits(r), rawBits(r); x-x != 0 || y-y != 0 || z-z != 0; {
			x, y, z = rawBits(r), rawBits(r), rawBits(r)
		}
	case 1:
		x, y, z = wide(r), wide(r), wide(r)
	case 2: // z differs from -x*y in its last bits only
		x, y = scaled(r.IntN(60)-60), scaled(r.IntN(60)-60)
		z = -x * y
		for range r.IntN(3) {
			z = math.Nextafter32(z, sign*math.MaxFloat32)
		}
	case 3, 4:
		// x*y is half a unit of z minus d². The sum is so close to a midpoint that float64 rounds
		// to the midpoint for most d, and for some to the float64 next to it.
		d := float32(r.IntN(600)) * 0x1p-23
		x, y, z = 1+d, sign*0.5*(1-d), scaled(23)
		if kind%7 == 4 {
			x, y, z = x*0x1p-75, y*0x1p-74, math.Float32frombits(r.Uint32()&0x80ffffff)
		}
	case 5:
		e := -120 - r.IntN(35)
		split := r.IntN(60) - 30
		x, y = scaled(e/2+split), scaled(e-e/2-split)
		z = float32(math.Ldexp(r.Float64()*2-1, -118-r.IntN(33)))
	case 6: // around ±(MaxFloat32 + half a unit), where overflow begins
		z = sign * math.Float32frombits(math.Float32bits(math.MaxFloat32)-uint32(r.IntN(3)))
		x, y = sign*scaled(51), scaled(51)
		if r.IntN(2) == 0 {
			x, y = sign*0x1p51, math.Nextafter32(0x1p52, float32(r.IntN(3)-1)*math.MaxFloat32)
		}
	}
	return x, y, z
}

// nearest reports whether v is the float32 nearest to x*y + z, ties to even. The product is
// exact in float64, s + e is the exact sum (two-sum), and the midpoints between v and its
// neighbors are exact in float64, so that comparing s and then e with them decides.
func nearest(v, x, y, z float32) bool {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	b := s - p
	e := (p - (s - b)) + (c - b)
	even := math.Float32bits(v)&1 == 0
	value := func(v float32) float64 { // ±Inf counts as ±2¹²⁸, as in rounding
		if f := float64(v); f-f == 0 {
			return f
		}
		return math.Copysign(0x1p128, float64(v))
	}
	// beyond reports whether the exact sum lies on the far side of the midpoint.
	beyond := func(direction float32) bool {
		if v == direction {
			return false
		}
		middle := (value(v) + value(math.Nextafter32(v, direction))) / 2
		d := math.Copysign(1, float64(direction))
		return d*(s-middle) > 0 || s == middle && (d*e > 0 || e == 0 && !even)
	}
	return !beyond(inf) && !beyond(-inf)
}

func TestFMA(t *testing.T) {
	n, exact := 240_000, 10
	if !full() {
		n = 60_000
	}
	r := newRand(4)
	corrected := 0
	for i := range n {
		x, y, z := triple(r, i)
		got := fma(x, y, z)
		if !nearest(got, x, y, z) {
			t.Fatalf("triple %d: fma(%b, %b, %b) = %b is not the nearest", i, x, y, z, got)
		}
		if plain := float32(float64(x)*float64(y) + float64(z)); plain != got {
			corrected++
		}
		if i/7%exact == 0 {
			if want := exactFMA(x, y, z); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("triple %d: fma(%b, %b, %b) = %b, want %b", i, x, y, z, got, want)
			}
		}
	}
	if corrected < n/1000 {
		t.Errorf("%d of %d triples have a double rounding that matters, want at least %d", corrected, n, n/1000)
	}
}

// TestFMAChains compares with fma, on values that need the correction and on special values.
func TestFMAChains(t *testing.T) {
	r := newRand(5)
	for i := range 20_000 {
		var acc [chainWidth]f32
		var w, start [chainWidth]float32
		x, _, _ := triple(r, i)
		for j := range w {
			_, w[j], start[j] = triple(r, i)
			if r.IntN(8) == 0 {
				w[j] = special(r)
			}
			if r.IntN(8) == 0 {
				start[j] = special(r)
			}
			acc[j] = f32(start[j])
		}
		fmaChains(&acc, []float32{x}, 1, w[:], 1)
		for j, v := range acc {
			if want := fma(x, w[j], start[j]); !same(float32(v), want) || f32(float32(v)) != v && v == v {
				t.Fatalf("row %d [%d]: fma(%b, %b, %b) = %g, want %b", i, j, x, w[j], start[j], v, want)
			}
		}
	}
}

func TestFMASpecial(t *testing.T) {
	for _, x := range specials {
		for _, y := range specials {
			for _, z := range specials {
				// float64 operations give the right infinities, NaNs and signs of exact zeros;
				// finite arguments have an exact reference.
				want := float32(float64(x)*float64(y) + float64(z))
				if got := fma(x, y, z); x-x != 0 || y-y != 0 || z-z != 0 || x*y == 0 && z == 0 && (x == 0 || y == 0) {
					if !same(got, want) {
						t.Fatalf("fma(%b, %b, %b) = %b, want %b", x, y, z, got, want)
					}
				} else if !nearest(got, x, y, z) {
					t.Fatalf("fma(%b, %b, %b) = %b is not the nearest", x, y, z, got)
				}
			}
		}
	}
}
