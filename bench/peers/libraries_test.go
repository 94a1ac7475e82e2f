package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/nlpodyssey/spago/mat"
	"github.com/nlpodyssey/spago/nn"
	"github.com/nlpodyssey/spago/nn/recurrent/lstm"
	"github.com/tphakala/simd/cpu"
	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/softsearch-go/softsearch/kernels"
)

// A size belongs to a product, of batch inputs and rows×cols weights, or to a vector of n elements.
type size struct{ batch, rows, cols, n int }

func (s size) String() string {
	switch {
	case s.n > 0:
		return fmt.Sprintf("n=%d", s.n)
	case s.batch > 0:
		return fmt.Sprintf("batch=%d/rows=%d/cols=%d", s.batch, s.rows, s.cols)
	}
	return fmt.Sprintf("rows=%d/cols=%d", s.rows, s.cols)
}

// Operands have a size: weights, their transpose, inputs, gradients of results, and the result, which GemmGrad adds
// to. An elementwise operation has x and y alone. Memory comes from the kernels, as it does for these.
type operands struct {
	size
	w, wt, x, dy, y []float32
}

func newOperands(op string, s size) operands {
	r := rand.New(rand.NewPCG(1409, 473))
	uniform := func(n int, limit float32) []float32 {
		x := kernels.Alloc(n)
		for i := range x {
			x[i] = limit * (2*r.Float32() - 1)
		}
		return x
	}
	if s.n > 0 {
		return operands{size: s, x: uniform(s.n, 4), y: uniform(s.n, 4)}
	}
	batch := max(s.batch, 1)
	o := operands{size: s, w: uniform(s.rows*s.cols, 1), x: uniform(batch*s.cols, 1), dy: uniform(batch*s.rows, 1)}
	o.wt = kernels.Alloc(len(o.w))
	for i := range s.rows {
		for j := range s.cols {
			o.wt[j*s.rows+i] = o.w[i*s.cols+j]
		}
	}
	length := map[string]int{"Gemv": s.rows, "Gemm": batch * s.rows, "GemmInput": batch * s.cols, "GemmGrad": len(o.w)}[op]
	o.y = uniform(length, 1)
	return o
}

// A library has the function that makes each of its operations.
type library struct {
	name string
	ops  map[string]func(o operands) func()
}

// libraries lists OpenBLAS and the libraries in Go, named after the instruction sets that they choose here. vek's product
// takes both factors as they are, so its weights are transposed beforehand, and has no sum to add to. The dot products of
// tphakala/simd, of all rows with one vector, are a Gemv: four rows at a time, or one where the weights are beyond the
// third-level cache, which is faster there.
func libraries() []library {
	vek, dots, functions := "vek-go", "tphakala-go", "tphakala-go"
	if vek32.Info().Acceleration {
		vek = "vek-avx2"
	}
	if cpu.X86.AVX && cpu.X86.FMA {
		dots = "tphakala-avx2"
	}
	if cpu.X86.AVX512F && cpu.X86.AVX512VL {
		dots = "tphakala-avx512"
	}
	if cpu.X86.AVX2 {
		functions = "tphakala-avx2"
	}
	matrix := func(data []float32, rows, cols int) blas32.General {
		return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
	}
	elementwise := func(f func(dst, src []float32)) func(o operands) func() {
		return func(o operands) func() { return func() { f(o.y, o.x) } }
	}
	list := []library{
		{"gonum", map[string]func(o operands) func(){
			"Gemv": func(o operands) func() {
				w, x, y := matrix(o.w, o.rows, o.cols), blas32.Vector{N: o.cols, Inc: 1, Data: o.x}, blas32.Vector{N: o.rows, Inc: 1, Data: o.y}
				return func() { blas32.Gemv(blas.NoTrans, 1, w, x, 0, y) }
			},
			"Gemm": func(o operands) func() {
				w, x, y := matrix(o.w, o.rows, o.cols), matrix(o.x, o.batch, o.cols), matrix(o.y, o.batch, o.rows)
				return func() { blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, w, 0, y) }
			},
			"GemmInput": func(o operands) func() {
				w, dy, dx := matrix(o.w, o.rows, o.cols), matrix(o.dy, o.batch, o.rows), matrix(o.y, o.batch, o.cols)
				return func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, dy, w, 0, dx) }
			},
			"GemmGrad": func(o operands) func() {
				dy, x, dw := matrix(o.dy, o.batch, o.rows), matrix(o.x, o.batch, o.cols), matrix(o.y, o.rows, o.cols)
				return func() { blas32.Gemm(blas.Trans, blas.NoTrans, 1, dy, x, 1, dw) }
			},
		}},
		{vek, map[string]func(o operands) func(){
			"Gemv":      func(o operands) func() { return func() { vek32.MatMul_Into(o.y, o.w, o.x, o.cols) } },
			"Gemm":      func(o operands) func() { return func() { vek32.MatMul_Into(o.y, o.x, o.wt, o.cols) } },
			"GemmInput": func(o operands) func() { return func() { vek32.MatMul_Into(o.y, o.dy, o.w, o.rows) } },
			"Exp":       elementwise(func(dst, src []float32) { vek32.Exp_Into(dst, src) }),
		}},
		{dots, map[string]func(o operands) func(){"Gemv": func(o operands) func() {
			if len(o.w) > 8<<20 {
				return func() {
					for i := range o.y {
						o.y[i] = f32.DotProduct(o.w[i*o.cols:(i+1)*o.cols], o.x)
					}
				}
			}
			return func() { f32.DotProductStrided(o.y, o.w, o.x, o.rows, o.cols, o.cols) }
		}}},
		{functions, map[string]func(o operands) func(){"Tanh": elementwise(f32.Tanh), "Sigmoid": elementwise(f32.Sigmoid), "Exp": elementwise(f32.Exp)}},
	}
	if core, _ := openBLAS(); core != "" {
		list = append(list, library{"openblas-" + core, map[string]func(o operands) func(){
			"Gemv": func(o operands) func() { return func() { sgemv(false, o.y, o.w, o.x, o.rows, o.cols) } },
			"Gemm": func(o operands) func() {
				return func() { sgemm(false, true, o.batch, o.rows, o.cols, o.x, o.w, 0, o.y) }
			},
			"GemmInput": func(o operands) func() {
				return func() { sgemm(false, false, o.batch, o.cols, o.rows, o.dy, o.w, 0, o.y) }
			},
			"GemmGrad": func(o operands) func() {
				return func() { sgemm(true, false, o.rows, o.cols, o.batch, o.dy, o.x, 1, o.y) }
			},
		}}, library{"openblas-" + core + "-transposed", map[string]func(o operands) func(){
			"Gemv": func(o operands) func() { return func() { sgemv(true, o.y, o.wt, o.x, o.cols, o.rows) } },
		}})
	}
	return list
}

// sizes of the operations, from package bench, that tables show.
var sizes = map[string][]size{
	"Gemv":      {{0, 256, 256, 0}, {0, 1000, 1000, 0}, {0, 3000, 1000, 0}, {0, 3000, 2000, 0}, {0, 30000, 500, 0}},
	"Gemm":      {{12, 3000, 1000, 0}, {80, 768, 256, 0}, {80, 3000, 1000, 0}, {80, 30000, 500, 0}, {2000, 3000, 620, 0}},
	"GemmInput": {{80, 768, 256, 0}, {2000, 3000, 620, 0}},
	"GemmGrad":  {{2000, 768, 256, 0}, {2000, 3000, 620, 0}},
	"Tanh":      {{n: 1024}}, "Sigmoid": {{n: 1024}}, "Exp": {{n: 1024}},
}

func BenchmarkGemv(b *testing.B)      { products(b, "Gemv") }
func BenchmarkGemm(b *testing.B)      { products(b, "Gemm") }
func BenchmarkGemmInput(b *testing.B) { products(b, "GemmInput") }
func BenchmarkGemmGrad(b *testing.B)  { products(b, "GemmGrad") }
func BenchmarkTanh(b *testing.B)      { products(b, "Tanh") }
func BenchmarkSigmoid(b *testing.B)   { products(b, "Sigmoid") }
func BenchmarkExp(b *testing.B)       { products(b, "Exp") }

// products times an operation of every library, and beside products what the processor can do at most: for a Gemv reading
// the weights, for others as many fused multiply-adds.
func products(b *testing.B, op string) {
	for _, s := range sizes[op] {
		if os.Getenv("SOFTSEARCH_TEST") != "full" && s.batch*s.rows*s.cols > 1e9 {
			continue
		}
		o := newOperands(op, s)
		for _, l := range libraries() {
			if make := l.ops[op]; make != nil {
				run(b, l.name, s.String(), make(o))
			}
		}
		read, peak := bounds()
		for _, isa := range []string{"avx512", "avx2"} {
			if op == "Gemv" && read[isa] != nil {
				run(b, "read-"+isa, s.String(), func() { read[isa](o.w) })
			} else if s.batch > 0 && peak[isa] != nil {
				run(b, "peak-"+isa, s.String(), func() { peak[isa](s.batch * s.rows * s.cols) })
			}
		}
	}
}

func run(b *testing.B, name, size string, f func()) {
	b.Run("impl="+name+"/"+size, func(b *testing.B) {
		f()
		for b.Loop() {
			f()
		}
	})
}

// BenchmarkLayer times the LSTM of spaGO, which takes one sequence at a time; its GRU is another than PyTorch's.
func BenchmarkLayer(b *testing.B) {
	const steps, units = 50, 256
	for _, batch := range []int{1, 16} {
		run(b, "spago", fmt.Sprintf("weights=float32/cell=lstm/units=%d/batch=%d", units, batch), newLSTM(tensors(units), steps, batch, units).run)
	}
}

// tensors returns the function that finds a tensor of an LSTM by its name in PyTorch.
func tensors(units int) func(name string) []float32 {
	return func(name string) []float32 {
		n := 4 * units
		if slices.Contains([]string{"weight_ih_l0", "weight_hh_l0"}, name) {
			n *= units
		}
		return uniform(name, n, layerLimit(units))
	}
}

type spagoLSTM struct {
	layer               *lstm.Model
	steps, batch, units int
	x, h                []float32
}

func newLSTM(tensor func(name string) []float32, steps, batch, n int) *spagoLSTM {
	wx, wh, bias, bh := tensor("weight_ih_l0"), tensor("weight_hh_l0"), tensor("bias_ih_l0"), tensor("bias_hh_l0")
	for i := range bias {
		bias[i] += bh[i]
	}
	l := lstm.New[float32](n, n)
	set := func(p *nn.Param, values []float32, gate int, shape ...int) {
		size := len(values) / 4
		p.ReplaceValue(mat.NewDense[float32](mat.WithShape(shape...), mat.WithBacking(values[gate*size:][:size])))
	}
	for gate, params := range [][3]*nn.Param{
		{l.WIn, l.WInRec, l.BIn}, {l.WFor, l.WForRec, l.BFor}, {l.WCand, l.WCandRec, l.BCand}, {l.WOut, l.WOutRec, l.BOut},
	} {
		set(params[0], wx, gate, n, n)
		set(params[1], wh, gate, n, n)
		set(params[2], bias, gate, n)
	}
	return &spagoLSTM{l, steps, batch, n, uniform("X", steps*batch*n, 1), make([]float32, steps*batch*n)}
}

func (l *spagoLSTM) run() {
	inputs := make([]mat.Tensor, l.steps)
	for b := range l.batch {
		for t := range inputs {
			inputs[t] = mat.NewDense[float32](mat.WithShape(l.units), mat.WithBacking(l.x[(t*l.batch+b)*l.units:][:l.units]))
		}
		for t, y := range l.layer.Forward(inputs...) {
			copy(l.h[(t*l.batch+b)*l.units:], y.Value().Data().F32())
		}
	}
}

// BenchmarkClock measures the frequency of the processor: a multiplication that waits for the one before takes three
// cycles on every amd64 processor since 2008.
func BenchmarkClock(b *testing.B) {
	const n = 1 << 16
	x := uint64(3)
	for b.Loop() {
		x = power(x, n)
	}
	b.ReportMetric(3*n*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GHz")
}

// power multiplies x by itself n times.
func power(x uint64, n int) uint64 {
	y := x | 1
	for range n {
		y *= x
	}
	return y | 1
}
