package avx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// operandsOf returns lists of operands that have every register in every place.
func operandsOf(c encoding) (lists [][]string) {
	for n := range 32 {
		for _, spread := range [][3]int{{n, 7, 24}, {7, n, 24}, {24, 7, n}, {n, 31 - n, n ^ 21}} {
			var list []string
			for i, kind := range c.operands {
				switch kind {
				case 'Z':
					list = append(list, fmt.Sprint("Z", spread[i]))
					continue
				case 'Y':
					list = append(list, fmt.Sprint("Y", spread[i]%16))
					continue
				case 'T': // three different ones
					list = append(list, fmt.Sprint("T", (n+i*(1+n/8%3))%8))
					continue
				}
				base, index := general[spread[i]%16], general[(n+spread[2])%16]
				address := []string{"(%s)(%s*1)", "64(%s)(%s*1)", "-4096(%s)(%s*1)", "+2147483647(%s)(%s*1)"}[n%4]
				if text := fmt.Sprintf(address, base, index); index != "SP" {
					list = append(list, text)
					continue
				}
				list = append(list, fmt.Sprintf("-2147483648(%s)", base))
			}
			lists = append(lists, list)
		}
	}
	return lists
}

// disassembled returns an operand as objdump writes it.
func disassembled(text string) string {
	m := addressForm.FindStringSubmatch(text)
	if m == nil {
		return "%" + map[byte]string{'Z': "zmm", 'Y': "ymm", 'T': "tmm"}[text[0]] + text[1:]
	}
	var displacement int
	if m[1] != "" {
		_, _ = fmt.Sscan(m[1], &displacement)
	}
	name := func(register string) string {
		if register[0] == 'R' {
			return "%" + strings.ToLower(register)
		}
		return "%r" + strings.ToLower(register)
	}
	inside := name(m[2])
	switch {
	case m[3] != "":
		inside += "," + name(m[3]) + ",1"
	case m[2] != "SP" && m[2] != "R12": // objdump shows a missing index, unless the base needs that form
		inside += ",%riz,1"
	}
	return fmt.Sprintf("%#x(%s)", displacement, inside)
}

// TestEncodings compares the bytes of every instruction with their disassembly.
func TestEncodings(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("binutils is not installed")
	}
	var code []byte
	var starts []int
	var want []string
	for _, c := range encodings {
		for _, list := range operandsOf(c) {
			b, err := c.bytes(list...)
			if err != nil {
				t.Fatal(err)
			}
			starts = append(starts, len(code))
			code = append(code, b...)
			for i := range list {
				list[i] = disassembled(list[i])
			}
			name, vex := strings.CutSuffix(strings.ToLower(c.name), ".vex")
			if vex {
				name = "{vex} " + name
			}
			want = append(want, strings.TrimSpace(name+" "+strings.Join(list, ",")))
		}
	}
	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, code, 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	lines := regexp.MustCompile(`(?m)^ +([0-9a-f]+):\t[0-9a-f ]+\t(\S+) *(.*)$`).FindAllSubmatch(text, -1)
	if len(lines) != len(want) {
		t.Fatalf("%d instructions, want %d\n%s", len(lines), len(want), text)
	}
	for i, m := range lines {
		if at := fmt.Sprintf("%x", starts[i]); at != string(m[1]) {
			t.Fatalf("instruction %d is at %s, want %s", i, m[1], at)
		}
		if got := strings.TrimSpace(string(m[2]) + " " + string(m[3])); got != want[i] {
			t.Errorf("% x disassembles to %s, want %s", code[starts[i]:][:6], got, want[i])
		}
	}
}

func TestEncodingRange(t *testing.T) {
	bad := map[rune][]string{
		'Z': {"Z-1", "Z32", "Y1", "Z", "T1"},
		'Y': {"Y-1", "Y16", "Z1", "Y"},
		'T': {"T-1", "T8", "Z1", "T"},
		'M': {"(AX)(CX*2)", "(AX)(SP*1)", "(R16)", "(AX)(R16*1)", "2147483648(AX)", "-2147483649(AX)", "AX", "T0"},
	}
	good := map[rune][]string{'Z': {"Z1", "Z1", "Z1"}, 'Y': {"Y1", "Y1", "Y1"}, 'T': {"T1", "T2", "T3"}, 'M': {"(AX)", "(AX)"}}
	for _, c := range encodings {
		var list []string
		for i, kind := range c.operands {
			list = append(list, good[kind][i])
		}
		for i, kind := range c.operands {
			for _, text := range bad[kind] {
				wrong := slices.Clone(list)
				wrong[i] = text
				if b, err := c.bytes(wrong...); err == nil {
					t.Errorf("%s of %q is % x, want an error", c.name, wrong, b)
				}
			}
		}
		if c.operands == "TTT" {
			for _, twice := range [][]string{{"T1", "T1", "T2"}, {"T1", "T2", "T1"}, {"T2", "T1", "T1"}} {
				if b, err := c.bytes(twice...); err == nil {
					t.Errorf("%s of %q is % x, want an error", c.name, twice, b)
				}
			}
		}
		if b, err := c.bytes(append(list, "T1")...); err == nil {
			t.Errorf("%s of one operand too many is % x, want an error", c.name, b)
		}
	}
}

func TestEncode(t *testing.T) {
	const text = "\tVPADDD  Z1, Z2, Z3\n\tVDPBF16PS Z9, Z8, Z0\n\tRET\n\tTILERELEASE\n\tTILELOADD  64(BX)(R9*1), T3\n"
	const want = "\tVPADDD  Z1, Z2, Z3\n\tLONG $0x483ed262; WORD $0xc152 // VDPBF16PS Z9, Z8, Z0\n\tRET\n" +
		"\tLONG $0x4978e2c4; BYTE $0xc0 // TILERELEASE\n\tLONG $0x4b7ba2c4; LONG $0x00400b9c; WORD $0x0000 // TILELOADD 64(BX)(R9*1), T3\n"
	if got, err := Encode([]byte(text)); string(got) != want || err != nil {
		t.Errorf("Encode returns %q, %v, want %q", got, err, want)
	}
	for _, line := range []string{"VDPBF16PS Z9, Z40, Z0", "TILEZERO T8", "LDTILECFG", "TILERELEASE T0"} {
		if got, err := Encode([]byte("\t" + line + "\n")); err == nil {
			t.Errorf("Encode of %s returns %q, want an error", line, got)
		}
	}
}
