package kernels

const (
	gemvValues = 64 << 10 // weights that one call of assembly reads at most
	gemvDepth  = 1024     // inputs that it takes at most
)

// gemvPanels computes panels first to end-1: whole ones several in one call, and the last
// through a buffer if it is not whole.
func (k Impl) gemvPanels(y []float32, w Packed, x, bias []float32, act Activation, add bool, first, end int) {
	stride := panelStride(w.In)
	whole := min(end, w.Out/panel)
	group := gemvPanelCount(w.In)
	for p := first; p < whole; p += group {
		n := min(group, whole-p)
		v := vector{
			y: y[p*panel : (p+n)*panel], x: x, w: w.Data[p*stride:], stride: stride, panels: n,
			add: add, act: act,
		}
		if bias != nil {
			v.bias = bias[p*panel : (p+n)*panel]
		}
		k.gemvSpans(&v)
	}
	if whole < end {
		rest := y[whole*panel:]
		var buffer, start [panel]float32
		copy(buffer[:], rest)
		v := vector{
			y: buffer[:], x: x, w: w.Data[whole*stride:], stride: stride, panels: 1,
			add: add, act: act,
		}
		if bias != nil {
			copy(start[:], bias[whole*panel:])
			v.bias = start[:]
		}
		k.gemvSpans(&v)
		copy(rest, buffer[:])
	}
}

// gemvPanelCount returns the number of panels that one call takes, a multiple of 4. Their
// outputs are no more than a block.
func gemvPanelCount(in int) int {
	return min(block/panel, gemvValues/panel/max(1, min(in, gemvDepth))) &^ 3
}

// gemvSpans computes v with at most gemvDepth inputs in one call; the chains carry on through y.
func (k Impl) gemvSpans(v *vector) {
	if len(v.x) <= gemvDepth {
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
		k.gemv(&part)
	}
}
