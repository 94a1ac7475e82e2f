package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// examples are files of the repository that must work for a user of the published modules: each
// entry is copied to a module of its own, where go test runs its examples and compares their output.
var examples = []struct {
	dir   string
	files []string // relative to dir
}{
	{"kernels", []string{"example_test.go", "example_search_test.go"}},
	{"model", []string{"example_train_test.go"}},
	{"model/decode", []string{"example_test.go", "example_service_test.go", "example_embed_test.go", "testdata/en-fr.safetensors"}},
}

// TestInstall installs both published modules as a user would, from a module proxy made of the working
// tree, with an empty module cache and without the workspace.
func TestInstall(t *testing.T) {
	root := filepath.Join("..", "..")
	version, err := required(root)
	if err != nil {
		t.Fatal(err)
	}
	temp, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	proxy, bin := filepath.Join(temp, "proxy"), filepath.Join(temp, "bin")
	if err := writeProxy(proxy, root, version); err != nil {
		t.Fatal(err)
	}
	env, err := proxyEnv(proxy, filepath.Join(temp, "mod"))
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "GOBIN="+bin)
	run := func(t *testing.T, dir, name string, args ...string) string {
		t.Helper()
		out, err := outputWith(env, dir, name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}

	t.Run("command", func(t *testing.T) {
		run(t, temp, "go", "install", commandModule.path+"/rnnsearch@latest")
		got := run(t, temp, filepath.Join(bin, "rnnsearch"), "--version")
		if want := "rnnsearch version " + version + "\n"; !strings.HasPrefix(got, want) {
			t.Errorf("rnnsearch --version printed %q, want %q first", got, want)
		}
		write(t, temp, "text.en", "Hello, how are you? I would like to buy a cat.\n")
		got = run(t, temp, filepath.Join(bin, "rnnsearch"), "translate", "--input", "text.en")
		if want := "Bonjour, comment vas-tu ? J'aimerais acheter un chat.\n"; got != want {
			t.Errorf("rnnsearch translate printed %q, want %q", got, want)
		}
		run(t, temp, filepath.Join(bin, "rnnsearch"), "site", "--model", "en-fr", "--output", "site")
		if got := read(t, filepath.Join(temp, "site"), "models.json"); !strings.Contains(got, `"name":"en-fr"`) {
			t.Errorf("the site of the installed command has the models %q", got)
		}
	})

	// Packages that the command does not import build as well.
	t.Run("packages", func(t *testing.T) {
		dir := t.TempDir()
		run(t, dir, "go", "mod", "init", "example.com/user")
		run(t, dir, "go", "get", rootModule.path+"@latest")
		run(t, dir, "go", "get", rootModule.path+"/...", commandModule.path+"/...")
		run(t, dir, "go", "build", commandModule.path+"/...", rootModule.path+"/...")

		// What only tests import belongs in a module of tests, which users do not resolve.
		imported := "\n"
		for _, system := range []string{"linux", "windows"} {
			out, err := outputWith(append(env, "GOOS="+system), dir, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", commandModule.path+"/...")
			if err != nil {
				t.Fatal(err)
			}
			imported += out
		}
		for _, required := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(read(t, filepath.Join(root, commandModule.dir), "go.mod"), -1) {
			if !strings.Contains(imported, "\n"+required[1]+"\n") {
				t.Errorf("%s requires %s, which no package but tests imports", commandModule.path, required[1])
			}
		}
	})

	// The go command adds a missing requirement at its latest version, and in the workspace those of
	// all modules add up.
	t.Run("requirements", func(t *testing.T) {
		for _, m := range modules {
			dir, tidied := filepath.Join(root, m.dir), t.TempDir()
			want := read(t, dir, "go.mod")
			_, sums := splitSums(read(t, dir, "go.sum"))
			write(t, tidied, "go.mod", want)
			write(t, tidied, "go.sum", strings.Join(sums, ""))
			run(t, dir, "go", "mod", "tidy", "-modfile="+filepath.Join(tidied, "go.mod"))
			if got := read(t, tidied, "go.mod"); got != want {
				t.Errorf("go mod tidy makes %s/go.mod\n%s", m.dir, got)
			}
		}
	})

	for _, example := range examples {
		t.Run("example in "+example.dir, func(t *testing.T) {
			dir := t.TempDir()
			run(t, dir, "go", "mod", "init", "example.com/user")
			for _, name := range example.files {
				write(t, dir, name, read(t, filepath.Join(root, example.dir), name))
			}
			run(t, dir, "go", "get", rootModule.path+"/"+example.dir+"@latest")
			if out := run(t, dir, "go", "test", "-v", "-run", "^Example", "."); !strings.Contains(out, "--- PASS: Example") {
				t.Errorf("no example ran:\n%s", out)
			}
		})
	}
}

// TestInstallable shows that the go.mod of each published module serves users as it stands.
func TestInstallable(t *testing.T) {
	for _, m := range modules {
		if err := checkInstallable(filepath.Join("..", ".."), m); err != nil {
			t.Error(err)
		}
	}
}
