package translation

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// A Quantization turns a float32 model into its int8 form, and measures what that costs.
type Quantization struct {
	Model   string // file
	Quiet   bool   // show warnings only
	Scoring        // without files for no comparison
}

// Compares reports whether there is text to compare the two forms of the model with.
func (q Quantization) Compares() bool { return q.Source != "" || q.Target != "" }

// Run writes the int8 model to out, which appears last, unless that is standard output, and the
// comparison to stdout. Both are complete even if the error tells of bad pairs.
func (q Quantization) Run(ctx context.Context, out *files.Output, stdout, stderr io.Writer) error {
	began := time.Now()
	f, err := q.openForms()
	if err != nil {
		return err
	}
	var written byteCounter
	if out.Path() != "" {
		if err := model.Write(io.MultiWriter(out, &written), f.int8); err != nil {
			return err
		}
	}
	elapsed := time.Since(began)
	var table string
	var bad error
	if q.Compares() {
		if table, bad, err = q.compare(ctx, f, stderr); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if out.Path() != "" && !q.Quiet {
		fmt.Fprintf(stderr, "rnnsearch: quantized %d bytes to %d bytes, ratio %.3f, in %.1f s\n",
			f.size, written, float64(written)/float64(f.size), elapsed.Seconds())
	}
	if _, err := io.WriteString(stdout, table); err != nil {
		return err
	}
	return bad
}

// forms are a model with weights of float32 and its int8 form.
type forms struct {
	float32, int8 *model.Model
	size          int64 // of the file of the float32 model, in bytes
}

// openForms reads the float32 model, which must have vocabularies if text is to be scored, and
// quantizes it.
func (q Quantization) openForms() (forms, error) {
	open := models.ReadModel
	if q.Compares() {
		open = models.OpenModel
	}
	m, err := open(q.Model)
	if err != nil {
		return forms{}, err
	}
	if m.Config.Weights != model.Float32 {
		return forms{}, fmt.Errorf("%s: is %s already, expected a model of float32", q.Model, m.Config.Weights)
	}
	info, err := os.Stat(q.Model)
	if err != nil {
		return forms{}, err
	}
	int8, err := m.Quantize()
	if err != nil {
		return forms{}, fmt.Errorf("%s: %w", q.Model, err)
	}
	return forms{m, int8, info.Size()}, nil
}

type byteCounter int64

func (n *byteCounter) Write(p []byte) (int, error) {
	*n += byteCounter(len(p))
	return len(p), nil
}

// compare scores the pairs by both forms of a model. It returns a table, and in bad an error about the
// pairs that were left out.
func (q Quantization) compare(ctx context.Context, f forms, stderr io.Writer) (table string, bad, err error) {
	warnings := &terminal.Warnings{W: stderr, Treatment: "left out"}
	pairs, err := q.read(ctx, f.float32, warnings)
	if err != nil {
		return "", nil, err
	}
	start := func(title, unit string, total int) terminal.Progress { return terminal.NoProgress{} }
	if !q.Quiet {
		start = terminal.ProgressOn(stderr)
	}
	with := func(form string) terminal.Start {
		return func(title, unit string, total int) terminal.Progress { return start(title+" with "+form, unit, total) }
	}
	before, err := q.score(ctx, f.float32, pairs, warnings, with("float32"))
	if err != nil {
		return "", nil, err
	}
	for i, scored := range before {
		pairs[i].Bad = scored.Bad
	}
	after, err := q.score(ctx, f.int8, pairs, warnings, with("int8"))
	if err != nil {
		return "", nil, err
	}
	return comparison(before, after), warnings.Failure(q.Source+", "+q.Target, len(pairs)), nil
}

// comparison returns a table of the scores of the same pairs by the float32 and the int8 form of a
// model, empty if all pairs are bad in int8.
func comparison(float32, int8 []scoredPair) string {
	var before, after total
	line, largest := 0, -1.0
	for i, a := range int8 {
		if a.Bad != nil {
			continue
		}
		before.add(float32[i])
		after.add(a)
		if change := math.Abs(a.perWord() - float32[i].perWord()); change > largest {
			line, largest = i+1, change
		}
	}
	if after.pairs == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d target words; the largest change is in line %d\n", terminal.Plural(after.pairs, "pair"), before.words, line)
	fmt.Fprintf(&b, "%-10s%10s%10s%10s\n", "", "float32", "int8", "change")
	row := func(name string, before, after float64) {
		fmt.Fprintf(&b, "%-10s%10.5f%10.5f%+10.5f\n", name, before, after, after-before)
	}
	row("log p/word", before.perWord(), after.perWord())
	row(fmt.Sprintf("  line %d", line), float32[line-1].perWord(), int8[line-1].perWord())
	row("perplexity", before.perplexity(), after.perplexity())
	return b.String()
}

func (s scoredPair) perWord() float64 { return s.LogProb / float64(len(s.IDs)) }
