//go:build !purego && !noasm

package kernels

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/softsearch-go/softsearch/asm/avx2"
	"github.com/softsearch-go/softsearch/asm/avx512"
	"github.com/softsearch-go/softsearch/asm/avx512bf16"
	"github.com/softsearch-go/softsearch/asm/avx512vnni"
	"github.com/softsearch-go/softsearch/asm/avxvnni"
)

// native returns the instruction sets with assembly that this processor and its operating
// system support, the fastest first. cpuid reports AVX2 and FMA3, and AVX-512, only where the
// system saves their registers.
func native() (list []isa) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL) {
		list = append(list, isaAVX512)
	}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.AVXVNNI) {
		list = append(list, isaAVXVNNI)
	}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) {
		list = append(list, isaAVX2)
	}
	return list
}

// tilePanels returns the number of panels that a tile has at most.
func (k Impl) tilePanels() int {
	if k.isa == isaAVX512 {
		return maxTilePanels
	}
	return 1
}

func (k Impl) tileFloat32(t *tile) {
	if k.isa == isaGo || t.depth == 0 {
		tileGo(t)
		return
	}
	c, x, w, start := &t.c[0], float(t.x), float(t.w), t.start()
	ahead := w
	if len(t.ahead) > 0 {
		ahead = float(t.ahead)
	}
	switch {
	case t.prefetchAll && t.panels > 1:
		avx512.GemmWideFew(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, t.step, start, int(t.act))
	case t.panels > 1:
		avx512.GemmWide(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, t.step, start, int(t.act))
	case k.isa == isaAVX512:
		avx512.Gemm(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, start, int(t.act))
	default:
		avx2.Gemm(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, start, int(t.act))
	}
}

func (k Impl) gemv(v *vector) {
	if k.isa == isaGo || len(v.x) == 0 {
		gemvGo(v)
		return
	}
	start, step := v.start()
	if k.isa == isaAVX512 {
		avx512.Gemv(&v.y[0], &v.x[0], &v.w[0], v.stride, len(v.x), v.panels, &start[0], step, int(v.act), v.near)
	} else {
		avx2.Gemv(&v.y[0], &v.x[0], &v.w[0], v.stride, len(v.x), v.panels, &start[0], step, int(v.act))
	}
}

// nativeInt8 returns the further instruction sets for products of int8.
func nativeInt8() (list []isa) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512VNNI) {
		list = append(list, isaAVX512VNNI)
	}
	return list
}

// vnni reports whether this processor has VPDPBUSD for AVX-512.
var vnni = len(nativeInt8()) > 0

// int8ISA returns the instruction set of products of int8. Every processor with AVX-512 has AVX2.
func (k Impl) int8ISA() isa {
	switch {
	case k.isa == isaAVX512 && vnni:
		return isaAVX512VNNI
	case k.isa == isaAVX512:
		return isaAVX2
	}
	return k.isa
}

func (k Impl) tilePanelsInt8() int {
	if k.int8ISA() == isaGo {
		return 1
	}
	return maxTilePanels
}

// widensInt8 reports whether products need scratch for int16.
func (k Impl) widensInt8() bool { return k.int8ISA() == isaAVX2 }

func (k Impl) tileInt8(t *tileInt8) {
	var starts *int32
	if t.starts != nil {
		starts = &t.starts[0]
	}
	switch isa := k.int8ISA(); {
	case isa == isaAVX512VNNI && t.panels == maxTilePanels:
		avx512vnni.GemmWideInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, starts)
	case isa == isaAVX512VNNI:
		avx512vnni.GemmInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, starts)
	case isa == isaAVXVNNI:
		for p := range t.panels {
			avxvnni.GemmInt8(&t.acc[p*panel], t.rows, &t.x[0], t.xStride, &t.w[p*t.stride], t.stride, t.quads, starts)
		}
	case isa == isaAVX2:
		add := 0
		if starts == nil {
			add = 1
		}
		avx2.GemmInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, t.panels, add, &t.wide[0])
	default:
		tileInt8Go(t)
	}
}

func (k Impl) gemvInt8(v *vectorInt8) {
	switch k.int8ISA() {
	case isaAVX512VNNI:
		avx512vnni.GemvInt8(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, v.start)
	case isaAVXVNNI:
		avxvnni.GemvInt8(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, v.start)
	case isaAVX2:
		avx2.GemvInt8(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, &v.wide[0])
	default:
		gemvInt8Go(v)
	}
}

// nativeBF16 returns the further instruction sets for products of bfloat16.
func nativeBF16() (list []isa) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BF16) {
		list = append(list, isaAVX512BF16)
	}
	return list
}

// bf16Pairs reports whether this processor has VDPBF16PS.
var bf16Pairs = len(nativeBF16()) > 0

// bf16ISA returns the instruction set of products of bfloat16.
func (k Impl) bf16ISA() isa {
	if k.isa == isaAVX512 && bf16Pairs {
		return isaAVX512BF16
	}
	return k.isa
}

func (k Impl) tileBF16(t *tile) {
	if k.isa == isaGo || t.depth == 0 {
		tileBF16Go(t)
		return
	}
	c, x, widened, w, act := &t.c[0], &t.x[0], float(t.x), &t.w[0], int(t.act)
	add, bias := t.addAndBias()
	switch isa := k.bf16ISA(); {
	case isa == isaAVX512BF16 && t.panels > 1:
		avx512bf16.GemmWideBF16Pairs(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, add, bias, act)
	case isa == isaAVX512BF16:
		avx512bf16.GemmBF16Pairs(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, add, bias, act)
	case t.panels > 1:
		avx512.GemmWideWidened(c, t.ldc, t.next, t.rows, widened, t.xRow, t.xCol, w, t.stride, t.depth, add, bias, act)
	case k.isa == isaAVX512:
		avx512.GemmWidened(c, t.ldc, t.next, t.rows, widened, t.xRow, t.xCol, w, t.stride, t.depth, add, bias, act)
	default:
		avx2.GemmWidened(c, t.ldc, t.next, t.rows, widened, t.xRow, t.xCol, w, t.stride, t.depth, add, bias, act)
	}
}

// widensBF16 reports whether products need scratch for float32.
func (k Impl) widensBF16() bool { return k.isa != isaGo && k.bf16ISA() != isaAVX512BF16 }
