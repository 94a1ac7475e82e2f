package corpus

import (
	"slices"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestComposed: a letter and its marks are read as the composed letter (NFC), for all letters that have one.
func TestComposed(t *testing.T) {
	p, err := pipeline.New(pipeline.Defaults("other"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r := rune(0xc0); r < 0x1f000; r++ {
		letter := string(r)
		apart := norm.NFD.String(letter)
		if !unicode.IsLetter(r) || apart == letter || norm.NFC.String(letter) != letter || 0xac00 <= r && r <= 0xd7a3 { // Hangul
			continue
		}
		n++
		if got, want := p.Read("a "+apart, nil).Words, p.Read("a "+letter, nil).Words; !slices.Equal(got, want) {
			t.Errorf("%U as %+q: words %q, want %q", r, apart, got, want)
		}
	}
	if n < 800 {
		t.Errorf("%d letters", n)
	}
}
