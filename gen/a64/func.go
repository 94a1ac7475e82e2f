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

// A Func is a function that is being written.
type Func struct {
	decl.Func
	Instructions []Instruction

	file      *File
	arguments map[string]argument
	size      int // of arguments and result in bytes
	generals  R
	vectors   V
	labels    int
}

// An Instruction is one line of a function: an instruction, or a label.
type Instruction struct {
	name     string
	form     *form // of a word
	operands []operand
	comment  string
	reads    registers
	writes   registers
	label    bool   // the line defines the label name
	to       string // label that a branch goes to
	ends     bool   // the next line is not reached
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

// NewLabel returns a name that no other label of the function has.
func (f *Func) NewLabel(name string) string {
	f.labels++
	return fmt.Sprintf("%s%d", name, f.labels)
}

// Label defines a label here.
func (f *Func) Label(name string) { f.add(Instruction{name: name, label: true}) }

func (f *Func) add(i Instruction) { f.Instructions = append(f.Instructions, i) }

// set appends an instruction that writes to and reads the registers of from.
func (f *Func) set(name string, to operand, from ...operand) {
	i := Instruction{name: name, operands: append(from, to)}
	for _, o := range from {
		i.reads.add(o)
	}
	i.writes.add(to)
	f.add(i)
}

// update appends an instruction that reads and writes to, and reads from.
func (f *Func) update(name string, to operand, from ...operand) {
	f.set(name, to, from...)
	f.last().reads.add(to)
}

// use appends an instruction that writes no register.
func (f *Func) use(name string, operands ...operand) {
	i := Instruction{name: name, operands: operands}
	for _, o := range operands {
		i.reads.add(o)
	}
	f.add(i)
}

func (f *Func) last() *Instruction { return &f.Instructions[len(f.Instructions)-1] }

// check panics unless ok, naming the instruction and its operand.
func check(ok bool, instruction string, operand any) {
	if !ok {
		panic(fmt.Sprintf("a64: %s does not take %v", instruction, operand))
	}
}
