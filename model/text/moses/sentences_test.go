package moses

import (
	"slices"
	"strings"
	"testing"
)

// TestSentences has lines in which | is where the script split-sentences.perl of Moses divides them.
func TestSentences(t *testing.T) {
	for _, test := range []struct{ language, line string }{
		{"en", ""},
		{"en", "One sentence."},
		{"en", "Hello there!|How are you?|I am fine.|Thanks"},
		{"en", "He left. and came back? no! 5 times... maybe"},
		{"en", "Well...|Yes.|5 dogs ran.|3.5 km.|(They did.)|“Quite.”|¿No?"},
		{"en", "Mr. Smith met Dr. J. R. Hill at the U.S. Army base vs. Navy, e.g. There, i.e. Here."},
		{"en", "It is at 5 p.m.|Tomorrow, on Nov. 5, see No. 5.|No.|Art. 7 and Art.|Five"},
		{"en", `He said "Stop!"|She did. " |Then ( He ) left.) |'Good.'|[Bad.]`},
		{"en", `Is it?|( Yes ) . "|A " It grew 5%.|It (A).|Then B. And C-. Or`},
		{"fr", "M. Dupont arrive.|Il dit : « Oui ! »|Elle part, p.ex. À Paris, cf. Art.|Élan."},
		{"fr", "C'est l'été !|Les gens (p. 5) dorment.|«Vraiment ?» dit-il."},
		{"de", "Am 3. Mai kam Dr. Müller, z.B. Heute, d.h. Jetzt.|Er ging.|Ludwig XIV. Bourbon"},
		{"it", "Il Sig.|Rossi.|Mr. Rossi."},
	} {
		want := strings.Split(test.line, "|")
		for i := range want {
			want[i] = strings.TrimSpace(want[i])
		}
		if test.line == "" {
			want = nil
		}
		if got := Sentences(test.language, strings.ReplaceAll(test.line, "|", " ")); !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", test.language, got, want)
		}
	}
}

// TestSentencesGerman: „ and ‚ open, “ and ‘ close, unlike in the script.
func TestSentencesGerman(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{"„Komm her.“ Sie ging. „Was ist?“ ‚Nichts.‘ Gut.", []string{"„Komm her.“", "Sie ging.", "„Was ist?“", "‚Nichts.‘", "Gut."}},
		{"„Komm her.“, sagte er. „und dann“ ging er.", []string{"„Komm her.“, sagte er. „und dann“ ging er."}},
	} {
		if got := Sentences("de", test.line); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}

// TestSentencesWhiteSpace: words are joined with one space, and a line of white space has no sentence.
func TestSentencesWhiteSpace(t *testing.T) {
	for line, want := range map[string][]string{
		" \t\u00a0\r\n":                          nil,
		"  A  dog\tran.\u00a0\n\u2028The  cat. ": {"A dog ran.", "The cat."},
		"\xff. \xc3A!  B":                        {"\xff. \xc3A!", "B"},
	} {
		if got := Sentences("en", line); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// TestMulti30kSentences divides paragraphs of five captions each, of those that consist of one sentence
// by their last character and by the rules.
func TestMulti30kSentences(t *testing.T) {
	onMulti30k(t, func(t *testing.T, file, language string) {
		var captions []string
		for _, line := range lines(t, multi30k, "raw", file) {
			if line = strings.Join(strings.Fields(line), " "); strings.HasSuffix(line, ".") && strings.Count(line, ". ") == 0 {
				captions = append(captions, line)
			}
		}
		boundaries, found, wrong := 0, 0, 0
		for paragraph := range slices.Chunk(captions, 5) {
			ends := make(map[int]bool) // bytes before each boundary
			at := 0
			for _, caption := range paragraph[:len(paragraph)-1] {
				at += len(caption)
				ends[at] = true
				at++
			}
			boundaries += len(ends)
			at = 0
			sentences := Sentences(language, strings.Join(paragraph, " "))
			for _, sentence := range sentences[:len(sentences)-1] {
				at += len(sentence)
				if ends[at] {
					found++
				} else {
					wrong++
				}
				at++
			}
		}
		t.Logf("%d of %d boundaries found, %d sentences divided", found, boundaries, wrong)
		if float64(found) < 0.995*float64(boundaries) || float64(wrong) > 0.001*float64(boundaries) {
			t.Errorf("%d of %d boundaries found, %d sentences divided; want 99.5 %% and at most 0.1 %%", found, boundaries, wrong)
		}
	})
}

// FuzzSentences: sentences hold the words of the line, and dividing them changes nothing but at their
// ends.
func FuzzSentences(f *testing.F) {
	addText(f)
	f.Add(`He said "Stop!" (She did.) ' Then “No.” » 5. A. – e.g. The. ...`, uint8(0))
	f.Fuzz(func(t *testing.T, line string, language uint8) {
		sentences := Sentences(languages[language%4], line)
		if got, want := strings.Join(sentences, " "), strings.Join(strings.Fields(line), " "); got != want {
			t.Errorf("%s %q: %q", languages[language%4], line, sentences)
		}
		if slices.ContainsFunc(sentences, func(s string) bool { return s == "" || strings.TrimSpace(s) != s }) {
			t.Errorf("%s %q: %q", languages[language%4], line, sentences)
		}
	})
}
