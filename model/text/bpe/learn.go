package bpe

import "fmt"

// Learn returns at most the given number of merges, each of the pair of neighbouring symbols
// that is the most frequent one in the words after the merges before it. Of pairs of equal
// frequency, the one whose left symbol, then whose right symbol, is the last in the order
// of the bytes comes first. There are fewer merges if no pair is left that occurs
// minFrequency times; subword-nmt's default is 2.
//
// It is an error if merges is negative, if minFrequency is below 1, if a word is empty, has
// a space, CR or LF, or a frequency below 1, or if the frequencies are so large that counts
// would overflow.
func Learn(f Frequencies, merges, minFrequency int) (Codes, error) {
	if merges < 0 || minFrequency < 1 {
		return nil, fmt.Errorf("bpe: %d merges of frequency %d: expected at least 0 of at least 1", merges, minFrequency)
	}
	l, err := newLearner(f)
	if err != nil {
		return nil, err
	}
	var codes Codes
	for len(codes) < merges && len(l.pairs.queue) > 0 {
		best := l.pairs.queue[0]
		if best.frequency < int64(minFrequency) {
			break
		}
		codes = append(codes, best.Merge)
		l.merge(best)
	}
	return codes, nil
}
