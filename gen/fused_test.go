package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFused compiles every package for architectures on which Go fuses x*y + z: outside of package
// kernels, whose own test has a list of its places, nothing is fused, because float32(…) or float64(…)
// forces the rounding of all products in sums.
func TestFused(t *testing.T) {
	needsFull(t)
	instruction := regexp.MustCompile(`\(([^()\s]+\.go):(\d+)\)\s+(V?FN?M(?:ADD|SUB)\w*)`)
	for _, machine := range []struct{ arch, level string }{
		{"arm64", ""}, {"loong64", ""}, {"ppc64le", ""}, {"riscv64", ""}, {"s390x", ""}, {"amd64", "v3"},
	} {
		t.Setenv("GOARCH", machine.arch)
		t.Setenv("GOAMD64", machine.level)
		text := listing(t, "./kernels", "./rnn", "./attention", "./model/...")
		inKernels := 0
		for _, found := range instruction.FindAllStringSubmatch(text, -1) {
			if filepath.Base(filepath.Dir(found[1])) == "kernels" {
				inKernels++
			} else {
				t.Errorf("GOARCH=%s: %s at %s:%s: %s", machine.arch, found[3], found[1], found[2], lineOf(t, found[1], found[2]))
			}
		}
		if inKernels == 0 {
			t.Errorf("GOARCH=%s: %d bytes of assembly without a fused instruction, want those of package kernels", machine.arch, len(text))
		}
	}
}

// needsFull skips a test that compiles or lists packages for other machines.
func needsFull(t *testing.T) {
	t.Helper()
	if os.Getenv("SOFTSEARCH_TEST") != "full" {
		t.Skip("make fused runs it")
	}
}

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
