package alignment

import (
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// HeatMap returns a heat map of characters: a row for each target word and a column for each source word,
// which reads downwards. So that it fits that many columns of text, cells get narrower, down to one
// character, and then it is divided into blocks of source words, one below the other.
func (a AttentionMap) HeatMap(columns int) string {
	const widest, gap = 3, 2 // columns of a cell, and between target words and cells
	target, margin := make([]string, len(a.Target)), 0
	for i, word := range a.Target {
		target[i] = terminal.Truncate(terminal.Quote(word), columns/3)
		margin = max(margin, terminal.Width(target[i]))
	}
	source, narrowest := make([][]string, len(a.Source)), 1
	for j, word := range a.Source {
		source[j] = letters(terminal.Quote(word))
		for _, letter := range source[j] {
			narrowest = max(narrowest, terminal.Width(letter))
		}
	}
	cell, room := widest, max(narrowest, columns-margin-gap)
	for cell > narrowest && len(source)*cell > room {
		cell--
	}
	var b strings.Builder
	cells := room / cell // in a line
	blocks := (len(source) + cells - 1) / cells
	for block := range blocks {
		if block > 0 {
			b.WriteByte('\n')
		}
		first, end := block*len(source)/blocks, (block+1)*len(source)/blocks
		writeHeading(&b, source[first:end], cell, margin+gap)
		for i, word := range target {
			line := strings.Repeat(" ", margin-terminal.Width(word)) + word + strings.Repeat(" ", gap)
			for _, weight := range a.Weights.Row(i)[first:end] {
				line += shade(weight, cell)
			}
			writeLine(&b, line)
		}
	}
	return b.String()
}

// letters divides a word into what stands in a line of a heading: a letter and its marks.
func letters(word string) (list []string) {
	for _, r := range word {
		if s := string(r); len(list) > 0 && terminal.Width(s) == 0 {
			list[len(list)-1] += s
		} else {
			list = append(list, s)
		}
	}
	return list
}

// writeHeading writes the lines of a heading, whose words are aligned at the bottom.
func writeHeading(b *strings.Builder, words [][]string, cell, indent int) {
	height := 0
	for _, word := range words {
		height = max(height, len(word))
	}
	for above := height; above > 0; above-- {
		line := strings.Repeat(" ", indent)
		for _, word := range words {
			letter := ""
			if above <= len(word) {
				letter = word[len(word)-above]
			}
			line += letter + strings.Repeat(" ", cell-terminal.Width(letter))
		}
		writeLine(b, line)
	}
}

// shade returns the cell of a weight: the range 0 to 1 has five equal steps.
func shade(weight float32, cell int) string {
	shades := [...]string{"·", "░", "▒", "▓", "█"}
	level := min(int(weight*float32(len(shades))), len(shades)-1)
	if level > 0 && cell > 2 {
		return strings.Repeat(shades[level], cell-1) + " "
	}
	return shades[level] + strings.Repeat(" ", cell-1)
}

func writeLine(b *strings.Builder, line string) {
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
