package grammar

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

func line(words []string) string { return strings.Join(words, " ") }

// digest identifies pairs.
func digest(pairs []text.Pair) string {
	h := sha256.New()
	for _, p := range pairs {
		h.Write([]byte(line(p.Source) + "\t" + line(p.Target) + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// The pairs are the same on every machine and with every release of Go.
func TestPairsFixed(t *testing.T) {
	train, heldOut := Pairs(1, 1000, 100)
	if got, want := digest(train), "8bcf5a719f960560"; got != want {
		t.Errorf("training pairs %s, want %s", got, want)
	}
	if got, want := digest(heldOut), "94650c10356b2c74"; got != want {
		t.Errorf("held-out pairs %s, want %s", got, want)
	}
}

func TestPairsSeed(t *testing.T) {
	train, heldOut := Pairs(1, 50, 20)
	again, heldOutAgain := Pairs(1, 80, 20)
	if !reflect.DeepEqual(train, again[:50]) || !reflect.DeepEqual(heldOut, heldOutAgain) {
		t.Error("equal seeds, different pairs")
	}
	if other, _ := Pairs(2, 50, 20); reflect.DeepEqual(train, other) {
		t.Error("different seeds, equal pairs")
	}
	if train, heldOut := Pairs(1, 0, 0); len(train)+len(heldOut) != 0 {
		t.Error("pairs where none were asked for")
	}
}

func TestPairsHeldOut(t *testing.T) {
	train, heldOut := Pairs(3, 20_000, 2000)
	if len(train) != 20_000 || len(heldOut) != 2000 {
		t.Fatalf("%d and %d pairs", len(train), len(heldOut))
	}
	seen := make(map[string]bool)
	for _, p := range heldOut {
		if source := line(p.Source); seen[source] {
			t.Errorf("held-out twice: %s", source)
		} else {
			seen[source] = true
		}
	}
	for _, p := range train {
		if source := line(p.Source); seen[source] {
			t.Errorf("held-out sentence in training: %s", source)
		}
	}
}

// A source has one translation, the words are few, and both parts use all of them.
func TestPairsLearnable(t *testing.T) {
	train, heldOut := Pairs(1, 20_000, 1000)
	translation := make(map[string]string)
	for _, p := range slices.Concat(train, heldOut) {
		source, target := line(p.Source), line(p.Target)
		if other, ok := translation[source]; ok && other != target {
			t.Errorf("%s\n%s\n%s", source, other, target)
		}
		translation[source] = target
	}
	if len(translation) == len(train)+len(heldOut) {
		t.Error("no sentence occurs twice, so nothing was compared")
	}
	english, err := text.NewVocabulary(text.Sources(train), 1000)
	if err != nil {
		t.Fatal(err)
	}
	french, err := text.NewVocabulary(text.Targets(train), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if english.Size() != 182 || french.Size() != 209 {
		t.Errorf("%d English and %d French words, want 182 and 209", english.Size(), french.Size())
	}
	for _, e := range text.Examples(heldOut, english, french) {
		if slices.Contains(e.Source, text.UNK) || slices.Contains(e.Target, text.UNK) {
			t.Errorf("a word that is not in the training part: %v", e)
		}
	}
}

func TestPairsLengths(t *testing.T) {
	train, _ := Pairs(1, 20_000, 0)
	count := make(map[string]int)
	for _, p := range train {
		for _, words := range [][]string{p.Source, p.Target} {
			n := len(words)
			switch {
			case n < shortest || n > longest:
				t.Errorf("%d words: %s", n, line(words))
			case n <= 5:
				count["3 to 5"]++
			case n <= 25:
				count["6 to 25"]++
			case n > 60:
				count["61 to 80"]++
			}
			if words[n-1] != "." || line(words) != strings.ToLower(line(words)) {
				t.Errorf("not a sentence in lower case: %s", line(words))
			}
		}
	}
	for class, least := range map[string]int{"3 to 5": 1000, "6 to 25": 28_000, "61 to 80": 200} {
		if count[class] < least {
			t.Errorf("%d sentences of %s words, want at least %d", count[class], class, least)
		}
	}
}

func TestContract(t *testing.T) {
	tests := []struct{ words, want string }{
		{"", ""},
		{"le homme", "l' homme"},
		{"la orange", "l' orange"},
		{"les hommes", "les hommes"},
		{"la église de le roi", "l' église du roi"},
		{"de le enfant", "de l' enfant"},
		{"de la reine", "de la reine"},
		{"de les rois", "des rois"},
		{"près de des arbres", "près d' arbres"},
		{"près de de petits arbres", "près de petits arbres"},
		{"de un ami", "d' un ami"},
		{"de onze amis", "de onze amis"},
		{"de huit amis", "de huit amis"},
		{"le onze mars", "le onze mars"},
		{"que une reine voit", "qu' une reine voit"},
		{"parce que le homme", "parce que l' homme"},
		{"parce que un homme", "parce qu' un homme"},
		{"ce arbre", "cet arbre"},
		{"ce vieil arbre", "ce vieil arbre"},
	}
	for _, test := range tests {
		if got := line(contract(text.Tokens(test.words))); got != test.want {
			t.Errorf("%s: %s, want %s", test.words, got, test.want)
		}
	}
}
