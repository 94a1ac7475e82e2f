package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/gen/decl"
)

func TestFiles(t *testing.T) {
	written, folders := map[string]bool{}, map[string]bool{}
	for _, s := range sources {
		assembly, stubs, err := s.files()
		if err != nil {
			t.Fatal(err)
		}
		folders[filepath.Dir(s.base())] = true
		for path, want := range map[string][]byte{s.base() + ".s": assembly, s.base() + ".go": stubs} {
			written[path] = true
			got, err := os.ReadFile(filepath.Join(output, path))
			if err != nil {
				t.Error(err)
				continue
			}
			if !bytes.Equal(got, want) {
				t.Errorf("asm/%s differs from what %s writes: run go generate ./...", path, s.generator())
			}
		}
	}
	for folder := range folders {
		entries, err := os.ReadDir(filepath.Join(output, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if path := folder + "/" + e.Name(); e.Name() != "doc.go" && !written[path] {
				t.Errorf("asm/%s: nothing in gen writes it", path)
			}
		}
	}
}

// TestParity holds that every instruction set has the same kernels, but for the product of
// several panels at a time. Their declarations come from package decl.
func TestParity(t *testing.T) {
	kernels := func(isa string) (names []string) {
		paths, err := filepath.Glob(output + "/" + isa + "/*_*.go")
		if err != nil || len(paths) == 0 {
			t.Fatalf("asm/%s has %d files (%v)", isa, len(paths), err)
		}
		for _, path := range paths {
			names = append(names, noescape(t, path)...)
		}
		return slices.DeleteFunc(names, func(name string) bool { return name == decl.GemmWide.Name })
	}
	want := kernels("avx2")
	for _, isa := range []string{"avx512", "neon"} {
		if got := kernels(isa); !slices.Equal(got, want) {
			t.Errorf("asm/%s declares %q, want what asm/avx2 does: %q", isa, got, want)
		}
	}
}
