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

// TestFused compiles every package for arm64, whose compiler fuses x*y ± z in every order and sign, and so wherever one
// for another machine does: outside of package kernels, whose own test has a list of its places, nothing is fused,
// because float32(…) or float64(…) forces the rounding of all products in sums.
func TestFused(t *testing.T) {
	needsFull(t)
	t.Setenv("GOARCH", "arm64")
	text := listing(t, "./kernels", "./rnn", "./attention", "./model/...")
	inKernels := 0
	for _, found := range regexp.MustCompile(`\(([^()\s]+\.go):(\d+)\)\s+(FN?M(?:ADD|SUB)\w*)`).FindAllStringSubmatch(text, -1) {
		if filepath.Base(filepath.Dir(found[1])) == "kernels" {
			inKernels++
		} else {
			t.Errorf("%s at %s:%s: %s", found[3], found[1], found[2], lineOf(t, found[1], found[2]))
		}
	}
	if inKernels == 0 {
		t.Errorf("%d bytes of assembly without a fused instruction, want those of package kernels", len(text))
	}
}

// needsFull skips a test that compiles or lists packages for other machines.
func needsFull(t *testing.T) {
	t.Helper()
	if os.Getenv("SOFTSEARCH_TEST") != "full" {
		t.Skip("compiles for other machines")
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
