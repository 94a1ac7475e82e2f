package main

import (
	"bufio"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A corpus is the text of an experiment. The training and validation text has sentences of all
// lengths, and the test has about equally many of each length.
type corpus struct{ train, valid, test []text.Pair }

// Sizes of the built-in corpus in pairs.
const (
	builtInTrain   = 60_000
	builtInValid   = 500
	builtInPool    = 20_000 // held out for validation and test
	testsPerBucket = 100    // test sentences of each range of lengths
)

// builtIn returns generated sentences. The test has the first held-out sentences of each range of
// lengths, and so as many long ones as short ones.
func builtIn() *corpus {
	train, heldOut := grammar.Pairs(1, builtInTrain, builtInPool)
	c := &corpus{train: train, valid: heldOut[:builtInValid]}
	pool := heldOut[builtInValid:]
	var selected []int
	for _, b := range bucketsOf(pool) {
		selected = append(selected, b.Sentences[:min(testsPerBucket, len(b.Sentences))]...)
	}
	slices.Sort(selected)
	for _, i := range selected {
		c.test = append(c.test, pool[i])
	}
	return c
}

// Ranges of lengths: 1 to 10 words, 11 to 20 and so on, and above 70.
const (
	bucketWidth = 10
	bucketLimit = 70
)

// bucketsOf groups pairs by the length of the source.
func bucketsOf(pairs []text.Pair) []bleu.Bucket {
	lengths := make([]int, len(pairs))
	for i, p := range pairs {
		lengths[i] = len(p.Source)
	}
	return bleu.ByLength(lengths, bucketWidth, bucketLimit)
}

// joined returns the text of parallel files for training, validation and test, which may be
// compressed, in which up to maxJoin consecutive sentences are joined into one. The pipelines tokenize
// each side. For training and validation, a text begins at every sentence and has 1, 2, …, maxJoin
// sentences in turn. The test has equally many texts of each number from 1 to maxJoin+2.
func joined(names [3][2]string, side [2]pipeline.Pipeline, maxJoin int) (*corpus, error) {
	var parts [3][]text.Pair
	for i, n := range names {
		var err error
		if parts[i], err = readPairs(n, side); err != nil {
			return nil, err
		}
	}
	return &corpus{joinInTurn(parts[0], maxJoin), joinInTurn(parts[1], maxJoin), joinEqually(parts[2], maxJoin)}, nil
}

func readPairs(names [2]string, side [2]pipeline.Pipeline) ([]text.Pair, error) {
	source, err := files.Open(names[0])
	if err != nil {
		return nil, err
	}
	defer source.Close()
	target, err := files.Open(names[1])
	if err != nil {
		return nil, err
	}
	defer target.Close()
	return text.ParallelReader{
		Source: source, Target: target, SourceName: names[0], TargetName: names[1],
		SplitSource: side[0].Tokenize, SplitTarget: side[1].Tokenize, Strict: true,
	}.Read()
}

// joinInTurn joins 1, 2, …, maxJoin pairs in turn, beginning with each pair.
func joinInTurn(pairs []text.Pair, maxJoin int) []text.Pair {
	var list []text.Pair
	for i := range pairs {
		if n := 1 + i%maxJoin; i+n <= len(pairs) {
			list = append(list, join(pairs[i:i+n]))
		}
	}
	return list
}

// joinEqually returns equally many texts of n pairs for each n from 1 to maxJoin+2. Texts of the same
// n do not overlap. If maxJoin is 1, it returns pairs.
func joinEqually(pairs []text.Pair, maxJoin int) []text.Pair {
	if maxJoin == 1 {
		return pairs
	}
	longest := maxJoin + 2
	var list []text.Pair
	for n := 1; n <= longest; n++ {
		for i := range len(pairs) / longest {
			list = append(list, join(pairs[i*n:(i+1)*n]))
		}
	}
	return list
}

func join(pairs []text.Pair) text.Pair {
	var all text.Pair
	for _, p := range pairs {
		all.Source = append(all.Source, p.Source...)
		all.Target = append(all.Target, p.Target...)
	}
	return all
}

// write writes the text to a folder, for rnnsearch: to train-LIMIT the training sentences of each
// system, to valid those for validation, to test those of the test.
func (c *corpus) write(folder string, systems []system) error {
	errs := []error{writePairs(folder, "valid", c.valid), writePairs(folder, "test", c.test)}
	for _, s := range systems {
		kept, _ := text.LimitLength(c.train, s.Limit)
		errs = append(errs, writePairs(folder, s.text(), kept))
	}
	return errors.Join(errs...)
}

// writePairs writes the sentences of pairs to NAME.source and NAME.target.
func writePairs(folder, name string, pairs []text.Pair) error {
	path := filepath.Join(folder, name)
	return errors.Join(
		writeSentences(path+".source", text.Sources(pairs)),
		writeSentences(path+".target", text.Targets(pairs)),
	)
}

func writeSentences(path string, sentences iter.Seq[[]string]) error {
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
