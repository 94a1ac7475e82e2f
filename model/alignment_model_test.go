package model

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// TestAlignmentModelFile checks the weights of each alignment model in a file, and that the
// settings name it unless it is Additive. With the settings of another one, Read rejects the file.
func TestAlignmentModelFile(t *testing.T) {
	units, h := smallConfig.Alignment, smallConfig.Hidden
	want := map[AlignmentModel]map[string][]int{
		Additive: {"attention.Wa": {units, h}, "attention.Ua": {units, 2 * h}, "attention.va": {units}},
		General:  {"attention.Wa": {h, 2 * h}},
		Dot:      {},
	}
	for a := range want {
		f := contents(t, withAlignment(smallConfig, a))
		got := map[string][]int{}
		for _, tensor := range f.Tensors {
			if strings.HasPrefix(tensor.Name, "attention.") {
				got[tensor.Name] = tensor.Shape
			}
		}
		if !reflect.DeepEqual(got, want[a]) {
			t.Errorf("%q: got %v, want %v", a, got, want[a])
		}
		if named := strings.Contains(f.Metadata["config"], `"score":`); named != (a != Additive) {
			t.Errorf("%q: settings %s", a, f.Metadata["config"])
		}
		for other := range want {
			f.Metadata["config"] = configJSON(t, func(c *Config) { *c = withAlignment(*c, other) })
			_, err := Read(bytes.NewReader(encoded(t, f)))
			if other == a && err != nil {
				t.Errorf("%q: %v", a, err)
			}
			if other != a {
				checkError(t, "file of another alignment model", err, ErrFile, "tensor", "attention.", "shape")
			}
		}
	}
}

// TestAlignmentModelFileShape has a transposed matrix of General.
func TestAlignmentModelFileShape(t *testing.T) {
	f := contents(t, withAlignment(smallConfig, General))
	tensorOf(f, "attention.Wa").Shape = []int{26, 13}
	_, err := Read(bytes.NewReader(encoded(t, f)))
	checkError(t, "transposed", err, ErrFile, "attention.Wa", "[26 13]", "[13 26]")
}
