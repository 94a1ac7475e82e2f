package model

import (
	"fmt"
	"math"
	"testing"
)

// TestSplitMix compares with the first outputs of the authors' program for two seeds.
func TestSplitMix(t *testing.T) {
	for seed, outputs := range map[uint64][]uint64{
		0:       {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423},
	} {
		state := seed
		for i, want := range outputs {
			if got := splitMix(state); got != want {
				t.Errorf("seed %d: output %d: got %#x, want %#x", seed, i, got, want)
			}
			state += golden
		}
	}
}

// The masks of an update, as factorsOf numbers them.
const (
	sourceMask = iota
	targetMask
	annotationsMask
	maxoutMask
)

// factorsOf returns the first n factors of a row of a mask with probability p.
func factorsOf(p float64, seed uint64, update, use int, number uint64, n int) []float32 {
	m := Dropout{p, p, p}.masks(seed, update)
	row := make([]float32, n)
	for i := range row {
		row[i] = 1
	}
	[]mask{m.source, m.target, m.annotations, m.maxout}[use].multiply(row, number)
	return row
}

// TestMaskThreshold tries random bits on both sides of p.
func TestMaskThreshold(t *testing.T) {
	m := newMask(0.25, 0)
	for bits, want := range map[uint32]float32{0: 0, 1<<30 - 1: 0, 1 << 30: 4.0 / 3, math.MaxUint32: 4.0 / 3} {
		if got := m.factor(bits); got != want {
			t.Errorf("factor of %#x: got %v, want %v", bits, got, want)
		}
	}
}

// TestMaskLength checks that a shorter row has the first factors of a longer one.
func TestMaskLength(t *testing.T) {
	long := factorsOf(0.5, 1, 2, annotationsMask, 3, 100)
	for n := range long {
		sameBits(t, fmt.Sprint(n, " factors"), factorsOf(0.5, 1, 2, annotationsMask, 3, n), long[:n])
	}
}

// The statistical tests draw maskRows×maskColumns factors. The number in a row is odd.
const maskRows, maskColumns = 512, 513

// deviations is the distance from the expected value that these tests allow, in standard
// deviations. A normal variable exceeds it once in 1.7 million draws; these draws never change.
const deviations = 5

// TestMaskFrequencies counts zeros, whose number has a binomial distribution.
func TestMaskFrequencies(t *testing.T) {
	for _, p := range []float64{0.001, 0.1, 0.3, 0.5, 0.9} {
		zeros, sum := 0, 0.0
		for number := range uint64(maskRows) {
			for _, v := range factorsOf(p, 5, 6, maxoutMask, number, maskColumns) {
				switch v {
				case 0:
					zeros++
				case float32(1 / (1 - p)):
				default:
					t.Fatalf("p %v: got factor %v, want 0 or 1/(1-p)", p, v)
				}
				sum += float64(v)
			}
		}
		n := float64(maskRows * maskColumns)
		if bound := deviations * math.Sqrt(n*p*(1-p)); !(math.Abs(float64(zeros)-n*p) <= bound) {
			t.Errorf("p %v: %d zeros of %v factors, want %v within %v", p, zeros, n, n*p, bound)
		}
		if bound := deviations * math.Sqrt(p/(1-p)/n); !(math.Abs(sum/n-1) <= bound) {
			t.Errorf("p %v: mean of the factors %v, want 1 within %v", p, sum/n, bound)
		}
	}
}

// TestMaskIndependence computes the correlation of factors, as -1 and 1, with those of other
// columns, rows, uses, updates and seeds. It has mean 0 and variance 1/n.
func TestMaskIndependence(t *testing.T) {
	type origin struct {
		seed           uint64
		update         int
		use            int
		number, column uint64
	}
	signs := func(o origin) []float64 {
		var list []float64
		for row := range uint64(maskRows) {
			all := factorsOf(0.5, o.seed, o.update, o.use, o.number+row, maskColumns+64)
			for _, v := range all[o.column:][:maskColumns] {
				list = append(list, float64(v)-1)
			}
		}
		return list
	}
	from := signs(origin{})
	for _, o := range []origin{
		{column: 1}, {column: 2}, {column: 3}, {column: 16}, {column: 64},
		{number: 1}, {number: 2}, {number: maskRows}, {number: 1, column: 1}, {number: 1 << 32},
		{use: targetMask}, {use: annotationsMask}, {use: maxoutMask}, {update: 1}, {update: 2}, {update: 100_000}, {update: 1, use: targetMask}, {update: 1, number: 1},
		{seed: 1}, {seed: 2}, {seed: 1 << 63}, {seed: golden}, {seed: 1, update: 1},
	} {
		sum, to := 0.0, signs(o)
		for i, v := range from {
			sum += v * to[i]
		}
		if n := float64(len(from)); !(math.Abs(sum/n) <= deviations/math.Sqrt(n)) {
			t.Errorf("correlation with %+v: got %v, want 0 within %v", o, sum/n, deviations/math.Sqrt(n))
		}
	}
}
