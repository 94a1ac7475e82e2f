package model

import (
	"math"
	"math/rand/v2"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Model is a configuration, its weights and, unless it is used with ids alone, the
// vocabularies of both languages and how their text becomes words. The zero pipeline is for
// text that is tokenised already.
type Model struct {
	Config     Config
	Parameters *Parameters
	Source     *text.Vocabulary
	Target     *text.Vocabulary
	SourceText pipeline.Pipeline
	TargetText pipeline.Pipeline
}

// New returns a model with the initial weights of appendix B.1 of the paper, drawn from the
// seed: recurrent matrices orthogonal, Wa and Ua from N(0, 0.001²), Wa of General like them, va
// and biases 0, all others from N(0, 0.01²). Attention starts uniform: exactly where va is 0,
// nearly where a score is a product of states, which are small at first. The error wraps
// ErrConfig.
func New(c Config, seed uint64) (*Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m := &Model{Config: c, Parameters: newParameters(c)}
	for i, t := range m.Parameters.tensors(c) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if err := t.write(initial(t, r)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// initial returns the initial values of a tensor, row-major.
func initial(t tensor, r *rand.Rand) []float32 {
	if len(t.shape) == 1 {
		return make([]float32, t.shape[0])
	}
	rows, cols := t.shape[0], t.shape[1]
	switch t.name {
	case "attention.Wa", "attention.Ua":
		return normal(r, rows*cols, 0.001)
	case "encoder.forward.U", "encoder.forward.Uz", "encoder.forward.Ur",
		"encoder.backward.U", "encoder.backward.Uz", "encoder.backward.Ur",
		"decoder.U", "decoder.Uz", "decoder.Ur":
		return orthogonal(r, rows)
	}
	return normal(r, rows*cols, 0.01)
}

// normal draws n values from N(0, deviation²).
func normal(r *rand.Rand, n int, deviation float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(float64(gaussian(r) * deviation))
	}
	return x
}

// gaussian draws from N(0, 1) as the sum of twelve uniform numbers less 6, which needs
// nothing but correctly rounded additions.
func gaussian(r *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += float64(r.Float64())
	}
	return sum
}

// orthogonal returns a random orthogonal n×n matrix: the rows of a normal one made
// orthonormal one after another (modified Gram and Schmidt, whose error in float64 is far
// below the rounding to float32).
func orthogonal(r *rand.Rand, n int) []float32 {
	rows := make([][]float64, n)
	data := make([]float32, 0, n*n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = gaussian(r)
		}
		for _, done := range rows[:i] {
			subtract(rows[i], done, product(rows[i], done))
		}
		norm := math.Sqrt(product(rows[i], rows[i]))
		for j, v := range rows[i] {
			rows[i][j] = v / norm
			data = append(data, float32(rows[i][j]))
		}
	}
	return data
}

// product returns x·y in four sums.
func product(x, y []float64) float64 {
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
