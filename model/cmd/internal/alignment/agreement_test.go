package alignment

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

// TestAgreement links pairs by the built-in models, whose words are segments of tokens, on any number of threads and from
// either side.
func TestAgreement(t *testing.T) {
	path := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	english := path("english", "The cat sees a red house.\n\nUnthinkable thoughtfulness!\n"+strings.Repeat("a ", 10)+"\n")
	french := path("french", "Le chat voit une maison rouge.\nx\nUne prévenance impensable !\n"+strings.Repeat("un ", 10)+"\n")
	run := func(o Options) ([]string, string, error) {
		var stdout, stderr strings.Builder
		o.Beam = 1
		err := o.Run(t.Context(), nil, &stdout, &stderr)
		return strings.Split(stdout.String(), "\n"), stderr.String(), err
	}
	for _, threads := range []int{1, 3} {
		got, warnings, err := run(Options{Models: []string{"en-fr"}, Agree: []string{"fr-en"}, Source: english, Target: french, Format: "pharaoh", Threads: threads})
		if len(got) != 5 || got[0] != "0-0 1-1 2-2 3-3 5-4 4-5 6-6" || got[1] != "" {
			t.Errorf("%d threads: links %q", threads, got)
		}
		if want := english + ":2: empty line"; !strings.Contains(warnings, want) || err == nil {
			t.Errorf("%d threads: %v, warnings %q, want %q", threads, err, warnings, want)
		}
		back, _, _ := run(Options{Models: []string{"fr-en"}, Agree: []string{"en-fr"}, Source: french, Target: english, Format: "pharaoh", Threads: threads})
		if back[0] != "0-0 1-1 2-2 3-3 5-4 4-5 6-6" {
			t.Errorf("%d threads: links from the other side %q", threads, back)
		}
	}
	one := Options{Models: []string{"en-fr"}, Agree: []string{"fr-en"}, Source: english, Target: french, Format: "json", Threads: 1}
	twice := one
	twice.Models, twice.Agree = []string{"en-fr", "en-fr"}, []string{"fr-en", "fr-en"}
	got, _, _ := run(one)
	mean, _, _ := run(twice)
	if got[0] != mean[0] || !strings.Contains(got[0], `"target":["Le","chat","voit","une","maison","rouge",".","<end>"]`) {
		t.Errorf("the mean of two equal models has %s, want %s", mean[0], got[0])
	}
}

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
	} {
		agreed := agree(kernels.View(test.needs, test.rows, test.columns), kernels.NewMatrix(test.columns, test.rows))
		a := AttentionMap{Source: translation.WithEnd(make([]string, test.columns)), Target: make([]string, test.rows), Weights: agreed, least: linkedFrom}
		if got := a.pharaoh(); got != test.links {
			t.Errorf("%s: links %q, want %q; agreement %.2f", name, got, test.links, agreed.Data)
		}
	}
}

// TestPosterior compares with the sum over all sequences of states.
func TestPosterior(t *testing.T) {
	const positions, states = 4, 3
	r := rand.New(rand.NewPCG(1, 2))
	emission, want := probabilities(positions, states), probabilities(positions, states)
	for _, row := range emission {
		for i := range row {
			row[i] = r.Float64()
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
