//go:build !purego && !noasm

package kernels

import (
	"github.com/softsearch-go/softsearch/asm/avx2"
	"github.com/softsearch-go/softsearch/asm/avx512"
)

func (k Impl) exp(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Exp(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Exp(&dst[0], &src[0], len(src))
	default:
		expGo(dst, src)
	}
}

func (k Impl) tanh(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Tanh(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Tanh(&dst[0], &src[0], len(src))
	default:
		tanhGo(dst, src)
	}
}

func (k Impl) sigmoid(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Sigmoid(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Sigmoid(&dst[0], &src[0], len(src))
	default:
		sigmoidGo(dst, src)
	}
}

func (k Impl) tanhBackward(dx, y, dy []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.TanhBackward(&dx[0], &y[0], &dy[0], len(y))
	case isaAVX2:
		avx2.TanhBackward(&dx[0], &y[0], &dy[0], len(y))
	default:
		tanhBackwardGo(dx, y, dy)
	}
}

func (k Impl) max(x []float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.Max(&x[0], len(x))
	case isaAVX2:
		return avx2.Max(&x[0], len(x))
	default:
		return maxGo(x)
	}
}

func (k Impl) expSum(dst, src []float32, m float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.ExpSum(&dst[0], &src[0], len(src), m)
	case isaAVX2:
		return avx2.ExpSum(&dst[0], &src[0], len(src), m)
	default:
		return expSumGo(dst, src, m)
	}
}

func (k Impl) sumExp(x []float32, m float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.SumExp(&x[0], len(x), m)
	case isaAVX2:
		return avx2.SumExp(&x[0], len(x), m)
	default:
		return sumExpGo(x, m)
	}
}

func (k Impl) scaleBlock(x []float32, a float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Scale(&x[0], len(x), a)
	case isaAVX2:
		avx2.Scale(&x[0], len(x), a)
	default:
		scaleGo(x, a)
	}
}

func (k Impl) dot(x, y []float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.Dot(&x[0], &y[0], len(x))
	case isaAVX2:
		return avx2.Dot(&x[0], &y[0], len(x))
	default:
		return dotGo(x, y)
	}
}

func (k Impl) softmaxGradient(dx, y, dy []float32, sum float32) {
	switch k.isa {
	case isaAVX512:
		avx512.SoftmaxGradient(&dx[0], &y[0], &dy[0], len(y), sum)
	case isaAVX2:
		avx2.SoftmaxGradient(&dx[0], &y[0], &dy[0], len(y), sum)
	default:
		softmaxGradientGo(dx, y, dy, sum)
	}
}

func (k Impl) add(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Add(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Add(&dst[0], &src[0], len(src))
	default:
		addGo(dst, src)
	}
}

func (k Impl) relu(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.ReLU(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.ReLU(&dst[0], &src[0], len(src))
	default:
		reluGo(dst, src)
	}
}

func (k Impl) gelu(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.GELU(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.GELU(&dst[0], &src[0], len(src))
	default:
		geluGo(dst, src)
	}
}

func (k Impl) mul(dst, x, y []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Mul(&dst[0], &x[0], &y[0], len(dst))
	case isaAVX2:
		avx2.Mul(&dst[0], &x[0], &y[0], len(dst))
	default:
		mulGo(dst, x, y)
	}
}
