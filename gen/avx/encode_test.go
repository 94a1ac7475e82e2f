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
	most := map[byte]int{'Z': 32, 'Y': 16}[c.registers]
	for n := range most {
		for _, numbers := range [][3]int{{n, 7, 24}, {7, n, 24}, {24, 7, n}, {n, 31 - n, n ^ 21}} {
			var list []string
			for _, r := range numbers {
				list = append(list, fmt.Sprintf("%c%d", c.registers, r%most))
			}
			lists = append(lists, list)
		}
	}
	return lists
}

// TestEncodings compares the bytes of every instruction with their disassembly.
func TestEncodings(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("binutils is not installed")
	}
	var code []byte
	var want []string
	for _, c := range encodings {
		for _, list := range operandsOf(c) {
			b, err := c.bytes(list...)
			if err != nil {
				t.Fatal(err)
			}
			at := len(code)
			code = append(code, b...)
			name, vex := strings.CutSuffix(strings.ToLower(c.name), ".vex")
			if vex {
				name = "{vex} " + name
			}
			text := strings.NewReplacer("Z", "%zmm", "Y", "%ymm").Replace(strings.Join(list, ","))
			want = append(want, fmt.Sprintf("%x: %s %s", at, name, text))
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
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^ +([0-9a-f]+):\t[0-9a-f ]+\t(.*)$`).FindAllStringSubmatch(string(text), -1) {
		got = append(got, m[1]+": "+strings.Join(strings.Fields(m[2]), " "))
	}
	if len(got) != len(want) {
		t.Fatalf("%d instructions, want %d\n%s", len(got), len(want), text)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("the disassembly has %s, want %s", got[i], want[i])
		}
	}
}

func TestEncodingRange(t *testing.T) {
	bad := map[byte][]string{'Z': {"Z-1", "Z32", "Y1", "Z", "(AX)"}, 'Y': {"Y-1", "Y16", "Z1", "Y"}}
	for _, c := range encodings {
		list := slices.Repeat([]string{string(c.registers) + "1"}, 3)
		for i := range list {
			for _, text := range bad[c.registers] {
				wrong := slices.Clone(list)
				wrong[i] = text
				if b, err := c.bytes(wrong...); err == nil {
					t.Errorf("%s of %q is % x, want an error", c.name, wrong, b)
				}
			}
		}
		for _, wrong := range [][]string{list[:2], append(list, list[0])} {
			if b, err := c.bytes(wrong...); err == nil {
				t.Errorf("%s of %q is % x, want an error", c.name, wrong, b)
			}
		}
	}
}

func TestEncode(t *testing.T) {
	const text = "\tVPADDD  Z1, Z2, Z3\n\tVDPBF16PS Z9, Z8, Z0\n\tRET\n"
	const want = "\tVPADDD  Z1, Z2, Z3\n\tLONG $0x483ed262; WORD $0xc152 // VDPBF16PS Z9, Z8, Z0\n\tRET\n"
	if got, err := Encode([]byte(text)); string(got) != want || err != nil {
		t.Errorf("Encode returns %q, %v, want %q", got, err, want)
	}
	for _, line := range []string{"VDPBF16PS Z9, Z40, Z0", "VDPBF16PS"} {
		if got, err := Encode([]byte("\t" + line + "\n")); err == nil {
			t.Errorf("Encode of %s returns %q, want an error", line, got)
		}
	}
}
