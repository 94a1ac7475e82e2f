package translation

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// englishFrench returns a model that has not learned anything but words, and is unsure of all that it says.
func englishFrench(t *testing.T) *model.Model {
	t.Helper()
	var sides [2]*text.Vocabulary
	var texts [2]pipeline.Pipeline
	for i, language := range []string{"en", "fr"} {
		s := pipeline.Defaults(language)
		s.Known = strings.Fields([]string{"the cat eats fish today", "le chat mange poisson"}[i])
		var err error
		if texts[i], err = pipeline.New(s); err != nil {
			t.Fatal(err)
		}
		if sides[i], err = text.VocabularyOf(slices.Concat([]string{"</s>", "<unk>", "."}, s.Known, texts[i].Reserved())); err != nil {
			t.Fatal(err)
		}
	}
	m, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: sides[0].Size(), TargetVocab: sides[1].Size(), Embedding: 4, Hidden: 4, Alignment: 4, Maxout: 4,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Source, m.Target, m.SourceText, m.TargetText = sides[0], sides[1], texts[0], texts[1]
	m.Search.Unsure = -1e-9
	return m
}

// TestWarnings has translations of which the model is unsure, ones that lack numbers, and lines in another language.
func TestWarnings(t *testing.T) {
	input := "The cat eats 1234 fish of 5678.\nLe chat mange le poisson.\nDer Hund schläft heute nicht.\nToday.\n"
	run := func(o decode.Options, json bool) (string, string) {
		tr := testTranslator(t, englishFrench(t), o)
		tr.json = json
		var stdout, stderr bytes.Buffer
		if err := tr.Run(t.Context(), files.NewInput(t.Context(), "in", strings.NewReader(input)), files.StandardOutput(&stdout), Console{Stderr: &stderr, Quiet: true}, false); err != nil {
			t.Error(err)
		}
		return stdout.String(), stderr.String()
	}
	const unsure = "the model is unsure of the translation, read it with care\n"
	for _, test := range []struct {
		options decode.Options
		want    string
	}{
		{decode.Options{KeepRepetitions: true}, ""},
		{decode.Options{KeepRepetitions: true, MaxLength: 1}, "rnnsearch: warning: in:1: the translation lacks a number, name or code, see --max-length\n"},
	} {
		got, warnings := run(test.options, false)
		want := "rnnsearch: warning: in:2: looks like fr; the model reads en, left as it is\n" +
			"rnnsearch: warning: in:3: looks like another language; the model reads en, left as it is\n" +
			test.want + "rnnsearch: warning: in:1: " + unsure + "rnnsearch: warning: in:4: " + unsure
		if warnings != want {
			t.Errorf("%+v: warnings\n%swant\n%s", test.options, warnings, want)
		}
		if lines := strings.Split(got, "\n"); strings.Join(lines[1:3], "\n") != "Le chat mange le poisson.\nDer Hund schläft heute nicht." {
			t.Errorf("foreign lines become %q", lines)
		}
		if whole := strings.Contains(got, "1234") && strings.Contains(got, "5678"); whole != (test.want == "") {
			t.Errorf("%+v: numbers of %q", test.options, got)
		}
	}
	got, _ := run(decode.Options{}, true)
	for i, want := range [][]string{
		{`"unsure":true`}, {`"language":"fr"`, `"text":"Le chat mange le poisson."`}, {`"language":"und"`, `"text":"Der Hund schläft heute nicht."`}, {`"unsure":true`},
	} {
		for _, part := range []string{`"unsure":true`, `"language":`, `"text":"Le`, `"text":"Der`} {
			line := strings.Split(got, "\n")[i]
			has := slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(w, part) })
			if strings.Contains(line, part) != has {
				t.Errorf("line %d: %s in %s", i+1, part, line)
			}
		}
		for _, w := range want {
			if line := strings.Split(got, "\n")[i]; !strings.Contains(line, w) {
				t.Errorf("line %d: %s, want %s", i+1, line, w)
			}
		}
	}
}
