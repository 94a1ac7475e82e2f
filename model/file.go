package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// ErrFile is the error for a file that is not a model of this package. Errors of package
// safetensors distinguish foreign, truncated and corrupt files.
var ErrFile = errors.New("not a softsearch model")

// The format of model files and the keys of their metadata.
const (
	modelFormat   = "softsearch 1"
	keyFormat     = "format"
	keyConfig     = "config"
	keySource     = "source_vocabulary"
	keyTarget     = "target_vocabulary"
	keySourceText = "source_text" // pipelines; absent if the text is already tokenized
	keyTargetText = "target_text"
	keyLongest    = "longest_source" // absent if unknown, as is
	keySearch     = "search"
)

// Save writes m to a safetensors file: the parameters row-major under the paper's names, and in
// the metadata configuration, vocabularies, pipelines and Search as JSON. A matrix or embedding of int8 has a
// second tensor, of its name and ".scale": row i of the weights is scale[i] times row i of the
// integers. An existing file is replaced once the new one is complete (see safetensors.Save). The
// error wraps ErrConfig if m does not pass its Check.
func Save(path string, m *Model) error {
	f, err := m.file()
	if err != nil {
		return err
	}
	return safetensors.Save(path, f)
}

// Write writes m to w in the format of Save. It panics if w is nil.
func Write(w io.Writer, m *Model) error {
	f, err := m.file()
	if err != nil {
		return err
	}
	return safetensors.Write(w, f)
}

// Open reads a model file, which must be a regular file or a symbolic link to one, on all processors. It
// checks length, checksum, shapes and values before it returns the model. The error wraps ErrFile or one
// of package safetensors.
func Open(path string) (*Model, error) {
	r, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Read reads a model in the format of Save, like Open. The error wraps ErrFile or one of package
// safetensors. Read panics if r is nil.
func Read(r io.Reader) (*Model, error) {
	f, err := safetensors.Buffer(r)
	if err != nil {
		return nil, err
	}
	return read(f)
}

// read returns the model in a file, whose checksum is computed meanwhile.
func read(r *safetensors.Reader) (*Model, error) {
	verified := sync.OnceValue(r.Verify)
	go verified()
	m, err := unverified(r, verified)
	if err := verified(); err != nil {
		return nil, err
	}
	return m, err
}

func (m *Model) file() (*safetensors.File, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	f := &safetensors.File{Metadata: map[string]string{keyFormat: modelFormat}}
	values := map[string]any{keyConfig: m.Config}
	for key, v := range map[string]*text.Vocabulary{keySource: m.Source, keyTarget: m.Target} {
		if v != nil {
			values[key] = v.Words()
		}
	}
	for key, p := range map[string]pipeline.Pipeline{keySourceText: m.SourceText, keyTargetText: m.TargetText} {
		if !p.IsZero() {
			values[key] = p
		}
	}
	if m.Search != (Search{}) {
		values[keySearch] = m.Search
	}
	if err := putJSON(f.Metadata, values); err != nil {
		return nil, err
	}
	m.putLongestSource(f.Metadata)
	for _, t := range m.Parameters.tensors(m.Config) {
		f.Tensors = append(f.Tensors, t.stored()...)
	}
	return f, nil
}

func putJSON(metadata map[string]string, values map[string]any) error {
	for key, v := range values {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		metadata[key] = string(data)
	}
	return nil
}

// putLongestSource adds LongestSource to the metadata of a model file or a checkpoint, if known.
func (m *Model) putLongestSource(metadata map[string]string) {
	if m.LongestSource > 0 {
		metadata[keyLongest] = strconv.Itoa(m.LongestSource)
	}
}

// longestSource returns what putLongestSource added to the metadata, 0 if nothing. It reports
// false for anything else.
func longestSource(metadata map[string]string) (n int, ok bool) {
	stored, ok := metadata[keyLongest]
	if !ok {
		return 0, true
	}
	v, err := strconv.ParseInt(stored, 10, 32)
	n = int(v)
	return n, err == nil && n > 0 && strconv.Itoa(n) == stored
}

// unverified checks the contents of a file and builds the model. Its checksum is what verified waits for.
func unverified(f *safetensors.Reader, verified func() error) (*Model, error) {
	if got := f.Metadata[keyFormat]; got != modelFormat {
		return nil, fmt.Errorf("%w: format %.80q, expected %q", ErrFile, got, modelFormat)
	}
	m := &Model{}
	if err := getJSON(f, keyConfig, &m.Config); err != nil {
		return nil, err
	}
	c := m.Config
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	var ok bool
	if m.LongestSource, ok = longestSource(f.Metadata); !ok {
		return nil, fmt.Errorf("%w: %s %.80q, expected 1 to %d", ErrFile, keyLongest, f.Metadata[keyLongest], math.MaxInt32)
	}
	if err := storedJSON(f, keySearch, &m.Search); err != nil {
		return nil, err
	}
	if err := m.Search.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	var parts sync.WaitGroup
	var errs [5]error // of the parts, in the order in which they are reported
	parts.Go(func() { m.Source, errs[0] = storedVocabulary(f, keySource, c.SourceVocab) })
	parts.Go(func() { m.Target, errs[1] = storedVocabulary(f, keyTarget, c.TargetVocab) })
	parts.Go(func() { errs[2] = storedJSON(f, keySourceText, &m.SourceText) })
	parts.Go(func() { errs[3] = storedJSON(f, keyTargetText, &m.TargetText) })
	m.Parameters, errs[4] = storedParameters(f, c, verified)
	parts.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// storedVocabulary returns the vocabulary under key, nil if the file has none.
func storedVocabulary(f *safetensors.Reader, key string, size int) (*text.Vocabulary, error) {
	if _, ok := f.Metadata[key]; !ok {
		return nil, nil
	}
	var words []string
	if err := getJSON(f, key, &words); err != nil {
		return nil, err
	}
	v, err := text.VocabularyOf(words)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFile, key, brief{err})
	}
	if v.Size() != size {
		return nil, fmt.Errorf("%w: %s has %d words, expected %d", ErrFile, key, v.Size(), size)
	}
	return v, nil
}

// storedJSON reads what putJSON wrote under key, if the file has that.
func storedJSON(f *safetensors.Reader, key string, v any) error {
	if _, ok := f.Metadata[key]; !ok {
		return nil
	}
	return getJSON(f, key, v)
}

// getJSON reads what putJSON wrote under key.
func getJSON(f *safetensors.Reader, key string, v any) error {
	if err := json.Unmarshal([]byte(f.Metadata[key]), v); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFile, key, brief{err})
	}
	return nil
}

// storedParameters returns the tensors of f as the parameters of a model. It compares names and shapes
// before it allocates, so that a small file cannot ask for much memory.
func storedParameters(f *safetensors.Reader, c Config, verified func() error) (*Parameters, error) {
	known := map[string]bool{}
	var missing error
	for _, t := range newParameters(&allocator{}, c).tensors(c) {
		known[t.name], known[t.name+scaleSuffix] = true, t.isInt8()
		missing = cmp.Or(missing, t.check(f))
	}
	for _, t := range f.Tensors {
		if known[t.Name] {
			continue
		}
		unknown := fmt.Errorf("unknown tensor %.80q of shape %.80s", t.Name, fmt.Sprint(t.Shape))
		if missing != nil {
			return nil, fmt.Errorf("%w, but has an %w", missing, unknown)
		}
		return nil, fmt.Errorf("%w: %w", ErrFile, unknown)
	}
	if missing != nil {
		return nil, missing
	}
	p := newParameters(nil, c)
	if err := p.load(f, c, verified); err != nil {
		return nil, err
	}
	return p, nil
}

// A brief error has the beginning of another one's message, which may quote a file of any size.
type brief struct{ error }

func (e brief) Error() string {
	const most = 300 // bytes
	message := e.error.Error()
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + " …"
}

func (e brief) Unwrap() error { return e.error }
