package links

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model/score"
	"github.com/softsearch-go/softsearch/model/text"
)

// Counts give an alignment error rate (Och and Ney, 2003).
type Counts struct {
	Links    int // found
	Sure     int // by hand
	Correct  int // found links that are sure or possible
	Recalled int // sure links that were found
}

// Add counts the links of a sentence pair.
func (c *Counts) Add(found, gold Alignment) {
	c.Links += len(found.Sure)
	c.Sure += len(gold.Sure)
	for _, l := range found.Sure {
		if contains(gold.Sure, l) {
			c.Recalled++
			c.Correct++
		} else if contains(gold.Possible, l) {
			c.Correct++
		}
	}
}

// merge adds the counts of other sentence pairs.
func (c *Counts) merge(other Counts) {
	c.Links += other.Links
	c.Sure += other.Sure
	c.Correct += other.Correct
	c.Recalled += other.Recalled
}

// Precision returns the share of the links that are sure or possible, 1 if there are none.
func (c Counts) Precision() float64 { return share(c.Correct, c.Links) }

// Recall returns the share of the sure links that were found, 1 if there are none.
func (c Counts) Recall() float64 { return share(c.Recalled, c.Sure) }

// ErrorRate returns 1 - (|A∩S| + |A∩P|) / (|A| + |S|), where A are the links and P includes the sure links S.
func (c Counts) ErrorRate() float64 { return 1 - share(c.Recalled+c.Correct, c.Links+c.Sure) }

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// Options say which alignments to symmetrize and what to compare them with.
type Options struct {
	Forward, Backward string // files; the links of backward are turned. Backward may be empty
	Gold              string // file of alignments by hand
	Method            string // one of Methods: writes the alignments that it makes, instead of rates
}

// Run writes a table of rates, with the interval that holds 95 % of the bootstrap samples of the error rate, or the
// symmetrized alignments.
func (o Options) Run(ctx context.Context, stdout io.Writer) error {
	forward, err := read(ctx, o.Forward)
	if err != nil {
		return err
	}
	var backward, gold []Alignment
	for _, file := range []struct {
		path string
		list *[]Alignment
	}{{o.Backward, &backward}, {o.Gold, &gold}} {
		if file.path == "" {
			continue
		}
		if *file.list, err = read(ctx, file.path); err != nil {
			return err
		}
		if len(*file.list) != len(forward) {
			return fmt.Errorf("%w: %s has %d, %s has %d, expected the same", text.ErrLineCount, o.Forward, len(forward), file.path, len(*file.list))
		}
	}
	for i, a := range backward {
		backward[i] = a.reversed()
	}
	out := bufio.NewWriter(stdout)
	if o.Method != "" {
		for i := range forward {
			fmt.Fprintln(out, Symmetrize(o.Method, forward[i], backward[i]))
		}
		return out.Flush()
	}
	fmt.Fprintf(out, "%-17s %7s %9s %7s %7s %7s %7s\n", "alignment", "links", "precision", "recall", "AER", "low", "high")
	rate := func(name string, of func(i int) Alignment) {
		var all Counts
		pairs := make([]Counts, len(gold))
		for i := range gold {
			pairs[i].Add(of(i), gold[i])
			all.merge(pairs[i])
		}
		interval := score.Confidence(len(pairs), seed, func(sample []int) float64 {
			var c Counts
			for _, i := range sample {
				c.merge(pairs[i])
			}
			return 100 * c.ErrorRate()
		})
		fmt.Fprintf(out, "%-17s %7d %9.1f %7.1f %7.1f %7.1f %7.1f\n",
			name, all.Links, 100*all.Precision(), 100*all.Recall(), 100*all.ErrorRate(), interval.Low, interval.High)
	}
	rate("forward", func(i int) Alignment { return forward[i] })
	if backward != nil {
		rate("backward", func(i int) Alignment { return backward[i] })
		for _, method := range Methods {
			rate(method, func(i int) Alignment { return Symmetrize(method, forward[i], backward[i]) })
		}
	}
	return out.Flush()
}

// seed draws the bootstrap samples.
const seed = 1
