package main

import (
	"bytes"
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"

	"github.com/softsearch-go/softsearch/gen/avx2"
)

// A source writes one assembly file and the Go file that declares its functions.
type source struct {
	isa, name string
	write     func(c *build.Context)
}

var sources = []source{
	{"avx2", "adadelta", avx2.Adadelta},
	{"avx2", "attention", avx2.Attention},
	{"avx2", "exp", avx2.Exp},
	{"avx2", "gemm", avx2.Gemm},
	{"avx2", "gemv", avx2.Gemv},
	{"avx2", "gru", avx2.GRU},
	{"avx2", "maxout", avx2.Maxout},
	{"avx2", "softmax", avx2.Softmax},
	{"avx2", "transpose", avx2.Transpose},
}

// compile returns the functions of s after register allocation.
func (s source) compile() (*ir.File, error) {
	c := build.NewContext()
	c.ConstraintExpr("!purego,!noasm")
	s.write(c)
	f, err := c.Result()
	if err != nil {
		return nil, fmt.Errorf("gen/%s/%s.go: %w", s.isa, s.name, err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, fmt.Errorf("gen/%s/%s.go: %w", s.isa, s.name, err)
	}
	return f, nil
}

// files returns the contents of the files of s by their path below asm.
func (s source) files() (map[string][]byte, error) {
	f, err := s.compile()
	if err != nil {
		return nil, err
	}
	config := printer.Config{Name: fmt.Sprintf("gen/%s/%s.go", s.isa, s.name), Pkg: s.isa}
	assembly, err := printer.NewGoAsm(config).Print(f)
	if err != nil {
		return nil, err
	}
	stubs, err := printer.NewStubs(config).Print(f)
	if err != nil {
		return nil, err
	}
	base := s.isa + "/" + s.name + "_amd64"
	return map[string][]byte{base + ".s": trim(assembly), base + ".go": trim(stubs)}, nil
}

// trim ends the text with exactly one newline.
func trim(text []byte) []byte {
	return append(bytes.TrimRight(text, "\n"), '\n')
}
