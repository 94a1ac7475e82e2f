package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// ErrFile is the error for a file that is no model of this package. Errors of package
// safetensors tell a foreign, a truncated and an altered file apart.
var ErrFile = errors.New("not a softsearch model")

// The keys of a model file's metadata.
const (
	keyFormat = "format"
	keyConfig = "config"
	keySource = "source_vocabulary"
	keyTarget = "target_vocabulary"
	format    = "softsearch 1"
)

// Save writes m to a safetensors file: the parameters row-major under the paper's names,
// configuration, vocabularies and pipelines as JSON in the metadata. An older file of that
// name is replaced once the new one is complete.
func Save(path string, m *Model) error {
	f, err := m.file()
	if err != nil {
		return err
	}
	return safetensors.Save(path, f)
}

// Write writes to w what Save writes to a file.
func Write(w io.Writer, m *Model) error {
	f, err := m.file()
	if err != nil {
		return err
	}
	return safetensors.Write(w, f)
}

// Open reads a model file. The error wraps ErrFile or one of package safetensors.
func Open(path string) (*Model, error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	m, err := fromFile(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Read reads what Write wrote. The error wraps ErrFile or one of package safetensors.
func Read(r io.Reader) (*Model, error) {
	f, err := safetensors.Read(r)
	if err != nil {
		return nil, err
	}
	return fromFile(f)
}

// file returns the contents of m's file.
func (m *Model) file() (*safetensors.File, error) {
	f := &safetensors.File{Metadata: map[string]string{keyFormat: format}}
	if err := putJSON(f.Metadata, keyConfig, m.Config); err != nil {
		return nil, err
	}
	for key, v := range map[string]*text.Vocabulary{keySource: m.Source, keyTarget: m.Target} {
		if v == nil {
			continue
		}
		if err := putJSON(f.Metadata, key, v.Words()); err != nil {
			return nil, err
		}
	}
	if err := m.putPipelines(f.Metadata); err != nil {
		return nil, err
	}
	for _, t := range m.Parameters.tensors(m.Config) {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: t.name, Shape: t.shape, Data: t.read()})
	}
	return f, nil
}

func putJSON(metadata map[string]string, key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("model: %s: %w", key, err)
	}
	metadata[key] = string(data)
	return nil
}

// fromFile checks the contents of a file against its configuration and builds the model.
func fromFile(f *safetensors.File) (*Model, error) {
	if got := f.Metadata[keyFormat]; got != format {
		return nil, fmt.Errorf("model: %w: format %q, expected %q", ErrFile, got, format)
	}
	var c Config
	if err := json.Unmarshal([]byte(f.Metadata[keyConfig]), &c); err != nil {
		return nil, fmt.Errorf("model: %w: config: %w", ErrFile, err)
	}
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	m := &Model{Config: c}
	var err error
	if m.Source, err = vocabulary(f, keySource, c.SourceVocab); err != nil {
		return nil, err
	}
	if m.Target, err = vocabulary(f, keyTarget, c.TargetVocab); err != nil {
		return nil, err
	}
	if m.SourceText, err = pipelineOf(f, keySourceText); err != nil {
		return nil, err
	}
	if m.TargetText, err = pipelineOf(f, keyTargetText); err != nil {
		return nil, err
	}
	if err := m.fill(f); err != nil {
		return nil, err
	}
	return m, nil
}

// fill sets the parameters to the tensors of f. The number of values is compared first, so
// that what is allocated grows with the file.
func (m *Model) fill(f *safetensors.File) error {
	var stored int64
	for _, t := range f.Tensors {
		stored += int64(len(t.Data))
	}
	if expected := m.Config.count(); stored != expected {
		return fmt.Errorf("model: %w: %d parameters, expected %d", ErrFile, stored, expected)
	}
	m.Parameters = newParameters(m.Config)
	tensors := m.Parameters.tensors(m.Config)
	if len(f.Tensors) != len(tensors) {
		return fmt.Errorf("model: %w: %d tensors, expected %d", ErrFile, len(f.Tensors), len(tensors))
	}
	for _, t := range tensors {
		s, ok := f.Tensor(t.name)
		if !ok {
			return fmt.Errorf("model: %w: no tensor %s", ErrFile, t.name)
		}
		if !slices.Equal(s.Shape, t.shape) {
			return fmt.Errorf("model: %w: tensor %s has shape %v, expected %v", ErrFile, t.name, s.Shape, t.shape)
		}
		if err := t.write(s.Data); err != nil {
			return err
		}
	}
	return nil
}

// vocabulary returns the vocabulary under key, nil where the file has none.
func vocabulary(f *safetensors.File, key string, size int) (*text.Vocabulary, error) {
	stored, ok := f.Metadata[key]
	if !ok {
		return nil, nil
	}
	var words []string
	if err := json.Unmarshal([]byte(stored), &words); err != nil {
		return nil, fmt.Errorf("model: %w: %s: %w", ErrFile, key, err)
	}
	v, err := text.VocabularyOf(words)
	if err != nil {
		return nil, fmt.Errorf("model: %w: %s: %w", ErrFile, key, err)
	}
	if v.Size() != size {
		return nil, fmt.Errorf("model: %w: %s has %d words, expected %d", ErrFile, key, v.Size(), size)
	}
	return v, nil
}
