package translation

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// Formats returns the names that Options.Format can have.
func Formats() []string { return markup.Formats() }

// RunDocument translates the document in, which it closes, to out. Sentences that cannot be used stay, and the error
// tells of them.
func (t *Translator) RunDocument(ctx context.Context, in *files.Input, out *files.Output, c Console) error {
	defer in.Close()
	in.Limit(16 << 20)
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return fmt.Errorf("%s: %w", in.Name(), text.ErrUTF8)
	}
	m := newMeter(c, in.Size(), out.Path() != "")
	m.noun = "sentence"
	warn := t.newWarnings(m, m.noun, func(number int, err error) error {
		return fmt.Errorf("%s: sentence %d: %w", in.Name(), number, err)
	})
	warn.bad.Treatment = "left as it is"
	d := t.divide(strings.TrimPrefix(string(data), "\ufeff"), t.Model.SourceText)
	sentences := d.Sentences()
	var list []Sentence
	var best []decode.Translation
	translate := func(i int) {
		list = list[:0]
		for k, s := range sentences[i:min(i+t.window, len(sentences))] {
			s := t.Sentence(files.Line{Text: s, Number: i + k + 1})
			if list = append(list, s); s.Bad != nil {
				warn.bad.Add(warn.at(s.Number, s.Bad))
				continue
			}
			warn.addSentences(s.Number, list[k:])
		}
		best = make([]decode.Translation, len(list))
		m.begin()
		_, err = t.EachSentence(ctx, list, func(k int, translations []decode.Translation) {
			best[k] = translations[0]
			m.add(len(list[k].Words), in.Size()*int64(m.lines+1)/int64(len(sentences)))
		})
		for k, b := range best {
			if b.Trimmed {
				warn.loops.Add(warn.at(list[k].Number, ErrLoop))
			}
		}
	}
	whole := d.With(func(i int) markup.Translation {
		if i%t.window == 0 && err == nil {
			translate(i)
		}
		if k := i % t.window; err == nil && len(best[k].IDs) > 0 {
			return markup.Of(list[k].Sentence, best[k], t.replaceUNK)
		}
		return markup.Same(t.Model.SourceText, sentences[i])
	})
	m.stop()
	switch {
	case ctx.Err() != nil:
		return terminal.ErrInterrupted
	case err != nil:
		return fmt.Errorf("%s: %w", in.Name(), err)
	}
	if _, err := io.WriteString(out, whole); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	m.sumUp()
	warn.close(in.Name())
	if warn.bad.N > 0 {
		return fmt.Errorf("%s: %d of %s cannot be used: left as they are", in.Name(), warn.bad.N, terminal.Plural(len(sentences), "sentence"))
	}
	return nil
}
