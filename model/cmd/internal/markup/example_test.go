package markup_test

import (
	"context"
	"fmt"
	"regexp"

	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
)

// Sentences keep their elements, and code stays.
func Example() {
	kept := regexp.MustCompile(`<code>.*</code>|<[^>]+>|25`)
	m, err := builtin.Open("en-fr")
	if err != nil {
		panic(err)
	}
	t, err := decode.New(m, decode.Options{Normalization: new(1.0)})
	if err != nil {
		panic(err)
	}
	defer t.Close()
	for _, text := range []string{
		"<p>A man in a <b>red</b> shirt.</p>",
		"<p>A man in a red shirt.</p>",
		"<li>The <a href='x'>red car</a> is <em>very</em> big.<br>It has 25 doors.</li>",
		"<p>The function <code>f(a, b)</code> returns the <b>x</b>.</p>",
	} {
		d, err := markup.Whole("html", text, m.SourceText, "fr")
		if err != nil {
			panic(err)
		}
		sentences := d.Sentences()
		whole := d.With(func(i int) markup.Translation {
			s := api.Of(m, m.SourceText.Read(sentences[i], nil))
			best, err := t.Translate(context.Background(), s.Search.Source)
			if err != nil {
				panic(err)
			}
			return markup.Of(s, best[0], false)
		})
		fmt.Println(kept.FindAllString(whole, -1))
	}
	// Output:
	// [<p> <b> </b> </p>]
	// [<p> </p>]
	// [<li> <a href='x'> </a> <em> </em> <br> 25 </li>]
	// [<p> <code>f(a, b)</code> <b> </b> </p>]
}
