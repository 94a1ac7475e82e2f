package breakdown

import (
	"testing"

	"github.com/softsearch-go/softsearch/bench/peers/bounds"
	"github.com/softsearch-go/softsearch/model"
)

// TestBoundOfPrecision: the peak of a work is that of the precision of its products.
func TestBoundOfPrecision(t *testing.T) {
	m, err := model.New(sampled, 1)
	if err != nil {
		t.Fatal(err)
	}
	for precision, want := range map[model.Precision]string{model.Float32: "float32", model.BF16: "bfloat16"} {
		measured := ""
		l := newLimits(bounds.Loops{
			Read:            func(int, []float32, bool) {},
			MultiplyAdd:     func(int) { measured = "float32" },
			MultiplyAddBF16: func(int) { measured = "bfloat16" },
		}, Name{Operation: Step, Threads: 1, Precision: precision}, m)
		if peak, _ := l.round(); measured != want || !(peak > 0) {
			t.Errorf("precision %q: peak %g of %s, want that of %s", precision, peak, measured, want)
		}
	}
}
