package main

import (
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// reordering is the alignment of "the red car" with a French translation.
var reordering = alignment{
	source: []string{"the", "red", "car", "</s>"},
	target: []string{"l'", "été", "rouge", "</s>"},
	weights: kernels.View([]float32{
		1, 0, 0, 0,
		0.1, 0.25, 0.65, 0,
		0, 0.8, 0.2, 0,
		0, 0, 0.5, 0.5,
	}, 4, 4),
}

func TestHeatMap(t *testing.T) {
	const want = `
                <
       t  r  c  /
       h  e  a  s
       e  d  r  >
   l'  ██ ·  ·  ·
  été  ·  ░░ ▓▓ ·
rouge  ·  ██ ░░ ·
 </s>  ·  ·  ▒▒ ▒▒
`
	if got := "\n" + reordering.String(); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

func TestShade(t *testing.T) {
	for weight, want := range map[float32]string{0: "· ", 0.19: "· ", 0.21: "░░", 0.5: "▒▒", 0.79: "▓▓", 0.81: "██", 1: "██"} {
		if got := shade(weight); got != want {
			t.Errorf("shade(%v) = %q, want %q", weight, got, want)
		}
	}
}

func TestStepsBack(t *testing.T) {
	// The one step back is from "été" to "rouge".
	if got, want := reordering.stepsBack(), float32(0.65)*0.8; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
