// Package quantization turns a float32 model into its int8 form, and measures what that costs. All of it
// is [Options.Run].
package quantization

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/translation"
)

// Options say which model to quantize, and on which text to compare the two forms.
type Options struct {
	Model               string // file
	Quiet               bool   // show warnings only
	translation.Scoring        // without files for no comparison
}

// Compares reports whether there is text to compare the two forms of the model with.
func (o Options) Compares() bool { return o.Source != "" || o.Target != "" }

// Run writes the int8 model to out, which appears last, unless that is standard output, and the
// comparison to stdout. Both are complete even if the error tells of bad pairs.
func (o Options) Run(ctx context.Context, out *files.Output, stdout, stderr io.Writer) error {
	began := time.Now()
	f, err := terminal.UntilInterrupted(ctx, o.openForms)
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
	if o.Compares() {
		if table, bad, err = o.Compare(ctx, f.float32, f.int8, stderr, o.Quiet); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if out.Path() != "" && !o.Quiet {
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
func (o Options) openForms() (forms, error) {
	open := files.ReadModel
	if o.Compares() {
		open = files.OpenModel
	}
	m, err := open(o.Model)
	if err != nil {
		return forms{}, err
	}
	if m.Config.Weights != model.Float32 {
		return forms{}, fmt.Errorf("%s: is %s already, expected a model of float32", o.Model, m.Config.Weights)
	}
	info, err := os.Stat(o.Model)
	if err != nil {
		return forms{}, err
	}
	q, err := m.Quantize()
	if err != nil {
		return forms{}, fmt.Errorf("%s: %w", o.Model, err)
	}
	return forms{m, q, info.Size()}, nil
}

type byteCounter int64

func (n *byteCounter) Write(p []byte) (int, error) {
	*n += byteCounter(len(p))
	return len(p), nil
}
