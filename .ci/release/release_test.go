package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// newRepository returns the root of a git repository with a small package in each published
// module, prepared and committed as v0.1.0.
func newRepository(t *testing.T) string {
	t.Helper()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "Author", "GIT_AUTHOR_EMAIL": "author@example.com",
		"GIT_COMMITTER_NAME": "Author", "GIT_COMMITTER_EMAIL": "author@example.com",
	} {
		t.Setenv(name, value)
	}
	root := t.TempDir()
	write(t, root, "go.mod", "module "+rootModule.path+"\n\ngo 1.26.0\n")
	write(t, root, "kernels/kernels.go", "package kernels\n")
	write(t, root, "model/model.go", "package model\n")
	write(t, root, "model/cmd/go.mod", "module "+commandModule.path+"\n\ngo 1.26.0\n")
	write(t, root, "model/cmd/go.sum", "")
	write(t, root, "model/cmd/rnnsearch/main.go", "package main\n\nimport _ \""+rootModule.path+"/kernels\"\n\nfunc main() {}\n")
	git(t, root, "init", "-q")
	git(t, root, "add", ".")
	if err := prepare(root, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	commit(t, root)
	return root
}

func write(t *testing.T, root, name, content string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func git(t *testing.T, root string, args ...string) string {
	t.Helper()
	out, err := output(root, "git", args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func commit(t *testing.T, root string) {
	t.Helper()
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "change")
}

func TestRelease(t *testing.T) {
	root := newRepository(t)
	message := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(message, []byte("First release\n\nKernels and a command.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := tag(root, "v0.1.0", message); err != nil {
		t.Fatal(err)
	}
	head := git(t, root, "rev-parse", "HEAD")
	for name, subject := range map[string]string{"v0.1.0": "First release", "model/cmd/v0.1.0": "rnnsearch v0.1.0"} {
		want := "tag " + strings.TrimSpace(head) + " " + subject + "\n"
		if got := git(t, root, "for-each-ref", "--format=%(objecttype) %(*objectname) %(subject)", "refs/tags/"+name); got != want {
			t.Errorf("tag %s: %q, want %q", name, got, want)
		}
	}

	// go.sum has the hash of the module zip that the go command makes of the tag.
	w, err := os.Create(filepath.Join(t.TempDir(), "root.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := zip.CreateFromVCS(w, module.Version{Path: rootModule.path, Version: "v0.1.0"}, root, "v0.1.0", ""); err != nil {
		t.Fatal(err)
	}
	hash, err := dirhash.HashZip(w.Name(), dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	if want := rootModule.path + " v0.1.0 " + hash + "\n"; !strings.Contains(read(t, root, "model/cmd/go.sum"), want) {
		t.Errorf("go.sum does not have %q:\n%s", want, read(t, root, "model/cmd/go.sum"))
	}

	for _, version := range []string{"v0.1.0", "v0.0.9", "v0.1.0-rc.1"} {
		if err := prepare(root, version); err == nil || !strings.Contains(err.Error(), "not higher than the tag") {
			t.Errorf("prepare %s after v0.1.0: %v", version, err)
		}
	}
	if err := prepare(root, "v0.1.1"); err != nil {
		t.Errorf("prepare v0.1.1 after v0.1.0: %v", err)
	}
}

func TestCheck(t *testing.T) {
	root := newRepository(t)
	if err := check(root, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(git(t, root, "rev-parse", "HEAD"))
	for name, test := range map[string]struct {
		version string
		change  func()
		want    string // part of the error
	}{
		"build metadata":    {"v0.1.0+build", func() {}, "not a semantic version"},
		"no version":        {"latest", func() {}, "not a semantic version"},
		"without v":         {"0.1.0", func() {}, "not a semantic version"},
		"short":             {"v0.1", func() {}, "not a semantic version"},
		"other module path": {"v2.0.0", func() {}, "should be v0 or v1"},
		"not prepared":      {"v0.1.1", func() {}, "requires the root module at v0.1.0, not v0.1.1"},
		"untracked file":    {"v0.1.0", func() { write(t, root, "notes", "") }, "the working tree has changes"},
		"changed file":      {"v0.1.0", func() { write(t, root, "go.mod", "module other\n") }, "the working tree has changes"},
		"changed since prepared": {"v0.1.0", func() {
			write(t, root, "kernels/more.go", "package kernels\n")
			commit(t, root)
		}, "checksum mismatch"},
		"replace": {"v0.1.0", func() {
			write(t, root, "model/cmd/go.mod", read(t, root, "model/cmd/go.mod")+"\nreplace "+rootModule.path+" => ../..\n")
			commit(t, root)
		}, "has a replace"},
		"replace in root": {"v0.1.0", func() {
			write(t, root, "go.mod", read(t, root, "go.mod")+"\nreplace golang.org/x/sys => ../sys\n")
			commit(t, root)
		}, "has a replace"},
		"without hashes": {"v0.1.0", func() {
			write(t, root, "model/cmd/go.sum", "")
			commit(t, root)
		}, "is not tidy"},
		"unpublished package": {"v0.1.0", func() {
			write(t, root, "gen/go.mod", "module "+rootModule.path+"/gen\n")
			write(t, root, "gen/gen.go", "package gen\n")
			write(t, root, "model/cmd/rnnsearch/gen.go", "package main\n\nimport _ \""+rootModule.path+"/gen\"\n")
			commit(t, root)
		}, "is not tidy"},
		"tagged":         {"v0.1.0", func() { git(t, root, "tag", "v0.2.0") }, "not higher than the tag v0.2.0"},
		"tagged command": {"v0.1.0", func() { git(t, root, "tag", "model/cmd/v0.2.0") }, "not higher than the tag model/cmd/v0.2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			test.change()
			if err := tag(root, test.version, os.DevNull); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			for name := range strings.FieldsSeq(git(t, root, "tag")) {
				git(t, root, "tag", "-d", name)
			}
		})
		git(t, root, "reset", "-q", "--hard", head)
		git(t, root, "clean", "-q", "-f", "-d")
	}
}

// TestTidy adds an import of a package that the published root module does not have.
func TestTidy(t *testing.T) {
	root := newRepository(t)
	write(t, root, "rnn/rnn.go", "package rnn\n")
	write(t, root, "model/cmd/rnnsearch/rnn.go", "package main\n\nimport _ \""+rootModule.path+"/rnn\"\n")
	goMod, goSum := read(t, root, "model/cmd/go.mod"), read(t, root, "model/cmd/go.sum")
	if err := tidy(root); err != nil {
		t.Fatal(err)
	}
	if got := read(t, root, "model/cmd/go.mod"); got != goMod {
		t.Errorf("go.mod is\n%s\nwant\n%s", got, goMod)
	}
	if got := read(t, root, "model/cmd/go.sum"); got != goSum || got == "" {
		t.Errorf("go.sum is\n%s\nwant\n%s", got, goSum)
	}
}
