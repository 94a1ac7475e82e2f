package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// fact writes a line of a description.
func fact(b *bytes.Buffer, name, format string, values ...any) {
	fmt.Fprintf(b, "%-18s %s\n", name, fmt.Sprintf(format, values...))
}

// describeCheckpoint writes what a checkpoint has besides parameters.
func describeCheckpoint(b *bytes.Buffer, f *safetensors.File) {
	fact(b, "file", "checkpoint of a training, no model that translates")
	for _, key := range []string{"updates", "config", "recipe"} {
		fact(b, key, "%s", f.Metadata[key])
	}
}

// describeModel writes the settings of a model.
func describeModel(b *bytes.Buffer, m *model.Model) error {
	c := m.Config
	fact(b, "file", "model")
	fact(b, "kind", "%s", map[model.Kind]string{model.RNNsearch: "search (RNNsearch)", model.RNNencdec: "encdec (RNNencdec, without attention)"}[c.Kind])
	fact(b, "decoder", "%s", c.Order)
	fact(b, "embedding", "%d", c.Embedding)
	fact(b, "hidden", "%d", c.Hidden)
	if c.Kind == model.RNNsearch {
		fact(b, "alignment", "%d, %s", c.Alignment, cmp.Or(string(c.AlignmentModel), "additive"))
	}
	fact(b, "maxout", "%d", c.Maxout)
	describeVocabulary(b, "source words", c.SourceVocab, m.Source)
	describeVocabulary(b, "target words", c.TargetVocab, m.Target)
	if err := describeText(b, "source text", m.SourceText); err != nil {
		return err
	}
	return describeText(b, "target text", m.TargetText)
}

// firstWords is the number of words shown of a vocabulary.
const firstWords = 10

// describeVocabulary writes the size of a vocabulary and its first words.
func describeVocabulary(b *bytes.Buffer, name string, size int, v *text.Vocabulary) {
	if v == nil {
		fact(b, name, "%d, ids alone", size)
		return
	}
	words, more := v.Words(), ""
	if len(words) > firstWords {
		words, more = words[:firstWords], " …"
	}
	fact(b, name, "%d: %s%s", size, strings.Join(words, " "), more)
}

// describeText writes how a line of text becomes words.
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
	words := "tokenised, words between white space"
	if s.Language != "" {
		words = "as people write it, language " + s.Language
	}
	if s.Lowercase {
		words += ", lower-cased"
	}
	if merges := strings.Count(s.Codes, "\n") - 1; s.Codes != "" { // below the line of the version
		words += fmt.Sprintf(", byte-pair encoding of %d merges", merges)
	}
	if s.Segments != nil {
		words += fmt.Sprintf(", %d segments", len(s.Segments))
	}
	fact(b, name, "%s", words)
	return nil
}

// describeFile writes what the format of the file says.
func describeFile(b *bytes.Buffer, path string, f *safetensors.File) error {
	size, sum, err := sizeAndChecksum(path)
	if err != nil {
		return err
	}
	values := 0
	for _, t := range f.Tensors {
		values += len(t.Data)
	}
	fact(b, "parameters", "%d in %d tensors", values, len(f.Tensors))
	fact(b, "format", "safetensors, %s", f.Metadata["format"])
	fact(b, "size", "%d bytes", size)
	fact(b, "checksum", "sha256 %s", sum)
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
