package score

import (
	"math"
	"strings"
	"testing"
)

// against returns the statistics of one tokenized sentence.
func against(hypothesis string, references ...string) *BLEUStatistics {
	var s BLEUStatistics
	s.Add(strings.Fields(hypothesis), fields(references)...)
	return &s
}

func fields(sentences []string) (tokens [][]string) {
	for _, s := range sentences {
		tokens = append(tokens, strings.Fields(s))
	}
	return tokens
}

// Example 1 of the BLEU paper, as in NLTK.
const (
	guide  = "It is a guide to action which ensures that the military always obeys the commands of the party"
	guideA = "It is a guide to action that ensures that the military will forever heed Party commands"
	guideB = "It is the guiding principle which guarantees the military forces always being under the command of the Party"
	guideC = "It is the practical guide for the army always to heed the directions of the party"
)

// TestMultiBLEU compares with scores that other projects obtained from multi-bleu.perl or an
// equivalent.
func TestMultiBLEU(t *testing.T) {
	const fox = "The quick brown fox jumps over the lazy dog 笑"
	foxes := against("The brown fox jumps over the dog 笑", fox)
	foxes.Merge(against("The brown fox jumps over the dog 2 笑", fox))
	book := against(guide, guideA, guideB, guideC)
	book.Merge(against("he read the book because he was interested in world history",
		"he was interested in world history because he read the book"))
	for _, test := range []struct {
		source    string
		s         *BLEUStatistics
		want      float64
		tolerance float64
	}{
		{"google/seq2seq, seq2seq/test/metrics_test.py", foxes, 46.51, 0.005},
		{"PetrochukM/PyTorch-NLP, README.md", against("The brown fox jumps over the dog 笑", fox), 47.9, 0.05},
		{"insight-centre/naisc, BLEUTest.java", against("the quick brown fox jumped over the lazy dog",
			"the fast brown fox jumped over the sleepy dog"), 48.549177, 5e-5},
		{"nltk/nltk, nltk/translate/bleu_score.py, sentence_bleu", against(guide, guideA, guideB, guideC), 50.455, 0.005},
		{"nltk/nltk, nltk/translate/bleu_score.py, corpus_bleu", book, 59.205, 0.005},
		{"mjpost/sacrebleu, test/test_bleu.py, test_case_scoring",
			&BLEUStatistics{matches: [maxOrder]int{9, 7, 5, 3}, total: [maxOrder]int{10, 8, 6, 4}, hypothesis: 11, reference: 11}, 83.75922397, 1e-8},
	} {
		if got := test.s.BLEU(); math.Abs(got-test.want) > test.tolerance {
			t.Errorf("%s: BLEU() = %v, want %v ± %v", test.source, got, test.want, test.tolerance)
		}
	}
}

// TestReferences has matches and lengths counted by hand, except the unigrams and bigrams of
// the BLEU paper's examples, which are in its section 2.1.
func TestReferences(t *testing.T) {
	for _, test := range []struct {
		name       string
		hypothesis string
		references []string
		matches    [maxOrder]int
		reference  int
	}{
		{"no reference", "a b", nil, [maxOrder]int{}, 0},
		{"the paper's second example", "the the the the the the the",
			[]string{"the cat is on the mat", "there is a cat on the mat"}, [maxOrder]int{2}, 7},
		// "the" twice in one reference, "cat" in the other.
		{"n-grams of different references", "the the cat", []string{"the the", "a cat"}, [maxOrder]int{3, 1}, 2},
		{"the first is closer", "a a a a", []string{"a a a", "a a a a a a"}, [maxOrder]int{4, 3, 2, 1}, 3},
		{"the second is closer", "a a a a", []string{"a", "a a a a a a"}, [maxOrder]int{4, 3, 2, 1}, 6},
		{"longer before shorter", "a a a a", []string{"a a a a a", "a a a"}, [maxOrder]int{4, 3, 2, 1}, 3},
		{"shorter before longer", "a a a a", []string{"a a a", "a a a a a"}, [maxOrder]int{4, 3, 2, 1}, 3},
		{"empty reference", "a a a", []string{"", "b b b b b b b"}, [maxOrder]int{}, 0},
		{"the paper's first example, candidate 1", guide, []string{guideA, guideB, guideC}, [maxOrder]int{17, 10, 7, 4}, 18},
		{"the paper's first example, candidate 2",
			"It is to insure the troops forever hearing the activity guidebook that party direct",
			[]string{guideA, guideB, guideC}, [maxOrder]int{8, 1}, 16},
	} {
		s := against(test.hypothesis, test.references...)
		if s.matches != test.matches || s.reference != test.reference {
			t.Errorf("%s: matches %v and length %d, want %v and %d", test.name, s.matches, s.reference, test.matches, test.reference)
		}
	}
}

// TestBrevityPenalty has values of nltk/translate/bleu_score.py for references of these lengths.
func TestBrevityPenalty(t *testing.T) {
	for _, test := range []struct {
		lengths []int
		want    float64
	}{
		{[]int{12, 15, 17}, 1}, {[]int{28, 28}, 0.2635971381157267}, {[]int{13, 2}, 0.9200444146293233}, {[]int{13, 11}, 1}, {[]int{11, 13}, 1},
	} {
		var references []string
		for _, n := range test.lengths {
			references = append(references, strings.Repeat("a ", n))
		}
		if got := against(strings.Repeat("a ", 12), references...).brevityPenalty(); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("12 tokens against %v: %v, want %v", test.lengths, got, test.want)
		}
	}
}

// A sentence is plain text with its references.
type sentence struct {
	hypothesis string
	references []string
}

func sacre(corpus ...sentence) *BLEUStatistics {
	var s BLEUStatistics
	for _, c := range corpus {
		var references [][]string
		for _, r := range c.references {
			references = append(references, Tokenize13a(r))
		}
		s.Add(Tokenize13a(c.hypothesis), references...)
	}
	return &s
}

// dog is the corpus of sacreBLEU's README.
var dog = []sentence{
	{"The dog bit the man.", []string{"The dog bit the man.", "The dog had bit the man."}},
	{"It wasn't surprising.", []string{"It was not unexpected.", "No one was surprised."}},
	{"The man had just bitten him.", []string{"The man bit him first.", "The man had bitten the dog."}},
}

// TestSacreBLEU compares with lines that sacreBLEU printed, without its version.
func TestSacreBLEU(t *testing.T) {
	var first, variable []sentence
	for i, c := range dog {
		first = append(first, sentence{c.hypothesis, c.references[:1]})
		if i == 0 {
			c.references = c.references[1:]
		}
		variable = append(variable, c)
	}
	for _, test := range []struct {
		source     string
		corpus     []sentence
		references int
		want       string
	}{
		{"mjpost/sacrebleu, README.md, Using SacreBLEU from Python", dog, 2,
			"BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)"},
		{"mjpost/sacrebleu, README.md, Variable Number of References", variable, 2,
			"BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 29.44 82.4/42.9/27.3/12.5 (BP = 0.889 ratio = 0.895 hyp_len = 17 ref_len = 19)"},
		{"ibasic-li/paraphrase, metric_bleu/example_sacre.py", first, 1,
			"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 45.07 70.6/42.9/36.4/37.5 (BP = 1.000 ratio = 1.000 hyp_len = 17 ref_len = 17)"},
		{"the formula, empty corpus", nil, 1,
			"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 0.00 0.0/0.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 0 ref_len = 0)"},
		// Matches: 2 of 4, 0 of 3, 0 of 2, 0 of 1. In percent 50, 100/(2·3), 100/(4·2), 100/(8·1);
		// the product is 130208 = 18.996⁴.
		{"the formula, smoothing", []sentence{{"a x b y", []string{"a b c d"}}}, 1,
			"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 19.00 50.0/16.7/12.5/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"},
	} {
		if got := sacre(test.corpus...).SacreBLEU(test.references); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.source, got, test.want)
		}
	}
}

// TestSmoothed compares with scores in the tests of sacreBLEU and the examples of evaluate.
func TestSmoothed(t *testing.T) {
	const (
		sugar     = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;"
		reference = "producţia de zahăr brut se exprimă în zahăr alb;"
	)
	var words BLEUStatistics
	for _, c := range dog {
		words.Add(strings.Fields(c.hypothesis), fields(c.references)...)
	}
	var empty []sentence
	for _, c := range dog {
		empty = append(empty, sentence{"", c.references})
	}
	for _, test := range []struct {
		source    string
		got, want float64
		tolerance float64
	}{
		{"mjpost/sacrebleu, test/test_bleu.py, default", sacre(dog...).Smoothed(), 48.530827, 1e-6},
		{"mjpost/sacrebleu, test/test_bleu.py, no smoothing", sacre(dog...).BLEU(), 48.530827, 1e-6},
		{"mjpost/sacrebleu, test/test_bleu.py, no tokenization", words.Smoothed(), 49.1919566, 1e-6},
		{"mjpost/sacrebleu, test/test_bleu.py, empty hypotheses", sacre(empty...).Smoothed(), 0, 0},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, default", sacre(sentence{sugar, []string{reference}}).Smoothed(), 8.493, 1e-3},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, no smoothing", sacre(sentence{sugar, []string{reference}}).BLEU(), 0, 0},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, no tokenization", against(sugar, reference).Smoothed(), 7.347, 1e-3},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, no match", against("this is a cat", "okay thanks").Smoothed(), 0, 0},
		{"no 4-grams, which smoothing does not replace", against("a b c", "a b c").Smoothed(), 0, 0},
		{"huggingface/evaluate, metrics/sacrebleu/sacrebleu.py, example 1", sacre(
			sentence{"hello there general kenobi", []string{"hello there general kenobi", "hello there !"}},
			sentence{"foo bar foobar", []string{"foo bar foobar", "foo bar foobar"}}).Smoothed(), 100, 1e-12},
		{"huggingface/evaluate, metrics/sacrebleu/sacrebleu.py, example 2", sacre(
			sentence{"hello there general kenobi", []string{"hello there general kenobi", "hello there !"}},
			sentence{"on our way to ankh morpork", []string{"goodbye ankh morpork", "ankh morpork"}}).Smoothed(), 39.8, 0.05},
	} {
		if !(math.Abs(test.got-test.want) <= test.tolerance) {
			t.Errorf("%s: %v, want %v ± %v", test.source, test.got, test.want, test.tolerance)
		}
	}
}
