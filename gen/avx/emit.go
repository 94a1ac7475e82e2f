package avx

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// An emitter generates the functions of one file.
type emitter struct {
	*build.Context
	ISA
	constants map[string]operand.Mem
	scheduled schedule       // of the current function
	loop      *loopConstants // of the outermost loop under construction
	labels    int            // names given by label so far
}

func newEmitter(c *build.Context, isa ISA) *emitter {
	return &emitter{Context: c, ISA: isa, constants: map[string]operand.Mem{}}
}

func (e *emitter) function(f decl.Func) {
	e.Function(f.Name)
	e.Doc(f.Doc...)
	e.Pragma("noescape")
	e.Attributes(attr.NOSPLIT)
	e.SignatureExpr(f.Signature)
	e.schedule(schedule{inFlight: 2, constants: 0}, schedule{inFlight: 2, constants: 12})
	if own, ok := schedules[f.Name]; ok {
		e.schedule(own.avx2, own.avx512)
	}
}

// end emits VZEROUPPER, without which SSE code after the call would be slow, and the return.
func (e *emitter) end() {
	e.VZEROUPPER()
	e.RET()
}

func (e *emitter) nodes() *[]ir.Node {
	f, _ := e.Result() // an error shows when the file is compiled
	all := f.Functions()
	return &all[len(all)-1].Nodes
}

func (e *emitter) arg(name string) reg.GPVirtual {
	r := e.GP64()
	e.Load(e.Param(name), r)
	return r
}

// inBytes loads a number of float32 and converts it to bytes.
func (e *emitter) inBytes(name string) reg.GPVirtual {
	r := e.arg(name)
	e.SHLQ(operand.U8(2), r)
	return r
}

// broadcastArg loads a float32 argument into every lane.
func (e *emitter) broadcastArg(name string) reg.VecVirtual {
	v := e.vec()
	e.VBROADCASTSS(address(e.Param(name)), v)
	return v
}

// address returns the place of an argument or result.
func address(c gotypes.Component) operand.Mem {
	p, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

func (e *emitter) label(name string) string {
	e.labels++
	return fmt.Sprintf("%s%d", name, e.labels)
}

// float returns v in every lane: in a register that holds it throughout the loop while the schedule of
// the function allows, otherwise in memory.
func (e *emitter) float(name string, v float32) operand.Op {
	return e.bits(name, math.Float32bits(v))
}

// bits is float for a 32-bit word.
func (e *emitter) bits(name string, v uint32) operand.Op {
	return e.loop.pin(e.repeated(name, v), e.vec)
}

// repeated returns v in every lane of a constant in memory.
func (e *emitter) repeated(name string, v uint32) operand.Mem {
	words := make([]uint32, e.lanes)
	for i := range words {
		words[i] = v
	}
	return e.words(name, words)
}

func (e *emitter) words(name string, words []uint32) operand.Mem {
	if m, ok := e.constants[name]; ok {
		return m
	}
	m := e.StaticGlobal(name)
	e.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range words {
		e.AddDatum(4*i, operand.U32(w))
	}
	e.constants[name] = m
	return m
}

// loaded returns a copy of the vector m in a new register.
func (e *emitter) loaded(m operand.Op) reg.VecVirtual {
	v := e.vec()
	if _, ok := m.(reg.Register); ok {
		e.VMOVAPS(m, v)
	} else {
		e.VMOVUPS(m, v)
	}
	return v
}

func (e *emitter) zero() reg.VecVirtual {
	v := e.vec()
	e.VXORPS(v, v, v)
	return v
}

// grid returns registers for the vectors of rows.
func grid(rows, vectors int, register func() reg.VecVirtual) [][]reg.VecVirtual {
	list := make([][]reg.VecVirtual, rows)
	for r := range list {
		for range vectors {
			list[r] = append(list[r], register())
		}
	}
	return list
}

func at(base reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: base, Disp: disp}
}

func indexed(base, index reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale}
}
