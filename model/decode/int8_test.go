package decode

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

func quantized(t testing.TB, m *model.Model) *model.Model {
	t.Helper()
	q, err := m.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestInt8SameBits translates with models of int8, alone and in an ensemble with one of float32, from
// memory and from a file, on all numbers of threads: the bits are those of portable Go and a beam for
// one sentence.
func TestInt8SameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		m, list := randomModel(t, c, 170, 0.6), sentencesOf(171, c, 13, 9, 8)
		q := quantized(t, m)
		back, err := model.Read(bytes.NewReader(written(t, q)))
		if err != nil {
			t.Fatal(err)
		}
		for what, models := range map[string][2][]*model.Model{
			"int8":             {{q}, {back}},
			"int8 and float32": {{q, m}, {back, m}},
		} {
			for _, beam := range []int{1, 4} {
				o := Options{Beam: beam}
				want := aloneOf(t, portable(), o, list, models[0]...)
				eachImpl(t, func(t *testing.T, k kernels.Impl) {
					o.Kernels = &k
					for _, o.Threads = range threadCounts {
						for i, best := range eachOf(t, newTranslator(t, o, models[1]...), list) {
							sameList(t, fmt.Sprintf("%s: %s, beam %d, %d threads: sentence %d", k, what, beam, o.Threads, i), best, want[i])
						}
					}
				})
			}
		}
	})
}
