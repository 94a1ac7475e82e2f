package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// ReadModel reads a model, which may have no vocabularies.
func ReadModel(path string) (*model.Model, error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, ExplainModel(path, err)
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

// ExplainModel returns the error of opening the model at path, or a plainer one if the file is a
// checkpoint or compressed.
func ExplainModel(path string, err error) error {
	if errors.Is(err, safetensors.ErrFormat) && isCompressed(path) {
		return fmt.Errorf("%s: is compressed, expected a model: decompress it first", path)
	}
	if Checkpoints.Is(path) {
		return fmt.Errorf("%s: is a training checkpoint, expected the model that train --model wrote", path)
	}
	return err
}

// isCompressed reports whether the file at path is data in gzip, zstd, bzip2 or xz format.
func isCompressed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 6)
	n, _ := io.ReadFull(f, head)
	for _, magic := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd7zXZ"} {
		if strings.HasPrefix(string(head[:n]), magic) {
			return true
		}
	}
	return false
}
