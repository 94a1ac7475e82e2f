package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// reordering is an alignment of "the red car" with a French translation.
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
	if got := "\n" + reordering.heatMap(); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

// TestHeatMapHostile has words with escape sequences for a terminal.
func TestHeatMapHostile(t *testing.T) {
	a := alignment{source: []string{"\x1b[2J"}, target: []string{"a\u009b"}, weights: kernels.View([]float32{1}, 1, 1)}
	const want = `
         \
         x
         1
         b
         [
         2
         J
a\u009b  ██
`
	if got := "\n" + a.heatMap(); got != want {
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

// TestPharaoh has a target word with two equal weights and one aligned to the end of the source.
func TestPharaoh(t *testing.T) {
	a := reordering
	if got, want := a.pharaoh(), "0-0 2-1 1-2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.target = []string{"l'", "été", "rouge", "vif"} // without </s>
	a.weights = kernels.View([]float32{0, 0, 0, 1, 0.4, 0.4, 0.2, 0, 0, 0, 1, 0, 0.1, 0.6, 0.3, 0}, 4, 4)
	if got, want := a.pharaoh(), "0-1 2-2 1-3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// drawn returns the texts of an SVG and the fill colors of its paths, empty for the default.
func drawn(t *testing.T, svg string) (texts, fills []string) {
	t.Helper()
	inside := ""
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return texts, fills
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			if inside == "path" {
				fill := ""
				for _, a := range token.Attr {
					if a.Name.Local == "style" {
						_, fill, _ = strings.Cut(a.Value, "fill:")
					}
				}
				fills = append(fills, fill)
			}
		case xml.CharData:
			if inside == "text" {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			inside = ""
		}
	}
}
