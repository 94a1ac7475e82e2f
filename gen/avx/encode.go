package avx

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An encoding is an instruction that Go's assembler lacks, of three 512-bit registers. Encodings are those
// of the Intel manual, volume 2.
type encoding struct {
	name   string
	prefix byte // pp of EVEX: 2 stands for F3
	opcode byte // in the map 0F38
}

// encodings lists every such instruction.
var encodings = []encoding{
	{"VDPBF16PS", 2, 0x52},
}

// addPair adds to the sums, for each word, the product of the upper halves of a and b, and then that of
// the lower halves, each rounded as an fma is.
func (e *emitter) addPair(a, b, sums reg.VecVirtual) {
	e.Instruction(&ir.Instruction{
		Opcode:   encodings[0].name,
		Operands: []operand.Op{a, b, sums},
		Inputs:   []operand.Op{a, b, sums},
		Outputs:  []operand.Op{sums},
		ISA:      []string{"AVX512F", "AVX512BF16"},
	})
}

// bytes returns the machine code of the instruction with the registers in the order of Go's assembler:
// the destination last.
func (c encoding) bytes(z2, z1, destination int) ([6]byte, error) {
	for _, z := range []int{z2, z1, destination} {
		if z < 0 || z > 31 {
			return [6]byte{}, fmt.Errorf("avx: %s does not take register Z%d", c.name, z)
		}
	}
	const (
		evex   = 0x62
		map38  = 2
		vector = 2 << 5 // 512 bits
		direct = 3 << 6 // the operands are registers
	)
	inverted := func(z, bit, to int) byte { return byte((z>>bit&1)^1) << to }
	return [6]byte{
		evex,
		inverted(destination, 3, 7) | inverted(z2, 4, 6) | inverted(z2, 3, 5) | inverted(destination, 4, 4) | map38,
		byte(z1&15^15)<<3 | 1<<2 | c.prefix,
		vector | inverted(z1, 4, 3),
		c.opcode,
		direct | byte(destination&7)<<3 | byte(z2&7),
	}, nil
}

var encodable = regexp.MustCompile(`(?m)^\t(\w+) +Z(\d+), Z(\d+), Z(\d+)$`)

// Encode returns assembly in which the instructions that Go's assembler lacks are bytes, with the
// instruction in a comment.
func Encode(assembly []byte) (encoded []byte, err error) {
	encoded = encodable.ReplaceAllFunc(assembly, func(line []byte) []byte {
		m := encodable.FindSubmatch(line)
		i := slices.IndexFunc(encodings, func(c encoding) bool { return c.name == string(m[1]) })
		if i < 0 {
			return line
		}
		var z [3]int
		for n := range z {
			z[n], _ = strconv.Atoi(string(m[2+n])) // digits
		}
		code, e := encodings[i].bytes(z[0], z[1], z[2])
		if e != nil {
			err = e
		}
		return fmt.Appendf(nil, "\tLONG $0x%02x%02x%02x%02x; WORD $0x%02x%02x // %s Z%d, Z%d, Z%d",
			code[3], code[2], code[1], code[0], code[5], code[4], encodings[i].name, z[0], z[1], z[2])
	})
	return encoded, err
}
