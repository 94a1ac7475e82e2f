package translation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// warnings are those about an input: lines or, of a document, sentences.
type warnings struct {
	*Translator
	at    func(number int, err error) error // adds the name of the input and the number of the line to an error
	whole bool                              // the model reads words, not segments

	bad, long, several, foreign, loops, lost, unsure, words terminal.Warnings
}

// newWarnings returns warnings about what the noun names. What becomes of what cannot be used is the caller's to say.
func (t *Translator) newWarnings(m *meter, noun string, at func(number int, err error) error) warnings {
	const poor = "expect a poor translation"
	about := func(treatment string) terminal.Warnings {
		return terminal.Warnings{W: m, Treatment: treatment, Noun: noun}
	}
	return warnings{
		Translator: t, at: at, whole: t.Model.SourceText.Settings().Codes == nil,
		bad: about(""), long: about(poor), several: about("expect that some are lost"), words: about(poor),
		foreign: about("left as it is"), loops: about(LoopTreatment), lost: about("see --max-length"), unsure: about("read it with care"),
	}
}

// close sums up the warnings about what has been translated.
func (w *warnings) close(name string) {
	for _, list := range []*terminal.Warnings{&w.long, &w.several, &w.foreign, &w.loops, &w.lost, &w.unsure, &w.words} {
		list.Close(name)
	}
}

// addLine warns about a line before its translation.
func (w *warnings) addLine(line files.Line, sentences []Sentence) {
	if line.Bad != nil {
		w.bad.Add(w.at(line.Number, line.Bad))
	}
	if err := w.CheckSentences(line); err != nil {
		w.several.Add(w.at(line.Number, err))
	}
	w.addSentences(line.Number, sentences)
}

// addSentences warns about the good sentences of a line, those that the model has not learned to translate.
func (w *warnings) addSentences(number int, sentences []Sentence) {
	const factor = 2 // a model that has learned from such lengths has about twice the BLEU here
	longest := 0
	for _, s := range sentences {
		longest = max(longest, len(s.Words))
		if looks := s.Other(); looks != "" {
			if looks == "und" {
				looks = "another language"
			}
			list := &w.foreign
			if !s.Foreign {
				list = &w.words
			}
			list.Add(w.at(number, fmt.Errorf("looks like %s; the model reads %s", looks, s.Model.SourceText.Language())))
		}
		if w.whole {
			w.addUnknown(number, s)
		}
	}
	if longest > factor*w.learned {
		w.long.Add(w.at(number, fmt.Errorf("%w: %d words, the model has learned from at most %d", ErrTooLong, longest, w.learned)))
	}
}

// addTranslation warns about the best translation of a sentence. A line has a warning of each kind for its first one.
func (w *warnings) addTranslation(s Sentence, best decode.Translation, warned map[error]int) {
	for _, one := range []struct {
		list *terminal.Warnings
		has  bool
		err  error
	}{
		{&w.loops, best.Trimmed, ErrLoop},
		{&w.lost, len(s.Spans) > 0 && s.Written(best, false).Lost > 0, errLost},
		{&w.unsure, best.Unsure, errUnsure},
	} {
		if one.has && warned[one.err] != s.Number {
			warned[one.err] = s.Number
			one.list.AddAt(s.Number, w.at(s.Number, one.err))
		}
	}
}

var (
	errLost   = errors.New("the translation lacks a number, name or code")
	errUnsure = errors.New("the model is unsure of the translation")
)

// addUnknown warns about a sentence if the model does not know most of its words.
func (w *warnings) addUnknown(number int, s Sentence) {
	const shown = 5
	n := 0
	for _, id := range s.Search.Source {
		if id == text.UNK {
			n++
		}
	}
	if 2*n <= len(s.Words) {
		return
	}
	var unknown []string
	for i, word := range s.Words {
		if s.Search.Source[i] == text.UNK && len(unknown) < shown {
			unknown = append(unknown, word)
		}
	}
	more := ""
	if n > shown {
		more = ", …"
	}
	w.words.Add(w.at(number, fmt.Errorf("the model knows %d of %s, not %s%s",
		len(s.Words)-n, terminal.Plural(len(s.Words), "word"), strings.Join(unknown, ", "), more)))
}
