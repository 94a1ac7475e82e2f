package translation

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// Formats returns the names that Options.Format can have.
func Formats() []string { return markup.Formats() }

// RunDocument translates the document in, which it closes, to out, paragraph by paragraph. It continues what an earlier
// process has written to out. Sentences that cannot be used stay, and the error tells of them.
func (t *Translator) RunDocument(ctx context.Context, in *files.Input, out *files.Output, c Console) error {
	r := t.newRun(in, out, newMeter(c, in.Size(), out.Path() != ""), false)
	r.noun, r.meter.noun, r.read = "paragraph", "sentence", r.readDocument
	r.warn = t.newWarnings(r.meter, r.meter.noun, func(number int, err error) error {
		return fmt.Errorf("%s: sentence %d: %w", in.Name(), number, err)
	})
	r.warn.bad.Treatment = "left untranslated"
	r.announce(c)
	return r.run(ctx)
}

// maxPart bounds the bytes of the input of which a paragraph consists or, of Markdown, the whole.
const maxPart = 16 << 20

// readDocument sends the paragraphs of the input, each as a line with its sentences.
func (t *translation) readDocument(send func(batch) error) error {
	t.in.Limit(maxPart)
	in := bufio.NewReader(transform.NewReader(t.in, encoding.UTF8Validator))
	if mark, _ := in.Peek(len("\ufeff")); string(mark) == "\ufeff" {
		in.Discard(len(mark))
	}
	var b batch
	n, number := 0, 0 // sentences of b and of all
	err := markup.Read(t.format, in, t.Model.SourceText, t.Model.TargetText.Language(), func(part *markup.Document) error {
		t.in.Limit(maxPart)
		line := batchLine{part: part}
		for _, s := range part.Sentences() {
			number++
			line.sentences = append(line.sentences, t.Sentence(files.Line{Text: s, Number: number}))
		}
		b.lines, b.to = append(b.lines, line), min(part.End, t.in.Offset())
		if n += len(line.sentences); n < t.window {
			return nil
		}
		whole := b
		b, n = batch{from: b.to}, 0
		return send(whole)
	})
	if err == encoding.ErrInvalidUTF8 {
		err = text.ErrUTF8
	}
	if err == text.ErrUTF8 || errors.Is(err, markup.ErrSyntax) {
		err = fmt.Errorf("%s: %w", t.name, err)
	}
	b.end = cmp.Or(err, io.EOF)
	return send(b)
}

// translated returns a paragraph with the translations of its sentences.
func (t *translation) translated(line batchLine, best [][]decode.Translation) string {
	return line.part.With(func(k int) markup.Translation {
		if list := best[k]; len(list) > 0 && len(list[0].IDs) > 0 {
			return markup.Of(line.sentences[k].Sentence, list[0], t.replaceUNK)
		}
		return markup.Translation{Text: line.sentences[k].Line} // which stays as it is
	})
}
