package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFigureFile draws over existing files: only --overwrite may, and only over a picture.
func TestFigureFile(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	log, notes := put("train.log", trainedLog), put("notes.txt", "<b>notes</b>\n")
	svg, image := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.png")
	empty := put("empty", "")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("train.log", link); err != nil {
		t.Skip(err)
	}
	same := func(t *testing.T, path, want string) {
		t.Helper()
		if got := contents(t, path); got != want {
			t.Errorf("%s has changed to %.80q", path, got)
		}
	}
	draw := func(format, path string, more ...string) (stderr string, code int) {
		_, stderr, code = execute("", append([]string{"plot", log, "--format", format, "--output", path}, more...)...)
		return stderr, code
	}
	for path, format := range map[string]string{svg: "svg", image: "png"} {
		if stderr, code := draw(format, path); code != 0 {
			t.Fatal(stderr)
		}
	}
	for _, test := range []struct {
		path, more, want string
	}{
		{svg, "", "exists already, expected a new file or --overwrite"},
		{notes, "", "exists already and is not an SVG or PNG picture, expected a new file"},
		{notes, "--overwrite", "is not an SVG or PNG picture, and --overwrite replaces only SVG and PNG pictures"},
		{empty, "--overwrite", "is not an SVG or PNG picture, and --overwrite replaces only SVG and PNG pictures"},
		{log, "", "is an input, expected another file"},
		{log, "--overwrite", "is an input, expected another file"},
		{link, "--overwrite", "is an input, expected another file"},
		{dir, "--overwrite", "is a folder, expected a file"},
	} {
		before, _ := os.ReadFile(test.path)
		stderr, code := draw("svg", test.path, strings.Fields(test.more)...)
		if want := "rnnsearch: --output " + test.path + ": " + test.want + "\n"; code != 1 || stderr != want {
			t.Errorf("exit code %d, got %swant %s", code, stderr, want)
		}
		if after, _ := os.ReadFile(test.path); string(after) != string(before) {
			t.Errorf("%s has changed to %.80q", test.path, after)
		}
	}
	drawn, picture := contents(t, svg), contents(t, image)
	for _, path := range []string{svg, image} { // a picture may replace one of the other format
		if stderr, code := draw("svg", path, "--overwrite"); code != 0 {
			t.Error(stderr)
		}
		same(t, path, drawn)
	}
	if stderr, code := draw("png", svg, "--overwrite"); code != 0 {
		t.Error(stderr)
	}
	same(t, svg, picture)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestClosedOutput closes standard output, or sends it to the null device or to a full one. A training goes on
// without its log, and ends with an error if it had one.
func TestClosedOutput(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	model, text, log := saved(t, tinyModel(t)), write(t, "text", "a dog"), write(t, "log", trainedLog)
	pairs := []string{"--model", model, "--source", text, "--target", text}
	training := trainArgs(t, t.TempDir(), "--epochs", "1")
	for _, args := range [][]string{
		{"--version"}, {"completion", "bash"}, {"info", "--model", model}, {"bleu", "--reference", text}, {"plot", log},
		{"translate", "--model", model}, {"translate", "--model", model, "--input", text}, append([]string{"score"}, pairs...),
		append([]string{"align"}, pairs...), append([]string{"quantize"}, pairs...), training,
	} {
		for redirection, want := range map[string]string{">&-": "closed", "> /dev/null": "", "> /dev/full": "no space"} {
			if _, err := os.Stat("/dev/full"); err != nil && want == "no space" {
				continue
			}
			if args[0] == "train" && redirection == ">&-" {
				want = ""
			}
			c := command(t, args...)
			c.Args = append([]string{shell, "-c", `exec "$0" "$@" ` + redirection}, c.Args...)
			c.Path, c.Stdin = shell, strings.NewReader("a dog\n")
			stderr, err := c.CombinedOutput()
			code := c.ProcessState.ExitCode()
			if code != min(len(want), 1) || !strings.Contains(string(stderr), want) {
				t.Errorf("%s %s: %v, %s", args, redirection, err, stderr)
			}
		}
	}
}

// TestNoLock writes files that cannot be locked, as on a file system without locks.
func TestNoLock(t *testing.T) {
	model, text, log := saved(t, tinyModel(t)), write(t, "text", "a dog"), write(t, "log", trainedLog)
	train := func(flag string) []string { return trainArgs(t, t.TempDir(), "--epochs", "1", flag, "DIR/out") }
	for _, args := range [][]string{
		{"translate", "--model", model, "--input", text, "--output", "DIR/out"},
		{"translate", "--model", model, "--input", text, "--output", "DIR/out", "--resume"},
		{"score", "--model", model, "--source", text, "--target", text, "--output", "DIR/out"},
		{"quantize", "--model", model, "--output", "DIR/out"},
		{"plot", log, "--output", "DIR/out"},
		train("--model"), train("--checkpoint"), train("--cache"),
	} {
		dir := t.TempDir()
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "DIR", dir)
		}
		const foreign = "foreign"
		if err := os.WriteFile(dir+"/out.lock", []byte(foreign), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := execute("", args...); code != 1 || !strings.Contains(stderr, dir+"/out: cannot be locked: ") {
			t.Errorf("%s: exit code %d, standard error %s", args, code, stderr)
		}
		wantFiles(t, dir, "out.lock")
		if _, stderr, code := execute("", append(args, "--no-lock")...); code != 0 {
			t.Errorf("%s: exit code %d, standard error %s", args, code, stderr)
		}
		if names := entries(t, dir); !slices.Contains(names, "out") || contents(t, dir+"/out.lock") != foreign {
			t.Errorf("%s: files %q", args, names)
		}
	}
}
