package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

func newInfo() *cobra.Command {
	var path string
	var tensors bool
	c := &cobra.Command{
		Use:   "info --model FILE",
		Short: "Describe a model file",
		Long: `Describe a model file: its architecture and sizes, its vocabularies, how text
becomes words, the number of parameters, the format, and the checksum, which
has been verified. --tensors lists the parameters with their shapes and mean
magnitudes.

A training checkpoint is identified as one.`,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch info --model /tmp/model.safetensors`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			description, err := describe(path, tensors)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(description)
			return err
		},
	}
	c.Flags().StringVar(&path, "model", "", "`file` of the model")
	c.Flags().BoolVar(&tensors, "tensors", false, "list the parameters")
	require(c, "model")
	return c
}

// describe returns the description of a model or checkpoint.
func describe(path string, tensors bool) ([]byte, error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, notModel(err)
	}
	var b bytes.Buffer
	if isCheckpoint(f) {
		describeCheckpoint(&b, f)
	} else {
		m, err := model.Open(path)
		if err != nil {
			return nil, notModel(err)
		}
		if err := describeModel(&b, m); err != nil {
			return nil, err
		}
	}
	if err := describeFile(&b, path, f); err != nil {
		return nil, err
	}
	if tensors {
		listTensors(&b, f.Tensors)
	}
	return b.Bytes(), nil
}

// notModel says that a file is not a model, unless err is about reading it.
func notModel(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("not a model: %w", err)
}

// isCheckpoint reports whether a file is a training checkpoint.
func isCheckpoint(f *safetensors.File) bool {
	return strings.HasPrefix(f.Metadata["format"], "softsearch checkpoint")
}

// describeCheckpoint describes what a checkpoint holds besides parameters.
func describeCheckpoint(b *bytes.Buffer, f *safetensors.File) {
	writeField(b, "file", "training checkpoint, not a model")
	for _, key := range []string{"updates", "config", "recipe"} {
		writeField(b, key, "%s", f.Metadata[key])
	}
}

// writeField writes a line of a description.
func writeField(b *bytes.Buffer, name, format string, values ...any) {
	fmt.Fprintf(b, "%-18s %s\n", name, fmt.Sprintf(format, values...))
}

// describeModel describes the architecture of a model and its text.
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
	describeVocabulary(b, "source words", c.SourceVocab, m.Source)
	describeVocabulary(b, "target words", c.TargetVocab, m.Target)
	if err := describeText(b, "source text", m.SourceText); err != nil {
		return err
	}
	return describeText(b, "target text", m.TargetText)
}

// describeVocabulary describes a vocabulary by its size and first words.
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
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var s struct {
		Language, Codes string
		Lowercase       bool
		Segments        []string
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	words := "tokenized, words separated by white space"
	if s.Language != "" {
		words = "plain, language " + s.Language
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

// describeFile describes the file itself.
func describeFile(b *bytes.Buffer, path string, f *safetensors.File) error {
	size, sum, err := sizeAndChecksum(path)
	if err != nil {
		return err
	}
	values := 0
	for _, t := range f.Tensors {
		values += len(t.Data)
	}
	writeField(b, "parameters", "%d in %d tensors", values, len(f.Tensors))
	writeField(b, "format", "safetensors, %s", f.Metadata["format"])
	writeField(b, "size", "%d bytes", size)
	writeField(b, "checksum", "sha256 %s", sum)
	return nil
}

// sizeAndChecksum returns the size of a safetensors file and the checksum in its metadata.
func sizeAndChecksum(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return 0, "", err
	}
	var length uint64
	if err := binary.Read(f, binary.LittleEndian, &length); err != nil {
		return 0, "", fmt.Errorf("%s: %w", path, err)
	}
	var header struct {
		Metadata struct {
			SHA256 string `json:"sha256"`
		} `json:"__metadata__"`
	}
	if err := json.NewDecoder(io.LimitReader(f, int64(length))).Decode(&header); err != nil {
		return 0, "", fmt.Errorf("%s: %w", path, err)
	}
	return stat.Size(), header.Metadata.SHA256, nil
}

// listTensors writes the name, shape and mean magnitude of each tensor.
func listTensors(b *bytes.Buffer, tensors []safetensors.Tensor) {
	fmt.Fprintf(b, "\n%-22s %-14s %s\n", "tensor", "shape", "mean magnitude")
	for _, t := range tensors {
		shape := make([]string, len(t.Shape))
		for i, n := range t.Shape {
			shape[i] = fmt.Sprint(n)
		}
		sum := 0.0
		for _, v := range t.Data {
			sum += math.Abs(float64(v))
		}
		fmt.Fprintf(b, "%-22s %-14s %.6g\n", t.Name, strings.Join(shape, "×"), sum/float64(max(1, len(t.Data))))
	}
}
