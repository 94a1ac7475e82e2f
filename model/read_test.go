package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/safetensors"
)

// contents returns the file of a model with vocabularies. Tests may change it: its tensors are
// copies.
func contents(t testing.TB, c Config) *safetensors.File {
	t.Helper()
	f, err := withVocabularies(t, c).file()
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Tensors {
		f.Tensors[i].Data = slices.Clone(f.Tensors[i].Data)
		f.Tensors[i].Shape = slices.Clone(f.Tensors[i].Shape)
	}
	return f
}

func encoded(t testing.TB, f *safetensors.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func configJSON(t testing.TB, change func(c *Config)) string {
	t.Helper()
	c := smallConfig
	change(&c)
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tensorOf returns the tensor of that name, which must exist.
func tensorOf(f *safetensors.File, name string) *safetensors.Tensor {
	t, _ := f.Tensor(name)
	return t
}

// badFiles are changes after which Read rejects a file.
var badFiles = []struct {
	name  string
	alter func(t testing.TB, f *safetensors.File)
	says  []string
}{
	{"no format", func(_ testing.TB, f *safetensors.File) { delete(f.Metadata, "format") }, []string{`format ""`, "softsearch 1"}},
	{"wrong format", func(_ testing.TB, f *safetensors.File) { f.Metadata["format"] = "softsearch 2" }, []string{"softsearch 2"}},
	{"no config", func(_ testing.TB, f *safetensors.File) { delete(f.Metadata, "config") }, []string{"config"}},
	{"config of no JSON", func(_ testing.TB, f *safetensors.File) { f.Metadata["config"] = "kind=search" }, []string{"config"}},
	{"config cut short", func(_ testing.TB, f *safetensors.File) {
		f.Metadata["config"] = f.Metadata["config"][:20]
	}, []string{"config"}},
	{"config with more behind", func(_ testing.TB, f *safetensors.File) { f.Metadata["config"] += "{}" }, []string{"config"}},
	{"config null", func(_ testing.TB, f *safetensors.File) { f.Metadata["config"] = "null" }, []string{"kind"}},
	{"config of an array", func(_ testing.TB, f *safetensors.File) { f.Metadata["config"] = "[]" }, []string{"config"}},
	{"config of text sizes", func(_ testing.TB, f *safetensors.File) {
		f.Metadata["config"] = strings.Replace(f.Metadata["config"], ":13", `:"13"`, 1)
	}, []string{"config"}},
	{"config of a broken size", func(_ testing.TB, f *safetensors.File) {
		f.Metadata["config"] = strings.Replace(f.Metadata["config"], ":13", ":13.5", 1)
	}, []string{"config"}},
	{"config of a size beyond integers", func(_ testing.TB, f *safetensors.File) {
		f.Metadata["config"] = strings.Replace(f.Metadata["config"], ":13", ":1e30", 1)
	}, []string{"config"}},
	{"larger hidden", func(t testing.TB, f *safetensors.File) {
		f.Metadata["config"] = configJSON(t, func(c *Config) { c.Hidden++ })
	}, []string{"tensor encoder.forward.W has shape [13 7], expected [14 7]"}},
	{"other kind", func(t testing.TB, f *safetensors.File) {
		f.Metadata["config"] = configJSON(t, func(c *Config) { c.Kind = RNNencdec })
	}, []string{"tensor decoder.C has shape [13 26], expected [13 13], but has an unknown tensor", "encoder.backward.W", "[13 7]"}},
	{"wrong name", func(_ testing.TB, f *safetensors.File) { tensorOf(f, "decoder.Cz").Name = "decoder.cz" }, []string{
		"no tensor decoder.Cz, expected one of shape [13 26]", `unknown tensor "decoder.cz" of shape [13 26]`,
	}},
	{"names exchanged", func(_ testing.TB, f *safetensors.File) {
		a, b := tensorOf(f, "attention.va"), tensorOf(f, "readout.bo")
		a.Name, b.Name = b.Name, a.Name
	}, []string{"attention.va", "[18]", "[11]"}},
	{"shape exchanged", func(_ testing.TB, f *safetensors.File) {
		slices.Reverse(tensorOf(f, "readout.Vo").Shape)
	}, []string{"readout.Vo", "[7 18]", "[18 7]"}},
	{"matrix flat", func(_ testing.TB, f *safetensors.File) {
		tensorOf(f, "decoder.Ws").Shape = []int{169}
	}, []string{"decoder.Ws", "[169]", "[13 13]"}},
	{"vector as matrix", func(_ testing.TB, f *safetensors.File) {
		tensorOf(f, "output.b").Shape = []int{1, 27}
	}, []string{"output.b", "[1 27]", "[27]"}},
	{"last tensor missing", func(_ testing.TB, f *safetensors.File) { f.Tensors = f.Tensors[:len(f.Tensors)-1] }, []string{"no tensor output.b, expected one of shape [27]"}},
	{"tensor missing, another as large", func(_ testing.TB, f *safetensors.File) {
		f.Tensors[3].Name = "more"
	}, []string{"no tensor encoder.forward.Wz", `unknown tensor "more" of shape [13 7]`}},
	{"one tensor more", func(_ testing.TB, f *safetensors.File) {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "more", Shape: []int{1}, Data: []float32{1}})
	}, []string{`unknown tensor "more" of shape [1]`}},
	{"no tensors", func(_ testing.TB, f *safetensors.File) { f.Tensors = nil }, []string{"no tensor source.embedding"}},
	{"vocabulary of no JSON", func(_ testing.TB, f *safetensors.File) { f.Metadata["source_vocabulary"] = "a b" }, []string{"source_vocabulary"}},
	{"vocabulary of numbers", func(_ testing.TB, f *safetensors.File) { f.Metadata["target_vocabulary"] = "[1,2,3]" }, []string{"target_vocabulary"}},
	{"empty vocabulary", func(_ testing.TB, f *safetensors.File) { f.Metadata["target_vocabulary"] = "[]" }, []string{"target_vocabulary"}},
	{"vocabulary null", func(_ testing.TB, f *safetensors.File) { f.Metadata["source_vocabulary"] = "null" }, []string{"source_vocabulary"}},
	{"small vocabulary", func(t testing.TB, f *safetensors.File) {
		alterWords(t, f, "source_vocabulary", func(w []string) []string { return w[:len(w)-1] })
	}, []string{"source_vocabulary", "20", "21"}},
	{"large vocabulary", func(t testing.TB, f *safetensors.File) {
		alterWords(t, f, "target_vocabulary", func(w []string) []string { return append(w, "more") })
	}, []string{"target_vocabulary", "28", "27"}},
	{"word twice", func(t testing.TB, f *safetensors.File) {
		alterWords(t, f, "target_vocabulary", func(w []string) []string { w[20] = w[5]; return w })
	}, []string{"target_vocabulary", "20", "t5"}},
	{"no special words", func(t testing.TB, f *safetensors.File) {
		alterWords(t, f, "source_vocabulary", func(w []string) []string { w[0] = "eos"; return w })
	}, []string{"source_vocabulary", "</s>"}},
	{"word with a space", func(t testing.TB, f *safetensors.File) {
		alterWords(t, f, "source_vocabulary", func(w []string) []string { w[9] = "a b"; return w })
	}, []string{"source_vocabulary", "a b"}},
}

func alterWords(t testing.TB, f *safetensors.File, key string, change func(words []string) []string) {
	t.Helper()
	var words []string
	if err := json.Unmarshal([]byte(f.Metadata[key]), &words); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(change(words))
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata[key] = string(data)
}

func TestReadErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for _, e := range badFiles {
		f := contents(t, smallConfig)
		e.alter(t, f)
		data := encoded(t, f)
		m, err := Read(bytes.NewReader(data))
		checkError(t, e.name, err, ErrFile, e.says...)
		if m != nil {
			t.Errorf("%s: got a model with the error", e.name)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = Open(path)
		checkError(t, "Open: "+e.name, err, ErrFile, append([]string{path}, e.says...)...)
	}
	for _, e := range badConfigs {
		f := contents(t, smallConfig)
		f.Metadata["config"] = configJSON(t, e.change)
		_, err := Read(bytes.NewReader(encoded(t, f)))
		checkError(t, e.name, err, ErrFile, e.says...)
		checkError(t, e.name, err, ErrConfig)
	}
	if _, err := Read(bytes.NewReader(encoded(t, contents(t, smallConfig)))); err != nil {
		t.Errorf("unchanged file: %v", err)
	}
}

// TestReadHugeConfig reads a small file that claims the largest sizes. The memory bound is far above
// the size of the file and far below that of any such tensor.
func TestReadHugeConfig(t *testing.T) {
	const most = 1 << 24
	sizes := []func(c *Config) *int{
		func(c *Config) *int { return &c.SourceVocab }, func(c *Config) *int { return &c.TargetVocab },
		func(c *Config) *int { return &c.Embedding }, func(c *Config) *int { return &c.Hidden },
		func(c *Config) *int { return &c.Alignment }, func(c *Config) *int { return &c.Maxout },
	}
	for all := range len(sizes) + 1 {
		f := contents(t, smallConfig)
		delete(f.Metadata, "source_vocabulary")
		delete(f.Metadata, "target_vocabulary")
		f.Metadata["config"] = configJSON(t, func(c *Config) {
			for i, size := range sizes {
				if i == all || all == len(sizes) {
					*size(c) = most
				}
			}
		})
		data := encoded(t, f)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(bytes.NewReader(data))
		runtime.ReadMemStats(&after)
		checkError(t, fmt.Sprint("sizes ", f.Metadata["config"]), err, ErrFile)
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("sizes %s: %d bytes allocated for a file of %d", f.Metadata["config"], n, len(data))
		}
	}
}
