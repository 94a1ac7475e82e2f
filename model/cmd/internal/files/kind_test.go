package files

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/safetensors"
)

// TestKinds tells files apart by their content.
func TestKinds(t *testing.T) {
	tensors := func(format string) string {
		path := filepath.Join(t.TempDir(), "m")
		if err := safetensors.Save(path, &safetensors.File{Metadata: map[string]string{"format": format}}); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		path                       string
		model, checkpoint, picture bool
	}{
		{tensors("softsearch 1"), true, false, false},
		{tensors("softsearch checkpoint 1"), false, true, false},
		{tensors("pt"), false, false, false},
		{put(t, "text", []byte("<svg")), false, false, false},
		{put(t, "svg", []byte("<?xml version=\"1.0\"?>\n<!-- a -->\n<svg></svg>")), false, false, true},
		{put(t, "html", []byte("<html><svg></svg></html>")), false, false, false},
		{put(t, "late svg", []byte(strings.Repeat(" ", 1<<20)+"<svg></svg>")), false, false, false},
		{put(t, "empty", nil), false, false, false},
		{filepath.Join(t.TempDir(), "no"), false, false, false},
	} {
		if model, checkpoint, picture := Models.Is(test.path), Checkpoints.Is(test.path), Pictures.Is(test.path); model != test.model || checkpoint != test.checkpoint || picture != test.picture {
			t.Errorf("%s is a model: %t, a checkpoint: %t, a picture: %t", test.path, model, checkpoint, picture)
		}
	}
}

// TestText has files that --overwrite of a text may replace, and others.
func TestText(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "été\n": true, strings.Repeat("é", 100_000): true, "x" + strings.Repeat("é", 100_000): true,
		"x" + strings.Repeat("日", 30_000): true, "xx" + strings.Repeat("日", 30_000): true, "x" + strings.Repeat("😀", 30_000): true,
		"a\x00b": false, "\xe9t\xe9": false, strings.Repeat("é", 1000) + "\xff": false, strings.Repeat("x", 60_000) + strings.Repeat("\xff", 10_000): false,
	} {
		if got := Text.Is(put(t, "file", []byte(text))); got != want {
			t.Errorf("%.10q of %d bytes: got %t, want %t", text, len(text), got, want)
		}
	}
}
