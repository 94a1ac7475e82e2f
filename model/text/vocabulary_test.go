package text

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// sentences splits s into sentences at commas.
func sentences(s string) [][]string {
	var list [][]string
	for line := range strings.SplitSeq(s, ",") {
		list = append(list, Tokens(line))
	}
	return list
}

func TestNewVocabulary(t *testing.T) {
	tests := []struct {
		text string
		size int
		want string
	}{
		{"b a b,c b a", 10, "</s> <unk> b a c"},
		{"b a b,c b a", 4, "</s> <unk> b a"},
		{"b a b,c b a", 3, "</s> <unk> b"},
		{"z é a Z", 10, "</s> <unk> Z a z é"}, // ties are in byte order
		{"<unk> <unk> </s> </s> a", 10, "</s> <unk> a"},
	}
	for _, test := range tests {
		v, err := NewVocabulary(slices.Values(sentences(test.text)), test.size)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if got := strings.Join(v.Words(), " "); got != test.want || v.Size() != len(v.Words()) {
			t.Errorf("%q, %d: %q of size %d, want %q", test.text, test.size, got, v.Size(), test.want)
		}
	}
}

func TestNewVocabularyErrors(t *testing.T) {
	for _, size := range []int{-1, 0, 1, 2} {
		if _, err := NewVocabulary(slices.Values(sentences("a")), size); err == nil {
			t.Errorf("size %d: no error", size)
		}
	}
	for _, list := range [][][]string{nil, {{"</s>", "<unk>"}}, {{"a b"}}, {{""}}, {{"\xff"}}} {
		if v, err := NewVocabulary(slices.Values(list), 10); err == nil {
			t.Errorf("%q: vocabulary %q, want an error", list, v.Words())
		}
	}
}

func TestVocabularyOf(t *testing.T) {
	words := []string{"</s>", "<unk>", "b", "dix\u00a0mille", "a"}
	v, err := VocabularyOf(words)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(words)
	words[2] = "changed"
	v.Words()[3] = "changed"
	if !slices.Equal(v.Words(), want) {
		t.Errorf("words %q, want %q", v.Words(), want)
	}
	for id, word := range want {
		if got := v.Word(int32(id)); got != word {
			t.Errorf("Word(%d) = %q, want %q", id, got, word)
		}
		if got := v.ID(word); id >= 2 && got != int32(id) {
			t.Errorf("ID(%q) = %d, want %d", word, got, id)
		}
	}
}

func TestVocabularyOfErrors(t *testing.T) {
	tests := []struct {
		words []string
		want  string
	}{
		{nil, "vocabulary of 0 words"},
		{[]string{"</s>", "<unk>"}, "vocabulary of 2 words"},
		{[]string{"<unk>", "</s>", "a"}, `begins with "<unk>", "</s>"`},
		{[]string{"a", "b", "c"}, `begins with "a", "b"`},
		{[]string{"</s>", "<unk>", "a", "b", "a"}, `word 4: "a" is word 2 already`},
		{[]string{"</s>", "<unk>", "a", ""}, `word 3: "": expected a word`},
		{[]string{"</s>", "<unk>", "a b"}, `word 2: "a b": expected no white space`},
		{[]string{"</s>", "<unk>", "a\n"}, `word 2: "a\n": expected no white space`},
		{[]string{"</s>", "<unk>", "\xe9"}, `word 2: "\xe9": invalid UTF-8`},
		{[]string{"</s>", "<unk>", "a", "</s>"}, `word 3: "</s>": expected at the beginning only`},
		{[]string{"</s>", "<unk>", "<unk>"}, `word 2: "<unk>": expected at the beginning only`},
	}
	for _, test := range tests {
		_, err := VocabularyOf(test.words)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want one with %q", test.words, err, test.want)
		}
	}
	if _, err := VocabularyOf([]string{"</s>", "<unk>", "\xe9"}); !errors.Is(err, ErrUTF8) {
		t.Errorf("error %v is not ErrUTF8", err)
	}
}

func TestEncode(t *testing.T) {
	v, err := VocabularyOf([]string{"</s>", "<unk>", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		words string
		ids   []int32
		back  string
	}{
		{"", []int32{0}, ""},
		{"b a", []int32{3, 2, 0}, "b a"},
		{"c a", []int32{1, 2, 0}, "<unk> a"},
		{"a </s> <unk> b", []int32{2, 1, 1, 3, 0}, "a <unk> <unk> b"},
	}
	for _, test := range tests {
		ids := v.Encode(Tokens(test.words))
		if !slices.Equal(ids, test.ids) {
			t.Errorf("Encode(%q) = %v, want %v", test.words, ids, test.ids)
		}
		if back := strings.Join(v.Decode(ids), " "); back != test.back {
			t.Errorf("Decode(%v) = %q, want %q", ids, back, test.back)
		}
	}
}

func TestDecode(t *testing.T) {
	v, err := VocabularyOf([]string{"</s>", "<unk>", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		ids  []int32
		want string
	}{
		{nil, ""},
		{[]int32{2, 3}, "a b"},
		{[]int32{2, 0, 3, 0}, "a"},
		{[]int32{-1, 4, 1 << 30, 2}, "<unk> <unk> <unk> a"},
	}
	for _, test := range tests {
		if got := strings.Join(v.Decode(test.ids), " "); got != test.want {
			t.Errorf("Decode(%v) = %q, want %q", test.ids, got, test.want)
		}
	}
}
