package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// A cost is a row of the table: a kernel and the unit by which its instructions are divided.
type cost struct {
	kernel string // function in asm
	label  string // of the row
	unit   unit
}

// neonExtensions has the NEON functions of rows for an extension of it, beside which stands the kernel of AVX-VNNI.
var neonExtensions = map[string]string{
	"GEMM of int8, AVX-VNNI and FEAT_DotProd": decl.GemmInt8Dot.Name,
	"GEMM of int8, AVX-VNNI and FEAT_I8MM":    decl.GemmInt8Matrix.Name,
	"GEMV of int8, AVX-VNNI and FEAT_DotProd": decl.GemvInt8Dot.Name,
}

// A unit is something that an iteration of a loop does a number of times.
type unit int

const (
	element unit = iota
	multiplyAdd
	int8MultiplyAdd
)

func (u unit) String() string {
	return [...]string{"element", "multiply-add", "multiply-add of int8"}[u]
}

var costs = []cost{
	{decl.Gemm.Name, "GEMM, 6 rows", multiplyAdd},
	{decl.Gemv.Name, "GEMV", multiplyAdd},
	{decl.GemmInt8.Name, "GEMM of int8", int8MultiplyAdd},
	{decl.GemmInt8.Name, "GEMM of int8, AVX-VNNI and FEAT_DotProd", int8MultiplyAdd},
	{decl.GemmInt8.Name, "GEMM of int8, AVX-VNNI and FEAT_I8MM", int8MultiplyAdd},
	{decl.GemvInt8.Name, "GEMV of int8", int8MultiplyAdd},
	{decl.GemvInt8.Name, "GEMV of int8, AVX-VNNI and FEAT_DotProd", int8MultiplyAdd},
	{decl.WeightedSum.Name, "weighted sum of rows", multiplyAdd},
	{decl.Dot.Name, "dot product", multiplyAdd},
	{decl.Exp.Name, "exp", element},
	{decl.Tanh.Name, "tanh", element},
	{decl.Sigmoid.Name, "sigmoid", element},
	{decl.ReLU.Name, "ReLU", element},
	{decl.ExpSum.Name, "softmax, exponentials and sum", element},
	{decl.Scores.Name, "attention scores", element},
	{decl.ScoresBackward.Name, "attention scores, backward", element},
	{decl.GRUGates.Name, "GRU gates", element},
	{decl.GRUState.Name, "GRU state", element},
	{decl.GRUStateBackward.Name, "GRU state, backward", element},
	{decl.GRUGatesBackward.Name, "GRU gates, backward", element},
	{decl.GRUResetAfter.Name, "GRU state, reset after the product", element},
	{decl.LSTMState.Name, "LSTM state", element},
	{decl.Maxout.Name, "maxout", element},
	{decl.Adadelta.Name, "Adadelta", element},
	{decl.Decay.Name, "Adadelta without gradient", element},
	{decl.Adam.Name, "Adam", element},
}

// costTable returns the table: the instructions in one iteration of the main loop of each kernel,
// divided by the units that it does.
func costTable(assemblies map[string]string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprint(&b, "| instructions | for each | AVX2 | NEON |\n| --- | --- | --- | --- |\n")
	for _, c := range costs {
		avx2, neon := "avx2", c.kernel
		if f, ok := neonExtensions[c.label]; ok {
			avx2, neon = "avxvnni", f
		}
		avx2Cost := mainLoop(innermost(function(assemblies[avx2], c.kernel)), c.unit, 8)
		neonCost := mainLoop(innermost(function(assemblies["neon"], neon)), c.unit, 4)
		if avx2Cost == 0 || neonCost == 0 {
			return nil, fmt.Errorf("gen: %s has no loop over whole vectors", c.kernel)
		}
		fmt.Fprintf(&b, "| %s | %s | %.3g | %.3g |\n", c.label, c.unit, avx2Cost, neonCost)
	}
	return b.Bytes(), nil
}

// mainLoop returns the instructions per unit in the loop where they are fewest, which is the one
// over whole vectors, or 0 if there is no loop.
func mainLoop(loops []loop, u unit, lanes int) (least float64) {
	for _, l := range loops {
		units := l.units(u, lanes)
		if units == 0 {
			continue
		}
		n := float64(len(l)) / float64(units)
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}

// function returns the lines of the function with that name.
func function(assembly, name string) []string {
	_, text, _ := strings.Cut(assembly, "\nTEXT ·"+name+"(SB)")
	text, _, _ = strings.Cut(text, "\n// func ")
	return strings.Split(text, "\n")
}

// A loop is the instructions from a label to the branch back to it.
type loop []string

var (
	labelLine  = regexp.MustCompile(`^(\w+):$`)
	branchLine = regexp.MustCompile(`^\t(?:J|B)[A-Z]+ +(\w+)$`)
	countLine  = regexp.MustCompile(`^\tSUB[QS] +\$\+?(0x[0-9a-f]+|\d+), `)
	pairLine   = regexp.MustCompile(`^\tVPMADDWD |// smull2? `)
	sumLine    = regexp.MustCompile(`^\tVPADDW `)
	quadLine   = regexp.MustCompile(`// (VPDPBUSD\.VEX|sdot) `)
	matrixLine = regexp.MustCompile(`// smmla `)
	fmaLine    = regexp.MustCompile(`^\t(VFMADD231PS|VFMLA) |// fmla `)
)

// innermost returns the loops without a label inside.
func innermost(lines []string) (loops []loop) {
	label, body := "", loop(nil)
	for _, line := range lines {
		if m := labelLine.FindStringSubmatch(line); m != nil {
			label, body = m[1], nil
			continue
		}
		if !strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "\t//") {
			continue
		}
		body = append(body, line)
		if m := branchLine.FindStringSubmatch(line); m != nil && m[1] == label {
			loops = append(loops, body)
		}
	}
	return loops
}

// units returns the number of multiply-adds or elements in one iteration. A loop over elements ends
// by subtracting their number; one over rows covers a vector of each row.
func (l loop) units(u unit, lanes int) int {
	switch u {
	case multiplyAdd:
		return lanes * l.count(fmaLine)
	case int8MultiplyAdd: // a vector has as many int16, in pairs, as two have float32
		n := 2 * lanes * l.count(pairLine)
		if l.count(sumLine) > 0 { // a multiplication of sums takes the place of two
			n *= 2
		}
		return n + 4*lanes*l.count(quadLine) + 8*lanes*l.count(matrixLine)
	}
	for _, line := range l[max(0, len(l)-2):] {
		if m := countLine.FindStringSubmatch(line); m != nil {
			if n, err := strconv.ParseInt(m[1], 0, 0); err == nil && n > 1 {
				return int(n)
			}
		}
	}
	return lanes
}

// count returns the number of lines that match.
func (l loop) count(line *regexp.Regexp) (n int) {
	for _, text := range l {
		if line.MatchString(text) {
			n++
		}
	}
	return n
}

// Marks around the table in the document.
const (
	document  = "../bench/results/instructions.md"
	costBegin = "<!-- cost -->\n"
	costEnd   = "<!-- /cost -->\n"
)

// withCosts returns the text of the document with the table for this assembly.
func withCosts(assemblies map[string]string) ([]byte, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	before, rest, begun := bytes.Cut(text, []byte(costBegin))
	_, after, ended := bytes.Cut(rest, []byte(costEnd))
	if !begun || !ended {
		return nil, fmt.Errorf("gen: %s: no table between %q and %q", document, costBegin, costEnd)
	}
	table, err := costTable(assemblies)
	return bytes.Join([][]byte{before, []byte(costBegin), table, []byte(costEnd), after}, nil), err
}
