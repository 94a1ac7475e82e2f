package kernels

const (
	gemvValues = 64 << 10 // maximum number of weights in one call of assembly
	gemvDepth  = 1024     // maximum number of its inputs
)

// gemvPanels computes panels first to end-1 of a product of one row: groups of whole panels in
// one call each, and a last panel of fewer than 16 outputs through a buffer.
func (k Impl) gemvPanels(g *product, first, end int) {
	y, w, x := g.y.row(0), g.w.Float32, g.x.float32.row(0)
	stride := panelStride(w.In)
	whole := min(end, w.Out/panel)
	group := gemvPanelCount(w.In)
	for p := first; p < whole; p += group {
		n := min(group, whole-p)
		v := vector{
			y: y[p*panel : (p+n)*panel], x: x, w: w.Data[p*stride:], stride: stride, panels: n,
			add: g.add, act: g.act,
		}
		if g.bias != nil {
			v.bias = g.bias[p*panel : (p+n)*panel]
		}
		k.gemvSpans(&v)
	}
	if whole < end {
		rest := y[whole*panel:]
		var buffer, start [panel]float32
		if g.add {
			copy(buffer[:], rest)
		}
		v := vector{
			y: buffer[:], x: x, w: w.Data[whole*stride:], stride: stride, panels: 1,
			add: g.add, act: g.act,
		}
		if g.bias != nil {
			copy(start[:], g.bias[whole*panel:])
			v.bias = start[:]
		}
		k.gemvSpans(&v)
		copy(rest, buffer[:])
	}
}

// gemvPanelCount returns the number of panels in one call, a multiple of 4 with at most a block
// of outputs.
func gemvPanelCount(in int) int {
	return min(block/panel, gemvValues/panel/max(1, min(in, gemvDepth))) &^ 3
}

// A vector is the operands of one row of a product, over panels that lie stride values apart.
// Without add and bias the chains start from 0.
type vector struct {
	y, x, w, bias  []float32
	stride, panels int
	add            bool
	act            Activation
}

// gemvSpans computes v with at most gemvDepth inputs per call; y carries the chains from one call
// to the next.
func (k Impl) gemvSpans(v *vector) {
	if len(v.x) <= gemvDepth {
		v.announce()
		k.gemv(v)
		return
	}
	spans := (len(v.x) + gemvDepth - 1) / gemvDepth
	for s := range spans {
		from, to := share(len(v.x), s, spans)
		part := *v
		part.x, part.w = v.x[from:to], v.w[from*panel:]
		part.add = v.add || from > 0
		if to < len(v.x) {
			part.act = Identity
		}
		part.announce()
		k.gemv(&part)
	}
}

func gemvGo(v *vector) {
	start, step := v.start()
	for p := range v.panels {
		y := (*[panel]float32)(v.y[p*panel:])
		chains(y, start[p*step:], v.x, 1, v.w[p*v.stride:], len(v.x), v.act)
	}
}

// start returns the values from which the chains start, and the distance between those of two
// panels: y, the bias, or the same zeros for every panel.
func (v *vector) start() (values []float32, step int) {
	switch {
	case v.add:
		return v.y, panel
	case v.bias != nil:
		return v.bias, panel
	}
	return zeros[:], 0
}

// zeros is what products without a bias start from, and the state of a row without one. Nobody writes
// to it.
var zeros [block]float32
