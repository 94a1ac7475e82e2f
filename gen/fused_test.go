package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// exact matches the lines in which the compiler may fuse a product with a sum. The factors have 24
// bits, so the product is exact in float64 and the result is the same either way.
var exact = regexp.MustCompile(`once\(p\+\w+, p, \w+\)|s := p \+ float64\(z\)$|s0, s1, s2, s3 := b\*float64\(v\[0\]\)\+a0, `)

// TestFused compiles every package for architectures on which Go fuses x*y + z: only the lines that
// exact matches are fused, because float32(…) or float64(…) forces the rounding of all other
// products in sums.
func TestFused(t *testing.T) {
	instruction := regexp.MustCompile(`\(([^()\s]+\.go):(\d+)\)\s+(V?FN?M(?:ADD|SUB)\w*)`)
	for _, machine := range []struct{ arch, level string }{
		{"arm64", ""}, {"loong64", ""}, {"ppc64le", ""}, {"riscv64", ""}, {"s390x", ""}, {"amd64", "v3"},
	} {
		t.Setenv("GOARCH", machine.arch)
		t.Setenv("GOAMD64", machine.level)
		text := listing(t, "./kernels", "./rnn", "./attention", "./model/...")
		allowed := 0
		for _, found := range instruction.FindAllStringSubmatch(text, -1) {
			if line := lineOf(t, found[1], found[2]); exact.MatchString(line) {
				allowed++
			} else {
				t.Errorf("GOARCH=%s: %s at %s:%s: %s", machine.arch, found[3], found[1], found[2], line)
			}
		}
		if allowed == 0 {
			t.Errorf("GOARCH=%s: %d bytes of assembly without a fused instruction, want those of fma", machine.arch, len(text))
		}
	}
}

// listing returns the compiler's assembly of portable Go.
func listing(t *testing.T, packages ...string) string {
	t.Helper()
	c := exec.Command("go", append([]string{"build", "-tags", "purego", "-gcflags=" + module + "/...=-S"}, packages...)...)
	c.Dir = ".."
	c.Env = append(os.Environ(), "GOFLAGS=")
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", c, err, text)
	}
	return string(text)
}

// lineOf returns a line of a source file; numbers start at 1.
func lineOf(t *testing.T, path, number string) string {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(source), "\n")[n-1]
}
