package files

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/internal/regular"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// A Kind is a kind of file that a command writes. An output replaces only files of its kind.
type Kind struct {
	Name   string // such as "a model"
	plural string
	Is     func(path string) bool // whether a regular file is one, by its beginning
}

// Kinds of files.
var (
	Text        = Kind{"text", "text", isText}
	Pictures    = Kind{"an SVG or PNG picture", "SVG and PNG pictures", isPicture}
	Models      = Kind{"a model", "models", isModel}
	Checkpoints = Kind{"a checkpoint", "checkpoints", isCheckpoint}
)

// Check returns an error if no output of the kind can be written to path, see [CheckOutput] and
// [Kind.CheckReplace].
func (k Kind) Check(path string, overwrite bool, inputs ...string) error {
	if err := CheckOutput(path, true, inputs...); err != nil {
		return err
	}
	return k.CheckReplace(path, overwrite)
}

// CheckReplace returns an error if there is a file at path that an output of the kind must not
// replace: any without overwrite, and one of another kind. A device or a pipe is written to, not
// replaced.
func (k Kind) CheckReplace(path string, overwrite bool) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	switch is := k.Is(path); {
	case overwrite && !is:
		return fmt.Errorf("%s: is not %s, and --overwrite replaces only %s", path, k.Name, k.plural)
	case !is:
		return fmt.Errorf("%s: %w and is not %s, expected a new file", path, ErrExists, k.Name)
	case !overwrite:
		return errExists(path)
	}
	return nil
}

// Options are those of an output that flags set.
type Options struct {
	Overwrite bool // replace a file of the kind
	NoLock    bool // for a file system without locks
}

// Open starts the output of the kind to path, the value of a flag, which its errors name. With a
// key, it continues that of an earlier process with the same key, see continuePart. The file must
// pass [Kind.Check]. No other process can open it until [Output.Close], unless there is no lock.
func (k Kind) Open(flag, path, key string, options Options, inputs ...string) (*Output, error) {
	if err := k.Check(path, options.Overwrite, inputs...); err != nil {
		return nil, fmt.Errorf("--%s %w", flag, err)
	}
	var lock *Lock
	var err error
	if info, statErr := os.Stat(path); !options.NoLock && (statErr != nil || info.Mode().IsRegular()) {
		lock, err = NewLock(path, inputs...)
	}
	var o *Output
	switch {
	case err != nil:
	case key != "":
		o, err = continuePart(path, key, options.Overwrite)
	default:
		o, err = Create(path, options.Overwrite)
	}
	if err != nil {
		if lock != nil {
			lock.Unlock()
		}
		return nil, (&Output{flag: flag, flagged: path}).named(err)
	}
	o.flag, o.flagged, o.lock = flag, path, lock
	return o, nil
}

// isText reports whether the beginning of the file at path is UTF-8 without NUL.
func isText(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const length = 64 << 10
	head, err := io.ReadAll(io.LimitReader(f, length))
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	full := len(head) == length
	for cut := 1; full && cut < utf8.UTFMax && !utf8.Valid(head); cut++ {
		head = head[:len(head)-1] // a part of the last character
	}
	return utf8.Valid(head)
}

func isPicture(path string) bool {
	f, err := regular.Open(path)
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

// Beginnings of the metadata "format" of package model.
const (
	modelFormat      = "softsearch "
	checkpointFormat = "softsearch checkpoint"
)

func isModel(path string) bool {
	metadata, err := safetensors.Metadata(path)
	return err == nil && strings.HasPrefix(metadata["format"], modelFormat) && !strings.HasPrefix(metadata["format"], checkpointFormat)
}

func isCheckpoint(path string) bool {
	metadata, err := safetensors.Metadata(path)
	return err == nil && strings.HasPrefix(metadata["format"], checkpointFormat)
}

// CheckModel returns an error if the file at path does not begin as a model does. It reads the header alone.
func CheckModel(path string) error {
	_, err := safetensors.Metadata(path)
	if err == nil && !Models.Is(path) {
		err = fmt.Errorf("%s: is not a model", path)
	}
	if err != nil {
		return ExplainModel(path, err)
	}
	return nil
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

func isCompressed(path string) bool {
	f, err := regular.Open(path)
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
