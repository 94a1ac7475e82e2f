package main

import (
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/portable"
)

// corpora returns a folder of corpora. All have the same pairs, of which some are bad.
func corpora(t *testing.T) string {
	folder := t.TempDir()
	pairs := []pair{
		{"Where is my sister?", "Où est ma sur ?"},
		{"I'm  happy to see you.", "Je suis content de te voir."},
		{"He was born in 1987.", "Il est né en 1978."},
		{"Hello {name}!", "Bonjour {nom} !"},
		{"(DE) Madam, the vote is over.", "(DE) Madame, le vote est clos."},
		{"Motion for a resolution (", "Proposition de résolution ("},
		{"The cat is in the house.", "The cat is in the house again."},
		{"This is a test sentence.", "C'est une phrase d'essai."},
		{"No", "Je ne suis pas du tout d'accord avec vous."},
		{"It is" + strings.Repeat(" very", longest) + " long.", "C'est" + strings.Repeat(" très", longest) + " long."},
		{"I'm happy to see you.", "Je suis content de te voir."},
	}
	files := map[string]string{"some/val.en": "this is a test sentence\n"}
	for _, part := range mixture {
		for side, language := range languages {
			for _, p := range pairs {
				files[strings.Replace(part.file, "*", language, 1)] += p[side] + "\n"
			}
		}
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestWrite(t *testing.T) {
	log.SetOutput(io.Discard)
	folder := corpora(t)
	for source, language := range languages {
		var text [2]string
		for range 2 {
			earlier := text
			output := filepath.Join(t.TempDir(), "text")
			if err := write(folder, output, source); err != nil {
				t.Fatal(err)
			}
			for side, language := range languages {
				data, err := os.ReadFile(output + "." + language)
				if err != nil {
					t.Fatal(err)
				}
				text[side] = string(data)
			}
			if earlier[0] != "" && text != earlier {
				t.Errorf("from %s: the second run writes other bytes", language)
			}
		}
		en, fr := strings.Split(text[english], "\n"), strings.Split(text[french], "\n")
		if len(en) != len(fr) || slices.Contains(en[:len(en)-1], "") {
			t.Fatalf("%s: %d and %d lines, or an empty one", language, len(en), len(fr))
		}
		lines := map[pair]int{}
		for i, line := range en {
			lines[pair{line, fr[i]}]++
		}
		for p, want := range map[pair]bool{
			{"I'm happy to see you.", "Je suis content de te voir."}:                                                       true,
			{"(DE) Madam, the vote is over.", "(DE) Madame, le vote est clos."}:                                            true,
			{"Madam, the vote is over.", "Madame, le vote est clos."}:                                                      true,
			{"Where is my sister?", "Où est ma sœur ?"}:                                                                    true,
			{"He was born in 1987.", "Il est né en 1978."}:                                                                 false,
			{"Hello {name}!", "Bonjour {nom} !"}:                                                                           false,
			{"Motion for a resolution (", "Proposition de résolution ("}:                                                   false,
			{"The cat is in the house.", "The cat is in the house again."}:                                                 false,
			{"This is a test sentence.", "C'est une phrase d'essai."}:                                                      false,
			{"No", "Je ne suis pas du tout d'accord avec vous."}:                                                           false,
			{"Good morning!", "Bonjour !"}:                                                                                 true,
			{"Where Is My Sister", "Où est ma sœur"}:                                                                       source == english,
			{"It is" + strings.Repeat(" very", longest) + " long.", "C'est" + strings.Repeat(" très", longest) + " long."}: false,
		} {
			if (lines[p] > 0) != want {
				t.Errorf("from %s: %q stands there %d times", language, p, lines[p])
			}
		}
	}
	if err := write(filepath.Join(folder, "some"), filepath.Join(folder, "text"), english); err == nil {
		t.Error("no error without corpora")
	}
}

func TestTyped(t *testing.T) {
	g := portable.NewGenerator(1, 2)
	for _, test := range []struct {
		p      pair
		source int
		want   []pair // some of the results
	}{
		{pair{"Where is Mary?", "Où est Marie ?"}, english, []pair{{"where is mary", "où est Marie"}, {"Where is Mary", "Où est Marie"}}},
		{pair{"Tom's here.", "Tom est ici."}, english, []pair{{"toms here", "Tom est ici"}, {"tom's here.", "Tom est ici."}}},
		{pair{"I'm here!", "Je suis là !"}, french, []pair{{"I'm here", "je suis la"}, {"I'm here!", "Je suis là !"}}},
		{pair{"Hi {Name}.", "Salut {Name}."}, english, []pair{{"Hi {Name}.", "Salut {Name}."}}},
		{pair{"At 2 p.m.", "À 14 heures."}, english, []pair{{"at 2 p.m.", "à 14 heures"}}},
	} {
		got := map[pair]bool{}
		for range 2000 {
			got[typed(g, test.p, test.source)] = true
		}
		for _, want := range test.want {
			if !got[want] {
				t.Errorf("%q never becomes %q", test.p, want)
			}
		}
	}
	got := map[string]bool{}
	for range 1000 {
		got[mistyped(g, "some")] = true
	}
	want := map[string]bool{"smoe": true, "soem": true, "sme": true, "soe": true, "ssome": true, "soome": true}
	if !maps.Equal(got, want) {
		t.Errorf("typos: got %v, want %v", got, want)
	}
	if p := (pair{"My sister", "Ma sœur"}); shout(g, p, english) != (pair{"MY SISTER", "MA SŒUR"}) {
		t.Errorf("%q in capitals: %q", p, shout(g, p, english))
	}
	if got := title("it's what the cat and I saw"); got != "It's What the Cat and I Saw" {
		t.Errorf("title %q", got)
	}
}

func TestFilled(t *testing.T) {
	g := portable.NewGenerator(1, 2)
	for range 1000 {
		p := filled(g, pair{"W knows that H came at #:4#, W.", "W sait que H est venu de W à # h 4#."})
		woman, rest, _ := strings.Cut(p[english], " knows that ")
		man, time, _ := strings.Cut(rest, " came at ")
		time = strings.Replace(strings.TrimSuffix(time, ", "+woman+"."), ":", " h ", 1)
		elide := func(word, name string) string {
			if strings.ContainsAny(name[:1], "AEIOU") || strings.HasPrefix(name, "É") || strings.HasPrefix(name, "Á") {
				return word + "'" + name
			}
			return word + "e " + name
		}
		if want := woman + " sait " + elide("qu", man) + " est venu " + elide("d", woman) + " à " + time + "."; p[french] != want {
			t.Fatalf("%q: got %q, want %q", p[english], p[french], want)
		}
	}
}
