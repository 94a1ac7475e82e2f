//go:build !purego && !noasm

package kernels

import "github.com/softsearch-go/softsearch/asm/neon"

func (k Impl) exp(dst, src []float32) {
	if k.isa != isaNEON {
		expGo(dst, src)
		return
	}
	neon.Exp(&dst[0], &src[0], len(src))
}

func (k Impl) tanh(dst, src []float32) {
	if k.isa != isaNEON {
		tanhGo(dst, src)
		return
	}
	neon.Tanh(&dst[0], &src[0], len(src))
}

func (k Impl) sigmoid(dst, src []float32) {
	if k.isa != isaNEON {
		sigmoidGo(dst, src)
		return
	}
	neon.Sigmoid(&dst[0], &src[0], len(src))
}

func (k Impl) tanhBackward(dx, y, dy []float32) {
	if k.isa != isaNEON {
		tanhBackwardGo(dx, y, dy)
		return
	}
	neon.TanhBackward(&dx[0], &y[0], &dy[0], len(y))
}

func (k Impl) max(x []float32) float32 {
	if k.isa != isaNEON {
		return maxGo(x)
	}
	return neon.Max(&x[0], len(x))
}

func (k Impl) expSum(dst, src []float32, m float32) float32 {
	if k.isa != isaNEON {
		return expSumGo(dst, src, m)
	}
	return neon.ExpSum(&dst[0], &src[0], len(src), m)
}

func (k Impl) sumExp(x []float32, m float32) float32 {
	if k.isa != isaNEON {
		return sumExpGo(x, m)
	}
	return neon.SumExp(&x[0], len(x), m)
}

func (k Impl) scaleBlock(x []float32, a float32) {
	if k.isa != isaNEON {
		scaleGo(x, a)
		return
	}
	neon.Scale(&x[0], len(x), a)
}

func (k Impl) dot(x, y []float32) float32 {
	if k.isa != isaNEON {
		return dotGo(x, y)
	}
	return neon.Dot(&x[0], &y[0], len(x))
}

func (k Impl) softmaxGradient(dx, y, dy []float32, sum float32) {
	if k.isa != isaNEON {
		softmaxGradientGo(dx, y, dy, sum)
		return
	}
	neon.SoftmaxGradient(&dx[0], &y[0], &dy[0], len(y), sum)
}

func (k Impl) add(dst, src []float32) {
	if k.isa != isaNEON {
		addGo(dst, src)
		return
	}
	neon.Add(&dst[0], &src[0], len(src))
}

func (k Impl) relu(dst, src []float32) {
	if k.isa != isaNEON {
		reluGo(dst, src)
		return
	}
	neon.ReLU(&dst[0], &src[0], len(src))
}

func (k Impl) gelu(dst, src []float32) {
	if k.isa != isaNEON {
		geluGo(dst, src)
		return
	}
	neon.GELU(&dst[0], &src[0], len(src))
}

func (k Impl) mul(dst, x, y []float32) {
	if k.isa != isaNEON {
		mulGo(dst, x, y)
		return
	}
	neon.Mul(&dst[0], &x[0], &y[0], len(dst))
}
