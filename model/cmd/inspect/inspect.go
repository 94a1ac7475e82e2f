// Package inspect describes model files. [Options.Content] reads one and returns its description, or a
// part of it as a file for other programs.
package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Options say what to return of which model.
type Options struct {
	Model      string // file
	Tensors    bool   // list the parameters
	Vocabulary string // Source or Target for a vocabulary instead of the description
	Codes      bool   // the merges of byte-pair encoding instead of the description
}

// Sides of a model.
const (
	Source = "source"
	Target = "target"
)

// Content returns what to print.
func (o Options) Content() ([]byte, error) {
	switch o.Vocabulary {
	case "", Source, Target:
	default:
		return nil, fmt.Errorf("--vocabulary %q: expected %s or %s", o.Vocabulary, Source, Target)
	}
	if o.Vocabulary == "" && !o.Codes {
		return describe(o.Model, o.Tensors)
	}
	m, err := model.Open(o.Model)
	if err != nil {
		return nil, notModel(o.Model, err)
	}
	if o.Codes {
		return codesOf(o.Model, m)
	}
	v := m.Source
	if o.Vocabulary == Target {
		v = m.Target
	}
	if v == nil {
		return nil, fmt.Errorf("%s: model without vocabularies", o.Model)
	}
	var b bytes.Buffer
	_, err = v.WriteTo(&b)
	return b.Bytes(), err
}

// codesOf returns the codes of the model at path as a file of subword-nmt.
func codesOf(path string, m *model.Model) ([]byte, error) {
	source, err := settingsOfText(m.SourceText)
	if err != nil {
		return nil, err
	}
	target, err := settingsOfText(m.TargetText)
	switch {
	case err != nil:
		return nil, err
	case source.Codes == "" && target.Codes == "":
		return nil, fmt.Errorf("%s: model without byte-pair encoding", path)
	case source.Codes != "" && target.Codes != "" && source.Codes != target.Codes:
		return nil, fmt.Errorf("%s: the codes of source and target differ, expected one list of merges", path)
	}
	return []byte(cmp.Or(source.Codes, target.Codes)), nil
}

func describe(path string, tensors bool) ([]byte, error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, notModel(path, err)
	}
	var b bytes.Buffer
	if files.Checkpoints.Is(path) {
		describeCheckpoint(&b, f)
	} else {
		m, err := model.Open(path)
		if err != nil {
			return nil, notModel(path, err)
		}
		if err := describeModel(&b, m); err != nil {
			return nil, err
		}
	}
	if err := describeFile(&b, path, f); err != nil {
		return nil, err
	}
	if tensors {
		listTensors(&b, parametersOf(f))
	}
	return b.Bytes(), nil
}

// notModel explains the error of opening a model: the file is not a model, unless err is about reading
// it.
func notModel(path string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	if explained := files.ExplainModel(path, err); explained != err {
		return explained
	}
	return fmt.Errorf("not a model: %w", err)
}

func describeCheckpoint(b *bytes.Buffer, f *safetensors.File) {
	writeField(b, "file", "training checkpoint, not a model")
	for _, key := range []string{"updates", "config", "recipe"} {
		writeField(b, key, "%s", f.Metadata[key])
	}
}

func writeField(b *bytes.Buffer, name, format string, values ...any) {
	fmt.Fprintf(b, "%-18s %s\n", name, terminal.Quote(fmt.Sprintf(format, values...)))
}

func describeModel(b *bytes.Buffer, m *model.Model) error {
	c := m.Config
	writeField(b, "file", "model")
	writeField(b, "kind", "%s", map[model.Kind]string{model.RNNsearch: "search (RNNsearch)", model.RNNencdec: "encdec (RNNencdec, without attention)"}[c.Kind])
	writeField(b, "decoder", "%s", c.Order)
	writeField(b, "embedding", "%d", c.Embedding)
	writeField(b, "hidden", "%d", c.Hidden)
	if c.Kind == model.RNNsearch {
		writeField(b, "alignment", "%d, %s", c.Alignment, cmp.Or(string(c.AlignmentModel), "additive"))
	}
	writeField(b, "maxout", "%d", c.Maxout)
	writeField(b, "weights", "%s", map[model.Precision]string{model.Float32: "float32", model.Int8: "int8 with a scale for each row, vectors float32"}[c.Weights])
	describeVocabulary(b, "source words", c.SourceVocab, m.Source)
	describeVocabulary(b, "target words", c.TargetVocab, m.Target)
	if err := describeText(b, "source text", m.SourceText); err != nil {
		return err
	}
	return describeText(b, "target text", m.TargetText)
}

func describeVocabulary(b *bytes.Buffer, name string, size int, v *text.Vocabulary) {
	const shown = 10
	if v == nil {
		writeField(b, name, "%d, as ids only", size)
		return
	}
	words, more := v.Words(), ""
	if len(words) > shown {
		words, more = words[:shown], " …"
	}
	writeField(b, name, "%d: %s%s", size, strings.Join(words, " "), more)
}

// describeText describes how a line of text becomes words.
func describeText(b *bytes.Buffer, name string, p pipeline.Pipeline) error {
	s, err := settingsOfText(p)
	if err != nil {
		return err
	}
	words := "tokenized, words separated by white space"
	if s.Language != "" {
		words = "plain, language " + s.Language
	}
	if s.Rules != "" {
		words += ", " + s.Rules + " tokens"
	}
	if s.Protected != nil {
		words += fmt.Sprintf(", %d patterns of protected words", len(s.Protected))
	}
	if s.Lowercase {
		words += ", lowercased"
	}
	if merges := strings.Count(s.Codes, "\n") - 1; s.Codes != "" { // the first line is the version
		words += fmt.Sprintf(", byte-pair encoding with %d merges", merges)
	}
	if s.Segments != nil {
		words += fmt.Sprintf(", %d segments", len(s.Segments))
	}
	writeField(b, name, "%s", words)
	return nil
}

type textSettings struct {
	Language, Rules     string
	Codes               string // a file of subword-nmt
	Lowercase           bool
	Protected, Segments []string
}

func settingsOfText(p pipeline.Pipeline) (s textSettings, err error) {
	data, err := json.Marshal(p)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}
