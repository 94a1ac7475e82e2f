package main

import (
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/kernels"
)

// shades are the cells of a heat map, for weights of 0 to 0.2, to 0.4 and so on.
var shades = [...]string{"· ", "░░", "▒▒", "▓▓", "██"}

// shade returns the cell of a weight.
func shade(weight float32) string {
	return shades[min(int(weight*float32(len(shades))), len(shades)-1)]
}

// heatMap draws the alignment of a translation: a row for each target word, a column for
// each source word, whose letters stand below each other. weights is target×source.
func heatMap(source, target []string, weights kernels.Matrix) string {
	var b strings.Builder
	margin := longest(target)
	height := longest(source)
	for line := range height {
		writeRow(&b, strings.Repeat(" ", margin), letters(source, height, line))
	}
	for i, word := range target {
		cells := make([]string, len(source))
		for j := range cells {
			cells[j] = shade(weights.Row(i)[j])
		}
		writeRow(&b, strings.Repeat(" ", margin-utf8.RuneCountInString(word))+word, cells)
	}
	return b.String()
}

// letters returns the cells of a line of the heading: words that stand upright and end on
// its last line.
func letters(words []string, height, line int) []string {
	cells := make([]string, len(words))
	for i, word := range words {
		letters := []rune(word)
		cells[i] = "  "
		if at := line - height + len(letters); at >= 0 {
			cells[i] = string(letters[at]) + " "
		}
	}
	return cells
}

// writeRow writes a line of a heat map.
func writeRow(b *strings.Builder, label string, cells []string) {
	b.WriteString(strings.TrimRight(label+"  "+strings.Join(cells, " "), " ") + "\n")
}

// longest returns the number of letters of the longest word.
func longest(words []string) int {
	n := 0
	for _, word := range words {
		n = max(n, utf8.RuneCountInString(word))
	}
	return n
}
