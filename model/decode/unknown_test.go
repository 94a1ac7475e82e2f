package decode

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

func TestReplaceUNK(t *testing.T) {
	v, err := text.VocabularyOf([]string{"</s>", "<unk>", "la", "ville"})
	if err != nil {
		t.Fatal(err)
	}
	alpha := []float32{
		0.1, 0.2, 0.6, 0.1,
		0.4, 0.1, 0.1, 0.4,
		0.0, 0.1, 0.2, 0.7, // the end of the sentence
		0.2, 0.3, 0.3, 0.2, // equals
		0.0, 0.0, 0.1, 0.9,
	}
	aligned := Translation{IDs: []int32{1, 2, 1, 1, 0}, Alignment: kernels.View(alpha, 5, 4)}
	unfinished := Translation{IDs: aligned.IDs[:1], Alignment: kernels.View(alpha, 1, 4)}
	for _, test := range []struct {
		name         string
		t            Translation
		source, want string
	}{
		{"largest weight", aligned, "city of Ghent", "Ghent la Ghent of"},
		{"without EOS", unfinished, "city of Ghent", "Ghent"},
		{"shorter source", aligned, "city of", "of la of of"},
		{"no source", aligned, "", "<unk> la <unk> <unk>"},
		{"no alignment", Translation{IDs: aligned.IDs}, "city of Ghent", "<unk> la <unk> <unk>"},
		{"no word", Translation{IDs: []int32{0}, Alignment: kernels.View(alpha, 1, 4)}, "city", ""},
	} {
		if got := test.t.ReplaceUNK(v, strings.Fields(test.source)); !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
