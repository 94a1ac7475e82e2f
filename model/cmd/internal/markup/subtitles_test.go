package markup

import (
	"slices"
	"strings"
	"testing"
)

// TestSubtitles has files that are the same if no sentence changes, their sentences, and what they are backwards.
func TestSubtitles(t *testing.T) {
	const times = "1\n00:00:01,000 --> 00:00:02,500\n"
	for _, test := range []struct {
		format, text string
		sentences    []string
		want         string // empty for the text
	}{
		{"srt", "", nil, ""},
		{"srt", "no time\nat all\n", nil, ""},
		{"srt", times + "one", []string{"one"}, ""},
		{"srt", times + "one\n\n" + times, []string{"one"}, ""},
		{"srt", times + " a b\nc d e\n", []string{"a b c d e"}, times + " e d\nc b a\n"},
		{"srt", times + "How big?\r\nI am\r\na b\r\n", []string{"How big?", "I am a b"}, times + "? Big how\r\nB a\r\nam I\r\n"},
		{"srt", times + "I was\n\n2\n0:3 --> 0:4 X1:9\nhere. So\n", []string{"I was here.", "So"}, times + ". Here\n\n2\n0:3 --> 0:4 X1:9\nwas I So\n"},
		{"srt", times + "one\n\n2\n0:3 --> 0:4\n42\n", []string{"one", "42"}, ""},
		{"srt", times + "- one?\n- a b\nc\n-4\n", []string{"one?", "a b c", "4"}, times + "- ? one\n- c b\na\n-4\n"},
		{"srt", times + "{\\an8}{\\i1}one & <b>x</b> <\n", []string{"one & x <"}, times + "{\\an8}{\\i1}< <b>x</b> & one\n"},
		{"vtt", "WEBVTT - a\n\nNOTE b\nc\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann>a &amp; <00:01.500><c.x.y>b</c>\n", []string{"a & b"},
			"WEBVTT - a\n\nNOTE b\nc\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann><00:01.500><c.x.y>b</c> &amp; a\n"},
	} {
		p := english(t, true)
		d := divided(test.format, test.text, p)
		list := d.Sentences()
		if !slices.Equal(list, test.sentences) {
			t.Errorf("%q: sentences %q, want %q", test.text, list, test.sentences)
		}
		if got := d.With(func(i int) Translation { return Same(p, list[i]) }); got != test.text {
			t.Errorf("%q became %q", test.text, got)
		}
		if got := backwards(t, test.format, test.text); got != test.want && (got != test.text || test.want != "") {
			t.Errorf("%q backwards: %q, want %q", test.text, got, test.want)
		}
	}
	for _, test := range []struct {
		text, lines string
		widths      []int
	}{
		{"a b c d", "a b|c d", []int{3, 3}}, {"a b c d", "a|b|c|d", []int{1, 1, 1, 1}}, {"ab", "ab", []int{1, 1}}, {"", "", []int{1, 1}},
		{"a b c d", "a b c|d", []int{9, 3}}, {`<font color="x y">ab cd`, `<font color="x y">ab|cd`, []int{9, 1}}, {"été à la mer", "été à|la mer", []int{1, 1}},
	} {
		if got := wrap(test.text, slices.Repeat([]string{"|"}, len(test.widths)-1), test.widths); got != test.lines {
			t.Errorf("%q in lines of %d: %s, want %s", test.text, test.widths, got, test.lines)
		}
	}
}

// FuzzSubtitles expects that a file stays as it is without translations.
func FuzzSubtitles(f *testing.F) {
	for _, content := range []string{"", "1\n00:00:01,000 --> 00:00:02,000\n- a\r\n b\n\n", "0-->\n{\\a}\n-", "0-->\na\n0-->\n\v\n", "0-->\nA <b>a,\n0-->\nb</b> <3\n"} {
		f.Add(content)
	}
	p := english(f, true)
	f.Fuzz(func(t *testing.T, content string) {
		d := divided("srt", content, p)
		list := d.Sentences()
		got := d.With(func(i int) Translation { return Same(p, list[i]) })
		if controls := strings.ContainsFunc(content, func(r rune) bool { return r < ' ' || r >= 0x7f }); bare(got) != bare(content) && !controls {
			t.Errorf("%q became %q", content, got)
		}
		d.With(func(int) Translation { return Translation{} })
	})
}
