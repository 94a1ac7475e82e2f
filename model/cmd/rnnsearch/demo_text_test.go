package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/grammar"
)

func readerOf(t *testing.T) *reader {
	t.Helper()
	r, err := newReader(1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSentences checks the ways in which sentences are written, and that the French words bring back their line.
func TestSentences(t *testing.T) {
	pairs, _ := grammar.Pairs(1, 2000, 0)
	r := readerOf(t)
	list := r.sentences(pairs)
	if again := readerOf(t).sentences(pairs[:100]); !slices.EqualFunc(again, list[:100], func(a, b sentence) bool { return a.source.Line == b.source.Line && a.target.Line == b.target.Line }) {
		t.Error("equal seeds, different lines")
	}
	sentence := regexp.MustCompile(`^\p{Lu}.*[a-zéî]( ?[.!?])$`)
	heading := regexp.MustCompile(`^(\p{Ll}|French |English ).*[a-zé]$`)
	count := map[string]int{}
	for i, s := range list {
		if line := r.target.Write(s.target.Words, s.source).Line; !strings.EqualFold(line, s.target.Line) { // the source has the case
			t.Errorf("words of %q make %q", s.target.Line, line)
		}
		english, french := s.source.Line, s.target.Line
		source, target := sentence.FindStringSubmatch(english), sentence.FindStringSubmatch(french)
		switch {
		case source != nil && target != nil && source[1] == strings.TrimSpace(target[1]) && (source[1] == ".") == (target[1] == "."):
			count[source[1]]++
		case heading.MatchString(english) && heading.MatchString(french):
			count["heading"]++
		default:
			t.Errorf("got %q and %q", english, french)
		}
		if strings.ContainsRune(english, ',') != strings.ContainsRune(french, ',') {
			t.Errorf("a comma on one side: %q and %q", english, french)
		}
		if slices.Equal(s.source.Words, pairs[i].Source[1:len(pairs[i].Source)-1]) {
			count["no article"]++
		}
		words := strings.Join(pairs[i].Source, " ")
		switch {
		case strings.Contains(words, "twenty one") && strings.Contains(english, "wenty-one"):
			count["hyphen"]++
		case strings.Contains(words, "twenty one"):
			count["no hyphen"]++
		}
	}
	for _, way := range []string{".", "!", "?", "heading", "no article", "hyphen", "no hyphen"} {
		if count[way] == 0 {
			t.Errorf("none of 2000 sentences is written with %s: %v", way, count)
		}
	}
}

// TestWords compares the list of words, and the examples, with the vocabulary.
func TestWords(t *testing.T) {
	r := readerOf(t)
	vocabulary := map[string]bool{}
	pairs, _ := grammar.Pairs(1, 20_000, 0)
	for _, s := range r.sentences(pairs) {
		for _, word := range s.source.Words {
			vocabulary[word] = true
		}
	}
	listed := map[string]bool{}
	for _, word := range r.source.Read(regexp.MustCompile(`(?m)^ {2}\S+( words)?|,`).ReplaceAllString(helpText("words"), ""), nil).Words {
		listed[word] = true
		if !vocabulary[word] {
			t.Errorf("%s is listed, but not in the vocabulary", word)
		}
	}
	derived := "men women children ￭. ￭, ￭! ￭? one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen " +
		"twenty thirty forty fifty sixty seventy eighty ninety hundred thousand first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth " +
		"thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth " +
		"monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december"
	for _, word := range strings.Fields(derived) {
		listed[word] = true
	}
	for word := range vocabulary {
		parts := strings.Split(word, "-")
		known := !slices.ContainsFunc(parts, func(part string) bool { return !listed[part] })
		if !known && !listed[strings.TrimSuffix(word, "s")] && !listed[strings.TrimSuffix(word, "es")] {
			t.Errorf("%s is in the vocabulary, but not listed", word)
		}
	}
	for _, example := range demoExamples {
		for _, word := range r.source.Read(example, nil).Words {
			if !vocabulary[word] {
				t.Errorf("%q: %s is not in the vocabulary", example, word)
			}
		}
	}
}
