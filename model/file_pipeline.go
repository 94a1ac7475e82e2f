package model

import (
	"encoding/json"
	"fmt"

	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// The keys of a model file's metadata for text that is not tokenised already.
const (
	keySourceText = "source_text"
	keyTargetText = "target_text"
)

// putPipelines adds the pipelines to the metadata, except those for tokenised text.
func (m *Model) putPipelines(metadata map[string]string) error {
	for key, p := range map[string]pipeline.Pipeline{keySourceText: m.SourceText, keyTargetText: m.TargetText} {
		if p.IsZero() {
			continue
		}
		if err := putJSON(metadata, key, p); err != nil {
			return err
		}
	}
	return nil
}

// pipelineOf returns the pipeline under key, the zero value where the file has none.
func pipelineOf(f *safetensors.File, key string) (p pipeline.Pipeline, err error) {
	stored, ok := f.Metadata[key]
	if !ok {
		return p, nil
	}
	if err := json.Unmarshal([]byte(stored), &p); err != nil {
		return p, fmt.Errorf("model: %w: %s: %w", ErrFile, key, err)
	}
	return p, nil
}
