package kernels

// maxTilePanels bounds the panels of a tile.
const maxTilePanels = 3

// A tile is a product with panels that lie side by side: for i < rows, p < panels, j < 16,
//
//	c[i*ldc+p*next+j] = act(start + Σ_k x[i*xRow+k*xCol] · w[p*stride+k*16+j]),  k < depth
//
// where start is bias[p*16+j], or the old c if add is set. Its caller expects to need ahead
// next, 16 values for each k, and what lies step and twice step further on.
type tile struct {
	c               []float32
	ldc, next, rows int
	x               []float32
	xRow, xCol      int
	w               []float32
	stride, depth   int
	panels          int
	ahead           []float32
	step            int
	bias            [maxTilePanels * panel]float32
	add             bool
	act             Activation
}

// tileGo computes a tile of one panel.
func tileGo(t *tile) {
	for i := range t.rows {
		c := (*[panel]float32)(t.c[i*t.ldc:])
		start := t.bias[:]
		if t.add {
			start = c[:]
		}
		var x []float32
		if t.depth > 0 {
			x = t.x[i*t.xRow:]
		}
		chains(c, start, x, t.xCol, t.w, t.depth, t.act)
	}
}

// chains sets y[j] = act(start[j] + Σ_k x[k*step]·w[k*16+j]) for j < 16, k < depth.
func chains(y *[panel]float32, start, x []float32, step int, w []float32, depth int, act Activation) {
	for j := 0; j < panel; j += chainWidth {
		var acc [chainWidth]float64
		for i := range acc {
			acc[i] = float64(start[j+i])
		}
		if depth > 0 {
			fmaChains(&acc, x, step, w[j:], depth)
		}
		for i, v := range acc {
			y[j+i] = float32(v)
		}
	}
	switch act {
	case Tanh:
		tanhGo(y[:], y[:])
	case Sigmoid:
		sigmoidGo(y[:], y[:])
	case ReLU:
		reluGo(y[:], y[:])
	case GELU:
		geluGo(y[:], y[:])
	}
}

// A vector is one row of a product, over panels that lie stride values apart. Without add
// and bias the chain starts from 0.
type vector struct {
	y, x, w, bias  []float32
	stride, panels int
	add            bool
	act            Activation
}

// start returns the values that the chains begin with, and how far apart those of two panels
// are: y, the bias, or the same zeros for every panel.
func (v *vector) start() (values []float32, step int) {
	switch {
	case v.add:
		return v.y, panel
	case v.bias != nil:
		return v.bias, panel
	}
	return zeros[:], 0
}

func gemvGo(v *vector) {
	start, step := v.start()
	for p := range v.panels {
		y := (*[panel]float32)(v.y[p*panel:])
		chains(y, start[p*step:], v.x, 1, v.w[p*v.stride:], len(v.x), v.act)
	}
}

// zeros starts the chains of a product without bias.
var zeros [panel]float32

// edge computes a tile of fewer than 16 columns through a buffer, a few rows at a time.
func (k Impl) edge(t *tile, cols int) {
	const rows = 12
	var buffer [rows * panel]float32
	for i := 0; i < t.rows; i += rows {
		part := *t
		part.rows = min(rows, t.rows-i)
		if t.depth > 0 {
			part.x = t.x[i*t.xRow:]
		}
		part.c, part.ldc = buffer[:], panel
		for r := range part.rows {
			copy(buffer[r*panel:r*panel+cols], t.c[(i+r)*t.ldc:])
		}
		k.tile(&part)
		for r := range part.rows {
			copy(t.c[(i+r)*t.ldc:][:cols], buffer[r*panel:])
		}
	}
}
