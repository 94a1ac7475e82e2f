package alignment

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

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
	if got := "\n" + reordering.HeatMap(80); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

// TestHeatMapHostile has words with escape sequences for a terminal.
func TestHeatMapHostile(t *testing.T) {
	a := AttentionMap{Source: []string{"\x1b[2J"}, Target: []string{"a\u009b"}, Weights: kernels.View([]float32{1}, 1, 1)}
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
	if got := "\n" + a.HeatMap(80); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

// TestHeatMapNarrow has fewer and fewer columns of text for the same alignment.
func TestHeatMapNarrow(t *testing.T) {
	const two = `
             <
       t r c /
       h e a s
       e d r >
   l'  █ · · ·
  été  · ░ ▓ ·
rouge  · █ ░ ·
 </s>  · · ▒ ▒
`
	const one = `
         <
      trc/
      heas
      edr>
  l'  █···
 été  ·░▓·
rou…  ·█░·
</s>  ··▒▒
`
	const blocks = `
    tr
    he
    ed
l'  █·
é…  ·░
r…  ·█
<…  ··

     <
    c/
    as
    r>
l'  ··
é…  ▓·
r…  ░·
<…  ▒▒
`
	for columns, want := range map[int]string{18: two, 15: two, 13: one, 6: blocks} {
		if got := "\n" + reordering.HeatMap(columns); got != want {
			t.Errorf("%d columns: got%s\nwant%s", columns, got, want)
		}
	}
}

// TestHeatMapFits checks the width of maps of words of every kind of letter, and that each has every cell
// once.
func TestHeatMapFits(t *testing.T) {
	for _, word := range []string{"a", "Donaudampfschifffahrtsgesellschaft", "e\u0301te\u0301", "日本語", "語"} {
		for n := 0; n < 90; n += 8 {
			words := slices.Repeat([]string{word}, n)
			weights := kernels.NewMatrix(n, n)
			for i := range weights.Data {
				weights.Data[i] = 1
			}
			for _, columns := range []int{13, 20, 60, 80, 120} {
				text := AttentionMap{Source: words, Target: words, Weights: weights}.HeatMap(columns)
				for line := range strings.Lines(text) {
					if got := terminal.Width(strings.TrimSuffix(line, "\n")); got > columns {
						t.Fatalf("%d words like %s: %d columns, want at most %d\n%s", n, word, got, columns, text)
					}
				}
				shades := strings.Count(text, "█")
				if shades != n*n && shades != 2*n*n {
					t.Fatalf("%d words like %s in %d columns: %d shades, want one or two for each of %d cells", n, word, columns, shades, n*n)
				}
			}
		}
	}
}

// TestHeatMapWide has characters of two columns, whose cells have at least two.
func TestHeatMapWide(t *testing.T) {
	a := AttentionMap{Source: []string{"赤い", "e\u0301"}, Target: []string{"rouge", "車"}, Weights: kernels.View([]float32{1, 0, 0.5, 0.5}, 2, 2)}
	const wide = `
       赤
       い é
rouge  ██ ·
   車  ▒▒ ▒▒
`
	const narrow = `
     赤
     いe\u0301
ro…  █ ·
 車  ▒ ▒
`
	for columns, want := range map[int]string{15: wide, 9: narrow} {
		if got := "\n" + a.HeatMap(columns); got != strings.ReplaceAll(want, `\u0301`, "\u0301") {
			t.Errorf("%d columns: got%s\nwant%s", columns, got, want)
		}
	}
}

func TestShade(t *testing.T) {
	for weight, want := range map[float32]string{0: "·  ", 0.19: "·  ", 0.21: "░░ ", 0.5: "▒▒ ", 0.79: "▓▓ ", 0.81: "██ ", 1: "██ "} {
		if got := shade(weight, 3); got != want {
			t.Errorf("shade(%v) = %q, want %q", weight, got, want)
		}
	}
}
