package a64

import (
	"fmt"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// R is a general register of a function, V one of its vector registers.
type (
	R int
	V int
)

// A Func is a function under construction.
type Func struct {
	decl.Func
	Instructions []Instruction

	file      *File
	arguments map[string]argument
	size      int // of arguments and result in bytes
	generals  R   // registers handed out
	vectors   V
	labels    int
}

// An Instruction is one line of a function: an instruction, a label or a comment.
type Instruction struct {
	name     string // mnemonic or label, empty in a comment
	form     *form  // of an instruction written as a WORD
	operands []operand
	comment  string
	reads    registers
	writes   registers
	label    bool   // the line defines the label name
	to       string // target of a branch
	ends     bool   // execution does not continue with the next line
}

// General returns a new general register.
func (f *Func) General() R {
	f.generals++
	return f.generals - 1
}

// Vector returns a new vector register.
func (f *Func) Vector() V {
	f.vectors++
	return f.vectors - 1
}

// Comment adds a line that says what the instructions after it compute.
func (f *Func) Comment(format string, values ...any) {
	f.add(Instruction{comment: fmt.Sprintf(format, values...)})
}

// IsComment reports whether i is a line added by Comment.
func (i Instruction) IsComment() bool { return i.name == "" }

// NewLabel returns a label that is unique within the function.
func (f *Func) NewLabel(name string) string {
	f.labels++
	return fmt.Sprintf("%s%d", name, f.labels)
}

// Label defines a label at this point.
func (f *Func) Label(name string) { f.add(Instruction{name: name, label: true}) }

func (f *Func) add(i Instruction) { f.Instructions = append(f.Instructions, i) }

// set appends an instruction that writes the operand to and reads those in from.
func (f *Func) set(name string, to operand, from ...operand) {
	i := Instruction{name: name, operands: append(from, to)}
	for _, o := range from {
		i.reads.add(o)
	}
	i.writes.add(to)
	f.add(i)
}

// update appends an instruction that reads and writes the operand to, and reads those in from.
func (f *Func) update(name string, to operand, from ...operand) {
	f.set(name, to, from...)
	f.last().reads.add(to)
}

// use appends an instruction that only reads registers.
func (f *Func) use(name string, operands ...operand) {
	i := Instruction{name: name, operands: operands}
	for _, o := range operands {
		i.reads.add(o)
	}
	f.add(i)
}

func (f *Func) last() *Instruction { return &f.Instructions[len(f.Instructions)-1] }

// check fails unless ok, naming the instruction and the operand that it does not take.
func (f *Func) check(ok bool, instruction string, operand any) {
	if !ok {
		f.fail("%s does not take %v", instruction, operand)
	}
}

// fail panics with a message and the function so far, in which registers have the numbers in which
// they were handed out.
func (f *Func) fail(format string, values ...any) {
	a := assignment{r: make([]int, f.generals), v: make([]int, f.vectors), virtual: true}
	for i := range a.r {
		a.r[i] = i
	}
	for i := range a.v {
		a.v[i] = i
	}
	panic(fmt.Sprintf("a64: %s: %s\n%s", f.Name, fmt.Sprintf(format, values...), f.text(a)))
}
