package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/gen/avx"
)

// TestEncoded: all bytes in the assembly for amd64 are what gen/avx encodes from their comment, an
// instruction that Go's assembler rejects.
func TestEncoded(t *testing.T) {
	line := regexp.MustCompile(`(?m)^\t(?:(?:LONG|WORD|BYTE) \S+ )+// (\S.*)$`)
	found, tried := 0, map[string]bool{}
	for _, s := range avxSources {
		path := filepath.Join(output, s.base()+".s")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, directive := range []string{"LONG", "WORD", "BYTE", "QUAD"} {
			if n := strings.Count(string(line.ReplaceAll(text, nil)), directive+" $"); n > 0 {
				t.Errorf("%s: the test does not understand %d of the %s", path, n, directive)
			}
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			found++
			encoded, err := avx.Encode([]byte("\t" + m[1] + "\n"))
			if string(encoded) != m[0]+"\n" || err != nil {
				t.Errorf("%s: %s is encoded as %s (%v)", path, m[0], encoded, err)
			}
			if name, _, _ := strings.Cut(m[1], " "); !tried[name] {
				tried[name] = true
				if assembles(t, "amd64", m[1]) {
					t.Errorf("Go's assembler accepts %s", m[1])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no instruction is encoded")
	}
	if !assembles(t, "amd64", "VPADDD Z1, Z2, Z3") {
		t.Error("Go's assembler rejects VPADDD")
	}
}

// lacking are the instructions that Go's assembler lacks, with the registers that they take.
var lacking = map[string]string{"VDPBF16PS": "Z", "VPDPBUSD.VEX": "Y"}

// encoded returns the bytes of an instruction.
func encoded(t *testing.T, name string, registers ...string) []byte {
	t.Helper()
	line, err := avx.Encode(fmt.Appendf(nil, "\t%s %s\n", name, strings.Join(registers, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, m := range regexp.MustCompile(`(?:LONG|WORD|BYTE) \$0x([0-9a-f]+)`).FindAllSubmatch(line, -1) {
		bytes, err := hex.DecodeString(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(bytes)
		code = append(code, bytes...)
	}
	return code
}

// TestDisassembly compares the bytes of every instruction, with every register in every place, with their disassembly.
func TestDisassembly(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("binutils is not installed")
	}
	var code []byte
	var want []string
	for name, register := range lacking {
		most := map[string]int{"Z": 32, "Y": 16}[register]
		for n := range most {
			for _, numbers := range [][3]int{{n, 7, 24}, {7, n, 24}, {24, 7, n}, {n, 31 - n, n ^ 21}} {
				var list []string
				for _, r := range numbers {
					list = append(list, fmt.Sprint(register, r%most))
				}
				mnemonic, vex := strings.CutSuffix(strings.ToLower(name), ".vex")
				if vex {
					mnemonic = "{vex} " + mnemonic
				}
				text := strings.NewReplacer("Z", "%zmm", "Y", "%ymm").Replace(strings.Join(list, ","))
				want = append(want, fmt.Sprintf("%x: %s %s", len(code), mnemonic, text))
				code = append(code, encoded(t, name, list...)...)
			}
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

// TestEncode has an instruction between others, and operands that are none.
func TestEncode(t *testing.T) {
	const text = "\tVPADDD  Z1, Z2, Z3\n\tVDPBF16PS Z9, Z8, Z0\n\tRET\n"
	const want = "\tVPADDD  Z1, Z2, Z3\n\tLONG $0x483ed262; WORD $0xc152 // VDPBF16PS Z9, Z8, Z0\n\tRET\n"
	if got, err := avx.Encode([]byte(text)); string(got) != want || err != nil {
		t.Errorf("Encode returns %q, %v, want %q", got, err, want)
	}
	bad := map[string][]string{"Z": {"Z-1", "Z32", "Y1", "Z", "(AX)"}, "Y": {"Y-1", "Y16", "Z1", "Y"}}
	for name, register := range lacking {
		one := register + "1"
		lines := []string{name, name + " " + one + ", " + one, name + strings.Repeat(" "+one+",", 3) + " " + one}
		for _, wrong := range bad[register] {
			for i := range 3 {
				list := []string{one, one, one}
				list[i] = wrong
				lines = append(lines, name+" "+strings.Join(list, ", "))
			}
		}
		for _, line := range lines {
			if got, err := avx.Encode([]byte("\t" + line + "\n")); err == nil {
				t.Errorf("Encode of %s returns %q, want an error", line, got)
			}
		}
	}
}
