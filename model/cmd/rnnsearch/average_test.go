package main

import (
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// TestTrainAverage: the model that is measured and kept has the averaged weights, and the training
// goes on with others.
func TestTrainAverage(t *testing.T) {
	dir := t.TempDir()
	out := trained(t, trainArgs(t, dir, "--average", "0.9", "--epochs", "1", "--log", "json"))
	m, err := model.Open(dir + "/m")
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(dir + "/m.checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"weights.average": true, "weights": false} {
		part, ok := f.Tensor(name)
		if !ok || slices.Equal(part.Data, m.Parameters.Values) != want {
			t.Errorf("the checkpoint has %s: %t, and they should be those of the model file: %t", name, ok, want)
		}
	}
	_, heldOut := grammar.Pairs(1, 60, 10)
	v, err := newValidator(kernels.Best(), m, heldOut, 1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := v.loss(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range parse(t, out) {
		if got := r["validation_loss"]; r["event"] == trainlog.EventValidation && got != want {
			t.Errorf("validation loss %v, want that of the model file: %v", got, want)
		}
	}
}
