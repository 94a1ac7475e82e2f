package model

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// vocabularyOf returns a vocabulary that includes a word with characters that JSON escapes.
func vocabularyOf(t testing.TB, prefix string, size int) *text.Vocabulary {
	t.Helper()
	words := []string{"</s>", "<unk>", prefix + "\"\\é&" + "\u2028"}
	for i := len(words); i < size; i++ {
		words = append(words, fmt.Sprint(prefix, i))
	}
	v, err := text.VocabularyOf(words)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// withVocabularies returns a random model with both vocabularies.
func withVocabularies(t testing.TB, c Config) *Model {
	t.Helper()
	m := randomModel(t, c, 60, 0.4)
	m.Source, m.Target = vocabularyOf(t, "s", c.SourceVocab), vocabularyOf(t, "t", c.TargetVocab)
	return m
}

func written(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameModel compares configurations, vocabularies and the bits of all weights, including the
// padding in memory.
func sameModel(t testing.TB, got, want *Model) {
	t.Helper()
	if got.Config != want.Config {
		t.Errorf("config: got %+v, want %+v", got.Config, want.Config)
	}
	if got.Search != want.Search {
		t.Errorf("search: got %+v, want %+v", got.Search, want.Search)
	}
	sameVocabulary(t, "source vocabulary", got.Source, want.Source)
	sameVocabulary(t, "target vocabulary", got.Target, want.Target)
	sameBits(t, "weight", got.Parameters.Values, want.Parameters.Values)
	theirs := want.Parameters.tensors(want.Config)
	for i, p := range got.Parameters.tensors(got.Config) {
		if !p.isInt8() {
			sameBits(t, p.name, p.read(), theirs[i].read())
			continue
		}
		gotData, gotScales := p.readInt8()
		wantData, wantScales := theirs[i].readInt8()
		sameBits(t, p.name+scaleSuffix, gotScales, wantScales)
		if !slices.Equal(gotData, wantData) {
			t.Errorf("%s: values of int8 differ", p.name)
		}
	}
}

func sameVocabulary(t testing.TB, what string, got, want *text.Vocabulary) {
	t.Helper()
	if (got == nil) != (want == nil) {
		t.Errorf("%s: got %v, want %v", what, got, want)
		return
	}
	if want != nil && !slices.Equal(got.Words(), want.Words()) {
		t.Errorf("%s: got %q, want %q", what, got.Words(), want.Words())
	}
}

func TestSaveOpen(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		path := filepath.Join(t.TempDir(), "model.safetensors")
		for _, vocabularies := range []bool{false, true} {
			want := withVocabularies(t, c)
			if !vocabularies {
				want.Source, want.Target = nil, nil
			}
			setWeight(t, want, "decoder.U", 5, 0x1p-149)
			setWeight(t, want, "readout.bo", 0, -0x1.fffffep127)
			if err := Save(path, want); err != nil { // the second time over the first file
				t.Fatal(err)
			}
			got, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			sameModel(t, got, want)
			got, err = Read(bytes.NewReader(written(t, want)))
			if err != nil {
				t.Fatal(err)
			}
			sameModel(t, got, want)
			onDisk, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(onDisk, written(t, want)) {
				t.Error("Save and Write differ")
			}
		}
	})
}

// TestFileTensors compares the tensors of a file with the parameters, row-major under the paper's
// names.
func TestFileTensors(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	f, err := safetensors.Read(bytes.NewReader(written(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	p, h, e := m.Parameters, smallConfig.Hidden, smallConfig.Embedding
	for _, c := range []struct {
		name   string
		packed kernels.Packed
		row    int // of the stacked matrix
		shape  []int
	}{
		{"encoder.forward.Wz", p.Forward.W.Float32, 0, []int{h, e}},
		{"encoder.backward.Wr", p.Backward.W.Float32, h, []int{h, e}},
		{"decoder.W", p.Decoder.W.Float32, 2 * h, []int{h, e}},
		{"decoder.Uz", p.Decoder.Uzr.Float32, 0, []int{h, h}},
		{"decoder.Ur", p.Decoder.Uzr.Float32, h, []int{h, h}},
		{"decoder.U", p.Decoder.U.Float32, 0, []int{h, h}},
		{"decoder.Cr", p.Context.Float32, h, []int{h, 2 * h}},
		{"attention.Ua", p.Attention.Ua.Float32, 0, []int{11, 2 * h}},
		{"output.Wo", p.Wo.Float32, 0, []int{27, 9}},
	} {
		got, ok := f.Tensor(c.name)
		if !ok || !slices.Equal(got.Shape, c.shape) {
			t.Errorf("%s: got %v, shape %v, want true, shape %v", c.name, ok, got.Shape, c.shape)
			continue
		}
		// Element (n, k) of a packed matrix of fewer than 64 columns, by its definition.
		for i, v := range got.Data {
			n, k := c.row+i/c.shape[1], i%c.shape[1]
			if want := c.packed.Data[n/16*c.packed.In*16+k*16+n%16]; v != want {
				t.Errorf("%s[%d]: got %v, want %v", c.name, i, v, want)
				break
			}
		}
	}
	for name, want := range map[string][]float32{
		"encoder.forward.bz": p.Forward.B[:h], "encoder.forward.br": p.Forward.B[h : 2*h], "encoder.forward.b": p.Forward.B[2*h:],
		"attention.va": p.Attention.Va, "output.b": p.B,
		"source.embedding": p.Source.Float32.Data, "target.embedding": p.Target.Float32.Data,
	} {
		if got, ok := f.Tensor(name); !ok {
			t.Errorf("no tensor %s", name)
		} else {
			sameBits(t, name, got.Data, want)
		}
	}
}
