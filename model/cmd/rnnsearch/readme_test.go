package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```\n")

// readmeBlocks returns the blocks of shell commands of a document, from its path in the repository.
func readmeBlocks(t *testing.T, document string) (blocks []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", document))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range shellBlock.FindAllStringSubmatch(string(content), -1) {
		blocks = append(blocks, block[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no block of shell commands", document)
	}
	return blocks
}

// TestReadme runs every block of the documents of the command, the server and the script for Slurm,
// and then those of the first page, in order and in one folder. It makes texts and models smaller, and trainings shorter.
func TestReadme(t *testing.T) {
	t.Parallel()
	missing := func(tool string) bool { _, err := exec.LookPath(tool); return err != nil }
	for _, tool := range []string{"bash", "cmp", "curl", "gzip"} {
		if missing(tool) {
			t.Skip("no " + tool)
		}
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var skipped []string // parts of blocks
	interpreter := ""
	if fixture.Full() {
		interpreter = pythonWith("torch")
	} else { // updates of a large model, and compiling for WebAssembly
		skipped = append(skipped, "--recipe small --updates", "rnnsearch site")
	}
	if interpreter == "" {
		skipped = append(skipped, "python3 ")
	}
	if missing("mpicc") || missing("mpirun") || !fixture.Full() {
		skipped = append(skipped, "mpirun")
	}
	blocks := append(readmeBlocks(t, "model/cmd/rnnsearch/README.md"), readmeBlocks(t, "model/cmd/server/README.md")...)
	blocks = slices.DeleteFunc(blocks, func(block string) bool {
		return slices.ContainsFunc(skipped, func(part string) bool { return strings.Contains(block, part) })
	})
	if runtime.GOOS == "linux" {
		blocks = append(blocks, readmeBlocks(t, "model/cmd/rnnsearch/slurm/README.md")...)
	}
	blocks = append(blocks, "rm -f en-fr.safetensors* new.fr\n")
	blocks = append(blocks, readmeBlocks(t, "README.md")...)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	dir := t.TempDir()
	const build = "go build -o try ./model/cmd/rnnsearch"
	built := "go build -o " + dir + " ./model/cmd/rnnsearch"
	if !fixture.Full() {
		built = "ln -s '" + os.Args[0] + "' " + dir + "/rnnsearch"
	}
	script := strings.NewReplacer(
		build, built, "mkdir -p try", "cd "+root, "cd try", "cd "+dir, "../model/", root+"/model/", "python3 ", interpreter+" ",
		"go build ./model/cmd/rnnsearch\n", "", "127.0.0.1:8080", address, "head -n 10000 ", "head -n 300 ", "--updates 10 ", "--updates 1 ",
		"--epochs 6 ", "--epochs 1 ", "--epochs 7 ", "--epochs 2 ", "head -n 500 ", "head -n 50 ",
		"--recipe small --model", "--settings small.json --epochs 1 --model",
		"serve --model en-fr=en-fr.safetensors\n", "serve --model en-fr=en-fr.safetensors --listen "+address+" &\n",
	).Replace(strings.Join(blocks, "")) + "curl --retry 9 --retry-all-errors " + address + "/readyz\nkill $!\nwait $!\n"
	c := exec.Command("bash", "-e", "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), asCommand+"=1", "GOWORK="+filepath.Join(root, "go.work"), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	for _, says := range []string{"\nchrF2|", `"translatedText":"`, "event: done\n", "rnnsearch_sentences_total", "\nperplexity "} {
		if !strings.Contains(string(out), says) {
			t.Errorf("no %q in the output\n%s", says, out)
		}
	}
	for name, size := range map[string]int{"new.fr": 100, "all.fr": 300} {
		if french, err := os.ReadFile(filepath.Join(dir, name)); err != nil || strings.Count(string(french), "\n") != size {
			t.Errorf("%s: %d lines, want %d; %v", name, strings.Count(string(french), "\n"), size, err)
		}
	}
	for _, name := range []string{"new.svg", "longer.svg"} {
		if picture, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(picture), "</svg>") {
			t.Errorf("%s: %d bytes, %v", name, len(picture), err)
		}
	}
}
