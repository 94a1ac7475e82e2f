package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

func TestForm(t *testing.T) {
	v, err := text.VocabularyOf([]string{"</s>", "<unk>", "la", "ville"})
	if err != nil {
		t.Fatal(err)
	}
	best := []decode.Translation{
		{IDs: []int32{2, 1, 0}, LogProb: -1.5, Score: -0.5, Alignment: kernels.View([]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3)},
		{IDs: []int32{3}, LogProb: -2, Score: -2, Alignment: kernels.View([]float32{1, 0, 0}, 1, 3)},
	}
	for _, test := range []struct {
		form form
		want string
	}{
		{form{}, "la <unk>\n"},
		{form{replace: true}, "la Ghent\n"},
		{form{lists: true}, "7 ||| la <unk> ||| -1.500000 ||| -0.500000\n7 ||| ville ||| -2.000000 ||| -2.000000\n"},
		{form{lists: true, replace: true}, "7 ||| la Ghent ||| -1.500000 ||| -0.500000\n7 ||| ville ||| -2.000000 ||| -2.000000\n"},
	} {
		if got := test.form.lines(&model.Model{Target: v}, 7, []string{"the", "Ghent"}, best); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.form, got, test.want)
		}
	}
}

// TestTranslateLists has empty lines and lists on several threads.
func TestTranslateLists(t *testing.T) {
	path := saved(t, tinyModel(t))
	args := []string{"translate", "--model", path, "--max-length", "6"}
	one, _, _ := execute("the cat sees the dog .\n", args...)
	got, stderr, code := execute("\nthe cat sees the dog .\n\nthe cat sees the dog .\n", append(args, "--best", "3", "--normalize", "0.6")...)
	list := regexp.MustCompile(`(?m)^(\d) \|\|\| (.*) \|\|\| (-?\d+\.\d{6}) \|\|\| (-?\d+\.\d{6})$`).FindAllStringSubmatch(got, -1)
	var numbers []string
	for _, line := range list {
		numbers = append(numbers, line[1])
	}
	if code != 0 || strings.Join(numbers, "") != "01112333" || strings.Count(got, "\n") != len(list) {
		t.Fatalf("exit code %d %s, got\n%s", code, stderr, got)
	}
	if !slices.Equal(list[1][2:], list[5][2:]) || list[0][2] != "" || list[0][3] != "0.000000" {
		t.Errorf("equal lines differ, or an empty one is not empty:\n%s", got)
	}
	best, _, _ := execute("the cat sees the dog .\n", append(args, "--best", "1")...)
	if !strings.HasPrefix(best, "0 ||| "+strings.TrimSpace(one)+" ||| -") {
		t.Errorf("--best 1: got %q, want %q in it", best, one)
	}
}

// TestTranslateFlags holds what each flag is for.
func TestTranslateFlags(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[text.UNK] = 100
	unknown := saved(t, m)
	m.Parameters.B[text.UNK], m.Parameters.B[text.EOS] = 0, 100
	short := saved(t, m)
	run := func(args ...string) []string {
		got, stderr, code := execute("the zebra .\n", append([]string{"translate"}, args...)...)
		if code != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
		return strings.Fields(got)
	}
	if got := run("--model", unknown, "--forbid-unk", "--max-length", "4"); len(got) != 4 || slices.Contains(got, "<unk>") {
		t.Errorf("--forbid-unk: got %q, want four words", got)
	}
	for _, w := range run("--model", unknown, "--replace-unk", "--max-length", "4") {
		if !slices.Contains([]string{"the", "zebra", "."}, w) {
			t.Errorf("--replace-unk: got %q, want a word of the source", w)
		}
	}
	if got := run("--model", short); len(got) != 0 {
		t.Errorf("EOS all but certain: got %q, want no word", got)
	}
	for _, n := range []string{"2", "30"} {
		if got := run("--model", short, "--min-length", n); len(got) != map[string]int{"2": 2, "30": 30}[n] {
			t.Errorf("--min-length %s: got %q", n, got)
		}
	}
	if got := run("--model", short, "--model", unknown, "--model", unknown, "--beam", "1", "--max-length", "3"); !slices.Equal(got, []string{"<unk>", "<unk>", "<unk>"}) {
		t.Errorf("two of three models prefer <unk>: got %q", got)
	}
}
