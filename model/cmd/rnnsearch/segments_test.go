package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestSegments runs score, align and info with a model of plain text, whose words are segments of
// byte-pair encoding.
func TestSegments(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, rawArgs(t, dir, 20, strings.Fields("--epochs 1 --bpe-threshold 4 --embedding 8 --hidden 8 --alignment 8 --maxout 8")...))
	m, err := model.Open(dir + "/m")
	if err != nil {
		t.Fatal(err)
	}
	pairs := []string{"--model", dir + "/m", "--source", write(t, "en", rawEnglish...), "--target", write(t, "fr", rawFrench...)}
	columns, _ := scored(t, append(pairs, "--words")...)
	given := objects(t, aligns(t, "", append(pairs, "--format", "json")...))
	translated := objects(t, aligns(t, strings.Join(rawEnglish, "\r\n")+"\n\x01", "--model", dir+"/m", "--format", "json"))
	for i := range rawEnglish {
		a, b, err := pipeline.ReadPair(m.SourceText, m.TargetText, rawEnglish[i], rawFrench[i])
		if err != nil {
			t.Fatal(err)
		}
		source, target := a.Words, b.Words
		var words []string
		for word := range slices.Chunk(strings.Fields(columns[i][2]), 2) {
			words = append(words, word[0])
		}
		if !slices.Equal(words, translation.WithEnd(target)) {
			t.Errorf("pair %d: score of %q, want %q", i, words, target)
		}
		if !slices.Equal(given[i].Source, append(slices.Clone(source), "<end>")) || !slices.Equal(given[i].Target, append(slices.Clone(target), "<end>")) {
			t.Errorf("pair %d: alignment of %q with %q, want %q and %q", i, given[i].Source, given[i].Target, source, target)
		}
		if want := append(m.SourceText.Read(rawEnglish[i], nil).Shown(), "<end>"); !slices.Equal(translated[i].Source, want) {
			t.Errorf("line %d: alignment with %q, want %q", i, translated[i].Source, want)
		}
	}
	if len(translated[3].Source) > 0 {
		t.Errorf("a line without words: %v", translated[3])
	}
	got, _ := fields(t, "--model", dir+"/m")
	for name, want := range map[string]string{
		"source text": "plain, language en, ",
		"target text": "plain, language fr, ",
	} {
		if !strings.HasPrefix(got[name], want) || !strings.Contains(got[name], ", byte-pair encoding with 12 merges, ") || !strings.HasSuffix(got[name], " segments") {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}
