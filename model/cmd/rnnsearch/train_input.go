package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// inputFlags name the files that train reads.
var inputFlags = append([]string{"settings"}, textFlags...)

// inputsOf returns the paths in inputFlags, by the names of the flags.
func inputsOf(flags *pflag.FlagSet) map[string]string {
	inputs := map[string]string{}
	for _, name := range inputFlags {
		if path := flags.Lookup(name).Value.String(); path != "" {
			inputs[name] = path
		}
	}
	return inputs
}

// checkInputs returns an error if two flags name one pipe or device: each would get a part of the
// text.
func checkInputs(flags *pflag.FlagSet) error {
	inputs := inputsOf(flags)
	for i, name := range inputFlags {
		info, err := os.Stat(inputs[name])
		if err != nil || info.Mode().IsRegular() {
			continue
		}
		for _, other := range inputFlags[:i] {
			if inputs[other] != "" && files.Same(inputs[name], inputs[other]) {
				return fmt.Errorf("--%s %s: %w, and read for --%s already; expected another file", name, inputs[name], files.ErrNotRegular, other)
			}
		}
	}
	return nil
}

// A textInput reads a text file of a training once: it takes the checksum and shows the progress on
// the way.
type textInput struct {
	*files.Input
	hash     hash.Hash
	offset   int64 // in the file, as shown
	progress progress
}

// openText opens a text file. Its progress is not shown.
func openText(path string) (*textInput, error) {
	in, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	return &textInput{Input: in, hash: sha256.New(), progress: noProgress{}}, nil
}

func (t *textInput) Read(p []byte) (int, error) {
	n, err := t.Input.Read(p)
	t.hash.Write(p[:n])
	offset := t.Offset()
	t.progress.add(int(offset-t.offset), "")
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
