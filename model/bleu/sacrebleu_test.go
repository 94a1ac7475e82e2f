package bleu

import (
	"math"
	"strings"
	"testing"
)

// A plain is a sentence of plain text and its references.
type plain struct {
	hypothesis string
	references []string
}

func sacre(corpus ...plain) *Statistics {
	var s Statistics
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
var dog = []plain{
	{"The dog bit the man.", []string{"The dog bit the man.", "The dog had bit the man."}},
	{"It wasn't surprising.", []string{"It was not unexpected.", "No one was surprised."}},
	{"The man had just bitten him.", []string{"The man bit him first.", "The man had bitten the dog."}},
}

// TestSacreLine holds lines that sacreBLEU printed, without its version.
func TestSacreLine(t *testing.T) {
	var first, variable []plain
	for i, c := range dog {
		first = append(first, plain{c.hypothesis, c.references[:1]})
		if i == 0 {
			c.references = c.references[1:]
		}
		variable = append(variable, c)
	}
	for _, test := range []struct {
		source     string
		corpus     []plain
		references int
		want       string
	}{
		{"mjpost/sacrebleu, README.md, Using SacreBLEU from Python", dog, 2,
			"BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)"},
		{"mjpost/sacrebleu, README.md, Variable Number of References", variable, 2,
			"BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 29.44 82.4/42.9/27.3/12.5 (BP = 0.889 ratio = 0.895 hyp_len = 17 ref_len = 19)"},
		{"ibasic-li/paraphrase, metric_bleu/example_sacre.py", first, 1,
			"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 45.07 70.6/42.9/36.4/37.5 (BP = 1.000 ratio = 1.000 hyp_len = 17 ref_len = 17)"},
		{"the formula, for no sentence", nil, 1,
			"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 0.00 0.0/0.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 0 ref_len = 0)"},
		// Matches of 2 in 4, 0 in 3, 0 in 2 and 0 in 1: 50 %, 100/(2·3), 100/(4·2), 100/(8·1),
		// whose product is 130208 = 18.996⁴.
		{"the formula, for smoothing", []plain{{"a x b y", []string{"a b c d"}}}, 1,
			"BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 19.00 50.0/16.7/12.5/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)"},
	} {
		if got := sacre(test.corpus...).SacreBLEU(test.references); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.source, got, test.want)
		}
	}
}

// TestSmoothed holds scores from sacreBLEU's own tests and from the examples of evaluate.
func TestSmoothed(t *testing.T) {
	const (
		sugar     = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;"
		reference = "producţia de zahăr brut se exprimă în zahăr alb;"
	)
	var words Statistics
	for _, c := range dog {
		words.Add(strings.Fields(c.hypothesis), fields(c.references)...)
	}
	var empty []plain
	for _, c := range dog {
		empty = append(empty, plain{"", c.references})
	}
	for _, test := range []struct {
		source    string
		got, want float64
		tolerance float64
	}{
		{"mjpost/sacrebleu, test/test_bleu.py, default", sacre(dog...).Smoothed(), 48.530827, 1e-6},
		{"mjpost/sacrebleu, test/test_bleu.py, no smoothing", sacre(dog...).BLEU(), 48.530827, 1e-6},
		{"mjpost/sacrebleu, test/test_bleu.py, no tokenisation", words.Smoothed(), 49.1919566, 1e-6},
		{"mjpost/sacrebleu, test/test_bleu.py, empty hypotheses", sacre(empty...).Smoothed(), 0, 0},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, default", sacre(plain{sugar, []string{reference}}).Smoothed(), 8.493, 1e-3},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, no smoothing", sacre(plain{sugar, []string{reference}}).BLEU(), 0, 0},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, no tokenisation", against(sugar, reference).Smoothed(), 7.347, 1e-3},
		{"mjpost/sacrebleu, test/test_sentence_bleu.py, nothing right", against("this is a cat", "okay thanks").Smoothed(), 0, 0},
		{"huggingface/evaluate, metrics/sacrebleu/sacrebleu.py, example 1", sacre(
			plain{"hello there general kenobi", []string{"hello there general kenobi", "hello there !"}},
			plain{"foo bar foobar", []string{"foo bar foobar", "foo bar foobar"}}).Smoothed(), 100, 1e-12},
		{"huggingface/evaluate, metrics/sacrebleu/sacrebleu.py, example 2", sacre(
			plain{"hello there general kenobi", []string{"hello there general kenobi", "hello there !"}},
			plain{"on our way to ankh morpork", []string{"goodbye ankh morpork", "ankh morpork"}}).Smoothed(), 39.8, 0.05},
	} {
		if !(math.Abs(test.got-test.want) <= test.tolerance) {
			t.Errorf("%s: %v, want %v ± %v", test.source, test.got, test.want, test.tolerance)
		}
	}
}

// TestTooShort has no 4-gram, to which smoothing gives no share of matches.
func TestTooShort(t *testing.T) {
	if got := sacre(plain{"a b c", []string{"a b c"}}).Smoothed(); got != 0 {
		t.Errorf("Smoothed() of three tokens = %v, want 0", got)
	}
}
