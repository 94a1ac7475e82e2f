package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

func TestLearnNotFinite(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[2] = float32(math.NaN())
	pairs, _ := grammar.Pairs(1, 10, 0)
	l, err := newTrainer(m, pairs, model.Recipe{}, 2, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	_, err = l.updates(t.Context(), 3, quiet("", "", 0))
	if !errors.Is(err, model.ErrNotFinite) || !strings.HasPrefix(err.Error(), "update 1: ") {
		t.Errorf("got %v, want update 1: %v", err, model.ErrNotFinite)
	}
}

func TestLearn(t *testing.T) {
	m := tinyModel(t)
	pairs, _ := grammar.Pairs(1, 10, 0)
	l, err := newTrainer(m, pairs, model.Recipe{}, 4, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for epoch := 1; epoch <= 2; epoch++ {
		got, err := l.updates(t.Context(), l.batcher.BatchesPerEpoch(), terminal.NoProgress{})
		if err != nil {
			t.Fatal(err)
		}
		if got.sentences != len(pairs) || l.Updates() != 3*epoch || got.loss <= 0 || got.time <= 0 {
			t.Errorf("epoch %d: %+v after %d updates", epoch, got, l.Updates())
		}
	}
}
