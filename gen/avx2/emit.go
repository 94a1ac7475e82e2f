package avx2

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectorBytes is the size of a YMM register, vectorLanes its float32 lanes.
const (
	vectorBytes = 32
	vectorLanes = 8
)

// An emitter writes the functions of one file.
type emitter struct {
	*build.Context
	constants map[string]operand.Mem
	labels    int
}

func newEmitter(c *build.Context) *emitter {
	return &emitter{Context: c, constants: map[string]operand.Mem{}}
}

// function starts a function whose arguments and results signature declares.
func (e *emitter) function(name, signature string, doc ...string) {
	e.Function(name)
	e.Doc(doc...)
	e.Pragma("noescape")
	e.Attributes(attr.NOSPLIT)
	e.SignatureExpr(signature)
}

// end clears the upper halves of the vector registers and returns.
func (e *emitter) end() {
	e.VZEROUPPER()
	e.RET()
}

// arg loads an argument into a general register.
func (e *emitter) arg(name string) reg.GPVirtual {
	r := e.GP64()
	e.Load(e.Param(name), r)
	return r
}

// bytes loads a count of float32 and turns it into a count of bytes.
func (e *emitter) bytes(name string) reg.GPVirtual {
	r := e.arg(name)
	e.SHLQ(operand.U8(2), r)
	return r
}

// broadcastArg loads a float32 argument into every lane.
func (e *emitter) broadcastArg(name string) reg.VecVirtual {
	p, err := e.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := e.YMM()
	e.VBROADCASTSS(p.Addr, v)
	return v
}

// label returns a name that is unique within the file.
func (e *emitter) label(name string) string {
	e.labels++
	return fmt.Sprintf("%s%d", name, e.labels)
}

// float returns eight copies of v in memory.
func (e *emitter) float(name string, v float32) operand.Mem {
	return e.bits(name, math.Float32bits(v))
}

// bits returns eight copies of a 32-bit word in memory.
func (e *emitter) bits(name string, v uint32) operand.Mem {
	if m, ok := e.constants[name]; ok {
		return m
	}
	m := e.StaticGlobal(name)
	e.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range vectorLanes {
		e.AddDatum(4*i, operand.U32(v))
	}
	e.constants[name] = m
	return m
}

// loaded returns a constant in a new register.
func (e *emitter) loaded(m operand.Mem) reg.VecVirtual {
	v := e.YMM()
	e.VMOVUPS(m, v)
	return v
}

// zero returns a register of zeros.
func (e *emitter) zero() reg.VecVirtual {
	v := e.YMM()
	e.VXORPS(v, v, v)
	return v
}

// maskTable returns 16 words of ones followed by 16 words of zeros.
func (e *emitter) maskTable() operand.Mem {
	const name = "mask"
	if m, ok := e.constants[name]; ok {
		return m
	}
	m := e.StaticGlobal(name)
	e.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 32 {
		word := uint32(0)
		if i < 16 {
			word = 0xffffffff
		}
		e.AddDatum(4*i, operand.U32(word))
	}
	e.constants[name] = m
	return m
}

func at(base reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: base, Disp: disp}
}

func indexed(base, index reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale}
}
