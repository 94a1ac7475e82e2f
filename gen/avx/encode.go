package avx

import (
	"bytes"
	"cmp"
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

// An encoding is an instruction of the opcode map 0F38 that Go's assembler lacks. Encodings are those of the
// Intel manual, volume 2.
type encoding struct {
	name     string
	operands string // a letter for each, in the order of Go's assembler: 512-bit register (Z), 256-bit register (Y), tile (T), memory (M)
	prefix   byte   // pp of EVEX and VEX: 1 stands for 66, 2 for F3, 3 for F2
	opcode   byte
}

// encodings lists every such instruction.
var encodings = []encoding{
	{"VDPBF16PS", "ZZZ", 2, 0x52},
	{"VPDPBUSD.VEX", "YYY", 1, 0x50}, // without the suffix Go's assembler encodes it in EVEX, as AVX-512
	{"LDTILECFG", "M", 0, 0x49},
	{"TILERELEASE", "", 0, 0x49},
	{"TILEZERO", "T", 3, 0x49},
	{"TILELOADD", "MT", 3, 0x4b},
	{"TILESTORED", "TM", 2, 0x4b},
	{"TDPBF16PS", "TTT", 2, 0x5c},
}

// addPair adds to the sums, for each word, the product of the upper halves of a and b, and then that of
// the lower halves, each rounded as an fma is.
func (e *emitter) addPair(a, b, sums reg.VecVirtual) {
	e.Instruction(&ir.Instruction{
		Opcode:   "VDPBF16PS",
		Operands: []operand.Op{a, b, sums},
		Inputs:   []operand.Op{a, b, sums},
		Outputs:  []operand.Op{sums},
		ISA:      []string{"AVX512F", "AVX512BF16"},
	})
}

// amx emits an instruction on tiles. avo knows no tiles, so they take the place of labels.
func (e *emitter) amx(opcode string, operands ...operand.Op) {
	e.Instruction(&ir.Instruction{
		Opcode: opcode, Operands: operands, Inputs: operands, ISA: []string{"AMXTILE", "AMXBF16"},
	})
}

func tileRegister(t int) operand.LabelRef { return operand.LabelRef(fmt.Sprint("T", t)) }

// A value is an operand: the number of a register, or an address of base + index + displacement.
type value struct {
	register, base, index int
	displacement          int32
}

var addressForm = regexp.MustCompile(`^([-+]?\d+)?\((\w+)\)(?:\((\w+)\*1\))?$`)

// parse returns an operand of the kind that its letter names.
func parse(kind rune, text string) (v value, err error) {
	const none = 4 // for the index
	switch kind {
	case 'M':
		m := addressForm.FindStringSubmatch(text)
		if m == nil {
			return v, fmt.Errorf("avx: %s is not an address of a base and an index of scale 1", text)
		}
		displacement, err := strconv.ParseInt(cmp.Or(m[1], "0"), 10, 32)
		v.base, v.index, v.displacement = slices.Index(general, m[2]), none, int32(displacement)
		if m[3] != "" {
			v.index = slices.Index(general, m[3])
		}
		if err != nil || v.base < 0 || v.index < 0 || m[3] == "SP" {
			return v, fmt.Errorf("avx: %s has no such register or displacement", text)
		}
	default:
		most := map[rune]int{'Z': 31, 'Y': 15, 'T': 7}[kind]
		number, found := strings.CutPrefix(text, string(kind))
		v.register, err = strconv.Atoi(number)
		if !found || err != nil || v.register < 0 || v.register > most {
			return v, fmt.Errorf("avx: %q is not one of %c0 to %[2]c%d", text, kind, most)
		}
	}
	return v, nil
}

// general lists the general registers by number.
var general = []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// bytes returns the machine code of the instruction with the operands in the order of Go's assembler.
func (c encoding) bytes(operands ...string) ([]byte, error) {
	if len(operands) != len(c.operands) {
		return nil, fmt.Errorf("avx: %s takes %d operands, not %q", c.name, len(c.operands), operands)
	}
	values := make([]value, len(operands))
	for i, kind := range c.operands {
		v, err := parse(kind, operands[i])
		if err != nil {
			return nil, fmt.Errorf("%w, in %s", err, c.name)
		}
		values[i] = v
	}
	const direct = 3 << 6 // the operands are registers
	switch c.operands {
	case "ZZZ":
		return c.evex(values[0].register, values[1].register, values[2].register), nil
	case "YYY":
		y2, y1, destination := values[0].register, values[1].register, values[2].register
		return append(c.vex(destination, 0, y2, y1), byte(direct|destination&7<<3|y2&7)), nil
	case "TTT":
		b, a, sums := values[0].register, values[1].register, values[2].register
		if a == b || a == sums || b == sums {
			return nil, fmt.Errorf("avx: %s takes three different tiles, not %q", c.name, operands)
		}
		return append(c.vex(0, 0, 0, b), byte(direct|sums<<3|a)), nil
	case "T":
		return append(c.vex(0, 0, 0, 0), byte(direct|values[0].register<<3)), nil
	case "M":
		return c.memory(values[0], 0), nil
	case "MT":
		return c.memory(values[0], values[1].register), nil
	case "TM":
		return c.memory(values[1], values[0].register), nil
	}
	return append(c.vex(0, 0, 0, 0), direct), nil
}

func inverted(z, bit, to int) byte { return byte((z>>bit&1)^1) << to }

const map38 = 2

// evex returns the code of an instruction of three vectors.
func (c encoding) evex(z2, z1, destination int) []byte {
	const (
		evex   = 0x62
		vector = 2 << 5 // 512 bits
		direct = 3 << 6
	)
	return []byte{
		evex,
		inverted(destination, 3, 7) | inverted(z2, 4, 6) | inverted(z2, 3, 5) | inverted(destination, 4, 4) | map38,
		byte(z1&15^15)<<3 | 1<<2 | c.prefix,
		vector | inverted(z1, 4, 3),
		c.opcode,
		direct | byte(destination&7)<<3 | byte(z2&7),
	}
}

// vex returns the three bytes of the prefix and the opcode.
func (c encoding) vex(register, index, base, second int) []byte {
	const vex = 0xc4
	var length byte
	if strings.HasPrefix(c.operands, "Y") {
		length = 1 << 2
	}
	return []byte{
		vex, inverted(register, 3, 7) | inverted(index, 3, 6) | inverted(base, 3, 5) | map38,
		byte(second^15)<<3 | length | c.prefix, c.opcode,
	}
}

// memory returns the code of an instruction with an address: an index always, and 32 bits of displacement.
func (c encoding) memory(m value, register int) []byte {
	const far, indexed = 2 << 6, 4
	code := append(c.vex(register, m.index, m.base, 0), byte(far|register<<3|indexed), byte(m.index&7<<3|m.base&7))
	return binary.LittleEndian.AppendUint32(code, uint32(m.displacement))
}

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
		var operands []string
		if len(m[2]) > 0 {
			operands = strings.Split(string(m[2]), ", ")
		}
		code, e := encodings[i].bytes(operands...)
		if e != nil {
			err = e
		}
		return fmt.Appendf(nil, "\t%s // %s", directives(code), bytes.Join(bytes.Fields(line), []byte(" ")))
	})
	return encoded, err
}

// directives returns the data directives for code.
func directives(code []byte) string {
	var list []string
	for len(code) > 0 {
		switch {
		case len(code) >= 4:
			list = append(list, fmt.Sprintf("LONG $0x%08x", binary.LittleEndian.Uint32(code)))
			code = code[4:]
		case len(code) >= 2:
			list = append(list, fmt.Sprintf("WORD $0x%04x", binary.LittleEndian.Uint16(code)))
			code = code[2:]
		default:
			list = append(list, fmt.Sprintf("BYTE $0x%02x", code[0]))
			code = code[1:]
		}
	}
	return strings.Join(list, "; ")
}
