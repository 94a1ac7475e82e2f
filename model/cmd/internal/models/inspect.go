package models

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
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
