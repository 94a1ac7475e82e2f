package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// pipelineFor returns the pipeline of a language with merges for the words of vocabularyOf.
func pipelineFor(t testing.TB, language, prefix string) pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.New(pipeline.Settings{
		Language: language, Lowercase: true,
		Codes: bpe.Codes{{Left: prefix, Right: "3</w>"}, {Left: prefix, Right: "4"}}, Segments: []string{prefix + "3", prefix + "4@@"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withPipelines returns a random model with vocabularies and pipelines.
func withPipelines(t testing.TB, c Config) *Model {
	t.Helper()
	m := withVocabularies(t, c)
	m.SourceText, m.TargetText = pipelineFor(t, "en", "s"), pipelineFor(t, "fr", "t")
	return m
}

// samePipeline compares the JSON of pipelines.
func samePipeline(t testing.TB, what string, got, want pipeline.Pipeline) {
	t.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g, w) {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func TestEncodeDecode(t *testing.T) {
	m := withPipelines(t, smallConfig)
	for _, test := range []struct {
		line string
		want []int32
	}{
		{"S3 s3\n", []int32{3, 3, text.EOS}},
		{"(S3)", []int32{text.UNK, 3, text.UNK, text.EOS}},
		{"s3\xff", []int32{3, text.UNK, text.EOS}},
		{"", []int32{text.EOS}},
	} {
		if got := m.Encode(test.line); !slices.Equal(got, test.want) {
			t.Errorf("Encode(%q): got %v, want %v", test.line, got, test.want)
		}
	}
	// The segment t4@@ is not in the vocabulary.
	for _, test := range []struct {
		words []int32
		want  string
	}{
		{[]int32{3, 5, text.EOS, 7}, "t3 t5"},
		{[]int32{3, text.UNK, -1, 27}, "t3 <unk> <unk> <unk>"},
		{[]int32{text.EOS}, ""},
		{nil, ""},
	} {
		if got := m.Decode(test.words); got != test.want {
			t.Errorf("Decode(%v): got %q, want %q", test.words, got, test.want)
		}
	}
}

// TestEncodeTokens has a model for tokenized text.
func TestEncodeTokens(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	if got, want := m.Encode(" s3\ts4 S3 s3, "), []int32{3, 4, text.UNK, text.UNK, text.EOS}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := m.Decode([]int32{3, 4, text.UNK, text.EOS}), "t3 t4 <unk>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEncodeMarks has a model that has learned from plain quotation marks.
func TestEncodeMarks(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	words := m.Source.Words()
	words[3], words[5] = "hi", `"`
	var err error
	if m.Source, err = text.VocabularyOf(words); err != nil {
		t.Fatal(err)
	}
	for rules, want := range map[pipeline.Rules][]int32{
		pipeline.Reversible: {5, 3, 5, text.UNK, text.EOS}, pipeline.Moses: {5, 3, 5, text.UNK, text.EOS},
	} {
		if m.SourceText, err = pipeline.New(pipeline.Settings{Language: "en", Rules: rules}); err != nil {
			t.Fatal(err)
		}
		if got := m.Encode("“ hi ” …"); !slices.Equal(got, want) {
			t.Errorf("rules %q: got %v, want %v", rules, got, want)
		}
	}
	m.SourceText = pipeline.Pipeline{}
	if got, want := m.Encode("“ hi"), []int32{text.UNK, 3, text.EOS}; !slices.Equal(got, want) {
		t.Errorf("tokenized text: got %v, want %v", got, want)
	}
}

// TestEncodeWithoutVocabulary has a model for ids alone.
func TestEncodeWithoutVocabulary(t *testing.T) {
	m := randomModel(t, smallConfig, 60, 0.4)
	ids := m.Encode("s3")
	if ids != nil {
		t.Errorf("got %v", ids)
	}
	checkError(t, "Begin", stepperOf(t, kernels.Best(), m, 1, 5).Begin(ids), ErrExample)
	if got := m.Decode([]int32{3, text.EOS}); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestSavePipelines(t *testing.T) {
	both := withPipelines(t, smallConfig)
	source, target := withPipelines(t, smallConfig), withPipelines(t, smallConfig)
	source.TargetText, target.SourceText = pipeline.Pipeline{}, pipeline.Pipeline{}
	for _, want := range []*Model{both, source, target} {
		got, err := Read(bytes.NewReader(written(t, want)))
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, got, want)
		samePipeline(t, "source text", got.SourceText, want.SourceText)
		samePipeline(t, "target text", got.TargetText, want.TargetText)
	}
	f, err := safetensors.Read(bytes.NewReader(written(t, source)))
	if err != nil {
		t.Fatal(err)
	}
	const english = `{"language":"en","lowercase":true,"codes":"#version: 0.2\ns 3\u003c/w\u003e\ns 4\n","segments":["s3","s4@@"]}`
	if got := f.Metadata["source_text"]; got != english {
		t.Errorf("source_text: got %s, want %s", got, english)
	}
	if got, ok := f.Metadata["target_text"]; ok {
		t.Errorf("target_text: got %s, want none", got)
	}
}

func TestReadPipelineErrors(t *testing.T) {
	for _, key := range []string{"source_text", "target_text"} {
		for _, test := range []struct{ stored, says string }{
			{"", "JSON"},
			{"en", "invalid character"},
			{`{"language":"en"`, "JSON"},
			{`{"language":"en"}{}`, "invalid character"},
			{"null", "expected an object"},
			{`["en"]`, "array"},
			{`{"language":"tlh"}`, `"tlh"`},
			{`{"lowercase":true}`, "lower case"},
			{`{"tongue":"en"}`, "tongue"},
			{`{"codes":"s 3\n"}`, "#version: 0.2"},
			{`{"codes":"#version: 0.2\ns3 4\n"}`, `"s3"`},
			{`{"segments":["s3"]}`, "segments without codes"},
			{`{"codes":"#version: 0.2\ns 3\n","segments":["s4@@"]}`, `"s4@@"`},
		} {
			f := contents(t, smallConfig)
			f.Metadata[key] = test.stored
			m, err := Read(bytes.NewReader(encoded(t, f)))
			checkError(t, key+" "+test.stored, err, ErrFile, key, test.says)
			if m != nil {
				t.Errorf("%s %s: got a model with the error", key, test.stored)
			}
		}
	}
}

// FuzzReadPipelines changes the pipelines in the metadata. Either Read rejects the file with
// ErrFile, or the model accepts any line and survives a round trip.
func FuzzReadPipelines(f *testing.F) {
	m := withPipelines(f, tinyConfig)
	stored, err := m.file()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(stored.Metadata["source_text"], stored.Metadata["target_text"], "S3, s4s \xff", []byte{1, 2, 3})
	f.Add(`{}`, `{"language":"de"}`, "«S3»", []byte{2, 200, 0})
	f.Add(`null`, `{"codes":"#version: 0.2\n","segments":[]}`, "", []byte{})
	f.Fuzz(func(t *testing.T, source, target, line string, words []byte) {
		file := contents(t, tinyConfig)
		file.Metadata["source_text"], file.Metadata["target_text"] = source, target
		var b bytes.Buffer
		if safetensors.Write(&b, file) != nil {
			return // no file has this text
		}
		m, err := Read(&b)
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Errorf("got error %v, want one that wraps %q", err, ErrFile)
			}
			return
		}
		again, err := Read(bytes.NewReader(written(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, again, m)
		samePipeline(t, "source text", again.SourceText, m.SourceText)
		samePipeline(t, "target text", again.TargetText, m.TargetText)
		ids := make([]int32, len(words))
		for i, w := range words {
			ids[i] = int32(w) - 1
		}
		if got, want := again.Encode(line), m.Encode(line); !slices.Equal(got, want) {
			t.Errorf("Encode(%q): got %v, want %v", line, got, want)
		}
		if got, want := again.Decode(ids), m.Decode(ids); got != want {
			t.Errorf("Decode(%v): got %q, want %q", ids, got, want)
		}
	})
}
