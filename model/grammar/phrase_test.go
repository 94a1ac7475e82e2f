package grammar

import "testing"

// find returns the noun and the adjectives of the English words.
func find(t *testing.T, nounWord, before string, behind ...string) nounPhrase {
	t.Helper()
	var p nounPhrase
	for _, c := range []*class{beings, things} {
		for _, n := range c.nouns {
			if n.english == nounWord {
				p.noun = n
			}
		}
	}
	for i, a := range adjectivesBefore {
		if a.english == before {
			p.before = &adjectivesBefore[i]
		}
	}
	for _, word := range behind {
		p.behind = append(p.behind, behindNoun(t, word))
	}
	if p.noun.english == "" || (p.before == nil) != (before == "") {
		t.Fatalf("no words %q, %q", nounWord, before)
	}
	return p
}

func behindNoun(t *testing.T, word string) adjective {
	t.Helper()
	for _, c := range []*class{beings, things} {
		for _, list := range [][]adjective{c.qualities, c.sorts} {
			for _, a := range list {
				if a.english == word {
					return a
				}
			}
		}
	}
	t.Fatalf("no adjective %q", word)
	return adjective{}
}

func TestNounPhrase(t *testing.T) {
	tests := []struct {
		determiner      determiner
		number          int
		plural          bool
		phrase          nounPhrase
		english, french string
	}{
		{definite, 0, false, find(t, "car", "", "red"), "the red car", "la voiture rouge"},
		{definite, 0, true, find(t, "car", "small", "white"), "the small white cars", "les petites voitures blanches"},
		{definite, 0, false, find(t, "man", ""), "the man", "l' homme"},
		{definite, 0, false, find(t, "orange", ""), "the orange", "l' orange"},
		{definite, 0, false, find(t, "island", "large"), "the large island", "la grande île"},
		{definite, 0, true, find(t, "man", "old"), "the old men", "les vieux hommes"},
		{indefinite, 0, false, find(t, "man", "old", "tired"), "an old tired man", "un vieil homme fatigué"},
		{indefinite, 0, false, find(t, "tree", "new"), "a new tree", "un nouvel arbre"},
		{indefinite, 0, false, find(t, "bird", "beautiful"), "a beautiful bird", "un bel oiseau"},
		{indefinite, 0, false, find(t, "boat", "beautiful"), "a beautiful boat", "un beau bateau"},
		{indefinite, 0, false, find(t, "woman", "new"), "a new woman", "une nouvelle femme"},
		{indefinite, 0, false, find(t, "island", ""), "an island", "une île"},
		{indefinite, 0, true, find(t, "horse", ""), "some horses", "des chevaux"},
		{indefinite, 0, true, find(t, "horse", "beautiful"), "some beautiful horses", "de beaux chevaux"},
		{indefinite, 0, true, find(t, "woman", "", "happy", "english"), "some happy english women", "des femmes anglaises heureuses"},
		{demonstrative, 0, false, find(t, "tree", ""), "this tree", "cet arbre"},
		{demonstrative, 0, false, find(t, "tree", "small"), "this small tree", "ce petit arbre"},
		{demonstrative, 0, false, find(t, "actress", ""), "this actress", "cette actrice"},
		{demonstrative, 0, true, find(t, "castle", "", "heavy", "black"), "these heavy black castles", "ces châteaux noirs lourds"},
		{bare, 23, true, find(t, "car", "", "red"), "twenty three red cars", "vingt trois voitures rouges"},
		{bare, 1, false, find(t, "car", "", "red"), "one red car", "une voiture rouge"},
		{bare, 21, true, find(t, "house", ""), "twenty one houses", "vingt et une maisons"},
		{definite, 80, true, find(t, "king", "old", "french"), "the eighty old french kings", "les quatre vingts vieux rois français"},
		{definite, 11, true, find(t, "friend", ""), "the eleven friends", "les onze amis"},
	}
	for _, test := range tests {
		p := test.phrase
		p.determiner, p.number, p.plural = test.determiner, test.number, test.plural
		if got := line(p.english()); got != test.english {
			t.Errorf("%s, want %s", got, test.english)
		}
		if got := line(contract(p.french())); got != test.french {
			t.Errorf("%s: %s, want %s", test.english, got, test.french)
		}
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		n               int
		english, french string
	}{
		{0, "zero", "zéro"},
		{1, "one", "un"},
		{10, "ten", "dix"},
		{16, "sixteen", "seize"},
		{17, "seventeen", "dix sept"},
		{20, "twenty", "vingt"},
		{21, "twenty one", "vingt et un"},
		{22, "twenty two", "vingt deux"},
		{61, "sixty one", "soixante et un"},
		{69, "sixty nine", "soixante neuf"},
		{70, "seventy", "soixante dix"},
		{71, "seventy one", "soixante et onze"},
		{72, "seventy two", "soixante douze"},
		{79, "seventy nine", "soixante dix neuf"},
		{80, "eighty", "quatre vingts"},
		{81, "eighty one", "quatre vingt un"},
		{90, "ninety", "quatre vingt dix"},
		{91, "ninety one", "quatre vingt onze"},
		{97, "ninety seven", "quatre vingt dix sept"},
		{100, "one hundred", "cent"},
		{101, "one hundred one", "cent un"},
		{180, "one hundred eighty", "cent quatre vingts"},
		{200, "two hundred", "deux cents"},
		{201, "two hundred one", "deux cent un"},
		{271, "two hundred seventy one", "deux cent soixante et onze"},
		{1000, "one thousand", "mille"},
		{1001, "one thousand one", "mille un"},
		{1200, "one thousand two hundred", "mille deux cents"},
		{2000, "two thousand", "deux mille"},
		{21_000, "twenty one thousand", "vingt et un mille"},
		{80_000, "eighty thousand", "quatre vingt mille"},
		{80_080, "eighty thousand eighty", "quatre vingt mille quatre vingts"},
		{100_000, "one hundred thousand", "cent mille"},
		{200_000, "two hundred thousand", "deux cent mille"},
		{280_000, "two hundred eighty thousand", "deux cent quatre vingt mille"},
		{maxNumber, "nine hundred ninety nine thousand nine hundred ninety nine",
			"neuf cent quatre vingt dix neuf mille neuf cent quatre vingt dix neuf"},
	}
	for _, test := range tests {
		if got := line(englishNumber(test.n)); got != test.english {
			t.Errorf("%d: %s, want %s", test.n, got, test.english)
		}
		if got := line(frenchNumber(test.n, false)); got != test.french {
			t.Errorf("%d: %s, want %s", test.n, got, test.french)
		}
	}
}

func TestFeminineNumbers(t *testing.T) {
	for n, want := range map[int]string{
		1: "une", 2: "deux", 11: "onze", 21: "vingt et une", 71: "soixante et onze", 81: "quatre vingt une",
		101: "cent une", 1001: "mille une", 1000: "mille", 21_000: "vingt et un mille",
		21_021: "vingt et un mille vingt et une",
	} {
		if got := line(frenchNumber(n, true)); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// No two numbers have the same words.
func TestNumbersDiffer(t *testing.T) {
	english, french := make(map[string]int), make(map[string]int)
	for n := 0; n <= maxNumber; n += 1 + n/500 {
		e, f := line(englishNumber(n)), line(frenchNumber(n, false))
		if other, ok := english[e]; ok {
			t.Errorf("%d and %d are both %s", other, n, e)
		}
		if other, ok := french[f]; ok {
			t.Errorf("%d and %d are both %s", other, n, f)
		}
		english[e], french[f] = n, n
	}
}

func TestDays(t *testing.T) {
	for n, want := range map[int][2]string{
		1: {"first", "premier"}, 2: {"second", "deux"}, 3: {"third", "trois"}, 11: {"eleventh", "onze"},
		12: {"twelfth", "douze"}, 19: {"nineteenth", "dix neuf"}, 20: {"twentieth", "vingt"},
		21: {"twenty first", "vingt et un"}, 30: {"thirtieth", "trente"}, 31: {"thirty first", "trente et un"},
	} {
		if e, f := line(englishDay(n)), line(frenchDay(n)); e != want[0] || f != want[1] {
			t.Errorf("%d: %s, %s, want %s, %s", n, e, f, want[0], want[1])
		}
	}
}
