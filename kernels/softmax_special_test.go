package kernels

import (
	"math"
	"testing"
)

// rowWith returns n elements, v at one position and rest at the others.
func rowWith(n int, rest float32, at int, v float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = rest
	}
	x[at] = v
	return x
}

// A specialRow is a row with one value v among equal others, and the expected results.
type specialRow struct {
	name                  string
	rest, v               float32
	logSum                float32
	softmaxAt, softmax    float32 // the probabilities of v and of the others
	loss, lossAt          float32 // cross-entropy with another target, and with target v
	gradientAt, gradients float32 // gradient with target v, at v and at the others
}

var specialRows = []specialRow{
	{"one finite among -Inf", -inf, 3, 3, 1, 0, inf, 0, 0, 0},
	{"one far above", -1000, 3, 3, 1, 0, 1003, 0, 0, 0},
	{"-Inf only", -inf, -inf, -inf, 0, 0, nan, nan, nan, nan},
	{"+Inf", 1, inf, nan, nan, nan, nan, nan, nan, nan},
	{"+Inf among -Inf", -inf, inf, nan, nan, nan, nan, nan, nan, nan},
	{"+Inf only", inf, inf, nan, nan, nan, nan, nan, nan, nan},
	{"NaN", 1, nan, nan, nan, nan, nan, nan, nan, nan},
	{"NaN among -Inf", -inf, nan, nan, nan, nan, nan, nan, nan, nan},
	{"NaN among +Inf", inf, nan, nan, nan, nan, nan, nan, nan, nan},
	{"NaN among the largest", math.MaxFloat32, nan, nan, nan, nan, nan, nan, nan, nan},
}

// TestSoftmaxSpecial has every length up to two groups of 16 lanes and a tail with v at every position,
// and positions around the boundary of blocks of 4096.
func TestSoftmaxSpecial(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range specialRows {
			for n := 1; n <= 40; n++ {
				for at := range n {
					c.check(t, k, n, at)
				}
			}
			for _, at := range []int{0, block - 1, block, block + 1} {
				c.check(t, k, block+2, at)
			}
		}
	})
}

func (c specialRow) check(t *testing.T, k Impl, n, at int) {
	t.Helper()
	each := func(kernel string, got []float32, gotAt, want float32) {
		t.Helper()
		for i, v := range got {
			expected := want
			if i == at {
				expected = gotAt
			}
			if !same(v, expected) {
				t.Fatalf("%s %s %s n=%d at %d: [%d] = %g, want %g", k, kernel, c.name, n, at, i, v, expected)
			}
		}
	}
	x := rowWith(n, c.rest, at, c.v)
	if got := k.LogSumExp(x); !same(got, c.logSum) {
		t.Fatalf("%s LogSumExp %s n=%d at %d = %g, want %g", k, c.name, n, at, got, c.logSum)
	}
	y := make([]float32, n)
	k.Softmax(y, x)
	each("Softmax", y, c.softmaxAt, c.softmax)

	if n > 1 {
		other := (at + 1) % n
		y = rowWith(n, c.rest, at, c.v)
		if got := k.CrossEntropy(y, other); !same(got, c.loss) {
			t.Fatalf("%s CrossEntropy %s n=%d at %d, target %d = %g, want %g", k, c.name, n, at, other, got, c.loss)
		}
	}
	if got := k.CrossEntropy(x, at); !same(got, c.lossAt) {
		t.Fatalf("%s CrossEntropy %s n=%d, target %d = %g, want %g", k, c.name, n, at, got, c.lossAt)
	}
	each("gradient of CrossEntropy", x, c.gradientAt, c.gradients)
}

// TestSoftmaxShort has rows of zero and of one element.
func TestSoftmaxShort(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		k.Softmax(nil, nil)
		k.SoftmaxBackward(nil, nil, nil)
		if got := k.LogSumExp(nil); got != -inf {
			t.Errorf("%s LogSumExp of nothing = %g, want -Inf", k, got)
		}
		for _, v := range []float32{0, 3.5, -88, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32} {
			x, y, dx := []float32{v}, []float32{nan}, []float32{nan}
			if got := k.LogSumExp(x); got != v {
				t.Errorf("%s LogSumExp of %g = %g", k, v, got)
			}
			k.Softmax(y, x)
			k.SoftmaxBackward(dx, y, []float32{v})
			if loss := k.CrossEntropy(x, 0); y[0] != 1 || dx[0] != 0 || loss != 0 || x[0] != 0 {
				t.Errorf("%s row of %g: probability %g, its gradient %g; loss %g, its gradient %g: want 1, 0; 0, 0",
					k, v, y[0], dx[0], loss, x[0])
			}
		}
	})
}

// TestSoftmaxTerm bounds the error of the terms of the sums and checks that terms below 2⁻¹²⁶ count as
// 0.
func TestSoftmaxTerm(t *testing.T) {
	const stride = 1 << 12
	eachImpl(t, func(t *testing.T, k Impl) {
		x, y := make([]float32, 1), make([]float32, 1)
		for bits := uint32(0); bits < math.Float32bits(110); bits += stride {
			x[0] = -math.Float32frombits(bits)
			k.expSum(y, x, 0)
			want := math.Exp(float64(x[0]))
			if want < 0x1p-126 {
				want = 0
			}
			if u := ulp(y[0], want); !(u <= 1.03) {
				t.Fatalf("%s exp(%b) as a term = %b: error %.3f ULP", k, x[0], y[0], u)
			}
		}
	})
}
