package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/safetensors"
)

// maxMessage bounds an error message about a file, without the path. A quoted piece has up to 80
// characters, of up to 10 bytes each.
const maxMessage = 2000

// longTexts are what somebody may put into a file.
var longTexts = map[string]string{
	"y":              strings.Repeat("y", 1<<13),
	"letters":        strings.Repeat("x", 1<<13),
	"digits":         strings.Repeat("7", 1<<13),
	"controls":       strings.Repeat("\x1b[2J\n", 1<<12),
	"wide":           strings.Repeat("é\U0001f600", 1<<13),
	"invisible":      strings.Repeat("\U000e0001", 1<<12),
	"words":          strings.Repeat("a b ", 1<<12),
	"JSON string":    `"` + strings.Repeat("y", 1<<13) + `"`,
	"JSON list":      `["</s>","<unk>","` + strings.Repeat("z", 1<<13) + `","` + strings.Repeat("z", 1<<13) + `"]`,
	"JSON unspecial": `["` + strings.Repeat("z", 1<<13) + `","` + strings.Repeat("u", 1<<13) + `","c"]`,
	"JSON spaces":    `["</s>","<unk>","` + strings.Repeat("a ", 1<<13) + `"]`,
	"JSON object":    `{"` + strings.Repeat("k", 1<<13) + `":1}`,
	"JSON fields":    `{"kind":"` + strings.Repeat("k", 1<<13) + `","order":"` + strings.Repeat("o", 1<<13) + `"}`,
	"JSON order":     `{"kind":"search","order":"` + strings.Repeat("\\u0001", 1<<13) + `"}`,
	"JSON number":    `{"kind":"search","hidden":` + strings.Repeat("9", 1<<13) + `}`,
	"JSON score":     `{"kind":"search","order":"update-first","source_vocab":3,"target_vocab":3,"embedding":1,"hidden":1,"alignment":1,"maxout":1,"score":"` + strings.Repeat("s", 1<<13) + `"}`,
	"JSON language":  `{"language":"` + strings.Repeat("l", 1<<13) + `"}`,
	"JSON codes":     `{"codes":"` + strings.Repeat("c", 1<<13) + `"}`,
	"JSON merges":    `{"codes":"#version: 0.2\n` + strings.Repeat("m", 1<<13) + `"}`,
	"JSON segments":  `{"segments":["` + strings.Repeat("s ", 1<<13) + `"]}`,
}

func checkMessage(t *testing.T, what string, err, is error) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("%s: got %.200v, want %v", what, err, is)
		return
	}
	message := err.Error()
	if len(message) > maxMessage || !utf8.ValidString(message) || strings.ContainsAny(message, "\x1b\n") {
		t.Errorf("%s: message of %d bytes: %.300q", what, len(message), message)
	}
}

// errorWithout returns err, which is about the file at path, without the path.
func errorWithout(err error, path string) error {
	if !strings.HasPrefix(err.Error(), path+": ") {
		return fmt.Errorf("no path: %w", err)
	}
	return errors.Unwrap(err)
}

// TestMessages puts long texts into every place of a model file and a checkpoint that an error
// quotes.
func TestMessages(t *testing.T) {
	path, trainer := filepath.Join(t.TempDir(), "checkpoint"), checkpointed(t, Hyperparameters{})
	if err := trainer.Save(path, ""); err != nil {
		t.Fatal(err)
	}
	for name, long := range longTexts {
		for _, key := range []string{keyFormat, keyConfig, keySource, keyTarget, keySourceText, keyTargetText, keyLongest} {
			f := contents(t, smallConfig)
			f.Metadata[key] = long
			_, err := Read(bytes.NewReader(encoded(t, f)))
			checkMessage(t, fmt.Sprintf("%s in %s", name, key), err, ErrFile)
		}
		f := contents(t, smallConfig)
		f.Tensors[3].Name = long
		_, err := Read(bytes.NewReader(encoded(t, f)))
		checkMessage(t, name+" as a name", err, ErrFile)

		for _, key := range []string{keyFormat, keyConfig, keyRecipe, keyUpdates, keyLongest, "name"} {
			f, err := safetensors.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if f.Metadata[key] = long; key == "name" {
				f.Tensors[1].Name = long
			}
			altered := filepath.Join(t.TempDir(), "altered")
			if err := safetensors.Save(altered, f); err != nil {
				t.Fatal(err)
			}
			_, err = trainer.Load(altered)
			checkMessage(t, fmt.Sprintf("checkpoint: %s in %s", name, key), err, ErrCheckpoint)
			if key == keyFormat {
				_, err = CheckpointNote(altered)
				checkMessage(t, "checkpoint's note: "+name, err, ErrCheckpoint)
			}
		}
	}
	f := contents(t, smallConfig)
	tensor := tensorOf(f, "output.b")
	for len(tensor.Shape) < 64 { // the most that a file may have
		tensor.Shape = append(tensor.Shape, 1)
	}
	_, err := Read(bytes.NewReader(encoded(t, f)))
	checkMessage(t, "dimensions", err, ErrFile)
	c := smallConfig
	for name, long := range longTexts {
		for _, change := range []func(){func() { c.Kind = Kind(long) }, func() { c.Order = Order(long) }, func() { c.AlignmentModel = AlignmentModel(long) }} {
			c = smallConfig
			change()
			checkMessage(t, "Config: "+name, c.Check(), ErrConfig)
		}
	}
}

// TestBrief keeps short messages, and what an error wraps.
func TestBrief(t *testing.T) {
	short := errors.New("short é")
	if got := (brief{short}).Error(); got != "short é" {
		t.Errorf("got %q", got)
	}
	inner := new(json.SyntaxError)
	long := brief{fmt.Errorf("%s: %w", strings.Repeat("é", 1000), inner)}
	if got := long.Error(); len(got) > 310 || !strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "é …") {
		t.Errorf("got %q", got)
	}
	if !errors.As(error(long), &inner) {
		t.Error("the error that a brief one wraps is lost")
	}
}
