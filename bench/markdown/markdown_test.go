package markdown

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func document(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestUpdate(t *testing.T) {
	const text = "# Title\n\n<!-- x:one -->\nold\n<!-- /x -->\n<!-- y:one --><!-- /y -->\n<!-- x:two a b --><!-- /x -->\nend"
	const want = "# Title\n\n<!-- x:one -->\none of \n<!-- /x -->\n<!-- y:one --><!-- /y -->\n<!-- x:two a b -->\ntwo of a b\n<!-- /x -->\nend"
	file := document(t, text)
	content := func(table, argument string) (string, error) { return table + " of " + argument + "\n", nil }
	if err := Update(file, "x", true, content); err == nil || !strings.Contains(err.Error(), "is not what the results give") {
		t.Errorf("check of an old document: %v", err)
	}
	for _, check := range []bool{false, false, true} {
		if err := Update(file, "x", check, content); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("document %q, %v, want %q", got, err, want)
		}
	}
}

func TestUpdateErrors(t *testing.T) {
	content := func(table, _ string) (string, error) {
		if table == "none" {
			return "", errors.New(`no table "none"`)
		}
		return "\n", nil
	}
	for text, message := range map[string]string{
		"<!-- x:none --><!-- /x -->":                `no table "none"`,
		"<!-- x:one -->":                            `"one" has no end`,
		"<!-- x:one --><!-- x:two --><!-- /x -->":   `"one" has no end`,
		"<!-- x:one\nmore":                          `"one" has no end`,
		"<!-- x:one --><!-- /x --><!-- x:two -->\n": `"two" has no end`,
	} {
		file := document(t, text)
		if err := Update(file, "x", false, content); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: error %v, want %q", text, err, message)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%q was changed to %q, %v", text, got, err)
		}
	}
	if err := Update(filepath.Join(t.TempDir(), "none.md"), "x", false, content); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no document: %v", err)
	}
}

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.md")
	if err := Write(file, "text", true); err == nil {
		t.Error("check accepts a file that is not there")
	}
	if err := errors.Join(Write(file, "text", false), Write(file, "text", true)); err != nil {
		t.Error(err)
	}
}
