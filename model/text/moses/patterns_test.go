package moses

import (
	"regexp/syntax"
	"strings"
	"testing"
)

// compile compiles a list of patterns.
func compile(t testing.TB, list ...string) *Patterns {
	t.Helper()
	p, err := CompilePatterns(list)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTokenizeProtectedLikeMoses has the words of tokenizer.perl -protected with the patterns of Moses for tags
// and URLs.
func TestTokenizeProtectedLikeMoses(t *testing.T) {
	patterns := compile(t,
		`<\/?\S+\/?>`,
		`<\S+( [a-zA-Z0-9]+\=\"?[^\"]\")+ ?\/?>`,
		`(http[s]?|ftp):\/\/[^:\/\s]+(\/\w+)*\/[\w\-\.]+`)
	for _, test := range []struct{ language, line, want string }{
		{"en", "See http://example.com/a/b-c.html, or <b>bold</b> and <br/> x.",
			"See http://example.com/a/b-c.html , or <b>bold</b> and <br/> x ."},
		{"en", `<a href="x"> go</a> http://example.com`, `<a href="x"> go </a> http : / / example.com`},
		{"en", "a@b.org C++ <x> and <x>y", "a @ b.org C + + <x> and <x> y"},
		{"en", "Mr. http://h/a etc. <b> U.S. ftp://h/p.", "Mr. http://h/a etc . <b> U.S. ftp://h/p."},
		{"en", "x<b>.'", "x <b> . '"},
		{"fr", "l'<b>homme 5,<b>000", "l ' <b> homme 5 , <b> 000"},
		{"de", "am 3. <b> Mai", "am 3. <b> Mai"},
	} {
		tokenizer := Tokenizer{Language: test.language, Protected: patterns}
		if got := strings.Join(tokenizer.Tokenize(test.line), " "); got != test.want {
			t.Errorf("%s %q:\n got %q\nwant %q", test.language, test.line, got, test.want)
		}
	}
}

// TestProtectedOptions: protected words keep their case and punctuation.
func TestProtectedOptions(t *testing.T) {
	tokenizer := Tokenizer{
		Language:  "en",
		Protected: compile(t, `http://\S+`, `\[[^\]]*\]`),
		Lowercase: true,
		Normalize: true,
	}
	const line = "“See\x07” [A ‘B] : HTTP://X http://X/“a”&,-–\x02B (Now)"
	const want = `" see " [A ‘B] : http : / / x http://X/“a”&,-–B ( now )`
	if got := strings.Join(tokenizer.Tokenize(line), " "); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestProtected has words that the rules of Moses break. Each line comes back.
func TestProtected(t *testing.T) {
	patterns := compile(t, Protected()...)
	for _, test := range []struct{ language, line, words string }{
		{"en", "Visit http://a.com, please (see a@b.org).", "Visit http://a.com , please ( see a@b.org ) ."},
		{"en", "See https://en.wikipedia.org/wiki/Foo_(bar)?a=b&c=d#e, or (http://x.org/y/).",
			"See https://en.wikipedia.org/wiki/Foo_(bar)?a=b&c=d#e , or ( http://x.org/y/ ) ."},
		{"en", "Is it “https://x.y/z”? s3://bucket/key! mailto:x@y.de; www.x.org/a.",
			"Is it “ https://x.y/z ” ? s3://bucket/key ! mailto:x@y.de ; www.x.org/a ."},
		{"en", "On localhost:3000/api, example.com:80 or 192.168.0.1:8080, not 10.0.0.0/8.",
			"On localhost:3000/api , example.com:80 or 192.168.0.1:8080 , not 10.0.0.0/8 ."},
		{"fr", "Écrivez à josé@exemple.fr (first.last+tag@sub.example.co.uk).",
			"Écrivez à josé@exemple.fr ( first.last+tag@sub.example.co.uk ) ."},
		{"en", `Use <b>bold</b>, <a href="http://x.y/z" id=5>this link</a> and <br/> or <br />.`,
			`Use <b> bold </b> , <a href="http://x.y/z" id=5> this link </a> and <br/> or <br /> .`},
		{"en", "Is <a> between x < 5 and <b>?", "Is <a> between x < 5 and <b> ?"},
		{"en", "#8 and #Über by @some_one.", "# 8 and #Über by @some_one ."},
		{"en", "I like C++ and C#; also g++, C++17, F#, A+ and 60+ .NET libraries.",
			"I like C++ and C# ; also g++ , C++17 , F# , A+ and 60+ .NET libraries ."},
		{"en", "R&D at AT&T, Q&amp;A &amp; H&M's &#39; x.", "R&D at AT&T , Q&amp;A &amp; H&M ' s &#39; x ."},
		{"en", `In /usr/lib/libc.so.6, ~/notes.md, ../x/.y, src/main.go or C:\Users\Me\a.txt.`,
			`In /usr/lib/libc.so.6 , ~/notes.md , ../x/.y , src/main.go or C:\Users\Me\a.txt .`},
		{"en", `On \\server\share\file.txt, at 11:27, 9:30:15 or 4:3 on 12/05/2020.`,
			`On \\server\share\file.txt , at 11:27 , 9:30:15 or 4:3 on 12/05/2020 .`},
		{"en", "v1.2.3, 1.2.3-rc.1 and 1.0.0-beta+exp.sha.5 of my_file_name.txt and snake_case.",
			"v1.2.3 , 1.2.3-rc.1 and 1.0.0-beta+exp.sha.5 of my_file_name.txt and snake_case ."},
	} {
		words := strings.ReplaceAll(test.words, "# 8", "#8")
		tokenizer := Tokenizer{Language: test.language, Protected: patterns, Reversible: true}
		got := tokenizer.Tokenize(test.line)
		if strings.Join(got, " ") != words {
			t.Errorf("%s %q:\n got %q\nwant %q", test.language, test.line, got, words)
		}
		detokenizer := Detokenizer{Language: test.language, Protected: patterns, Reversible: true}
		if back := detokenizer.Detokenize(got); back != test.line {
			t.Errorf("%s %q came back as %q", test.language, test.line, back)
		}
	}
}

// TestProtectedUnchanged: the built-in patterns leave ordinary text alone.
func TestProtectedUnchanged(t *testing.T) {
	patterns := compile(t, Protected()...)
	for language, lines := range samples {
		for _, line := range append(lines, "and/or: yes & no; 5 > 3 + 1, Mr/Mrs - either/or.", "a:b #, @ _ + / < > && 1+1=2") {
			with := Tokenizer{Language: language, Protected: patterns}.Tokenize(line)
			without := Tokenizer{Language: language}.Tokenize(line)
			if got, want := strings.Join(with, " "), strings.Join(without, " "); got != want {
				t.Errorf("%s: got %q, want %q", language, got, want)
			}
		}
	}
}

// TestDetokenizeProtected: a protected word stays between spaces, whatever it looks like.
func TestDetokenizeProtected(t *testing.T) {
	patterns := compile(t, `:-?\)`, `\$\d`, `'n'`, `"+`, `日本`, `@-@x`)
	const line = `a :) b :-) , $5 'n' roll """ c 日本 d`
	for _, reversible := range []bool{false, true} {
		got := Detokenizer{Language: "en", Protected: patterns, Reversible: reversible}.Detokenize(strings.Fields(line))
		if want := strings.Replace(line, " ,", ",", 1); got != want {
			t.Errorf("reversible %v: got %q, want %q", reversible, got, want)
		}
	}
}

func TestCompilePatterns(t *testing.T) {
	many := make([]string, 101)
	for i := range many {
		many[i] = "a"
	}
	large := make([]string, 30)
	for i := range large {
		large[i] = "a{900}"
	}
	for _, test := range []struct {
		list []string
		want string // part of the error; empty if there is none
	}{
		{nil, ""},
		{[]string{}, ""},
		{many[:100], ""},
		{[]string{strings.Repeat("a", 1000)}, ""},
		{[]string{"a", "(b"}, "pattern 1: error parsing regexp: missing closing )"},
		{[]string{"a)|(b"}, "pattern 0: error parsing regexp"},
		{[]string{`(?=a)`}, "pattern 0: error parsing regexp"},
		{[]string{"\xff"}, "expected UTF-8"},
		{[]string{""}, `pattern 0: "" matches the empty string`},
		{[]string{"a", "b*"}, `pattern 1: "b*" matches the empty string`},
		{[]string{`\b`}, "matches the empty string"},
		{[]string{`^$`}, "matches the empty string"},
		{[]string{"a|b?"}, "matches the empty string"},
		{[]string{"(?:a*){3}"}, "matches the empty string"},
		{many, "101 patterns, expected at most 100"},
		{[]string{strings.Repeat("a", 1001)}, "pattern 0: 1001 bytes, expected at most 1000"},
		{large, "pattern 2: the list compiles to more than 2000 instructions"},
		{[]string{"((a{100}){100}){100}"}, "pattern 0: error parsing regexp"},
	} {
		p, err := CompilePatterns(test.list)
		switch {
		case test.want != "":
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%.50q: got error %v, want one that contains %q", test.list, err, test.want)
			}
		case err != nil || (p == nil) != (len(test.list) == 0):
			t.Errorf("%.50q: got %v, error %v", test.list, p, err)
		}
	}
}

// TestRequiredBytes: every match contains a required byte.
func TestRequiredBytes(t *testing.T) {
	for _, test := range []struct{ pattern, want string }{
		{`abc://d`, ":"},
		{`a+@[a-z]`, "@"},
		{`(x|y)z*`, "xy"},
		{`(?i)k`, "Kk\x80"},
		{`[0-9]{2,}\.`, "0123456789"},
		{`é`, "\x80\xff"},
		{`#|\+{3}`, "#+"},
		{`\b<?[/\\]`, `/\`},
	} {
		re, err := syntax.Parse(test.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		got, found := requiredBytes(re)
		for i := range len(test.want) {
			if !found || !got[test.want[i]] {
				t.Errorf("%s: byte %q is missing", test.pattern, test.want[i])
			}
		}
		if got['e'] || got[' '] {
			t.Errorf("%s: letters or spaces are required", test.pattern)
		}
	}
}

// FuzzPatterns: the required bytes hide no match, and no match is empty.
func FuzzPatterns(f *testing.F) {
	for _, pattern := range append(Protected(), `(?i)kelvin|ß`, `a{2,3}?b+|(?s:.)x`, `[^a]\B`, `\pL`) {
		f.Add(pattern, "http://x.org/a <b c='d'> C++ a@b.c #5 11:27 K ſ é\n")
	}
	f.Fuzz(func(t *testing.T, pattern, line string) {
		p, err := CompilePatterns([]string{pattern})
		if err != nil {
			return
		}
		line = toValidUTF8(line)
		for _, span := range p.list[0].FindAllStringIndex(line, -1) {
			if match := line[span[0]:span[1]]; match == "" || p.candidates(match) == (patternSet{}) {
				t.Errorf("%q: match %q of %q", pattern, match, line)
			}
		}
	})
}
