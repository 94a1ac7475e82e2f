package attention

import (
	"math/rand/v2"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// TestInt8: keys and queries with weights of int8 are products of the quantized annotations and states.
func TestInt8(t *testing.T) {
	const states, annotations, units, rows = 13, 21, 9, 4
	for _, k := range kernels.Available() {
		r := rand.New(rand.NewPCG(50, 1409))
		wa, ua := matrix(random(r, units*states, 0.5), units, states), matrix(random(r, units*annotations, 0.5), units, annotations)
		m := &Model{Wa: kernels.Weights{Int8: k.PackInt8(wa)}, Ua: kernels.Weights{Int8: k.PackInt8(ua)}}
		k := k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(rows, annotations)})
		check := func(what string, w kernels.Weights, x kernels.Matrix, multiply func(y kernels.Matrix)) {
			t.Helper()
			want, got := zeros(rows, units), zeros(rows, units)
			k.Linear(want, w, x, nil, kernels.Identity)
			multiply(got)
			sameBits(t, what, got.Data, want.Data)
		}
		x := matrix(random(r, rows*annotations, 1), rows, annotations)
		check("keys", m.Ua, x, func(y kernels.Matrix) { m.Keys(k, y, x) })
		x = matrix(random(r, rows*states, 1), rows, states)
		check("queries", m.Wa, x, func(y kernels.Matrix) { m.Queries(k, y, x) })
	}
}
