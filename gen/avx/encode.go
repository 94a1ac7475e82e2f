package avx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An encoding is an instruction of three vectors, of the opcode map 0F38, that Go's assembler lacks. Encodings:
// Intel manual, volume 2.
type encoding struct {
	name      string
	registers byte // Z: 512 bits in EVEX, Y: 256 bits in VEX
	prefix    byte // pp of EVEX and VEX: 1 stands for 66, 2 for F3
	opcode    byte
}

// encodings lists every such instruction.
var encodings = []encoding{
	{"VDPBF16PS", 'Z', 2, 0x52},
	{"VPDPBUSD.VEX", 'Y', 1, 0x50}, // without the suffix Go's assembler encodes it in EVEX, as AVX-512
}

// addPair adds to the sums, for each word, the product of the upper halves of a and b, then of the
// lower halves, each rounded as an fma is.
func (e *emitter) addPair(a, b, sums reg.VecVirtual) {
	e.Instruction(&ir.Instruction{
		Opcode:   "VDPBF16PS",
		Operands: []operand.Op{a, b, sums},
		Inputs:   []operand.Op{a, b, sums},
		Outputs:  []operand.Op{sums},
		ISA:      []string{"AVX512F", "AVX512BF16"},
	})
}

func (c encoding) number(text string) (int, error) {
	most := map[byte]int{'Z': 31, 'Y': 15}[c.registers]
	digits, found := strings.CutPrefix(text, string(c.registers))
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("avx: %s of %q, which is not one of %c0 to %[3]c%d", c.name, text, c.registers, most)
	}
	return n, nil
}

// bytes returns the machine code of the instruction with the operands in the order of Go's assembler.
func (c encoding) bytes(operands ...string) ([]byte, error) {
	if len(operands) != 3 {
		return nil, fmt.Errorf("avx: %s takes 3 operands, not %q", c.name, operands)
	}
	var v [3]int
	for i, text := range operands {
		n, err := c.number(text)
		if err != nil {
			return nil, err
		}
		v[i] = n
	}
	const evex, vex, map38, direct = 0x62, 0xc4, 2, 3 << 6
	v2, v1, destination := v[0], v[1], v[2]
	last := direct | byte(destination&7)<<3 | byte(v2&7)
	if c.registers == 'Y' {
		const length = 1 << 2 // 256 bits
		return []byte{
			vex, inverted(destination, 3, 7) | 1<<6 | inverted(v2, 3, 5) | map38,
			byte(v1^15)<<3 | length | c.prefix, c.opcode, last,
		}, nil
	}
	const length = 2 << 5 // 512 bits
	return []byte{
		evex, inverted(destination, 3, 7) | inverted(v2, 4, 6) | inverted(v2, 3, 5) | inverted(destination, 4, 4) | map38,
		byte(v1&15^15)<<3 | 1<<2 | c.prefix, length | inverted(v1, 4, 3), c.opcode, last,
	}, nil
}

func inverted(n, bit, to int) byte { return byte((n>>bit&1)^1) << to }

var instructionLine = regexp.MustCompile(`(?m)^\t([A-Z0-9.]+)(?: +(.+))?$`)

// Encode returns assembly in which the instructions that Go's assembler lacks are bytes, with the
// instruction in a comment.
func Encode(assembly []byte) (encoded []byte, err error) {
	encoded = instructionLine.ReplaceAllFunc(assembly, func(line []byte) []byte {
		m := instructionLine.FindSubmatch(line)
		i := slices.IndexFunc(encodings, func(c encoding) bool { return c.name == string(m[1]) })
		if i < 0 {
			return line
		}
		code, e := encodings[i].bytes(strings.Split(string(m[2]), ", ")...)
		if e != nil {
			err = e
			return line
		}
		return fmt.Appendf(nil, "\t%s // %s", directives(code), bytes.Join(bytes.Fields(line), []byte(" ")))
	})
	return encoded, err
}

// directives returns the data directives for 5 or 6 bytes of code.
func directives(code []byte) string {
	text := fmt.Sprintf("LONG $0x%08x", binary.LittleEndian.Uint32(code))
	if len(code) == 5 {
		return fmt.Sprintf("%s; BYTE $0x%02x", text, code[4])
	}
	return fmt.Sprintf("%s; WORD $0x%04x", text, binary.LittleEndian.Uint16(code[4:]))
}
