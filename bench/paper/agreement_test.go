package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

func TestAgree(t *testing.T) {
	for name, test := range map[string]struct {
		needs         []float32
		rows, columns int
		links         string
	}{
		"order changes":     {[]float32{5, 0, 0, 0, 0, 5, 0, 5, 0}, 3, 3, "0-0 2-1 1-2"},
		"neighbours decide": {[]float32{5, 0, 0, 0, 0, 3, 0, 3, 0, 0, 5, 0, 0, 0, 0, 1}, 4, 4, "0-0 1-1 2-2 3-3"},
		"one needs nothing": {[]float32{6, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 6}, 4, 3, "0-0 1-2 2-3"},
		"one word":          {[]float32{-3}, 1, 1, "0-0"},
		"no source word":    {nil, 2, 0, ""},
	} {
		forward, backward := kernels.View(test.needs, test.rows, test.columns), kernels.NewMatrix(test.columns, test.rows)
		p := linkedPair{Pair: text.Pair{Source: make([]string, test.columns), Target: make([]string, test.rows)}, agreement: agree(forward, backward)}
		if got := p.links(0).String(); got != test.links {
			t.Errorf("%s: links %q, want %q; agreement %.2f", name, got, test.links, p.agreement.Data)
		}
	}
}

// TestPosterior compares with the sum over all sequences of states.
func TestPosterior(t *testing.T) {
	const positions, states = 4, 3
	r := rand.New(rand.NewPCG(1, 2))
	emission := make([][]float64, positions)
	want := make([][]float64, positions)
	for j := range emission {
		emission[j], want[j] = make([]float64, states), make([]float64, states)
		for i := range emission[j] {
			emission[j][i] = r.Float64()
		}
	}
	weight := func(from, to int) float64 { return math.Exp(-math.Abs(float64(to-from-1))/2) + 0.02 }
	jump := func(from, to int) float64 {
		sum := 0.0
		for to := range states {
			sum += weight(from, to)
		}
		return weight(from, to) / sum
	}
	for n := range 3 * 3 * 3 * 3 {
		sequence, probability, before := [positions]int{}, 1.0, -1
		for j := range sequence {
			sequence[j] = n % states
			n /= states
			probability *= jump(before, sequence[j]) * emission[j][sequence[j]]
			before = sequence[j]
		}
		probability *= weight(before, states)
		for j, i := range sequence {
			want[j][i] += probability
		}
	}
	for j, got := range posterior(emission) {
		normalize(want[j])
		for i := range got {
			if math.Abs(got[i]-want[j][i]) > 1e-12 {
				t.Errorf("position %d, state %d: %v, want %v", j, i, got[i], want[j][i])
			}
		}
	}
}
