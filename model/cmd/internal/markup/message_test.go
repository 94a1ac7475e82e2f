package markup

import (
	"errors"
	"strings"
	"testing"
)

// backwards translates a document into the words of its sentences backwards.
func backwards(t testing.TB, format, text string) string {
	f := fake{english(t, true), func(_ string, n int) (order []int) {
		for i := range n {
			order = append(order, n-1-i)
		}
		return order
	}, nil}
	return f.document(divided(format, text, f.Pipeline))
}

const xliff2 = `<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"><x:file id="1"><x:unit id="1"><x:segment>`

// TestMessages fills what is empty. What is filled stays, to the byte.
func TestMessages(t *testing.T) {
	for _, test := range []struct{ format, text, want string }{
		{"po", "# a\nmsgid \"\"\nmsgstr \"\"\n\"Language: fr\\n\"\n\n#, fuzzy\nmsgid \"a b\"\nmsgstr \"\"\n\n#~ msgid \"b\"\n#~ msgstr \"\"\n",
			"# a\nmsgid \"\"\nmsgstr \"\"\n\"Language: fr\\n\"\n\n#, fuzzy\nmsgid \"a b\"\nmsgstr \"b a\"\n\n#~ msgid \"b\"\n#~ msgstr \"\"\n"},
		{"po", "msgid \"a b\"\nmsgstr \"c\"\n", "msgid \"a b\"\nmsgstr \"c\"\n"},
		{"po", "msgctxt \"c\"\r\nmsgid \"\"\r\n\"a \"\r\n\"b\\nc \\\"%(d)s\\\"\\n\"\r\nmsgstr \"\"\r\n\"\"",
			"msgctxt \"c\"\r\nmsgid \"\"\r\n\"a \"\r\n\"b\\nc \\\"%(d)s\\\"\\n\"\r\nmsgstr \"b a\\n\\\" %(d)s \\\"c\\n\"\r\n\"\""},
		{"po", "msgid \"%d file\"\nmsgid_plural \"%d {x} files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\nmsgstr[2] \"a\"\n",
			"msgid \"%d file\"\nmsgid_plural \"%d {x} files\"\nmsgstr[0] \"file %d\"\nmsgstr[1] \"files {x} %d\"\nmsgstr[2] \"a\"\n"},
		{"po", "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1;\"\n\nmsgid \"a\"\nmsgid_plural \"a b\"\nmsgstr[0] \"\"\n",
			"msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1;\"\n\nmsgid \"a\"\nmsgid_plural \"a b\"\nmsgstr[0] \"b a\"\n"},
		{"po", `msgid "one <b>b</b>|a & %s &amp; %% \\ x"` + "\n" + `msgstr ""`, `msgid "one <b>b</b>|a & %s &amp; %% \\ x"` + "\n" + `msgstr "<b>b</b> one|x \\ %% &amp; %s &amp; a"`},
		{"po", `msgid "a {{ b }} c|%n% $d %1$s {e, plural, one {# f} other {# g}} %td"` + "\n" + `msgstr ""`,
			`msgid "a {{ b }} c|%n% $d %1$s {e, plural, one {# f} other {# g}} %td"` + "\n" + `msgstr "c {{ b }} a|%n% $d %1$s {e, plural, one {# f} other {# g}} %td"`},
		{"xliff", `<xliff><file source-language="en"><trans-unit>
  <source>a <g id="1">b</g> &amp; <x id="2"/>.</source>
</trans-unit></file></xliff>`, `<xliff><file source-language="en" target-language="fr"><trans-unit>
  <source>a <g id="1">b</g> &amp; <x id="2"/>.</source>
  <target>. <x id="2"/> &amp; <g id="1">b</g> a</target>
</trans-unit></file></xliff>`},
		{"xliff", `<trans-unit><source>a b</source><seg-source/><alt-trans><source>c</source><target/></alt-trans></trans-unit>`,
			`<trans-unit><source>a b</source><seg-source/><target>b a</target><alt-trans><source>c</source><target/></alt-trans></trans-unit>`},
		{"xliff", `<a><trans-unit translate="no"><source>a b</source></trans-unit><trans-unit><source>a b</source><target>c</target></trans-unit></a>`,
			`<a><trans-unit translate="no"><source>a b</source></trans-unit><trans-unit><source>a b</source><target>c</target></trans-unit></a>`},
		{"xliff", xliff2 + `<x:source>a &lt;b&gt;b&lt;/b&gt; <pc id="1">c</pc></x:source><x:target state="new" /></x:segment></x:unit></x:file></x:xliff>`,
			strings.Replace(xliff2, `srcLang="en"`, `srcLang="en" trgLang="fr"`, 1) + `<x:source>a &lt;b&gt;b&lt;/b&gt; <pc id="1">c</pc></x:source><x:target state="new" ><pc id="1">c</pc> &lt;b&gt;b&lt;/b&gt; a</x:target></x:segment></x:unit></x:file></x:xliff>`},
		{"xliff", `<segment><source><![CDATA[a & <b>b</b>]]></source><target> </target></segment>`, `<segment><source><![CDATA[a & <b>b</b>]]></source><target>&lt;b&gt;b&lt;/b&gt; &amp; a</target></segment>`},
	} {
		if got := backwards(t, test.format, test.text); got != test.want {
			t.Errorf("%s\nbecame\n%s\nwant\n%s", test.text, got, test.want)
		}
		if got := backwards(t, test.format, test.want); got != test.want {
			t.Errorf("%s\nbecame\n%s\nthe second time", test.want, got)
		}
	}
	for _, test := range [][2]string{
		{"po", "msgid \"a"}, {"po", "msgid \"a\\q\"\n"}, {"po", "\"a\"\n"}, {"po", "a\n"},
		{"xliff", "<a>"}, {"xliff", "<trans-unit><source>a"}, {"xliff", "<a>&b;</a>"},
	} {
		if _, err := Whole(test[0], test[1], english(t, true), "fr"); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: error %v", test[1], err)
		}
	}
}
