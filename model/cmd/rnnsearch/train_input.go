package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

// A textFile is the path of a text file and its flag.
type textFile struct{ flag, path string }

// inputFlags name the files that train reads.
var inputFlags = append([]string{"settings"}, textFlags...)

// inputsOf returns the files that flags name.
func inputsOf(flags *pflag.FlagSet) (list []textFile) {
	for _, name := range inputFlags {
		value := flags.Lookup(name).Value
		if repeated, ok := value.(*paths); ok {
			for _, path := range *repeated {
				list = append(list, textFile{name, path})
			}
		} else if path := value.String(); path != "" {
			list = append(list, textFile{name, path})
		}
	}
	return list
}

// pathsOf returns the paths of files.
func pathsOf(inputs []textFile) []string {
	list := make([]string, len(inputs))
	for i, in := range inputs {
		list[i] = in.path
	}
	return list
}

// totalSize returns the sum of the sizes of files, or 0 if one is unknown.
func totalSize(paths []string) int {
	total := 0
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += int(info.Size())
	}
	return total
}

// checkInputs returns an error if two flags name one pipe or device: each would get a part of the
// text.
func checkInputs(flags *pflag.FlagSet) error {
	inputs := inputsOf(flags)
	for i, in := range inputs {
		info, err := os.Stat(in.path)
		if err != nil || info.Mode().IsRegular() {
			continue
		}
		for _, other := range inputs[:i] {
			if files.Same(in.path, other.path) {
				return fmt.Errorf("--%s %s: %w, and read for --%s already; expected another file", in.flag, in.path, files.ErrNotRegular, other.flag)
			}
		}
	}
	return nil
}

// paths are the values of a flag that may be repeated.
type paths []string

func (p *paths) String() string { return strings.Join(*p, string(os.PathListSeparator)) }
func (p *paths) Type() string   { return "strings" }

// Set adds a path.
func (p *paths) Set(path string) error {
	*p = append(*p, path)
	return nil
}

// A textInput reads a text file of a training once: it takes the checksum and shows the progress on
// the way.
type textInput struct {
	*files.Input
	hash     hash.Hash
	offset   int64 // in the file, as shown
	progress terminal.Progress
}

// openText opens a text file. Its progress is not shown.
func openText(path string) (*textInput, error) {
	in, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	return &textInput{Input: in, hash: sha256.New(), progress: terminal.NoProgress{}}, nil
}

func (t *textInput) Read(p []byte) (int, error) {
	n, err := t.Input.Read(p)
	t.hash.Write(p[:n])
	offset := t.Offset()
	t.progress.Add(int(offset-t.offset), "")
	t.offset = offset
	return n, err
}

// checksum returns the SHA-256 of the decompressed text. It reads what is left of it.
func (t *textInput) checksum() (string, error) {
	if _, err := io.Copy(io.Discard, t); err != nil {
		return "", err
	}
	return hex.EncodeToString(t.hash.Sum(nil)), nil
}
