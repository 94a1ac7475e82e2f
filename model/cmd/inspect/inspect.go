// Package inspect describes model files. [Options.Content] reads one and returns its description, or a
// part of it as a file for other programs.
package inspect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/everyday"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/memory"
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
	if err := memory.CheckFile(o.Model, 3); err != nil { // as tensors, and as a model while that is read
		return nil, err
	}
	switch o.Vocabulary {
	case "", Source, Target:
	default:
		return nil, fmt.Errorf("--vocabulary %q: expected %s or %s", o.Vocabulary, Source, Target)
	}
	if o.Vocabulary == "" && !o.Codes {
		return describe(o.Model, o.Tensors)
	}
	m, err := openModel(o.Model)
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
	source, target := m.SourceText.Settings().Codes, m.TargetText.Settings().Codes
	switch {
	case source == nil && target == nil:
		return nil, fmt.Errorf("%s: model without byte-pair encoding", path)
	case source == nil:
		source = target
	case target != nil && !slices.Equal(source, target):
		return nil, fmt.Errorf("%s: the codes of source and target differ, expected one list of merges", path)
	}
	return source.MarshalText()
}

func describe(path string, tensors bool) ([]byte, error) {
	f, size, err := openTensors(path)
	if err != nil {
		return nil, notModel(path, err)
	}
	var b bytes.Buffer
	if files.Checkpoints.Is(path) {
		describeCheckpoint(&b, f)
	} else {
		m, err := openModel(path)
		if err != nil {
			return nil, notModel(path, err)
		}
		describeModel(&b, m)
	}
	if files.BuiltIn(path) != nil {
		writeField(&b, "learned from", "%s", everyday.Attribution)
	}
	if err := describeFile(&b, path, f, size); err != nil {
		return nil, err
	}
	if tensors {
		listTensors(&b, parametersOf(f))
	}
	return b.Bytes(), nil
}

// openTensors returns the tensors and the size of the file at path, or of the model that is built in.
func openTensors(path string) (f *safetensors.File, size int64, err error) {
	if content := files.BuiltIn(path); content != nil {
		f, err = safetensors.Read(bytes.NewReader(content))
		return f, int64(len(content)), err
	}
	if f, err = safetensors.Load(path); err != nil {
		return nil, 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func openModel(path string) (*model.Model, error) {
	if files.BuiltIn(path) != nil {
		return everyday.Open(path)
	}
	return model.Open(path)
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

func describeModel(b *bytes.Buffer, m *model.Model) {
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
	describeText(b, "source text", m.SourceText.Settings())
	describeText(b, "target text", m.TargetText.Settings())
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

func describeText(b *bytes.Buffer, name string, s pipeline.Settings) {
	words := "tokenized, words separated by white space"
	if s.Language != "" {
		words = "plain, language " + s.Language
	}
	if s.Rules != "" {
		words += fmt.Sprintf(", %s tokens", s.Rules)
	}
	if len(s.Protected) > 0 {
		words += fmt.Sprintf(", %d patterns of protected words", len(s.Protected))
	}
	if len(s.Copied) > 0 {
		words += fmt.Sprintf(", %d patterns of copied spans", len(s.Copied))
	}
	if s.Lowercase {
		words += ", lowercased"
	}
	if s.Codes != nil {
		words += fmt.Sprintf(", byte-pair encoding with %d merges", len(s.Codes))
	}
	if s.Segments != nil {
		words += fmt.Sprintf(", %d segments", len(s.Segments))
	}
	writeField(b, name, "%s", words)
}

func describeFile(b *bytes.Buffer, path string, f *safetensors.File, size int64) error {
	digest, err := files.Digest(path)
	if err != nil {
		return err
	}
	list := parametersOf(f)
	values, scales := 0, 0
	for _, p := range list {
		values += p.values()
		scales += len(p.scales)
	}
	parameters := fmt.Sprintf("%d in %d tensors", values, len(list))
	if scales > 0 {
		parameters += fmt.Sprintf(", and %d scales", scales)
	}
	writeField(b, "parameters", "%s", parameters)
	writeField(b, "format", "safetensors, %s", f.Metadata["format"])
	writeField(b, "size", "%d bytes", size)
	writeField(b, "checksum", "sha256 %s", digest)
	return nil
}

func listTensors(b *bytes.Buffer, list []parameter) {
	fmt.Fprintf(b, "\n%-22s %-14s %-8s %s\n", "tensor", "shape", "type", "mean magnitude")
	for _, p := range list {
		shape := make([]string, len(p.Shape))
		for i, n := range p.Shape {
			shape[i] = fmt.Sprint(n)
		}
		fmt.Fprintf(b, "%-22s %-14s %-8s %.6g\n", terminal.Quote(p.Name), strings.Join(shape, "×"), p.dtype(), p.magnitude())
	}
}

// A parameter is a tensor of a file, and the scales of its rows if it is a matrix of int8.
type parameter struct {
	safetensors.Tensor
	scales []float32
}

// parametersOf returns the tensors of a file except the scales of others.
func parametersOf(f *safetensors.File) []parameter {
	const suffix = ".scale"      // of a name, see package model
	matrices := map[string]int{} // rows of those of int8
	for _, t := range f.Tensors {
		if t.Int8 != nil && len(t.Shape) == 2 {
			matrices[t.Name] = t.Shape[0]
		}
	}
	scales := map[string][]float32{} // by the name of the matrix
	var list []parameter
	for _, t := range f.Tensors {
		name, ok := strings.CutSuffix(t.Name, suffix)
		rows, isMatrix := matrices[name]
		if ok && isMatrix && t.Int8 == nil && len(t.Data) == rows {
			scales[name] = t.Data
		} else {
			list = append(list, parameter{Tensor: t})
		}
	}
	for i, p := range list {
		list[i].scales = scales[p.Name]
	}
	return list
}

func (p parameter) values() int { return len(p.Data) + len(p.Int8) }

func (p parameter) dtype() string {
	if p.Int8 != nil {
		return "int8"
	}
	return "float32"
}

func (p parameter) magnitude() float64 {
	sum := 0.0
	for _, v := range p.Data {
		sum += math.Abs(float64(v))
	}
	for i, v := range p.Int8 {
		scale := 1.0
		if p.scales != nil {
			scale = float64(p.scales[i/p.Shape[1]])
		}
		sum += math.Abs(float64(v) * scale)
	}
	return sum / float64(max(1, p.values()))
}
