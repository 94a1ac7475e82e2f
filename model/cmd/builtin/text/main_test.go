package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTyped(t *testing.T) {
	for _, test := range []struct{ source, target, wantSource, wantTarget string }{
		{"Where is Mary?", "Où est Marie ?", "where is mary", "où est Marie"},
		{"Tom's here.", "Tom est ici.", "tom's here", "Tom est ici"},
		{"Je suis là !", "I'm here!", "je suis là", "I'm here"},
		{"No. Yes.", "Non. Oui.", "", ""},
		{"No", "Non.", "", ""},
	} {
		s, f, ok := typed(test.source, test.target, true)
		if s != test.wantSource || f != test.wantTarget || ok != (s != "") {
			t.Errorf("%s: got %q and %q", test.source, s, f)
		}
	}
	if s, f, _ := typed("Where is Mary?", "Où est Marie ?", false); s != "Where is Mary" || f != "Où est Marie" {
		t.Errorf("got %q and %q", s, f)
	}
}

func TestFilled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		pair := filled(r, [2]string{"N knows that P came at T, N.", "N sait que P est venu de N à T."})
		s, f := pair[0], pair[1]
		name, rest, _ := strings.Cut(s, " knows that ")
		other, time, _ := strings.Cut(rest, " came at ")
		time = strings.Replace(strings.TrimSuffix(time, ", "+name+"."), ":", " h ", 1)
		elided := func(word, name string) string {
			if strings.ContainsAny(name[:1], "AEIOU") || strings.HasPrefix(name, "É") {
				return word + "'" + name
			}
			return word + "e " + name
		}
		if want := name + " sait " + elided("qu", other) + " est venu " + elided("d", name) + " à " + time + "."; f != want {
			t.Fatalf("%q: got %q, want %q", s, f, want)
		}
	}
}

// TestRun reads a corpus of two pairs, of which one is typed.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"en": "Come in.\nGo.\n", "fr": "Entre.\nVa.\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in, out := filepath.Join(folder, "fr"), filepath.Join(folder, "made")
	if err := run(in, filepath.Join(folder, "en"), out, [2]string{"fr", "en"}, sentences); err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string]string{"fr": "entre", "en": "come in"} {
		text, err := os.ReadFile(out + "." + language)
		lines := strings.Split(string(text), "\n")
		if err != nil || len(lines) != invented+2 || lines[invented] != want {
			t.Errorf("%s: %d lines, %v, want %d and at last %q", language, len(lines), err, invented+2, want)
		}
	}
	if err := run(in, in+"none", out, [2]string{"fr", "en"}, sentences); err == nil {
		t.Error("no error without a corpus")
	}
}
