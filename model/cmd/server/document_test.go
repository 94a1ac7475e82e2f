package server

import (
	"html"
	"slices"
	"strings"
	"testing"
)

// whole is a split that divides nothing.
func whole(line string) []string {
	if line == "" {
		return nil
	}
	return []string{line}
}

// TestHTMLDocument has markup and the texts in it that are translated.
func TestHTMLDocument(t *testing.T) {
	for markup, want := range map[string][]string{
		"":                    nil,
		"a b":                 {"a b"},
		"<p>a<b> b </b>c</p>": {"a", "b", "c"},
		"a &lt; b &amp; c":    {"a < b & c"},
		"<title>a</title><script>b()</script><style>c{}</style>d": {"a", "d"},
		"<pre>a<b>b</b></pre>c<code>d<code>e</code>f</code>g":     {"c", "g"},
		`<p translate="no">a<p>b</p>c</p>d`:                       {"d"},
		`<img translate=no alt="a">b<br translate="NO">c`:         {"b", "c"},
		"<!-- a --><!doctype html>b":                              {"b"},
		"a<p title='b":                                            {"a"},
		"1 < 2":                                                   {"1 < 2"},
		"</code>a</p>":                                            {"a"},
		"a<code/>b":                                               {"a", "b"},
		"<p> \n. </p>…":                                           nil,
	} {
		d := htmlDocument(markup, whole)
		if got := d.sentences(); !slices.Equal(got, want) {
			t.Errorf("%s: sentences %q, want %q", markup, got, want)
		}
		if got := d.with(d.sentences(), escapeHTML); html.UnescapeString(got) != html.UnescapeString(markup) {
			t.Errorf("%s: became %s", markup, got)
		}
	}
	d := htmlDocument("<p>a &amp; b</p>", whole)
	if got := d.with([]string{"<script>&"}, escapeHTML); got != "<p>&lt;script&gt;&amp;</p>" {
		t.Errorf("a translation with markup gives %s", got)
	}
}

// FuzzDocument divides texts, and puts them together again with their own sentences.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{"a\nb\r\n c", "<p>a</p>", "a &lt;", "<code>a</b>", "<", "a<b", "\x00<!--"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := textDocument(text, whole)
		if got := d.with(d.sentences(), unescaped); got != text {
			t.Errorf("%q became %q", text, got)
		}
		d = htmlDocument(text, whole)
		markup := d.with(d.sentences(), escapeHTML)
		again := htmlDocument(markup, whole)
		if got := again.with(again.sentences(), escapeHTML); got != markup && !strings.ContainsAny(text, "\x00\r") {
			t.Errorf("%q became %q and then %q", text, markup, got)
		}
	})
}
