package main

import (
	"os"
	"path/filepath"
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
