package main

import (
	"slices"
	"strconv"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

func TestHoldOut(t *testing.T) {
	for _, test := range []struct {
		pairs   int
		heldOut []int // the first ones
		number  int
	}{
		{10, []int{9}, 1}, {19, []int{9}, 1}, {25, []int{9, 19}, 2}, {10_000, []int{9, 19, 29}, 1000},
		{20_500, []int{19, 39, 59}, 1025}, {100_000, []int{99, 199}, 1000},
	} {
		var c corpus
		for i := range test.pairs {
			c.train = append(c.train, text.Pair{Source: []string{strconv.Itoa(i)}})
		}
		all := slices.Clone(c.train)
		if err := c.holdOut(); err != nil {
			t.Fatal(err)
		}
		if len(c.valid) != test.number || len(c.train)+len(c.valid) != len(all) {
			t.Errorf("%d pairs: %d held out, %d left, want %d", test.pairs, len(c.valid), len(c.train), test.number)
		}
		for i, want := range test.heldOut {
			if got := c.valid[i].Source[0]; got != strconv.Itoa(want) {
				t.Errorf("%d pairs: pair %s held out, want %d", test.pairs, got, want)
			}
		}
		for _, p := range c.valid {
			if slices.ContainsFunc(c.train[:min(500, len(c.train))], func(q text.Pair) bool { return q.Source[0] == p.Source[0] }) {
				t.Errorf("pair %s is held out and learned from", p.Source[0])
			}
		}
	}
}
