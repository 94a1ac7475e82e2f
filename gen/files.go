package main

import (
	"bytes"
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"

	"github.com/softsearch-go/softsearch/gen/avx"
)

// A source writes one assembly file and the Go file that declares its functions.
type source struct {
	isa   avx.ISA
	name  string
	write func(c *build.Context, isa avx.ISA)
}

var sources = func() (list []source) {
	for _, isa := range []avx.ISA{avx.AVX2, avx.AVX512} {
		list = append(list,
			source{isa, "adadelta", avx.Adadelta},
			source{isa, "attention", avx.Attention},
			source{isa, "exp", avx.Exp},
			source{isa, "gather", avx.Gather},
			source{isa, "gemm", avx.Gemm},
			source{isa, "gemv", avx.Gemv},
			source{isa, "gru", avx.GRU},
			source{isa, "maxout", avx.Maxout},
			source{isa, "softmax", avx.Softmax},
			source{isa, "transpose", avx.Transpose},
		)
	}
	return list
}()

// path returns the file of the generator.
func (s source) path() string { return "gen/avx/" + s.name + ".go" }

// compile returns the functions of s after register allocation.
func (s source) compile() (*ir.File, error) {
	c := build.NewContext()
	c.ConstraintExpr("!purego,!noasm")
	s.write(c, s.isa)
	f, err := c.Result()
	if err != nil {
		return nil, fmt.Errorf("%s for %s: %w", s.path(), s.isa.Name, err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, fmt.Errorf("%s for %s: %w", s.path(), s.isa.Name, err)
	}
	return f, nil
}

// files returns the contents of the files of s by their path below asm.
func (s source) files() (map[string][]byte, error) {
	f, err := s.compile()
	if err != nil {
		return nil, err
	}
	config := printer.Config{Name: s.path(), Pkg: s.isa.Name}
	assembly, err := printer.NewGoAsm(config).Print(f)
	if err != nil {
		return nil, err
	}
	stubs, err := printer.NewStubs(config).Print(f)
	if err != nil {
		return nil, err
	}
	base := s.isa.Name + "/" + s.name + "_amd64"
	return map[string][]byte{base + ".s": trim(assembly), base + ".go": trim(stubs)}, nil
}

// trim ends the text with exactly one newline.
func trim(text []byte) []byte {
	return append(bytes.TrimRight(text, "\n"), '\n')
}
