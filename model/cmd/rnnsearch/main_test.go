package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// asCommand is the environment variable that makes the test binary run as the command.
const asCommand = "RNNSEARCH_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// execute runs the command inside the test.
func execute(stdin string, args ...string) (stdout, stderr string, code int) {
	return executeContext(context.Background(), stdin, args...)
}

// executeContext runs the command inside the test. The end of ctx stands for a signal. stderr lacks the
// warnings about repetitions, of which translations by models after a few updates are full.
func executeContext(ctx context.Context, stdin string, args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = run(ctx, args, strings.NewReader(stdin), &out, &err)
	return out.String(), withoutLoops(err.String()), code
}

func withoutLoops(stderr string) string {
	return regexp.MustCompile(`(?m)^rnnsearch: warning: .*, repetitions left out\n`).ReplaceAllString(stderr, "")
}

// write writes lines to a file in a temporary folder and returns its path.
func write(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func tinyModel(t *testing.T) *model.Model { return fixture.TinyModel(t) }

// trainerOf returns a trainer of m with batches of 4 pairs.
func trainerOf(t *testing.T, m *model.Model, pairs []text.Pair, r model.Hyperparameters) *training.Trainer {
	t.Helper()
	examples := text.Examples(pairs, m.Source, m.Target)
	l, err := training.NewTrainer(m, text.NewBatcher(examples, 4, 1), model.CapacityOf(examples, 4), r, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// saved saves m to a temporary file and returns its path.
func saved(t *testing.T, m *model.Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := model.Save(path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

func quiet(string, string, int) terminal.Progress { return terminal.NoProgress{} }

// TestHelp checks that the help of each command has examples, and fits 80 columns for a program that
// is called rnnsearch.
func TestHelp(t *testing.T) {
	for _, c := range append(newRoot().Commands(), newRoot()) {
		args := []string{"--help"}
		if c.HasParent() {
			args = []string{c.Name(), "--help"}
		}
		stdout, stderr, code := execute("", args...)
		if code != 0 || stderr != "" || c.HasParent() && !strings.Contains(stdout, "Examples:\n  ") {
			t.Errorf("%s: exit code %d, standard error %q, output\n%s", args, code, stderr, stdout)
		}
		for line := range strings.Lines(strings.ReplaceAll(stdout, program(), "rnnsearch")) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s: %d columns: %s", args, n, line)
			}
		}
	}
}

// runScript runs shell commands in a folder, with this binary in place of name, and returns their
// output. It skips the test where there is no shell.
func runScript(t *testing.T, dir, script, name string) (string, error) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(shell, "-e", "-c", strings.ReplaceAll(script, name, "'"+binary+"'"))
	workspace, err := filepath.Abs("../../../go.work") // where site finds its program
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Env = dir, append(os.Environ(), asCommand+"=1", "GOWORK="+workspace)
	out, err := c.CombinedOutput()
	return string(out), err
}

// inShell returns a command that starts in a script of the shell, by exec "$0" "$@".
func inShell(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	c := command(t, args...)
	c.Path, c.Args = shell, append([]string{shell, "-c", script}, c.Args...)
	return c
}

// TestExamples runs the examples of --help, with this binary as the command: in full tests also the one that
// trains for seconds, and the one that compiles for WebAssembly.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // where later examples find the training of the first
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	for _, test := range []struct {
		name string
		want []string
	}{
		{"train", []string{"BLEU 100.00"}},
		{"translate", []string{
			"\nle chien mange dans la maison\nrnnsearch: translated 1500 lines, 9000 words in ",
			"\nle chat mange dans le jardin\n0 ||| le chien mange dans la maison ||| logprob= -0.",
		}},
		{"quantize", []string{"\n1500 pairs, 10500 target words; the largest change is in line ", "\nBLEU       100.00   100.00      +0.00 "}},
		{"bleu", []string{
			"BLEU = 74.19, 90.9/77.8/71.4/60.0 (BP=1.000, ratio=1.000, hyp_len=11, ref_len=11)\n",
			"\nBLEU 13a    24.61    74.19     +49.59 ",
		}},
		{"score", []string{"\n3 pairs, 21 target words: log p -"}},
		{"align", []string{`
  sept  ██ ·  ·  ·  ·
    un  ·  ██ ·  ·  ·
quatre  ·  ·  ██ ·  ·
  deux  ·  ·  ·  ██ ·
  </s>  ·  ·  ·  ·  ██
`}},
		{"aer", []string{"\nforward                 5      80.0    75.0    22.2     0.0    33.3\n", "\n0-0 2-1 1-2 2-2\n0-0 1-1\n"}},
		{"site", []string{"\nmodels.json\n", "\nen-fr.txt\n"}},
		{"info", []string{"\nsource words       10: </s> <unk> the in cat eats garden dog house sleeps\n"}},
		{"plot", nil},
		{"serve", []string{`{"translatedText":"le chien mange dans la maison"}`}},
	} {
		if !fixture.Full() && (test.name == "align" || test.name == "site") {
			continue
		}
		c, _, err := newRoot().Find([]string{test.name})
		if err != nil {
			t.Fatal(err)
		}
		out, err := runScript(t, dir, strings.NewReplacer("/tmp/", dir+"/", "127.0.0.1:8080", address).Replace(c.Example), runFromClone)
		if err != nil {
			t.Errorf("%s\nfailed with %v:\n%s", c.Example, err, out)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s\nprinted\n%s\nwithout %q", c.Example, out, want)
			}
		}
	}
}

// TestBrokenPipe closes the reading end of standard output before the command writes to it.
func TestBrokenPipe(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	c := exec.Command(binary, "bleu", "--reference", write(t, "reference", "a b c d"))
	c.Env = append(os.Environ(), asCommand+"=1")
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader("a b c d\n"), w, &stderr
	if err := c.Run(); err == nil {
		t.Error("exit code 0")
	}
	w.Close()
	if strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("standard error has a stack trace:\n%s", &stderr)
	}
}

func TestDescription(t *testing.T) {
	// Alignment matrices of one row, which memory pads to 16.
	padded, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: 3, TargetVocab: 3, Embedding: 1, Hidden: 200, Alignment: 1, Maxout: 1,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		model *model.Model
		want  string
	}{
		{tinyModel(t), "model: update-first, 0.01 million weights, on "},
		{padded, "model: update-first, 0.65 million weights, on "},
		{withoutAttention(t), "model: RNNencdec without attention, update-first, 0.01 million weights, on "},
	} {
		want := test.want + kernels.Best().String() + " kernels"
		if got := training.Description(test.model); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
