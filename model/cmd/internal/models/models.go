// Package models opens models by path or by the name of one that is built in, and describes them.
package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// BuiltIn returns the content of the model of package builtin that path names. It is empty if there is none, or a
// file of that name.
func BuiltIn(path string) string {
	content, err := builtin.File(path)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(path); err == nil {
		return ""
	}
	return content
}

// Content returns the content of the model file at path, or of one that is built in.
func Content(path string) ([]byte, error) {
	if content := BuiltIn(path); content != "" {
		return []byte(content), nil
	}
	const limit = 1 << 30
	return files.ReadFile(path, limit)
}

// Digest returns the checksum that the model file at path states, or one that is built in.
func Digest(path string) (string, error) {
	if content := BuiltIn(path); content != "" {
		r, err := safetensors.NewReader(strings.NewReader(content), int64(len(content)))
		if err != nil {
			return "", err
		}
		return r.Digest()
	}
	return safetensors.Digest(path)
}

// ReadModel reads a model, which may have no vocabularies: a file, or one that is built in.
func ReadModel(path string) (*model.Model, error) {
	if BuiltIn(path) != "" {
		return builtin.Open(path)
	}
	if err := CheckFile(path, 1); err != nil {
		return nil, err
	}
	m, err := model.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(path, `./\`) {
		return nil, fmt.Errorf("%w; the models that are built in are %s", err, strings.Join(builtin.Names(), " and "))
	}
	if err != nil {
		return nil, Explain(path, err)
	}
	return m, nil
}

// OpenModel reads a model with vocabularies.
func OpenModel(path string) (*model.Model, error) {
	m, err := ReadModel(path)
	if err != nil {
		return nil, err
	}
	if m.Source == nil || m.Target == nil {
		return nil, fmt.Errorf("%s: model without vocabularies, expected one from rnnsearch train", path)
	}
	return m, nil
}

// Opener returns a function that reads models with vocabularies.
func Opener(paths []string) func() ([]*model.Model, error) {
	return func() (models []*model.Model, err error) {
		for _, path := range paths {
			m, err := OpenModel(path)
			if err != nil {
				return nil, err
			}
			models = append(models, m)
		}
		return models, nil
	}
}

// IsCheckpoint reports whether the file at path begins as a checkpoint of a training does.
func IsCheckpoint(path string) bool {
	metadata, err := safetensors.Metadata(path)
	return err == nil && strings.HasPrefix(metadata["format"], "softsearch checkpoint")
}

// Explain returns the error of opening the model at path, or a plainer one if the file is a checkpoint.
func Explain(path string, err error) error {
	if IsCheckpoint(path) {
		return fmt.Errorf("%s: is a training checkpoint, expected the model that train --model wrote", path)
	}
	return err
}
