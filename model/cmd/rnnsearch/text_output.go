package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// textOutput are the flags of commands that write text to standard output or to a file.
type textOutput struct {
	file      string
	overwrite bool
}

// add adds the flags to a command.
func (o *textOutput) add(c *cobra.Command) {
	c.Flags().StringVar(&o.file, "output", "", "`file` to write instead of standard output; it appears when it is complete")
	addOverwrite(c, &o.overwrite, textFiles)
}

// textFiles are files that --overwrite may replace with text.
var textFiles = fileKind{"text", "text", isText}

// isText reports whether the beginning of the file at path is UTF-8 without NUL.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const length = 64 << 10
	head, err := io.ReadAll(io.LimitReader(f, length))
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for cut := 0; cut < utf8.UTFMax && len(head) == length && !utf8.Valid(head); cut++ {
		head = head[:len(head)-1] // a part of the last character
	}
	return utf8.Valid(head)
}

// open starts the output to the file, or to stdout if there is none, see openOutput.
func (o textOutput) open(stdout io.Writer, key string, inputs ...string) (*outputWriter, error) {
	switch suffix := filepath.Ext(o.file); {
	case suffix == ".gz" || suffix == ".zst":
		return nil, fmt.Errorf("--output %s: is written without compression, expected a name without %s", o.file, suffix)
	case o.file == "" && o.overwrite:
		return nil, errOverwriteNothing
	case o.file == "":
		return &outputWriter{w: stdout}, nil
	}
	return openOutput(o.file, key, o.overwrite, textFiles, inputs...)
}
