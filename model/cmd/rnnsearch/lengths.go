package main

import (
	"fmt"
	"strings"
)

const (
	lengthStep = 10 // words from one row of the table to the next
	longRow    = 6  // the row of all sentences of more than 60 words
)

// lengthTable scores the sentences by the number of words in the same lines of a file.
func lengthTable(system *judgement, measured sentenceFile) string {
	var rows [longRow + 1][]int
	for i, words := range measured.sentences {
		row := min((len(words)-1)/lengthStep, longRow)
		rows[row] = append(rows[row], i)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nby words in %s:\n%-8s %9s", measured.name, "words", "sentences")
	measures := system.measures()
	for _, m := range measures {
		fmt.Fprintf(&b, " %8s", m.name)
	}
	b.WriteByte('\n')
	for row, sentences := range rows {
		if len(sentences) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-8s %9d", rowName(row), len(sentences))
		for _, m := range measures {
			fmt.Fprintf(&b, " %8.2f", m.score(sentences))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// rowName returns the numbers of words that a row is for.
func rowName(row int) string {
	if row == longRow {
		return fmt.Sprintf("%d+", row*lengthStep+1)
	}
	return fmt.Sprintf("%d-%d", row*lengthStep+1, (row+1)*lengthStep)
}
