package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// exact matches the lines in which the compiler may fuse a product with a sum: the product has
// factors of 24 bits, so float64 holds it without error and the sum is rounded once either way.
var exact = regexp.MustCompile(`once\(p\+\w+, p, \w+\)|s := p \+ float64\(z\)$|s0, s1, s2, s3 := b\*float64\(v\[0\]\)\+a0, `)

// TestFused compiles every package for architectures on which Go fuses x*y + z, and holds
// that float32(…) or float64(…) keeps the rounding of each product that is added to something.
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
			t.Errorf("GOARCH=%s: no fused instruction in %d bytes of assembly", machine.arch, len(text))
		}
	}
}

// listing returns the assembly that the compiler makes of portable Go.
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

// lineOf returns a line of a source file, numbered from 1.
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
