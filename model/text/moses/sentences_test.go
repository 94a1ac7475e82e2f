package moses

import (
	"slices"
	"strings"
	"testing"
)

// TestSentences has lines in which | is where they are divided: at first where split-sentences.perl of Moses does so,
// then where a careful reader does.
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
		{"en", `Is it?|( Yes ) . "|A " It grew 5%.|It (A).|Then B.|And C-.|Or`},
		{"fr", "M. Dupont arrive.|Il dit : « Oui ! »|Elle part, p.ex. À Paris, cf. Art.|Élan."},
		{"fr", "C'est l'été !|Les gens (p. 5) dorment.|«Vraiment ?» dit-il."},
		{"de", "Am 3. Mai kam Dr. Müller, z.B. Heute, d.h. Jetzt.|Er ging.|Ludwig XIV. Bourbon"},
		{"it", "Il Sig.|Rossi.|Mr. Rossi, J. A. Rossi, gli U.S. In Italia."},

		{"en", "He works for the F.B.I.|She works for the U.N."},
		{"en", "Dr. Lee, a member of the U.N., resigned at 6 p.m. on Monday."},
		{"en", "The train leaves at 6 p.m.|Passengers must be on time."},
		{"en", "He lives in the U.S. with his wife."},
		{"en", "The U.S. Senate voted.|So did the U.K.|It's over."},
		{"en", "I met Mr. Smith.|He left."},
		{"en", "It ended at 9:30 a.m.|Monday was a holiday."},
		{"en", "It ended at 9:30 a.m. Monday, officials said."},
		{"en", "It ends at 9 a.m. EST.|Doors open at 8 p.m. Monday."},
		{"en", "At 5p.m. June 3 I left.|Come at 6 p.m.|May I bring him?"},
		{"en", "P.M. Modi spoke at noon.|We left at 7 p.m.|“Why?” she asked."},
		{"en", "No. 5 won.|Is it so? no.|No. 6 is, see Nos. 7 and 8."},
		{"en", "He said no.|Five said yes, cf. Smith, e.g. The Times, i.e. This one."},
		{"en", "J. R. R. Tolkien wrote it.|C. S. Lewis read it."},
		{"en", "He sold cats, dogs, etc.|They bought birds, etc. and fish."},
		{"en", "George W. Bush and John F. Kennedy Jr. met Malcolm X.|He spoke."},
		{"en", "She has a Ph.D. in physics.|He has an M.A.|They met in Washington, D.C., in Jan.|The day was cold."},
		{"en", "On Jan. 5, Gen. Lee, Sen. Hill and Rev. King met Prof. Day."},
		{"en", "She works for NASA.|Engineers like it.|So does King Charles III.|Britain waits."},
		{"en", "Drink vitamin C.|It helps.|A. The first point.|B. The second."},
		{"en", "See Fig. 3, Vol. 2, pp. 5 and ch. 7, by approx. 9 of Mt. Etna.|5 people did."},
		{"en", `They call Dr. "No" Smith the U.S. (North) expert of St. Louis.|He lives on Main St.|The end.`},
		{"en", "The F.B.I. (Federal Bureau) came.|Apple Corp. Chief Smith left the U.S.|However, he returned."},
		{"en", "It was 5 p.m. in the U.S.|What a day!|Is it 3 a.m.?|Yes."},
		{"en", "Smith vs. The State, the case of J. Doe et al.|Judges read it in the U.S.S.R.|There it ended."},
		{"fr", "M. Le Pen et Mme. Dupont, p. ex. Le Monde, etc. Paris."},
		{"fr", "Il vend des pommes, des poires, etc.|Elle achète des fleurs, etc. et du pain."},
		{"fr", "Le train part à 18 h.|Les voyageurs attendent, cf. Le plan p. 5."},
		{"fr", "Il travaille à l'O.N.U.|Elle vit aux U.S.A. avec lui."},
		{"fr", "Né en 52 av. J.-C.|Il mourut.|M. J.-M. Le Clézio lit J. R. R. Tolkien."},
		{"fr", "MM. Durand et Martin, Mlle. Petit et le Dr. Blanc arrivent.|Le no. 5 part, p.ex. Demain."},
		{"fr", "C'est le plan B.|L'autre a échoué.|J'ai vu M. L'Hermite chez Dupont S.A.|Qu'en dis-tu ?"},
		{"fr", "Les États-Unis (U.S.A. Nord) et l'U.R.S.S. Nouvelle.|N.B. Le reste suit, art. 5, c.-à-d. Rien."},
		{"fr", "Louis XIV.|Le roi aime l'art.|Deux le suivent chez McDonald's.|Un autre part.|Elle cite l'art. 5, vol. 2 et l'art. Premier."},
		{"fr", "Il a dit : « M. « X » est là. »|Elle rit."},
		{"de", "„Komm her.“|Sie ging.|„Was ist?“|‚Nichts.‘|Gut."},
		{"de", "„Komm her.“, sagte er. „und dann“ ging er."},
		{"de", "Er kaufte Äpfel, Birnen usw.|Sie kaufte Brot, Käse usw. Verkauf heute."},
		{"de", "Am 3. Mai kam er.|Ludwig XIV. Bourbon kam am 5.|Er blieb."},
		{"de", "Cäsar starb 44 v. Chr.|Die Römer, z.B. Die Senatoren, d.h. Sie alle, flohen."},
		{"de", "Bundeskanzler a.D. Gerhard Schröder und Fr. Müller, s. Abb. 3, lesen J. S. Bach.|Das ist gut."},
		{"de", "Er arbeitet für das F.B.I.|Sie arbeitet in den U.S.A. mit Prof. Dr. Weiß."},
		{"de", "Das ist die CDU.|Gestern tagte sie, vgl. Nr. 5, ca. Ende Mai."},
		{"de", "1. Die Katze schläft.|2. Der Hund bellt, z. B. Heute, u.a. Morgen."},
		{"de", "Der TSV e.V. Hamburg gewann.|Wir sahen es in den U.S.|Dann gingen wir, evtl. Heute."},
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

// TestSentencesWhiteSpace: white space inside a sentence stays, and a line of white space has no sentence.
func TestSentencesWhiteSpace(t *testing.T) {
	for line, want := range map[string][]string{
		" \t\u00a0\r\n":                          nil,
		"  A  dog\tran.\u00a0\n\u2028The  cat. ": {"A  dog\tran.", "The  cat."},
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
		wrong := 0
		for paragraph := range slices.Chunk(captions, 5) {
			if !slices.Equal(Sentences(language, strings.Join(paragraph, " ")), paragraph) {
				wrong++
			}
		}
		if wrong*50 > len(captions)/5 {
			t.Errorf("%d paragraphs of %d captions are divided wrongly, want at most 2 %%", wrong, len(captions))
		}
	})
}

// FuzzSentences: sentences stand one after the other in the line, with white space between them.
func FuzzSentences(f *testing.F) {
	addText(f)
	f.Add(`He said "Stop!" (She did.) ' Then “No.” » 5. A. – e.g. The.  ...`, uint8(0))
	f.Add("\u0085\x85", uint8(1)) // white space has the byte of the word
	f.Fuzz(func(t *testing.T, line string, language uint8) {
		sentences, rest := Sentences(languages[language%4], line), line
		for _, s := range sentences {
			after, found := strings.CutPrefix(strings.TrimSpace(rest), s)
			if rest = after; !found || s == "" || strings.TrimSpace(s) != s {
				t.Fatalf("%s %q: %q", languages[language%4], line, sentences)
			}
		}
		if strings.TrimSpace(rest) != "" {
			t.Errorf("%s %q: %q", languages[language%4], line, sentences)
		}
	})
}
