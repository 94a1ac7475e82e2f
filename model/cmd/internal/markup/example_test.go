package markup_test

import (
	"context"
	"fmt"

	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
)

// Sentences keep their elements, and code stays.
func Example() {
	m, err := builtin.Open("en-fr")
	if err != nil {
		panic(err)
	}
	t, err := decode.New(m, decode.Options{Normalization: 1})
	if err != nil {
		panic(err)
	}
	defer t.Close()
	for _, text := range []string{
		"<p>A man in a <b>red</b> shirt.</p>",
		"<p>A man in a red shirt.</p>",
		"<li>The <a href='x'>red car</a> is <em>very</em> big.<br>It has &lt; 4 doors.</li>",
		"<p>The function <code>f(a, b)</code> returns the <var>x</var>.</p>",
	} {
		d := markup.HTML(text, m.SourceText)
		sentences := d.Sentences()
		fmt.Println(d.With(func(i int) markup.Translation {
			s := api.Read(t, m, sentences[i])
			best, err := t.Translate(context.Background(), s.Search.Source)
			if err != nil {
				panic(err)
			}
			return markup.Of(s, best[0], false)
		}))
	}
	// Output:
	// <p>Un homme dans une chemise <b>rouge</b>.</p>
	// <p>Un homme dans une chemise rouge.</p>
	// <li>La <a href='x'>voiture rouge</a> est <em>très</em> grande.<br>C'est &lt; 4 portes.</li>
	// <p>La fonction <code>f(a, b)</code> renvoie le <var>x</var>.</p>
}
