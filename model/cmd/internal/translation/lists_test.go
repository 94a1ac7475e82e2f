package translation

import (
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// setTargetWords replaces the target words from id 2 on.
func setTargetWords(t *testing.T, m *model.Model, words ...string) {
	t.Helper()
	all := m.Target.Words()
	copy(all[2:], words)
	var err error
	if m.Target, err = text.VocabularyOf(all); err != nil {
		t.Fatal(err)
	}
}

// TestNBestList has an unknown word in the best translation.
func TestNBestList(t *testing.T) {
	m := fixture.TinyModel(t)
	setTargetWords(t, m, "Gand", "Bruges")
	best := []decode.Translation{
		{IDs: []int32{2, 1, 0}, LogProb: -1.5, Score: -0.5, Alignment: kernels.View([]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3)},
		{IDs: []int32{3}, LogProb: -2, Score: -2, Alignment: kernels.View([]float32{1, 0, 0}, 1, 3)},
	}
	for _, test := range []struct {
		replaceUNK bool
		want       string
	}{
		{false, "7 ||| Gand <unk> ||| logprob= -1.500000 ||| -0.500000\n7 ||| Bruges ||| logprob= -2.000000 ||| -2.000000\n"},
		{true, "7 ||| Gand Ghent ||| logprob= -1.500000 ||| -0.500000\n7 ||| Bruges ||| logprob= -2.000000 ||| -2.000000\n"},
	} {
		tr := testTranslator(t, m, decode.Options{ReplaceUNK: test.replaceUNK})
		if got := tr.nBestList(7, tr.Sentence(files.Line{Text: "the Ghent"}), best); got != test.want {
			t.Errorf("ReplaceUNK %t: got %q, want %q", test.replaceUNK, got, test.want)
		}
	}
}

// TestNBestListSeparator has a translation with the separator of the list.
func TestNBestListSeparator(t *testing.T) {
	m := fixture.TinyModel(t)
	setTargetWords(t, m, "|||", "|")
	tr := testTranslator(t, m, decode.Options{})
	got := tr.nBestList(0, tr.Sentence(files.Line{}), []decode.Translation{{IDs: []int32{3, 2, 0}}})
	if want := "0 ||| | &#124;&#124;&#124; ||| logprob= 0.000000 ||| 0.000000\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
