package main

import (
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// A fileKind is a kind of file that a command writes.
type fileKind struct {
	name, plural string                 // such as "a model" and "models"
	is           func(path string) bool // whether a regular file is one
}

// Kinds of files.
var (
	modelFiles   = fileKind{"a model", "models", isModel}
	pictureFiles = fileKind{"an SVG or PNG picture", "SVG and PNG pictures", isPicture}
)

// checkOutput returns an error if a command must not write a file of that kind to path, the value of
// a flag: if path is one of the inputs, if it exists and overwrite is false, if it is a file of
// another kind, or if it cannot be written. Inputs may be empty.
func checkOutput(flag, path string, overwrite bool, kind fileKind, inputs ...string) error {
	unfinished.Lock() // CheckOutput creates and removes a file
	err := files.CheckOutput(path, true, inputs...)
	unfinished.Unlock()
	if err != nil {
		return fmt.Errorf("--%s %w", flag, err)
	}
	return checkReplace(flag, path, overwrite, kind)
}

// checkReplace returns an error if there is a file at path that a file of that kind must not replace.
// A device or a pipe is written to, not replaced.
func checkReplace(flag, path string, overwrite bool, kind fileKind) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	switch is := kind.is(path); {
	case overwrite && !is:
		return fmt.Errorf("--%s %s: is not %s, and --overwrite replaces only %s", flag, path, kind.name, kind.plural)
	case !is:
		return fmt.Errorf("--%s %s: %w and is not %s, expected a new file", flag, path, files.ErrExists, kind.name)
	case !overwrite:
		return fmt.Errorf("--%s %s: %w, expected a new file or --overwrite", flag, path, files.ErrExists)
	}
	return nil
}

// An output is a file that appears at its path when it is complete. A signal that ends the program
// before then removes it.
type output struct{ *files.Output }

// createOutput starts an output that checkOutput has allowed.
func createOutput(path string, overwrite bool) (*output, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	return createUnfinished(path, overwrite)
}

// createUnfinished is createOutput for callers that have locked unfinished.
func createUnfinished(path string, overwrite bool) (*output, error) {
	f, err := files.Create(path, overwrite)
	if err != nil {
		return nil, err
	}
	o := &output{f}
	unfinished.outputs[o] = true
	return o, nil
}

// discardUnfinished removes the outputs that have been created and not closed.
func discardUnfinished() {
	unfinished.Lock()
	defer unfinished.Unlock()
	for o := range unfinished.outputs {
		delete(unfinished.outputs, o)
		o.Output.Close()
	}
}

// Commit makes the output appear at its path, like [files.Output.Commit].
func (o *output) Commit() error {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.outputs, o)
	return o.Output.Commit()
}

// Close removes the output unless it has been committed. It may follow Commit.
func (o *output) Close() error {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.outputs, o)
	return o.Output.Close()
}

// isModel reports whether the file at path is a model, as its header says.
func isModel(path string) bool {
	h, err := readHeader(path)
	format := h.Metadata["format"]
	return err == nil && strings.HasPrefix(format, "softsearch ") && !strings.HasPrefix(format, checkpointFormat)
}

// isInt8Model reports whether the file at path is a model with weights of int8, as its header says.
func isInt8Model(path string) bool {
	h, err := readHeader(path)
	var c model.Config
	return err == nil && isModel(path) && json.Unmarshal([]byte(h.Metadata["config"]), &c) == nil && c.Weights == model.Int8
}

// checkpointFormat is the beginning of the format of a training checkpoint.
const checkpointFormat = "softsearch checkpoint"

// A header is that of a safetensors file, as far as the command needs it.
type header struct {
	Metadata map[string]string `json:"__metadata__"`
}

// readHeader reads the header of a safetensors file.
func readHeader(path string) (header, error) {
	const longest = 100_000_000 // in the format
	var h header
	f, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	var length uint64
	if err := binary.Read(f, binary.LittleEndian, &length); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	if length > longest {
		return h, fmt.Errorf("%s: %w", path, errors.New("not a safetensors file"))
	}
	if err := json.NewDecoder(io.LimitReader(f, int64(length))).Decode(&h); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// isPicture reports whether the file at path is an SVG or PNG picture, as its first bytes say.
func isPicture(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := png.DecodeConfig(f); err == nil {
		return true
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false
	}
	const beginning = 1 << 16
	for d := xml.NewDecoder(io.LimitReader(f, beginning)); ; {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if element, ok := token.(xml.StartElement); ok {
			return element.Name.Local == "svg"
		}
	}
}
