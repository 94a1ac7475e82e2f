package score

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// mean scores a corpus by the mean of its sentences' values.
func mean(values []float64) Score {
	return func(sentences []int) float64 {
		sum := 0.0
		for _, i := range sentences {
			sum += values[i]
		}
		return sum / float64(len(sentences))
	}
}

// normal draws n values from a normal distribution.
func normal(n int, seed uint64, mean, deviation float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = mean + float64(deviation*r.NormFloat64())
	}
	return values
}

// TestSamples: each sample has n indices below n, uniformly distributed. Over all samples, the
// number of draws of a sentence is binomial with variance below Samples.
func TestSamples(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 100} {
		drawn, samples := make([]int, n), 0
		sampleScores(n, 5, func(sentences []int) float64 {
			if len(sentences) != n {
				t.Fatalf("sample of %d sentences, want %d", len(sentences), n)
			}
			for _, i := range sentences {
				drawn[i]++
			}
			samples++
			return 0
		})
		if samples != Samples {
			t.Errorf("n = %d: %d samples, want %d", n, samples, Samples)
		}
		bound := 4.5 * math.Sqrt(Samples)
		for i, count := range drawn {
			if math.Abs(float64(count-Samples)) > bound {
				t.Errorf("n = %d: sentence %d was drawn %d times, want %d ± %.0f", n, i, count, Samples, bound)
			}
		}
	}
}

func TestInterval(t *testing.T) {
	values := make([]float64, Samples)
	for i, v := range rand.New(rand.NewPCG(1, 1)).Perm(Samples) {
		values[i] = float64(v)
	}
	if got, want := interval(values), (Interval{25, 974}); got != want {
		t.Errorf("interval of 0 to %d: %v, want %v", Samples-1, got, want)
	}
}

// TestConfidence compares with the normal distribution of the mean of 400 values, of which 95 %
// is within 1.96 standard errors.
func TestConfidence(t *testing.T) {
	values := normal(400, 3, 10, 2)
	all := make([]int, len(values))
	for i := range all {
		all[i] = i
	}
	center, variance := mean(values)(all), 0.0
	for _, v := range values {
		variance += (v - center) * (v - center) / float64(len(values))
	}
	half := 1.96 * math.Sqrt(variance/float64(len(values)))
	got := Confidence(len(values), 12345, mean(values))
	if got != Confidence(len(values), 12345, mean(values)) || got == Confidence(len(values), 12346, mean(values)) {
		t.Errorf("%v once; the seed does not decide", got)
	}
	if math.Abs(got.Low-(center-half)) > 0.1*half || math.Abs(got.High-(center+half)) > 0.1*half {
		t.Errorf("got %v to %v, want %v ± %v", got.Low, got.High, center, half)
	}
}

// TestSubset compares the score of some sentences with that of a corpus that has no others.
func TestSubset(t *testing.T) {
	values, part := normal(60, 7, 10, 2), []int{3, 8, 8, 59, 0}
	alone := make([]float64, len(part))
	for i, j := range part {
		alone[i] = values[j]
	}
	got := Confidence(len(part), 12345, mean(values).Subset(part))
	if want := Confidence(len(part), 12345, mean(alone)); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPValue(t *testing.T) {
	for _, test := range []struct {
		differences []float64
		difference  float64
		want        float64
	}{
		{[]float64{0, 0, 0}, 0, 1},
		// |dᵢ| - 1 is 0 for every i.
		{[]float64{1, 1, -1, 1}, 0, 1},
		{[]float64{1, 1, -1, 1}, 0.5, 1.0 / 5},
		// |dᵢ| - 1 is 1, 1, -1 and -1.
		{[]float64{2, -2, 0, 0}, 1, 3.0 / 5},
		{[]float64{2, -2, 0, 0}, -1, 3.0 / 5},
		{[]float64{2, -2, 0, 0}, 1.5, 1.0 / 5},
	} {
		if got := pValue(test.differences, test.difference); got != test.want {
			t.Errorf("pValue(%v, %v) = %v, want %v", test.differences, test.difference, got, test.want)
		}
	}
}

// TestCompare adds noise and a difference of two standard errors to each value. A normal
// distribution has 2.28 % above two deviations; three standard errors of that share in 1000
// samples are 1.4 %.
func TestCompare(t *testing.T) {
	const n = 400
	baseline, noise := normal(n, 4, 10, 2), normal(n, 5, 0, 1)
	center, variance := 0.0, 0.0
	for _, v := range noise {
		center += v / n
	}
	for _, v := range noise {
		variance += (v - center) * (v - center) / n
	}
	shift := 2*math.Sqrt(variance/n) - center
	system := make([]float64, n)
	for i, v := range baseline {
		system[i] = v + noise[i] + shift
	}
	c := Compare(n, 12345, mean(system), mean(baseline))
	want := 2 * math.Sqrt(variance/n)
	if d := c.System - c.Baseline; math.Abs(d-want) > 1e-12 {
		t.Errorf("difference %v, want %v", d, want)
	}
	if math.Abs(c.Interval.Low-want*0.02) > 0.1*want || math.Abs(c.Interval.High-want*1.98) > 0.1*want {
		t.Errorf("interval of differences %v, want %v to %v", c.Interval, want*0.02, want*1.98)
	}
	if math.Abs(c.P-0.0228) > 0.014 {
		t.Errorf("P = %v, want 0.0228 ± 0.014", c.P)
	}
	if r := Compare(n, 12345, mean(baseline), mean(system)); r.P != c.P || r.Interval != (Interval{-c.Interval.High, -c.Interval.Low}) {
		t.Errorf("systems swapped: %+v, want the negative of %+v", r, c)
	}
}

func TestCompareExtremes(t *testing.T) {
	values := normal(100, 6, 10, 2)
	if c := Compare(len(values), 1, mean(values), mean(values)); c.P != 1 || c.Interval != (Interval{}) {
		t.Errorf("a system with itself: %+v, want P = 1 and no difference", c)
	}
	better := make([]float64, len(values))
	for i, v := range values {
		better[i] = v + 1
	}
	if c := Compare(len(values), 1, mean(better), mean(values)); c.P != 1.0/1001 {
		t.Errorf("every value higher by 1: P = %v, want %v", c.P, 1.0/1001)
	}
	zero := func([]int) float64 { return 0 }
	if c := Compare(0, 1, zero, zero); c != (Comparison{P: 1}) {
		t.Errorf("empty corpus: %+v, want P = 1", c)
	}
}

// TestBootstrapMachines checks that intervals and comparisons have the same bits on every machine.
func TestBootstrapMachines(t *testing.T) {
	const want = "db46981c0b2a27af"
	h := fnv.New64a()
	write := func(values ...float64) {
		for _, v := range values {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 2004))
		a, b := make([]float64, 60), make([]float64, 60)
		for i := range a {
			a[i], b[i] = float64(r.IntN(1000))/7, float64(r.IntN(1000))/7
		}
		i := Confidence(len(a), seed, mean(a))
		c := Compare(len(a), seed, mean(a), mean(b))
		write(i.Low, i.High, c.System, c.Baseline, c.Interval.Low, c.Interval.High, c.P)
	}
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("hash of 5 comparisons: %s, want %s", got, want)
	}
}
