package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// TestInsideWritten has a model of text as people write it, whose words are segments.
func TestInsideWritten(t *testing.T) {
	dir, o := t.TempDir(), rawOptions(t, 20)
	mustTrain(t, rawArgs(t, dir, 20, strings.Fields("--epochs 1 --bpe-threshold 4 --embedding 8 --hidden 8 --alignment 8 --maxout 8")...))
	m, err := model.Open(dir + "/m")
	if err != nil {
		t.Fatal(err)
	}
	pairs := []string{"--model", dir + "/m", "--source", o.validSource, "--target", o.validTarget}
	columns, _ := scored(t, append(pairs, "--words")...)
	forced := objects(t, aligns(t, "", append(pairs, "--format", "json")...))
	translated := objects(t, aligns(t, strings.Join(rawEnglish, "\r\n")+"\n\x01", "--model", dir+"/m", "--format", "json"))
	for i := range rawEnglish {
		source, target := m.SourceText.Words(rawEnglish[i]), m.TargetText.Words(rawFrench[i])
		var words []string
		for word := range slices.Chunk(strings.Fields(columns[i][2]), 2) {
			words = append(words, word[0])
		}
		if !slices.Equal(words, withEnd(target)) {
			t.Errorf("pair %d: score of %q, want %q", i, words, target)
		}
		if !slices.Equal(forced[i].Source, shownEnd(withEnd(source))) || !slices.Equal(forced[i].Target, shownEnd(withEnd(target))) {
			t.Errorf("pair %d: alignment of %q with %q, want %q and %q", i, forced[i].Source, forced[i].Target, source, target)
		}
		if !slices.Equal(translated[i].Source, forced[i].Source) {
			t.Errorf("line %d: alignment with %q, want %q", i, translated[i].Source, source)
		}
	}
	if len(translated[3].Source) > 0 {
		t.Errorf("a line without words: %v", translated[3])
	}
	got, _ := facts(t, "--model", dir+"/m")
	for name, want := range map[string]string{
		"source text": "as people write it, language en, lower-cased, byte-pair encoding of 12 merges, ",
		"target text": "as people write it, language fr, lower-cased, byte-pair encoding of 12 merges, ",
	} {
		if !strings.HasPrefix(got[name], want) || !strings.HasSuffix(got[name], " segments") {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}
