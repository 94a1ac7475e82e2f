package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/server"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

func settings(folder string) Settings {
	path := filepath.Join("..", "..", "decode", "testdata", "en-fr.safetensors")
	return Settings{Folder: folder, Models: []Model{{
		Model: server.Model{Name: "en-fr", Source: "en", Target: "fr", Open: models.Opener([]string{path})},
		Paths: []string{path},
	}}}
}

// TestWrite checks the files of a site and what the page and the worker read about them.
func TestWrite(t *testing.T) {
	if !fixture.Full() {
		t.Skip("compiles the program of a site")
	}
	folder := filepath.Join(t.TempDir(), "site")
	s := settings(folder)
	if err := s.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	service, _, _ := bytes.Cut(read(serviceFile), []byte(";\n"))
	var kept struct {
		Small map[string]string
		Large []string
	}
	if err := json.Unmarshal(bytes.TrimPrefix(service, []byte("const site = ")), &kept); err != nil {
		t.Fatal(err)
	}
	if kept.Small["./"] != kept.Small["index.html"] {
		t.Errorf("the address of the page has the hash %s, index.html %s", kept.Small["./"], kept.Small["index.html"])
	}
	delete(kept.Small, "./")
	listed := slices.Concat(slices.Collect(maps.Keys(kept.Small)), kept.Large, []string{serviceFile})
	var there []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() {
			return err
		}
		if plain, compressed := strings.CutSuffix(name, ".gz"); compressed {
			r, err := gzip.NewReader(bytes.NewReader(read(name)))
			if err != nil {
				return err
			}
			if content, err := io.ReadAll(r); err != nil || !bytes.Equal(content, read(plain)) {
				t.Errorf("%s has not the content of %s: %v", name, plain, err)
			}
			return nil
		}
		there = append(there, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf("the service worker keeps %q, the folder has %q", listed, there)
	}
	for name, hash := range kept.Small {
		if got := hashOf(read(name)); got != hash {
			t.Errorf("%s has the hash %s, the service worker expects %s", name, got, hash)
		}
	}
	var c contents
	if err := json.Unmarshal(read(contentsFile), &c); err != nil || len(c.Models) != 1 {
		t.Fatalf("%d models, %v", len(c.Models), err)
	}
	for _, f := range append(c.Models[0].Files, c.Program) {
		if content := read(f.File); len(content) != f.Size || hashOf(content) != f.SHA256 {
			t.Errorf("%s has %d bytes with the hash %s, %s says %+v", f.File, len(content), hashOf(content), contentsFile, f)
		}
	}
	if _, err := model.Read(bytes.NewReader(read(c.Models[0].Files[0].File))); err != nil {
		t.Error(err)
	}
	if index := string(read("index.html")); !strings.Contains(index, policy) || !strings.Contains(index, `id="loading"`) || !strings.Contains(index, "models/en-fr.txt") {
		t.Errorf("the page lacks its policy, progress or cards:\n%s", index)
	}
	if err := s.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a second site: %v, want an error", err)
	}
}

// TestKeepsOthersFolders checks that no folder with files is replaced, and that nothing is left of a failure.
func TestKeepsOthersFolders(t *testing.T) {
	parent := t.TempDir()
	folder := filepath.Join(parent, "photos")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "cat.jpg"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := settings(folder)
	if err := s.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("%v, want an error", err)
	}
	t.Chdir(t.TempDir())
	if err := settings(".").Write(t.Context()); err == nil || !strings.Contains(err.Error(), "expected a new folder") {
		t.Errorf("%v, want an error about the current folder", err)
	}
	s = settings(filepath.Join(parent, "site") + "/")
	s.Models[0].Paths = []string{filepath.Join(parent, "missing")}
	t.Setenv("PATH", "")
	if err := s.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "make release") {
		t.Errorf("%v, want an error about the missing program", err)
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries, want the folder photos alone: %v", len(entries), err)
	}
}
