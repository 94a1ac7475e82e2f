package model

import (
	"math"
	"math/rand/v2"
)

// initialValues returns the initial values of a tensor, row-major (see New).
func initialValues(t tensor, r *rand.Rand) []float32 {
	if len(t.shape) == 1 {
		return make([]float32, t.shape[0])
	}
	rows, cols := t.shape[0], t.shape[1]
	switch t.letter {
	case "Wa", "Ua":
		return normal(r, rows*cols, 0.001)
	case "U", "Uz", "Ur":
		return orthogonal(r, rows)
	}
	return normal(r, rows*cols, 0.01)
}

// orthogonal returns a random orthogonal n×n matrix: modified Gram-Schmidt on normally
// distributed rows, in float64, whose error is far below the rounding to float32.
func orthogonal(r *rand.Rand, n int) []float32 {
	rows := make([][]float64, n)
	data := make([]float32, 0, n*n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = gaussian(r)
		}
		for _, earlier := range rows[:i] {
			subtract(rows[i], earlier, dot(rows[i], earlier))
		}
		norm := math.Sqrt(dot(rows[i], rows[i]))
		for j, v := range rows[i] {
			rows[i][j] = v / norm
			data = append(data, float32(rows[i][j]))
		}
	}
	return data
}

// dot returns x·y, added up in four partial sums.
func dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += float64(x[i] * y[i])
		s1 += float64(x[i+1] * y[i+1])
		s2 += float64(x[i+2] * y[i+2])
		s3 += float64(x[i+3] * y[i+3])
	}
	for ; i < len(x); i++ {
		s0 += float64(x[i] * y[i])
	}
	return s0 + s1 + (s2 + s3)
}

// subtract sets x -= a·y.
func subtract(x, y []float64, a float64) {
	for i, v := range y {
		x[i] -= float64(a * v)
	}
}

// normal draws n values from N(0, deviation²).
func normal(r *rand.Rand, n int, deviation float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(float64(gaussian(r) * deviation))
	}
	return x
}

// gaussian draws from approximately N(0, 1): the sum of twelve uniform numbers minus 6, which
// needs only correctly rounded additions and so has the same bits on every machine.
func gaussian(r *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += float64(r.Float64())
	}
	return sum
}
