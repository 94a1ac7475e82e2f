package attention

import "github.com/softsearch-go/softsearch/kernels"

// A run is a problem as float32 matrices, with its results and gradients.
type run struct {
	weights, gradients        *Model
	transposed                *Transposed
	states, queries, contexts kernels.Matrix
	alpha                     kernels.Matrix // rows×positions
	annotations, keys         kernels.Matrix
	dc, dstates, dqueries     kernels.Matrix
	dannotations, dkeys       kernels.Matrix
	dalpha                    []float32
	scratch                   *kernels.Scratch
}

func newRun(k kernels.Impl, p *problem) *run {
	r := &run{
		weights: &Model{Wa: newWeights(k, p.wa, p.a, p.h), Ua: newWeights(k, p.ua, p.a, p.n), Va: narrow(p.va)},
		states:  matrix(p.states, p.rows, p.h), queries: zeros(p.rows, p.a), contexts: zeros(p.rows, p.n),
		alpha:       zeros(p.rows, p.positions),
		annotations: matrix(p.annotations, p.positions, p.n), keys: zeros(p.positions, p.a),
		dc: matrix(p.dc, p.rows, p.n), dstates: zeros(p.rows, p.h), dqueries: zeros(p.rows, p.a),
		dannotations: zeros(p.positions, p.n), dkeys: zeros(p.positions, p.a),
		dalpha: make([]float32, p.positions), scratch: &kernels.Scratch{Grad: kernels.Alloc(kernels.GradScratch(max(p.h, p.n)))},
	}
	w := r.weights
	r.gradients = &Model{Wa: emptyLike(w.Wa), Ua: emptyLike(w.Ua), Va: make([]float32, len(w.Va))}
	r.transposed = &Transposed{transposeOf(w.Wa), transposeOf(w.Ua)}
	r.transpose(k)
	return r
}

func (r *run) transpose(k kernels.Impl) {
	k.LinearTranspose(r.transposed.Wa, r.weights.Wa.Float32)
	k.LinearTranspose(r.transposed.Ua, r.weights.Ua.Float32)
}

func (r *run) forward(k kernels.Impl) {
	r.weights.Keys(k, r.keys, r.annotations)
	r.weights.Queries(k, r.queries, r.states)
	for i := range r.states.Rows {
		r.weights.Weights(k, r.alpha.Row(i), r.queries.Row(i), r.keys)
		k.WeightedSum(r.contexts.Row(i), r.alpha.Row(i), r.annotations)
	}
}

// backward adds to all gradients except dqueries, which it overwrites.
func (r *run) backward(k kernels.Impl) {
	for i := range r.states.Rows {
		r.weights.WeightsBackward(k, r.dalpha, r.alpha.Row(i), r.annotations, r.dc.Row(i))
		for j, weight := range r.alpha.Row(i) {
			k.WeightedSumAdd(r.dannotations.Row(j), []float32{weight}, r.dc.Slice(i, i+1))
		}
		for _, part := range [][2]int{{0, r.keys.Cols / 3}, {r.keys.Cols / 3, r.keys.Cols}} {
			r.weights.ScoresBackward(k, r.gradients, r.dqueries.Row(i), r.dkeys, r.queries.Row(i), r.keys, r.dalpha, part[0], part[1])
		}
	}
	k = k.Using(r.scratch)
	r.gradients.AccumulateQueries(k, r.dqueries, r.states)
	r.transposed.QueriesBackward(k, r.dstates, r.dqueries)
	r.transposed.KeysBackward(k, r.gradients, r.dannotations, r.dkeys, r.annotations)
}

// sums returns the gradients that backward adds to, row-major.
func (r *run) sums() map[string][]float32 {
	return map[string][]float32{
		"Wa": unpack(r.gradients.Wa), "Ua": unpack(r.gradients.Ua), "va": r.gradients.Va,
		"states": r.dstates.Data, "annotations": r.dannotations.Data,
	}
}
