package kernels

// maxTilePanels bounds the panels of a tile.
const maxTilePanels = 3

// A tile is a product with panels that lie side by side: for i < rows, p < panels, j < 16,
//
//	c[i*ldc+p*next+j] = act(start + Σ_k x[i*xRow+k*xCol] · w[p*stride+k*16+j]),  k < depth
//
// where start is bias[p*16+j], or the old c if add is set.
type tile struct {
	c               []float32
	ldc, next, rows int
	x               []float32
	xRow, xCol      int
	w               []float32
	stride, depth   int
	panels          int
	bias            [maxTilePanels * panel]float32
	add             bool
	act             Activation
}

// tileGo computes a tile of one panel.
func tileGo(t *tile) {
	for i := range t.rows {
		c := (*[panel]float32)(t.c[i*t.ldc:])
		start := (*[panel]float32)(t.bias[:])
		if t.add {
			start = c
		}
		var acc [panel]float64
		for j, v := range start {
			acc[j] = float64(v)
		}
		for k := range t.depth {
			fmaRow(&acc, float64(t.x[i*t.xRow+k*t.xCol]), (*[panel]float32)(t.w[k*panel:]))
		}
		activate(c, &acc, t.act)
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

func gemvGo(v *vector) {
	for p := range v.panels {
		y := (*[panel]float32)(v.y[p*panel:])
		var acc [panel]float64
		switch {
		case v.add:
			for j, s := range y {
				acc[j] = float64(s)
			}
		case v.bias != nil:
			for j, s := range v.bias[p*panel : (p+1)*panel] {
				acc[j] = float64(s)
			}
		}
		w := v.w[p*v.stride:]
		for k, x := range v.x {
			fmaRow(&acc, float64(x), (*[panel]float32)(w[k*panel:]))
		}
		activate(y, &acc, v.act)
	}
}

func activate(dst *[panel]float32, acc *[panel]float64, act Activation) {
	for j, v := range acc {
		dst[j] = float32(v)
	}
	switch act {
	case Tanh:
		tanhGo(dst[:], dst[:])
	case Sigmoid:
		sigmoidGo(dst[:], dst[:])
	}
}

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
