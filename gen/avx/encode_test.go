package avx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// everyRegister returns triples that have every register in every place.
func everyRegister() (list [][3]int) {
	for z := range 32 {
		list = append(list, [3]int{z, 7, 24}, [3]int{7, z, 24}, [3]int{24, 7, z}, [3]int{z, 31 - z, z ^ 21})
	}
	return list
}

// TestEncodings compares the bytes of every instruction with their disassembly.
func TestEncodings(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("binutils is not installed")
	}
	var code []byte
	var want []string
	for _, c := range encodings {
		for _, z := range everyRegister() {
			b, err := c.bytes(z[0], z[1], z[2])
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, b[:]...)
			want = append(want, fmt.Sprintf("%s %%zmm%d,%%zmm%d,%%zmm%d", strings.ToLower(c.name), z[0], z[1], z[2]))
		}
	}
	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, code, 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	lines := regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t[0-9a-f ]+\t(\S+) +(\S+)`).FindAllSubmatch(text, -1)
	if len(lines) != len(want) {
		t.Fatalf("%d instructions, want %d\n%s", len(lines), len(want), text)
	}
	for i, m := range lines {
		if got := string(m[1]) + " " + string(m[2]); got != want[i] {
			t.Errorf("% x disassembles to %s, want %s", code[6*i:6*i+6], got, want[i])
		}
	}
}

func TestEncodingRange(t *testing.T) {
	for _, c := range encodings {
		for _, z := range [][3]int{{-1, 0, 0}, {0, 32, 0}, {0, 0, 32}} {
			if b, err := c.bytes(z[0], z[1], z[2]); err == nil {
				t.Errorf("%s of registers %d is % x, want an error", c.name, z, b)
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
	if got, err := Encode([]byte("\tVDPBF16PS Z9, Z40, Z0\n")); err == nil {
		t.Errorf("Encode of register Z40 returns %q, want an error", got)
	}
}
