package main

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// A corpus is the text of an experiment. Training and validation have sentences of all lengths;
// the test has about as many of each length.
type corpus struct{ train, valid, test []text.Pair }

// Sizes of the generated corpus.
const (
	builtInTrain  = 60_000
	builtInValid  = 500
	builtInBucket = 100    // test sentences of each range of lengths
	builtInPool   = 20_000 // held-out sentences that they are taken from
)

// builtIn returns generated sentences. Those of the test are the first of their length, so that
// there are as many long ones as short ones.
func builtIn() *corpus {
	train, heldOut := grammar.Pairs(1, builtInTrain, builtInPool)
	c := &corpus{train: train, valid: heldOut[:builtInValid]}
	taken := map[int]int{}
	for _, p := range heldOut[builtInValid:] {
		r := rangeOf(len(p.Source))
		if taken[r] < builtInBucket {
			taken[r]++
			c.test = append(c.test, p)
		}
	}
	return c
}

// joined returns the text of parallel files in which up to most neighbouring sentences make one:
// to learn from and for validation, 1 to most of them in turn, beginning with every sentence; for
// the test, 1 to most+2 of them, as many texts of each number.
func joined(train, valid, test [2]string, most int) (*corpus, error) {
	var c corpus
	for _, part := range []struct {
		pairs *[]text.Pair
		files [2]string
		join  func([]text.Pair, int) []text.Pair
	}{{&c.train, train, inTurn}, {&c.valid, valid, inTurn}, {&c.test, test, ofEach}} {
		pairs, err := text.ReadParallel(part.files[0], part.files[1])
		if err != nil {
			return nil, err
		}
		*part.pairs = part.join(pairs, most)
	}
	return &c, nil
}

// inTurn joins 1 to most pairs in turn, beginning with every pair.
func inTurn(pairs []text.Pair, most int) []text.Pair {
	var list []text.Pair
	for i := range pairs {
		if n := 1 + i%most; i+n <= len(pairs) {
			list = append(list, join(pairs[i:i+n]))
		}
	}
	return list
}

// ofEach joins n pairs for each n from 1 to most+2, without overlap and as many texts of each n.
// Where most is 1, nothing is joined.
func ofEach(pairs []text.Pair, most int) []text.Pair {
	if most == 1 {
		return pairs
	}
	longest := most + 2
	var list []text.Pair
	for n := 1; n <= longest; n++ {
		for i := range len(pairs) / longest {
			list = append(list, join(pairs[i*n:(i+1)*n]))
		}
	}
	return list
}

// join makes one pair of several.
func join(pairs []text.Pair) text.Pair {
	var all text.Pair
	for _, p := range pairs {
		all.Source = append(all.Source, p.Source...)
		all.Target = append(all.Target, p.Target...)
	}
	return all
}

// write writes what models learn from to files of a folder, which train reads.
func (c *corpus) write(folder string) error {
	return errors.Join(
		writePairs(folder, "train", c.train),
		writePairs(folder, "valid", c.valid),
	)
}

// writePairs writes the sentences of pairs to NAME.source and NAME.target.
func writePairs(folder, name string, pairs []text.Pair) error {
	path := filepath.Join(folder, name)
	return errors.Join(
		writeSentences(path+".source", text.Sources(pairs)),
		writeSentences(path+".target", text.Targets(pairs)),
	)
}

// writeSentences writes a sentence a line.
func writeSentences(path string, sentences func(yield func([]string) bool)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for words := range sentences {
		w.WriteString(strings.Join(words, " ") + "\n")
	}
	return errors.Join(w.Flush(), f.Close())
}
