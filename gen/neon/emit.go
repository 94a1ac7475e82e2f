package neon

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

const (
	lanes       = 4                 // float32 in a vector
	vectorBytes = 4 * lanes         // of a vector
	parts       = asm.Lanes / lanes // vectors that hold the lanes of a reduction
	panelBytes  = 4 * asm.Panel     // of a panel's weights for one input, or of its outputs
)

// An emitter generates the functions of one file.
type emitter struct {
	*a64.Func // the current one
	file      *a64.File
	inFlight  int            // vectors whose instructions its loops interleave
	loop      *loopConstants // of the outermost loop under construction
}

func newEmitter(file *a64.File) *emitter { return &emitter{file: file} }

func (e *emitter) function(d decl.Func) {
	e.Func = e.file.Function(d)
	e.inFlight = 2
	if n, ok := inFlight[d.Name]; ok {
		e.inFlight = n
	}
}

// inFlight has the vectors in flight where they are not two.
var inFlight = map[string]int{decl.Exp.Name: 3, decl.Tanh.Name: 3, decl.Sigmoid.Name: 3, decl.ScoresBackward.Name: 1, decl.WeightedSum.Name: 1}

// inBytes loads a number of float32 and converts it to bytes.
func (e *emitter) inBytes(name string) a64.R {
	r := e.Arg(name)
	e.LSLI(2, r, r)
	return r
}

// broadcastArg loads a float32 argument into every lane.
func (e *emitter) broadcastArg(name string) a64.V {
	v := e.Vector()
	e.FloatArg(name, v)
	e.VDUP(v, 0, v)
	return v
}

// broadcast loads the float32 at p into every lane.
func (e *emitter) broadcast(p a64.R) a64.V {
	v := e.Vector()
	e.VLD1R(p, v)
	return v
}

func (e *emitter) copied(r a64.R) a64.R {
	c := e.General()
	e.MOVD(r, c)
	return c
}

func (e *emitter) at(base a64.R, disp int) a64.V {
	v := e.Vector()
	e.FMOVQ(base, disp, v)
	return v
}

func (e *emitter) zero() a64.V {
	v := e.Vector()
	e.VMOVI(0, v)
	return v
}

// larger returns the mask of the lanes in which a > b.
func (e *emitter) larger(a, b a64.V) a64.V {
	m := e.Vector()
	e.VFCMGT(b, a, m)
	return m
}

func (e *emitter) clear(m, v a64.V) { e.VBIT(m, e.float("zero", 0), v) }

// float returns a register that holds v in every lane throughout the loop and must not be written.
func (e *emitter) float(name string, v float32) a64.V { return e.bits(name, math.Float32bits(v)) }

// bits is float for a 32-bit word.
func (e *emitter) bits(name string, word uint32) a64.V { return e.loop.keep(e, name, word) }

// loaded returns v in every lane of a new register, which may be overwritten.
func (e *emitter) loaded(name string, v float32) a64.V {
	d := e.Vector()
	e.Float(e.table(), name, v, d)
	return d
}

// table returns the register that holds the address of the constants throughout the loop.
func (e *emitter) table() a64.R {
	if !e.loop.tabled {
		e.loop.table, e.loop.tabled = e.General(), true
	}
	return e.loop.table
}
