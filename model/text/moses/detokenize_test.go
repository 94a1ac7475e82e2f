package moses

import (
	"strings"
	"testing"
)

// detokenize joins words by the rules of Moses for a language.
func detokenize(language string, words []string) string {
	return Detokenizer{Language: language}.Detokenize(words)
}

func TestDetokenize(t *testing.T) {
	tests := []struct{ language, words, want string }{
		// From regression-testing/run-test-detokenizer.perl of the public repository
		// moses-smt/mosesdecoder.
		{"en", "This sentence is really simple , so it should not be hard to detokenize .",
			"This sentence is really simple, so it should not be hard to detokenize."},
		{"en", "This one is no more difficult , but , hey , it is on a new line .",
			"This one is no more difficult, but, hey, it is on a new line."},
		{"en", `This is a somewhat " less simple " test .`, `This is a somewhat "less simple" test.`},
		{"fr", "Voici une phrase simple .", "Voici une phrase simple."},
		{"fr", "Moi , j' ai une apostrophe .", "Moi, j'ai une apostrophe."},
		{"fr", "de musique rap issus de l' immigration", "de musique rap issus de l'immigration"},
		{"de", "Ich hoffe , daß Sie schöne Ferien hatten .", "Ich hoffe, daß Sie schöne Ferien hatten."},
		{"de", "Frau Präsidentin ! Frau Díez González und ich hatten einige Anfragen",
			"Frau Präsidentin! Frau Díez González und ich hatten einige Anfragen"},
		{"zh", "这 是 一个 简单 的的 汉语 句子 。", "这是一个简单的的汉语句子。"},
		{"ja", "どこ で 食べ たい 。", "どこで食べたい。"},

		// From sacremoses/test/test_tokenizer.py of the public repository hplt-project/sacremoses.
		{"en", "This ain &apos;t funny . Ls . &#124; &#91; &#93; &lt; &gt; &#91; &#93; &amp; Don &apos;t ?",
			"This ain't funny. Ls. | [] < > [] & Don't?"},
		{"en", "foo @-@ bar", "foo-bar"},

		// By hand.
		{"en", "", ""},
		{"en", "@-@ a @-@ @-@ b", "-a-@-@ b"},
		{"en", "the Jones ' house , the boys ' ' dog '", "the Jones' house, the boys' 'dog'"},
		{"en", "' a ' b ' c", "'a' b 'c"},
		{"en", "it costs ( $ 5 ) , or £ 6 %", "it costs ($5), or £6%"},
		{"en", "“ a “ ` b `", "“a“ `b`"},
		{"fr", "vraiment ? oui ! ... ( ? ) 5 %", "vraiment ? oui !... ( ?) 5 %"},
		{"fr", "l' , l' 5 don 't", "l', l' 5 don 't"},
		{"de", "l' homme don 't", "l' homme don 't"},
		{"en", "&amp;lt; &bar; &bra; &ket; &quot;", `&lt; | [] "`},
		{"en", "in 日 本 and 中", "in 日本 and 中"},
	}
	for _, test := range tests {
		if got := detokenize(test.language, strings.Fields(test.words)); got != test.want {
			t.Errorf("%s %q:\n got %q\nwant %q", test.language, test.words, got, test.want)
		}
	}
}
