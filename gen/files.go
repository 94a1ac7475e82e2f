package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"

	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/avx"
	"github.com/softsearch-go/softsearch/gen/elementwise"
	"github.com/softsearch-go/softsearch/gen/neon"
)

// The build constraint of all generated files, in Go's syntax and in avo's.
const (
	constraint    = "!purego && !noasm"
	avoConstraint = "!purego,!noasm"
)

// A source generates one assembly file and the Go file that declares its functions.
type source interface {
	generator() string                        // path of the program that describes it
	base() string                             // path below asm, without .s or .go
	files() (assembly, stubs []byte, e error) // contents
}

// sources lists all generated files below asm.
var sources = func() (list []source) {
	for _, s := range avxSources {
		list = append(list, s)
	}
	for _, s := range neonSources {
		list = append(list, s)
	}
	return list
}()

// described lists the sources that package elementwise describes.
var described = []string{"activation", "attention", "average", "gru", "optimizer", "softmax", "vector"}

func program(target, name string) string {
	if slices.Contains(described, name) {
		target = "elementwise"
	}
	return "gen/" + target + "/" + name + ".go"
}

var avxSources = func() (list []avxSource) {
	for _, isa := range []avx.ISA{avx.AVX2, avx.AVX512} {
		list = append(list,
			avxSource{isa, "activation", avx.Elementwise(elementwise.Activation)},
			avxSource{isa, "attention", avx.Elementwise(elementwise.Attention)},
			avxSource{isa, "bf16", avx.BF16},
			avxSource{isa, "gemm", avx.Gemm},
			avxSource{isa, "gemv", avx.Gemv},
			avxSource{isa, "gru", avx.Elementwise(elementwise.GRU)},
			avxSource{isa, "maxout", avx.Maxout},
			avxSource{isa, "optimizer", avx.Elementwise(elementwise.Optimizer)},
			avxSource{isa, "pack", avx.Pack},
			avxSource{isa, "quantize", avx.Quantize},
			avxSource{isa, "softmax", avx.Elementwise(elementwise.Softmax)},
			avxSource{isa, "vector", avx.Elementwise(elementwise.Vector)},
		)
	}
	for _, isa := range []avx.ISA{avx.AVX2, avx.AVXVNNI, avx.AVX512VNNI} {
		list = append(list, avxSource{isa, "int8", avx.Int8})
	}
	// AVX-512 shares MovingAverage with AVX2: loads and stores take its time, and with vectors of 512 bits they are
	// slower where they cross cache lines or come from memory.
	return append(list,
		avxSource{avx.AVX2, "average", avx.Elementwise(elementwise.MovingAverage)},
		avxSource{avx.AVX512BF16, "bf16", avx.BF16Pairs})
}()

var neonSources = []neonSource{
	{"activation", neon.Elementwise(elementwise.Activation)},
	{"attention", neon.Elementwise(elementwise.Attention)},
	{"average", neon.Elementwise(elementwise.MovingAverage)},
	{"bf16", neon.BF16},
	{"gemm", neon.Gemm},
	{"gemv", neon.Gemv},
	{"gru", neon.Elementwise(elementwise.GRU)},
	{"int8", neon.Int8},
	{"maxout", neon.Maxout},
	{"optimizer", neon.Elementwise(elementwise.Optimizer)},
	{"pack", neon.Pack},
	{"quantize", neon.Quantize},
	{"softmax", neon.Elementwise(elementwise.Softmax)},
	{"vector", neon.Elementwise(elementwise.Vector)},
}

// An avxSource is a program of gen/avx for one instruction set.
type avxSource struct {
	isa   avx.ISA
	name  string
	write func(c *build.Context, isa avx.ISA)
}

func (s avxSource) generator() string { return program("avx", s.name) }
func (s avxSource) base() string      { return s.isa.Name + "/" + s.name + "_amd64" }

func (s avxSource) compile() (*ir.File, error) {
	c := build.NewContext()
	c.ConstraintExpr(avoConstraint)
	s.write(c, s.isa)
	f, err := c.Result()
	if err != nil {
		return nil, fmt.Errorf("%s for %s: %w", s.generator(), s.isa.Name, err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, fmt.Errorf("%s for %s: %w", s.generator(), s.isa.Name, err)
	}
	return f, nil
}

func (s avxSource) files() (assembly, stubs []byte, err error) {
	f, err := s.compile()
	if err != nil {
		return nil, nil, err
	}
	config := printer.Config{Name: s.generator(), Pkg: s.isa.Name}
	if assembly, err = printer.NewGoAsm(config).Print(f); err != nil {
		return nil, nil, err
	}
	if stubs, err = printer.NewStubs(config).Print(f); err != nil {
		return nil, nil, err
	}
	assembly, err = avx.Encode(assembly)
	return trim(assembly), trim(stubs), err
}

func trim(text []byte) []byte {
	return append(bytes.TrimRight(text, "\n"), '\n')
}

// A neonSource is a program of gen/neon.
type neonSource struct {
	name  string
	write func(f *a64.File)
}

func (s neonSource) generator() string { return program("neon", s.name) }
func (s neonSource) base() string      { return "neon/" + s.name + "_arm64" }

func (s neonSource) files() (assembly, stubs []byte, err error) {
	f := &a64.File{Package: "neon", Generator: s.generator(), Constraint: constraint}
	s.write(f)
	stubs, err = f.Stubs()
	return f.Assembly(), stubs, err
}
