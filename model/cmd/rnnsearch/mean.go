package main

import "fmt"

// A mean is a sum and the number of its terms.
type mean struct{ Sum, Terms float64 }

// add adds the sum of so many terms.
func (m *mean) add(sum float64, terms int) {
	m.Sum += sum
	m.Terms += float64(terms)
}

// note adds the loss of a batch of so many words, lets what was added before count less, and
// returns the mean for progress.
func (m *mean) note(loss float64, words int) string {
	const fade = 0.98
	m.Sum *= fade
	m.Terms *= fade
	m.add(loss, words)
	return fmt.Sprintf("loss %.3f per word", m.value())
}

func (m *mean) value() float64 { return m.Sum / m.Terms }
