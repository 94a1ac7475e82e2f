package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// A word is an instruction that an assembly file encodes as a WORD, and its comment.
type word struct {
	place   string
	bits    uint32
	comment string
}

// words returns every WORD of asm/neon.
func words(t *testing.T) (list []word) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^\tWORD +\$0x([0-9a-f]{8}) // (.+)$`)
	for _, s := range neonSources {
		path := filepath.Join(output, s.base()+".s")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := line.FindAllStringSubmatch(string(text), -1)
		if n := strings.Count(string(text), "WORD"); n != len(found) {
			t.Errorf("%s: %d of %d WORDs have eight digits and a comment", path, len(found), n)
		}
		for _, m := range found {
			list = append(list, word{path + ": " + m[0], parseHex(t, m[1]), m[2]})
		}
	}
	if len(list) == 0 {
		t.Fatal("asm/neon has no WORD")
	}
	return list
}

func parseHex(t *testing.T, digits string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

// disassemble returns an instruction in the syntax of the Arm manual.
func disassemble(bits uint32) (string, error) {
	const mask, sdot = 0xffc0f400, 0x4f80e000
	if bits&mask == sdot { // SDOT by element, which arm64asm does not know
		index := bits>>11&1<<1 | bits>>21&1
		return fmt.Sprintf("sdot v%d.4s, v%d.16b, v%d.4b[%d]", bits&31, bits>>5&31, bits>>16&31, index), nil
	}
	if bits&0xffe0fc00 == 0x4e80a400 { // nor SMMLA
		return fmt.Sprintf("smmla v%d.4s, v%d.16b, v%d.16b", bits&31, bits>>5&31, bits>>16&31), nil
	}
	const bfmlal, top = 0x2ec0fc00, 1 << 30
	if bits&^top&0xffe0fc00 == bfmlal { // nor BFMLALB and BFMLALT
		half := "b"
		if bits&top != 0 {
			half = "t"
		}
		return fmt.Sprintf("bfmlal%s v%d.4s, v%d.8h, v%d.8h", half, bits&31, bits>>5&31, bits>>16&31), nil
	}
	i, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, bits))
	return arm64asm.GNUSyntax(i), err
}

func TestWords(t *testing.T) {
	for _, w := range words(t) {
		if got, err := disassemble(w.bits); got != w.comment || err != nil {
			t.Errorf("%s\ndecodes to %s (%v)", w.place, got, err)
		}
	}
}

// assembles reports whether Go's assembler for an architecture accepts the instruction.
func assembles(t *testing.T, arch, instruction string) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "one.s")
	text := "TEXT ·one(SB), 4, $0-0\n\t" + instruction + "\n\tRET\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "tool", "asm", "-p", "one", "-o", path+".o", path)
	c.Env = append(os.Environ(), "GOARCH="+arch, "GOOS=linux", "GOFLAGS=")
	return c.Run() == nil
}

// TestReservedRegisters disassembles asm/neon: no instruction uses a register that is reserved for
// the platform, the assembler, the goroutine or the stack frame, and the disassembler knows all.
func TestReservedRegisters(t *testing.T) {
	reserved := regexp.MustCompile(`\b[xw](18|27|28|29|30)\b`)
	code := regexp.MustCompile(`(?m)^\s+\S+:\d+\t+0x[0-9a-f]+\t+([0-9a-f]{8})\t`)
	include := filepath.Join(strings.TrimSpace(string(goTool(t, "env", "GOROOT"))), "pkg", "include")
	t.Setenv("GOARCH", "arm64")
	for _, s := range neonSources {
		path := filepath.Join(output, s.base()+".s")
		object := filepath.Join(t.TempDir(), "file.o")
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		goTool(t, "tool", "asm", "-p", "neon", "-I", include, "-o", object, absolute)
		listing := code.FindAllStringSubmatch(string(goTool(t, "tool", "objdump", object)), -1)
		if len(listing) < 20 {
			t.Errorf("%s: the listing has %d instructions", path, len(listing))
		}
		for _, m := range listing {
			bits := parseHex(t, m[1])
			if bits == 0 { // padding after a function
				continue
			}
			text, err := disassemble(bits)
			if err != nil || reserved.MatchString(text) {
				t.Errorf("%s: %s is %s (%v)", path, m[1], text, err)
			}
		}
	}
}

// TestExtensions: the functions of asm/neon with the instructions of an extension are those whose names end in its
// suffix, and package kernels calls them only where cpuid reports the extension.
func TestExtensions(t *testing.T) {
	function := regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)
	dispatch, err := os.ReadFile("../kernels/isa_arm64.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ suffix, instruction, variable, feature string }{
		{"Dot", "// sdot ", "dotProducts", "ASIMDDP"},
		{"Matrix", "// smmla ", "matrixProducts", "I8MM"},
		{"Long", "// bfmlal", "bf16Long", "BF16"},
	} {
		found := 0
		for _, s := range neonSources {
			text, err := os.ReadFile(filepath.Join(output, s.base()+".s"))
			if err != nil {
				t.Fatal(err)
			}
			places := function.FindAllStringSubmatchIndex(string(text), -1)
			for i, place := range places {
				name, end := string(text[place[2]:place[3]]), len(text)
				if i+1 < len(places) {
					end = places[i+1][0]
				}
				uses := strings.Contains(string(text[place[0]:end]), x.instruction)
				if uses != strings.HasSuffix(name, x.suffix) && name != x.suffix {
					t.Errorf("%s: %s uses %s: %t", s.base(), name, x.instruction, uses)
				}
				if uses {
					found++
				}
			}
		}
		if !strings.Contains(string(dispatch), "var "+x.variable+" = cpuid.CPU.Supports(cpuid."+x.feature+")\n") {
			t.Errorf("%s is not what cpuid reports", x.variable)
		}
		calls := regexp.MustCompile(`\tneon\.\w+`+x.suffix+`\(`).FindAll(dispatch, -1)
		guarded := regexp.MustCompile(`\tcase `+x.variable+`:\n\t\tneon\.\w+`+x.suffix+`\(`).FindAll(dispatch, -1)
		if len(calls) != found || len(guarded) != found || found == 0 {
			t.Errorf("%d calls, %d of them where %s is set, of %d functions", len(calls), len(guarded), x.variable, found)
		}
	}
}

// TestGuards: in the methods of package kernels that gen does not write, portable Go for other implementations
// precedes every call of asm/neon. Since both give the same bits, no other test would notice its absence.
func TestGuards(t *testing.T) {
	text, err := os.ReadFile("../kernels/isa_arm64.go")
	if err != nil {
		t.Fatal(err)
	}
	guard, seen := regexp.MustCompile(`\t(case|if) k\.isa != isaNEON(?: \|\| .*)?(:| \{)\n\t\t\w+Go\(`), 0
	for _, method := range strings.Split(string(text), "\nfunc ") {
		if call := strings.Index(method, "neon."); call >= 0 && !strings.HasPrefix(method, "//") {
			seen++
			if at := guard.FindStringIndex(method); at == nil || at[0] > call {
				t.Errorf("no portable Go before the call in func %s", strings.SplitN(method, "\n", 2)[0])
			}
		}
	}
	if seen == 0 {
		t.Error("no method calls asm/neon")
	}
}
