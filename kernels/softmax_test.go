package kernels

import (
	"math"
	"slices"
	"testing"
)

// softmax64 returns the softmax of x and log Σ exp x in float64, by the plain formulas after
// subtracting the maximum.
func softmax64(x []float64) (y []float64, logSum float64) {
	m := math.Inf(-1)
	for _, v := range x {
		m = max(m, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - m)
	}
	for _, v := range x {
		y = append(y, math.Exp(v-m)/sum)
	}
	return y, m + math.Log(sum)
}

func logits(seed uint64, n int) []float32 {
	x := random(newRand(seed), n)
	for i := range x {
		x[i] *= 5
	}
	return x
}

var softmaxLengths = []int{1, 2, 7, 16, 17, 67, 1000, block, block + 1, 3*block + 5}

func TestSoftmax(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range softmaxLengths {
			x := logits(uint64(n), n)
			want, logSum := softmax64(wider(x))
			y := make([]float32, n)
			k.Softmax(y, x)
			sum := 0.0
			for i, v := range y {
				sum += float64(v)
				// The rounding of the difference x-m ≥ -60 changes exp by a factor within 60·2⁻²⁴
				// of 1, and exp is within 1.03 ULP. A lane sums up to 256 terms of a block and
				// the tree 4; the quotient and the product have 2 roundings.
				if relative := math.Abs(float64(v)-want[i]) / want[i]; !(relative <= (60+2+260+2)*0x1p-24) {
					t.Fatalf("%s Softmax n=%d [%d] = %g, want %g", k, n, i, v, want[i])
				}
			}
			if math.Abs(sum-1) > 264*0x1p-24 {
				t.Errorf("%s Softmax n=%d sums up to %g", k, n, sum)
			}
			// The relative error of the sum has the same bound and becomes an absolute error of its
			// logarithm. The result is below 32.
			if got := k.LogSumExp(x); !(math.Abs(float64(got)-logSum) <= (60+2+260+32)*0x1p-24) {
				t.Errorf("%s LogSumExp n=%d = %g, want %g", k, n, got, logSum)
			}
		}
	})
}

// TestSoftmaxOrder checks the order of the additions: 16 lanes and their tree within each block of
// 4096, float64 over the blocks. The quotient is rounded once.
func TestSoftmaxOrder(t *testing.T) {
	x := logits(1, 2*block+37)
	x[5], x[21], x[block+7] = 0, -inf, -1000 // the terms of the latter are 0
	terms := make([]float32, len(x))
	for i := range x { // the largest is 0
		x[i] = -float32(math.Abs(float64(x[i])))
		terms[i] = expTerm(x[i])
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		y := make([]float32, len(x))
		sum := 0.0
		for part := range slices.Chunk(terms, 4096) {
			var lane [16]float32
			for i, v := range part {
				lane[i%16] += v
			}
			for _, w := range []int{8, 4, 2, 1} {
				for l := range w {
					lane[l] += lane[l+w]
				}
			}
			sum += float64(lane[0])
		}
		k.Softmax(y, x)
		for i, v := range terms {
			if want := float32(1/sum) * v; y[i] != want {
				t.Fatalf("%s Softmax n=%d [%d] = %b, want %b", k, len(x), i, y[i], want)
			}
		}
	})
}

// TestSoftmaxBackwardOrder checks the order of the sum.
func TestSoftmaxBackwardOrder(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{17, block - 1, block, block + 1, 2*block + 37} {
			y, dy, dx := random(newRand(1), n), random(newRand(2), n), make([]float32, n)
			k.SoftmaxBackward(dx, y, dy)
			sum := float32(blockedDot(64, y, dy))
			for i, v := range y {
				if want := v * (dy[i] - sum); dx[i] != want {
					t.Fatalf("%s SoftmaxBackward n=%d [%d] = %b, want %b", k, n, i, dx[i], want)
				}
			}
		}
	})
}

// blockedDot returns Σ x[i]·y[i]: lanes and their tree within each block of 4096, float64 over the blocks.
func blockedDot(lanes int, x, y []float32) float64 {
	sum := 0.0
	for from := 0; from < len(x); from += 4096 {
		lane := make([]float32, lanes)
		for i := from; i < min(from+4096, len(x)); i++ {
			lane[i%lanes] = exactFMA(x[i], y[i], lane[i%lanes])
		}
		for w := lanes / 2; w > 0; w /= 2 {
			for l := range w {
				lane[l] += lane[l+w]
			}
		}
		sum += float64(lane[0])
	}
	return sum
}

func TestCrossEntropy(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range softmaxLengths {
			for _, target := range []int{0, n / 2, n - 1} {
				x := logits(uint64(n), n)
				exact := wider(x)
				want, logSum := softmax64(exact)
				want[target]--
				for _, i := range []int{0, target, n - 1} {
					loss := func() float64 { _, l := softmax64(exact); return l - exact[target] }
					// The error of slope, a difference of two losses around 10 over 2e-5.
					if s := slope(loss, &exact[i]); !(math.Abs(s-want[i]) <= 1e-8) {
						t.Fatalf("n=%d target %d: the slope at %d is %g, the closed form %g", n, target, i, s, want[i])
					}
				}
				loss := k.CrossEntropy(x, target)
				// The bounds of TestSoftmax, for results up to 1 and 64.
				if l := logSum - exact[target]; !(math.Abs(float64(loss)-l) <= (60+2+260+64)*0x1p-24) {
					t.Errorf("%s CrossEntropy n=%d target %d: loss %g, want %g", k, n, target, loss, l)
				}
				near(t, "CrossEntropy", k, x, want, (60+2+260+2)*0x1p-24)
			}
		}
	})
}

func TestSoftmaxBackward(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{1, 2, 16, 17, 67} {
			x, dy := wider(logits(uint64(n), n)), random(newRand(uint64(n+1)), n)
			loss := func() (sum float64) {
				y, _ := softmax64(x)
				for i, v := range y {
					sum += v * float64(dy[i])
				}
				return sum
			}
			exact, _ := softmax64(x)
			y, dx, want := make([]float32, n), make([]float32, n), make([]float64, n)
			for i, v := range exact {
				y[i] = float32(v)
				want[i] = slope(loss, &x[i])
			}
			k.SoftmaxBackward(dx, y, dy)
			// Values up to 4, rounded ten times: twice for a product and a difference, at most 8
			// times in a lane and the tree.
			near(t, "SoftmaxBackward", k, dx, want, 40*0x1p-24)
		}
	})
}

// TestLogarithm bounds the difference from math.Log, which is within 1 ULP, by 4 ULP: s, its series
// and the sum add 1 ULP each.
func TestLogarithm(t *testing.T) {
	r := newRand(1)
	for i := range 200_000 {
		x := math.Exp(r.Float64()*1400 - 700)
		switch i % 3 {
		case 1:
			x = math.Abs(1 + r.NormFloat64()/float64(1+i%1000))
		case 2:
			x = 1 + r.Float64()*1e5
		}
		got, want := logarithm(x), math.Log(x)
		if d := math.Abs(got - want); !(d <= 4*math.Abs(want)*0x1p-53*2) {
			t.Fatalf("logarithm(%b) = %b, want %b", x, got, want)
		}
	}
	for _, c := range [][2]float64{
		{0, math.Inf(-1)}, {1, 0}, {math.Inf(1), math.Inf(1)}, {math.NaN(), math.NaN()},
		{math.SmallestNonzeroFloat64, -1074 * math.Ln2}, {math.E, 1}, {2, math.Ln2},
	} {
		got, want := logarithm(c[0]), c[1]
		if got != want && !(math.Abs(got-want) <= math.Abs(want)*0x1p-51) && !(got != got && want != want) {
			t.Errorf("logarithm(%g) = %g, want %g", c[0], got, want)
		}
	}
}
