package model

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// TestScoreFile holds the weights of each alignment model in a file, and the settings, which
// name all but the additive one. With the settings of another no file is read.
func TestScoreFile(t *testing.T) {
	a, h := smallConfig.Alignment, smallConfig.Hidden
	want := map[AlignmentModel]map[string][]int{
		Additive: {"attention.Wa": {a, h}, "attention.Ua": {a, 2 * h}, "attention.va": {a}},
		General:  {"attention.Wa": {h, 2 * h}},
		Dot:      {},
	}
	for score := range want {
		f := contents(t, scored(smallConfig, score))
		got := map[string][]int{}
		for _, tensor := range f.Tensors {
			if strings.HasPrefix(tensor.Name, "attention.") {
				got[tensor.Name] = tensor.Shape
			}
		}
		if !reflect.DeepEqual(got, want[score]) {
			t.Errorf("score %q: got %v, want %v", score, got, want[score])
		}
		if named := strings.Contains(f.Metadata["config"], `"score":`); named != (score != Additive) {
			t.Errorf("score %q: settings %s", score, f.Metadata["config"])
		}
		for other := range want {
			f.Metadata["config"] = configJSON(t, func(c *Config) { *c = scored(*c, other) })
			_, err := Read(bytes.NewReader(encoded(t, f)))
			if other == score && err != nil {
				t.Errorf("score %q: %v", score, err)
			}
			if other != score {
				checkError(t, "file of another score", err, ErrFile, "parameters")
			}
		}
	}
}

// TestScoreFileShape refuses a general matrix that is transposed.
func TestScoreFileShape(t *testing.T) {
	f := contents(t, scored(smallConfig, General))
	tensorOf(f, "attention.Wa").Shape = []int{26, 13}
	_, err := Read(bytes.NewReader(encoded(t, f)))
	checkError(t, "transposed", err, ErrFile, "attention.Wa", "[26 13]", "[13 26]")
}
