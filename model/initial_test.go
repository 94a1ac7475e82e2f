package model

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// initialConfig has tensors with enough values for statistics.
var initialConfig = Config{
	Kind: RNNsearch, Order: UpdateFirst,
	SourceVocab: 101, TargetVocab: 103, Embedding: 37, Hidden: 67, Alignment: 53, Maxout: 41,
}

// initialForm returns the distribution that appendix B.1 of the paper draws a tensor from.
func initialForm(name string) (form string, deviation float64) {
	prefix, last := name[:strings.LastIndex(name, ".")], name[strings.LastIndex(name, ".")+1:]
	switch {
	case strings.HasPrefix(last, "b") || last == "va":
		return "zero", 0
	case prefix == "attention":
		return "normal", 0.001
	case last == "U" || last == "Uz" || last == "Ur":
		return "orthogonal", 0
	}
	return "normal", 0.01
}

func TestInitialWeights(t *testing.T) {
	eachVariant(t, initialConfig, func(t *testing.T, c Config) {
		m, err := New(c, 50)
		if err != nil {
			t.Fatal(err)
		}
		forms := map[string]int{}
		for _, p := range m.Parameters.tensors(c) {
			form, deviation := initialForm(p.name)
			forms[form]++
			switch form {
			case "zero":
				if i := slices.IndexFunc(p.read(), func(v float32) bool { return v != 0 }); i >= 0 {
					t.Errorf("%s[%d]: got %v, want 0", p.name, i, p.read()[i])
				}
			case "orthogonal":
				checkOrthogonal(t, p)
			case "normal":
				checkNormal(t, p, deviation)
			}
		}
		want := map[string]int{"zero": 13, "orthogonal": 9, "normal": 21}
		switch {
		case c.Kind == RNNencdec:
			want = map[string]int{"zero": 9, "orthogonal": 6, "normal": 16}
		case c.AlignmentModel == General:
			want = map[string]int{"zero": 12, "orthogonal": 9, "normal": 20}
		case c.AlignmentModel == Dot:
			want = map[string]int{"zero": 12, "orthogonal": 9, "normal": 19}
		}
		for form, n := range want {
			if forms[form] != n {
				t.Errorf("%s tensors: got %d, want %d", form, forms[form], n)
			}
		}
	})
}

// checkOrthogonal fails unless the columns are orthonormal. A sum of n
// products of float32 values below 1 is off by less than n·2⁻²⁴ = 4e-6 for n = 67.
func checkOrthogonal(t *testing.T, p tensor) {
	t.Helper()
	n, u := p.shape[0], p.read()
	if p.shape[1] != n {
		t.Fatalf("%s: shape %v, want a square", p.name, p.shape)
	}
	for a := range n {
		for b := range n {
			sum, want := 0.0, 0.0
			if a == b {
				want = 1
			}
			for i := range n {
				sum += float64(u[i*n+a]) * float64(u[i*n+b])
			}
			if !(math.Abs(sum-want) <= 1e-5) {
				t.Fatalf("%s: product of columns %d and %d: got %v, want %v", p.name, a, b, sum, want)
			}
		}
	}
	// The entries of a random orthogonal matrix have deviation 1/√n; each of the 4489
	// exceeds 6 times that with a probability of 1e-9.
	if largest := float64(slices.Max(u)); !(largest <= 6/math.Sqrt(float64(n))) {
		t.Errorf("%s: largest entry %v, want at most %v", p.name, largest, 6/math.Sqrt(float64(n)))
	}
}

// checkNormal compares mean, deviation and the share within one deviation (68.3 % of a
// normal distribution) with 5 times their standard errors. The share is allowed another 1 %,
// since the sum of twelve uniform numbers has 67.8 %.
func checkNormal(t *testing.T, p tensor, deviation float64) {
	t.Helper()
	x := p.read()
	n, sum, squares, within := float64(len(x)), 0.0, 0.0, 0.0
	for _, v := range x {
		sum += float64(v)
		squares += float64(v) * float64(v)
		if math.Abs(float64(v)) < deviation {
			within++
		}
	}
	if mean := sum / n; !(math.Abs(mean) <= 5*deviation/math.Sqrt(n)) {
		t.Errorf("%s: mean of %v values: got %v, want 0 ± %v", p.name, n, mean, 5*deviation/math.Sqrt(n))
	}
	if d := math.Sqrt(squares / n); !(math.Abs(d-deviation) <= 5*deviation/math.Sqrt(2*n)) {
		t.Errorf("%s: deviation of %v values: got %v, want %v ± %v", p.name, n, d, deviation, 5*deviation/math.Sqrt(2*n))
	}
	if share := within / n; !(math.Abs(share-0.683) <= 0.01+5*0.47/math.Sqrt(n)) {
		t.Errorf("%s: share of %v values within one deviation: got %v, want 0.683", p.name, n, share)
	}
}

func TestInitialSeed(t *testing.T) {
	eachVariant(t, initialConfig, func(t *testing.T, c Config) {
		var models []*Model
		for _, seed := range []uint64{1, 1, 2} {
			m, err := New(c, seed)
			if err != nil {
				t.Fatal(err)
			}
			models = append(models, m)
		}
		sameBits(t, "weight of the same seed", models[1].Parameters.Values, models[0].Parameters.Values)
		first, other := models[0].Parameters.tensors(c), models[2].Parameters.tensors(c)
		seen := map[float32]string{}
		for i, p := range first {
			form, _ := initialForm(p.name)
			if form == "zero" {
				continue
			}
			x, y := p.read(), other[i].read()
			if slices.Equal(x, y) {
				t.Errorf("%s: equal for seeds 1 and 2", p.name)
			}
			if name, ok := seen[x[0]]; ok {
				t.Errorf("%s begins like %s", p.name, name)
			}
			seen[x[0]] = p.name
		}
	})
}

// TestInitialLoss compares an untrained model with a uniform choice. A score is the sum of
// L = 41 products of weights of deviation 0.01 with maxout units below 0.01, whose deviation
// is below 7e-4; it changes a log-probability directly and through the sum.
//
// With va = 0 all scores are 0, and α is 1/S rounded twice. The score of dot is the sum of
// H = 67 products of states below 1e-3, of deviation below 1e-5, and of general less.
func TestInitialLoss(t *testing.T) {
	eachVariant(t, initialConfig, func(t *testing.T, c Config) {
		m, err := New(c, 51)
		if err != nil {
			t.Fatal(err)
		}
		batch := randomBatch(newRand(52), c, 5, 6, 6)
		w := newScorerFor(t, portable(), m, batch)
		lossOf(t, w, batch)
		for i, e := range batch {
			for j, p := range logProbabilities(t, w, i, len(e.Target)) {
				if want := -math.Log(float64(c.TargetVocab)); !(math.Abs(float64(p)-want) <= 4e-3) {
					t.Errorf("log-probability %d of sentence %d: got %v, want %v ± 4e-3", j, i, p, want)
				}
			}
			if c.Kind == RNNencdec {
				continue
			}
			bound := 0x1p-22
			if c.AlignmentModel != Additive {
				bound = 5e-5
			}
			for j, v := range alignment(t, w, i, e) {
				if want := 1 / float64(len(e.Source)); !(math.Abs(float64(v)-want) <= bound*want) {
					t.Errorf("α %d of sentence %d: got %v, want %v within %v of it", j, i, v, want, bound)
				}
			}
		}
	})
}

func TestNewErrors(t *testing.T) {
	for _, e := range badConfigs {
		c := smallConfig
		e.change(&c)
		if m, err := New(c, 1); m != nil {
			t.Errorf("%s: got a model, want none", e.name)
		} else {
			checkError(t, e.name, err, ErrConfig, e.says...)
		}
	}
	for _, c := range variants(smallConfig) {
		if err := c.Check(); err != nil {
			t.Errorf("%v: got %v, want no error", c, err)
		}
	}
}

// badConfigs are changes that make a Config invalid.
var badConfigs = []struct {
	name   string
	change func(c *Config)
	says   []string
}{
	{"no kind", func(c *Config) { c.Kind = "" }, []string{"kind", "search", "encdec"}},
	{"other kind", func(c *Config) { c.Kind = "transformer" }, []string{"kind", "transformer"}},
	{"no order", func(c *Config) { c.Order = "" }, []string{"order", "update-first"}},
	{"other order", func(c *Config) { c.Order = "Update-First" }, []string{"order", "Update-First"}},
	{"other score", func(c *Config) { c.AlignmentModel = "cosine" }, []string{"alignment model", "cosine", "dot", "general"}},
	{"score by name", func(c *Config) { c.AlignmentModel = "additive" }, []string{"alignment model", "additive"}},
	{"dot without attention", func(c *Config) { c.Kind, c.AlignmentModel, c.Alignment = RNNencdec, Dot, c.Hidden }, []string{"alignment model", "dot", "encdec"}},
	{"dot of other units", func(c *Config) { c.AlignmentModel = Dot }, []string{"alignment of 11", "dot", "13"}},
	{"general of other units", func(c *Config) { c.AlignmentModel = General }, []string{"alignment of 11", "general", "13"}},
	{"no source vocabulary", func(c *Config) { c.SourceVocab = 0 }, []string{"source vocabulary", "of 0"}},
	{"no target vocabulary", func(c *Config) { c.TargetVocab = 0 }, []string{"target vocabulary", "of 0"}},
	{"negative embedding", func(c *Config) { c.Embedding = -1 }, []string{"embedding", "of -1"}},
	{"smallest hidden", func(c *Config) { c.Hidden = math.MinInt }, []string{"hidden"}},
	{"largest alignment", func(c *Config) { c.Alignment = math.MaxInt }, []string{"alignment"}},
	{"huge maxout", func(c *Config) { c.Maxout = 1<<24 + 1 }, []string{"maxout", "16777217", "16777216"}},
}
