package main

import (
	"os"
	"path/filepath"
	"regexp"
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
