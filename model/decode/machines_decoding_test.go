package decode

import (
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// decodingHash is the hash of TestMachinesDecoding. It holds on every machine.
const decodingHash = "a94860fa57d5e383"

// TestMachinesDecoding holds the bits of a list of translations by an ensemble, with scores that
// take powers of lengths.
func TestMachinesDecoding(t *testing.T) {
	m, err := Open(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	models := append(ensembleOf(t, m.Config, 2, 98, 0.5), m)
	d := Options{Beam: 5, NBest: 4, Normalization: 0.7, MinLength: 2, ForbidUNK: true}
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		tr := decoderOf(t, k, d, Capacity{1, 9, 12}, models...)
		best, err := tr.Translate(t.Context(), []int32{5, 2, 8, 3, 7, 4, 6, 5, 0}, 12)
		if err != nil {
			t.Fatal(err)
		}
		hash := newDigest()
		for _, r := range best {
			hash.translation(r)
			hash.number(math.Float64bits(r.Score))
		}
		if got := hash.String(); got != decodingHash {
			t.Errorf("%s: hash %s, want %s", k, got, decodingHash)
		}
	})
}
