package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Info say what to return of which model.
type Info struct {
	Model      string // file
	Tensors    bool   // list the parameters
	Vocabulary string // Source or Target for a vocabulary instead of the description
	Codes      bool   // the merges of byte-pair encoding instead of the description
	JSON       bool   // the description as a JSON object
}

// Sides of a model.
const (
	Source = "source"
	Target = "target"
)

// Content returns what to print.
func (o Info) Content() ([]byte, error) {
	if err := CheckFile(o.Model, 3); err != nil { // as bytes, as tensors and as a model
		return nil, err
	}
	switch o.Vocabulary {
	case "", Source, Target:
	default:
		return nil, fmt.Errorf("--vocabulary %q: expected %s or %s", o.Vocabulary, Source, Target)
	}
	if o.Vocabulary == "" && !o.Codes {
		d, err := describe(o.Model, o.Tensors)
		if err != nil {
			return nil, err
		}
		if o.JSON {
			return []byte(api.Line(d)), nil
		}
		return d.text(), nil
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

func openModel(path string) (*model.Model, error) {
	if BuiltIn(path) != "" {
		return builtin.Open(path)
	}
	return model.Open(path)
}

// notModel explains the error of opening a model: the file is not a model, unless err is about reading
// it.
func notModel(path string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	if explained := Explain(path, err); explained != err {
		return explained
	}
	return fmt.Errorf("not a model: %w", err)
}

// A description is what info says of a file.
type description struct {
	File          string `json:"file"` // "model" or "checkpoint"
	*architecture        // of a model
	*checkpoint
	LearnedFrom string   `json:"learned_from,omitempty"` // of a model that is built in
	Parameters  int      `json:"parameters"`             // values of all tensors but scales
	TensorCount int      `json:"tensor_count"`
	Scales      int      `json:"scales"` // values beside the parameters
	Format      string   `json:"format"`
	Bytes       int64    `json:"bytes"`
	SHA256      string   `json:"sha256"`            // verified
	Tensors     []tensor `json:"tensors,omitempty"` // with --tensors
}

// An architecture has the names of package model's Config, and the two sides.
type architecture struct {
	Kind           model.Kind `json:"kind"`
	Decoder        string     `json:"decoder"`
	Embedding      int        `json:"embedding"`
	Hidden         int        `json:"hidden"`
	Alignment      int        `json:"alignment,omitempty"` // of models with attention
	AlignmentModel string     `json:"alignment_model,omitempty"`
	Maxout         int        `json:"maxout"`
	Weights        string     `json:"weights"` // "float32" or "int8"

	Search *model.Search `json:"search,omitempty"` // how it is best searched, if that is known

	Source side `json:"source"`
	Target side `json:"target"`
}

// A side says which words a model has, and how text becomes words.
type side struct {
	Size      int      `json:"size"`                // of the vocabulary
	Words     []string `json:"words,omitempty"`     // the first ten; none for a model of ids only
	Language  string   `json:"language,omitempty"`  // of plain text; none for tokenized text
	Tokenizer string   `json:"tokenizer,omitempty"` // Settings.Rules
	Known     int      `json:"known,omitempty"`     // words that are no names
	Lowercase bool     `json:"lowercase"`
	Merges    *int     `json:"merges,omitempty"`   // of byte-pair encoding, if there is one
	Segments  *int     `json:"segments,omitempty"` // if not all are allowed
}

type checkpoint struct {
	Updates json.RawMessage `json:"updates"`
	Config  json.RawMessage `json:"config"`
	Recipe  json.RawMessage `json:"recipe"`
}

type tensor struct {
	Name          string  `json:"name"`
	Shape         []int   `json:"shape"`
	Type          string  `json:"type"`
	MeanMagnitude float64 `json:"mean_magnitude"`
}

// describe returns the description of the file at path.
func describe(path string, tensors bool) (d description, err error) {
	content := []byte(BuiltIn(path))
	if len(content) == 0 {
		if content, err = files.ReadFile(path, math.MaxInt-1); err != nil {
			return d, err
		}
	}
	f, err := safetensors.Read(bytes.NewReader(content))
	if err != nil {
		return d, notModel(path, fmt.Errorf("open %s: %w", path, err))
	}
	d = description{File: "model", Format: f.Metadata["format"], Bytes: int64(len(content))}
	if IsCheckpoint(path) {
		d.File = "checkpoint"
		d.checkpoint = &checkpoint{inJSON(f.Metadata["updates"]), inJSON(f.Metadata["config"]), inJSON(f.Metadata["recipe"])}
	} else {
		m, err := model.Read(bytes.NewReader(content))
		if err != nil {
			return d, notModel(path, fmt.Errorf("%s: %w", path, err))
		}
		d.architecture = architectureOf(m)
	}
	if BuiltIn(path) != "" {
		d.LearnedFrom = builtin.Attribution
	}
	for _, p := range parametersOf(f) {
		d.TensorCount++
		d.Parameters += p.values()
		d.Scales += len(p.scales)
		if tensors {
			d.Tensors = append(d.Tensors, tensor{p.Name, p.Shape, p.dtype(), p.magnitude()})
		}
	}
	d.SHA256, err = Digest(path)
	return d, err
}

// inJSON returns s, or a string of it if it is not in JSON.
func inJSON(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return json.RawMessage(strings.TrimSpace(api.Line(s)))
}

func architectureOf(m *model.Model) *architecture {
	c := m.Config
	a := &architecture{
		Kind: c.Kind, Decoder: fmt.Sprint(c.Order), Embedding: c.Embedding, Hidden: c.Hidden, Maxout: c.Maxout,
		Weights: cmp.Or(string(c.Weights), "float32"),
		Source:  sideOf(c.SourceVocab, m.Source, m.SourceText.Settings()), Target: sideOf(c.TargetVocab, m.Target, m.TargetText.Settings()),
	}
	if m.Search != (model.Search{}) {
		a.Search = &m.Search
	}
	if c.Kind == model.RNNsearch {
		a.Alignment, a.AlignmentModel = c.Alignment, cmp.Or(string(c.AlignmentModel), "additive")
	}
	return a
}

func sideOf(size int, v *text.Vocabulary, s pipeline.Settings) side {
	const shown = 10
	i := side{Size: size, Language: s.Language, Known: len(s.Known), Lowercase: s.Lowercase}
	if v != nil {
		i.Words = v.Words()[:min(shown, size)]
	}
	if s.Language != "" {
		i.Tokenizer = cmp.Or(string(s.Rules), "moses")
	}
	if s.Codes != nil {
		i.Merges = new(len(s.Codes))
	}
	if s.Segments != nil {
		i.Segments = new(len(s.Segments))
	}
	return i
}

// text returns the description for people.
func (d description) text() []byte {
	var b bytes.Buffer
	if c := d.checkpoint; c != nil {
		writeField(&b, "file", "training checkpoint, not a model")
		writeField(&b, "updates", "%s", c.Updates)
		writeField(&b, "config", "%s", c.Config)
		writeField(&b, "recipe", "%s", c.Recipe)
	}
	if d.architecture != nil {
		d.architecture.write(&b)
	}
	if d.LearnedFrom != "" {
		writeField(&b, "learned from", "%s", d.LearnedFrom)
	}
	parameters := fmt.Sprintf("%d in %d tensors", d.Parameters, d.TensorCount)
	if d.Scales > 0 {
		parameters += fmt.Sprintf(", and %d scales", d.Scales)
	}
	writeField(&b, "parameters", "%s", parameters)
	writeField(&b, "format", "safetensors, %s", d.Format)
	writeField(&b, "size", "%d bytes", d.Bytes)
	writeField(&b, "checksum", "sha256 %s", d.SHA256)
	if d.Tensors != nil {
		fmt.Fprintf(&b, "\n%-22s %-14s %-8s %s\n", "tensor", "shape", "type", "mean magnitude")
	}
	for _, t := range d.Tensors {
		shape := make([]string, len(t.Shape))
		for i, n := range t.Shape {
			shape[i] = fmt.Sprint(n)
		}
		fmt.Fprintf(&b, "%-22s %-14s %-8s %.6g\n", terminal.Quote(t.Name), strings.Join(shape, "×"), t.Type, t.MeanMagnitude)
	}
	return b.Bytes()
}

func writeField(b *bytes.Buffer, name, format string, values ...any) {
	fmt.Fprintf(b, "%-18s %s\n", name, terminal.Quote(fmt.Sprintf(format, values...)))
}

func (a *architecture) write(b *bytes.Buffer) {
	writeField(b, "file", "model")
	writeField(b, "kind", "%s", map[model.Kind]string{model.RNNsearch: "search (RNNsearch)", model.RNNencdec: "encdec (RNNencdec, without attention)"}[a.Kind])
	writeField(b, "decoder", "%s", a.Decoder)
	writeField(b, "embedding", "%d", a.Embedding)
	writeField(b, "hidden", "%d", a.Hidden)
	if a.Kind == model.RNNsearch {
		writeField(b, "alignment", "%d, %s", a.Alignment, a.AlignmentModel)
	}
	writeField(b, "maxout", "%d", a.Maxout)
	writeField(b, "weights", "%s", map[string]string{"float32": "float32", "int8": "int8 with a scale for each row, vectors float32"}[a.Weights])
	writeField(b, "source words", "%s", a.Source.vocabulary())
	writeField(b, "target words", "%s", a.Target.vocabulary())
	writeField(b, "source text", "%s", a.Source.text())
	writeField(b, "target text", "%s", a.Target.text())
	if s := a.Search; s != nil {
		pruned := ""
		if s.Prune > 0 {
			pruned = fmt.Sprintf("pruned %v below the best, ", s.Prune)
		}
		writeField(b, "search", "beam %d, %slog p / words^%v, unsure below %.6g a word", s.Beam, pruned, s.Normalization, s.Unsure)
	}
}

func (s side) vocabulary() string {
	switch {
	case s.Words == nil:
		return fmt.Sprintf("%d, as ids only", s.Size)
	case len(s.Words) < s.Size:
		return fmt.Sprintf("%d: %s …", s.Size, strings.Join(s.Words, " "))
	}
	return fmt.Sprintf("%d: %s", s.Size, strings.Join(s.Words, " "))
}

func (s side) text() string {
	words := "tokenized, words separated by white space"
	if s.Language != "" {
		words = "plain, language " + s.Language
	}
	if s.Tokenizer == string(pipeline.Reversible) {
		words += fmt.Sprintf(", %s tokens", s.Tokenizer)
	}
	if s.Known > 0 {
		words += fmt.Sprintf(", %d known words", s.Known)
	}
	if s.Lowercase {
		words += ", lowercased"
	}
	if s.Merges != nil {
		words += fmt.Sprintf(", byte-pair encoding with %d merges", *s.Merges)
	}
	if s.Segments != nil {
		words += fmt.Sprintf(", %d segments", *s.Segments)
	}
	return words
}

// A parameter is a tensor of a file, and the scales of its rows if it is a matrix of int8.
type parameter struct {
	safetensors.Tensor
	scales []float32
}

// parametersOf returns the tensors of a file with their scales, which are tensors of their own, see package model.
func parametersOf(f *safetensors.File) (list []parameter) {
	const suffix = ".scale"
	byName := map[string]safetensors.Tensor{}
	for _, t := range f.Tensors {
		byName[t.Name] = t
	}
	scales := func(t safetensors.Tensor) []float32 {
		if s := byName[t.Name+suffix].Data; t.Int8 != nil && len(t.Shape) == 2 && len(s) == t.Shape[0] {
			return s
		}
		return nil
	}
	for _, t := range f.Tensors {
		if name, ok := strings.CutSuffix(t.Name, suffix); !ok || scales(byName[name]) == nil {
			list = append(list, parameter{t, scales(t)})
		}
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
