package safetensors

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	for _, f := range []*File{{}, small()} {
		if err := Save(path, f); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !sameFile(got, f) {
			t.Errorf("opened %v, saved %v", got, f)
		}
	}
}

func TestSaveKeepsOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := Save(path, small()); err != nil {
		t.Fatal(err)
	}
	bad := &File{Tensors: []Tensor{{Name: "a", Shape: []int{1}, Data: []float32{float32(math.NaN())}}}}
	err := Save(path, bad)
	if !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want ErrNotFinite with the path", err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, encoded(t, small())) {
		t.Error("the old file changed")
	}
}

func TestOpenNamesPath(t *testing.T) {
	folder := t.TempDir()
	absent := filepath.Join(folder, "absent")
	if _, err := Load(absent); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), absent) {
		t.Errorf("error %v, want fs.ErrNotExist with the path", err)
	}
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(empty); !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), empty) {
		t.Errorf("error %v, want ErrTruncated with the path", err)
	}
}
