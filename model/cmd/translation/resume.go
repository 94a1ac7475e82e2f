package translation

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// Key returns the key of the output for [files.Kind.Open]: 16 digits of a hash of the program's
// version, the models, the options and the file that in reads. The number of threads, which does not
// affect the output, is left out.
func (o Options) Key(version string, in *files.Input) (string, error) {
	d := o.Decoding
	d.Threads = 0
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%+v, sentences %t, %d words\n", version, d, o.SplitSentences, o.MaxSource)
	for _, path := range o.Models {
		digest, err := safetensors.Digest(path)
		if err != nil {
			return "", files.ExplainModel(path, err)
		}
		fmt.Fprintln(hash, digest)
	}
	if err := in.CopyFile(hash); err != nil {
		return "", fmt.Errorf("--resume: --input %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}

// resume prepares the output of an earlier run, if there is one, for the lines that it lacks.
func (t *translation) resume() (err error) {
	switch {
	case !t.out.IsPart():
	case t.nBest:
		t.earlier, err = t.resumeLists()
	default:
		t.earlier, err = countLines(t.out.Content())
	}
	if err != nil {
		return t.out.Named(err)
	}
	return nil
}

// foreignPart returns the error for a part whose name promises other content than it has.
func (t *translation) foreignPart(problem string) error {
	return fmt.Errorf("%s: %s: remove the file to start again", t.out.Name(), problem)
}

// resumeLists returns the number of lines before that of the last n-best list, and removes this list,
// which may lack its end.
func (t *translation) resumeLists() (lines int, err error) {
	content := bufio.NewReader(t.out.Content())
	var at, last int64
	for n := 1; ; n++ {
		entry, err := content.ReadString('\n')
		if err == io.EOF {
			return lines, t.out.Truncate(last)
		}
		if err != nil {
			return 0, err
		}
		number, _, found := strings.Cut(entry, " "+listSeparator+" ")
		line, err := strconv.Atoi(number)
		if !found || err != nil || line < lines {
			return 0, t.foreignPart(fmt.Sprintf("line %d is not of an n-best list in order", n))
		}
		if line > lines {
			lines, last = line, at
		}
		at += int64(len(entry))
	}
}

// countLines returns the number of lines of complete lines.
func countLines(r io.Reader) (n int, err error) {
	buffer := make([]byte, 1<<18)
	for {
		k, err := r.Read(buffer)
		n += bytes.Count(buffer[:k], []byte("\n"))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// skip returns the lines of a batch after those that an earlier run has translated.
func (t *translation) skip(b batch) batch {
	n := min(len(b.lines), max(0, t.earlier-t.written))
	if n == 0 {
		return b
	}
	words := 0
	for _, line := range b.lines[:n] {
		words += line.words()
	}
	b.from += (b.to - b.from) * int64(n) / int64(len(b.lines))
	b.lines = b.lines[n:]
	t.written += n
	t.meter.skip(n, words, b.from)
	return b
}
