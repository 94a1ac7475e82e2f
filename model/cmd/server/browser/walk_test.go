package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/softsearch-go/softsearch/model/cmd/server"
)

// bothWays serves a second model for the way back, and examples of the first.
func bothWays(o *server.Options) {
	o.Models[0].Examples = []string{example, "the cat eats"}
	o.Models[1] = server.Model{Name: "fr-en", Source: "fr", Target: "en", Open: quantized}
}

// TestPageExamples presses an example, and chooses a model that has none.
func TestPageExamples(t *testing.T) {
	p := show(t, newSite(t, bothWays), "")
	p.wait(`document.querySelectorAll("#examples button").length === 2 && document.querySelector("#text").placeholder === "Type in English"`)
	p.click("#examples button")
	p.wait(`document.querySelector("#text").value === "` + example + `"`)
	p.idle()
	p.shows(0, p.result(nil).words(0))
	same(p, "there are examples beside a text", eval[bool](p, `document.querySelector("#examples").checkVisibility()`), false)
	p.replace("#text", " ")
	p.choose("#languages", "French → English")
	p.wait(`document.querySelector("#hint").checkVisibility() && !document.querySelector("#examples").checkVisibility() && document.querySelector("#text").placeholder === "Type in French"`)
}

// choose chooses an option of a select.
func (p tab) choose(selector, value string) {
	p.Helper()
	p.run(chromedp.SetValue(chromedp.CSS(selector), value))
	eval[bool](p, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new Event("change"))`, selector))
}

// TestPageNotes checks the line that names what the model does not know, and what the page says of a translation of
// which the server left out repetitions.
func TestPageNotes(t *testing.T) {
	s := newSite(t, nil)
	p := show(t, s, url.Values{"text": {"the zebra eats"}}.Encode())
	says := func(note string) {
		t.Helper()
		p.wait(fmt.Sprintf(`document.querySelector(".note span")?.textContent === %q`, note))
	}
	says("This model does not know “zebra”: it copies or guesses it.")
	p.replace("#text", "the zebra <b>\nthe zebra b c d e f")
	says("This model does not know “zebra”, “<b>”, “b”, “c”, “d” and 2 more: it copies or guesses them.")
	p.replace("#text", "the dog")
	says("")
	p.wait(`document.querySelectorAll(".target .sentence").length === 1`) // nothing is left of the text before
	s.disturb("/v1/translate", func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		s.plain.ServeHTTP(answer, r)
		fmt.Fprint(w, strings.Replace(answer.Body.String(), `"score":`, `"looped":true,"score":`, 1))
	})
	p.replace("#text", example)
	says("The translation repeated words without end: the repetitions are left out.")
	p.click(`.best input[value="1"]`)
	says("")
}

// sentences returns the words of the translation of each sentence of the first pane.
func (p tab) sentences() [][]string {
	p.Helper()
	return eval[[][]string](p, `[...document.querySelectorAll(".pane:first-child .target .sentence")].map(s => [...s.children].map(w => w.textContent))`)
}

// TestPageSentences has sixteen lines, of which each has a row with a translation and attention of its own.
func TestPageSentences(t *testing.T) {
	s := newSite(t, nil)
	var lines []string
	for i := range 16 {
		lines = append(lines, strings.Join([]string{"the dog sleeps", "the cat eats in the garden", "the dog and the cat sleep"}[i%3:i%3+1], ""))
	}
	source := "  " + strings.Join(lines[:8], "\n") + "\n\n" + strings.Join(lines[8:], "\n")
	p := show(t, s, url.Values{"text": {source}}.Encode())
	p.idle()
	want := make([][]string, len(lines))
	for i, line := range lines {
		result := p.result(map[string]any{"text": line})
		want[i] = result.words(0)
	}
	check := func(p tab) {
		t.Helper()
		got := p.sentences()
		if len(got) != len(want) {
			t.Fatalf("%d translations, expected %d", len(got), len(want))
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("translation %d is %q, expected %q", i, got[i], want[i])
			}
		}
	}
	check(p)

	p.middle(".source p:nth-child(5) .sentence")
	p.click(".source p:nth-child(5) .sentence")
	p.wait(`document.querySelector(".target p:nth-child(5) [aria-current=true]") && document.querySelectorAll("[aria-current=true]").length === 2`)
	p.idle()
	p.point(p.middle(".target p:nth-child(5) .word:nth-child(2)"))
	p.wait(fmt.Sprintf(`document.querySelector(".looked").textContent.startsWith("“%s” looked at")`, want[4][1]))
	p.point(p.middle(".source p:nth-child(4) .word"))
	p.wait(`document.querySelector(".source p:nth-child(4) .focused") && document.querySelector(".looked").textContent.includes("is looked at by")`)
	p.drawn()
	same(p, "distances of a line from its translation and of it from their links", eval[[]float64](p, `(top => [top(".target p:nth-child(4)"), Math.round(top(".links path") / 30)])(
		e => document.querySelector(e).getBoundingClientRect().top - document.querySelector(".source p:nth-child(4)").getBoundingClientRect().top)`), []float64{0, 1})

	before := p.middle(".target p:nth-child(9) .word")
	p.click(".target p:nth-child(9) .word:nth-child(2)")
	p.wait(`document.querySelectorAll(".menu:popover-open li").length === 8 && document.querySelector(".target p:nth-child(9) [aria-current=true]")`)
	if after := p.middle(".target p:nth-child(9) .word"); after != before {
		t.Errorf("the word moved from %v to %v", before, after)
	}
	p.press(kb.ArrowDown, kb.Enter)
	p.wait(`document.querySelectorAll(".target p:nth-child(9) .fixed").length === 2`)
	p.idle()
	forced := eval[string](p, `new URLSearchParams(location.hash.slice(1)).getAll("token").join(" ")`)
	result := p.result(map[string]any{"text": lines[8], "prefix": strings.Fields(forced)})
	want[8] = result.words(0)
	check(p)
	p.click(`.best input[value="1"]`)
	p.wait(`location.hash.includes("best=1")`)
	p.drawn()
	want[8] = result.words(1)
	check(p)

	p.click(".tree summary")
	p.wait(`document.querySelector(".tree .node.chosen")`)
	second := show(t, s, strings.TrimPrefix(eval[string](p, "location.hash"), "#"))
	second.idle()
	check(second)
	second.wait(`document.querySelector(".target p:nth-child(9) [aria-current=true]") && document.querySelector(".tree[open] .node.chosen")`)
}

// TestPageLong has a text that takes several requests, and of which the server does not give n-best lists at once: only
// the sentence with details has one.
func TestPageLong(t *testing.T) {
	p := shown(t, func(o *server.Options) { o.MaxCharacters = 100 }, url.Values{"text": {strings.Repeat(example+"\n", 8)}}.Encode())
	for _, sentence := range []int{1, 8} {
		p.click(fmt.Sprintf(".source p:nth-child(%d) .sentence", sentence))
		p.wait(fmt.Sprintf(`document.querySelector(".source p:nth-child(%d) [aria-current=true]") && document.querySelectorAll(".best li").length === 3`, sentence))
		p.idle()
	}
	sentences := p.sentences()
	same(p, "sentences", len(sentences), 8)
	for i, words := range sentences {
		if want := p.result(map[string]any{"nbest": 1, "tree": false}).words(0); !slices.Equal(words, want) {
			t.Errorf("translation %d is %q, expected %q", i, words, want)
		}
	}
}

// TestPageBuiltIn has the sentences of a line of plain text, a word of which the model knows the parts, and a text in the
// other language.
func TestPageBuiltIn(t *testing.T) {
	const line = "Can you tell me where my keys are? I recieved it."
	p := shown(t, builtIn, url.Values{"text": {line}}.Encode())
	if got := p.sentences(); len(got) != 2 || strings.Join(got[0], " ") != "Peux-tu me dire où sont mes clés ? end" {
		t.Errorf("the line is translated as %q", got)
	}
	p.click(".source .sentence:nth-child(2)")
	p.point(p.middle(".source .sentence:nth-child(2) .word:nth-child(2)"))
	p.wait(`/^“recieved” \(.+·.+\) is looked at by /.test(document.querySelector(".looked").textContent)`)
	same(p, "the parts of recieved make", eval[string](p, `document.querySelector(".looked").textContent.match(/\((.*?)\)/)[1].replaceAll("·", "")`), "recieved")
	parts := await[[]string](p, `import("./page/alignment.js").then(({ visible }) => ["￭,", "l'￭", "re@@", "￭", "￭@@"].map(visible))`)
	same(p, "parts without joiners", parts, []string{",", "l'", "re", "￭", "￭"})
	p.replace("#text", "Où est la gare ?")
	p.wait(`document.querySelector(".note button").checkVisibility()`)
	p.click(".note button")
	p.wait(`document.querySelector("#languages").value === "French → English" && document.querySelector("#text").value === "Où est la gare ?"`)
}

// TestPageSwap translates a translation back.
func TestPageSwap(t *testing.T) {
	p := shown(t, bothWays, typed+"&model=en-fr&best=1")
	want := p.result(nil).Best[1].Text
	p.click("#swap")
	p.wait(fmt.Sprintf(`document.querySelector("#text").value === %q && document.querySelector("#model").value === "fr-en"`, want))
	p.idle()
	p.shows(0, p.result(map[string]any{"text": want, "model": "fr-en"}).shown(0))
	eval[chromedp.Void](p, `history.back()`)
	p.wait(`document.querySelector("#text").value === "` + example + `" && document.querySelector("#model").value === "en-fr"`)
	p.idle()
	p.shows(0, p.result(nil).words(1))
	same(p, "models of other languages can be compared", eval[bool](p, `!document.querySelector("#comparison").hidden`), false)
	p = shown(t, nil, typed)
	same(p, "languages can be swapped without a model for the way back", eval[bool](p, `document.querySelector("#swap").checkVisibility()`), false)
}

// TestPageHistory goes back and forward, and presses a text of before.
func TestPageHistory(t *testing.T) {
	s := newSite(t, nil)
	p := show(t, s, "")
	p.wait(`document.querySelector(".pane")`)
	length := func() int { t.Helper(); return eval[int](p, "history.length") }
	begun := length()
	has := func(text string) { // the text, and the translation that belongs to it
		t.Helper()
		p.wait(fmt.Sprintf(`document.querySelector("#text").value === %q`, text))
		if text != "" {
			translation := p.result(map[string]any{"text": text}).Best[0].Text
			p.wait(fmt.Sprintf(`document.querySelector(".target")?.textContent === %q && document.querySelector(".pane").ariaBusy === "false"`, translation+"end"))
		}
	}
	p.write("#text", "the dog")
	has("the dog")
	p.write("#text", " sleeps")
	has("the dog sleeps")
	same(p, "states that typing makes", length()-begun, 1)
	p.wait(`document.querySelectorAll("#history li").length === 1`) // after a while
	p.replace("#text", "the cat eats")
	has("the cat eats")
	eval[chromedp.Void](p, `document.querySelector("#text").blur()`)
	p.wait(`document.querySelectorAll("#history li").length === 2`)
	eval[chromedp.Void](p, `history.back()`)
	has("the dog sleeps")
	eval[chromedp.Void](p, `history.back()`)
	has("")
	eval[chromedp.Void](p, `history.go(2)`)
	has("the cat eats")
	p.click("#history summary")
	p.click("#history li:nth-child(2) button")
	has("the dog sleeps")
	eval[chromedp.Void](p, `history.back()`)
	has("the cat eats")

	p.run(chromedp.Reload())
	has("the cat eats")
	texts := eval[string](p, `[...document.querySelectorAll("#history li")].map(li => li.textContent).join()`)
	if want := "the dog sleeps,the cat eats"; !slices.Contains([]string{want, "the cat eats,the dog sleeps"}, texts) {
		t.Errorf("history of %q, expected %q", texts, want)
	}
	p.click("#history summary")
	p.click("#history .controls button")
	p.wait(`!document.querySelector("#history").checkVisibility()`)
}

// TestPageBeam sets the width of the beam.
func TestPageBeam(t *testing.T) {
	p := shown(t, nil, typed)
	p.click("#options summary")
	p.replace("#beam", "3"+kb.Enter)
	p.wait(`document.querySelectorAll(".best li").length === 3 && location.hash.includes("beam=3")`)
	p.replace("#beam", "99"+kb.Enter)
	p.wait(`document.querySelector("#beam").matches(":invalid")`)
	p.write("#text", " .")
	p.wait(`document.querySelectorAll(".source .word").length === 8`)
	p.idle()
	same(p, "translations", eval[int](p, `document.querySelectorAll(".best li").length`), 3)
}

// TestPageMenuFits opens menus in small windows, in which only figures scroll sideways: they are inside, and their
// lists scroll.
func TestPageMenuFits(t *testing.T) {
	p := show(t, newSite(t, nil), "text="+strings.Repeat("the+dog+cat+", 30)+strings.Repeat("x", 300)+"&tree=1&model=en-fr&model=int8")
	for _, size := range [][2]int64{{360, 600}, {600, 360}, {1366, 768}} {
		p.run(chromedp.EmulateViewport(size[0], size[1]))
		p.idle()
		p.wait(fmt.Sprintf(`document.documentElement.scrollWidth <= %d && document.querySelector("#text").offsetHeight <= %d`, size[0], size[1]/2))
		words := eval[int](p, `document.querySelectorAll(".pane:first-child .target .word").length`)
		for _, word := range []int{1, words / 2, words} {
			selector := fmt.Sprintf(".target .word:nth-child(%d)", word)
			p.middle(selector)
			p.menu(selector)
			for _, part := range []string{".menu", ".menu form", ".menu li:last-child button"} {
				p.focus(".menu li:last-child button")
				p.inside(fmt.Sprintf("%v, word %d", size, word), part)
			}
			p.press(kb.Escape)
			p.wait(`!document.querySelector(".menu:popover-open")`)
		}
	}
}

// inside fails the test unless an element is inside the window.
func (p tab) inside(what, selector string) {
	p.Helper()
	p.wait(fmt.Sprintf(`(b => b.width > 0 && b.left >= 0 && b.top >= 0 && b.right <= innerWidth && b.bottom <= innerHeight)(document.querySelector(%q).getBoundingClientRect()) || %q === ""`, selector, what))
}

// TestPageWrapped checks that lines lead from word to word where sentences have several lines.
func TestPageWrapped(t *testing.T) {
	p := show(t, newSite(t, nil), typed+"+and+the+cat+eats+in+the+house")
	p.run(chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile))
	p.idle()
	p.wait(`document.querySelector(".wrapped")`)
	off := eval[[]string](p, `[...document.querySelectorAll(".links path")].filter(path => {
		const origin = document.querySelector(".reading").getBoundingClientRect();
		const box = side => document.querySelectorAll("." + side + " .word")[path.dataset[side]].getBoundingClientRect();
		const source = box("source"), target = box("target"), length = path.getTotalLength();
		const from = path.getPointAtLength(0), to = path.getPointAtLength(length);
		const near = (a, b) => Math.abs(a - b) < 1;
		return !(near(from.x + origin.x, source.x + source.width / 2) && near(from.y + origin.y, source.bottom)
			&& near(to.x + origin.x, target.x + target.width / 2) && near(to.y + origin.y, target.top));
	}).map(path => path.getAttribute("d"))`)
	if n := eval[int](p, `document.querySelectorAll(".links path").length`); n < 10 || len(off) > 0 {
		t.Errorf("%d lines, of which these are beside their words: %q", n, off)
	}
	p.run(chromedp.Click(chromedp.CSS(".source .word:nth-child(2)")))
	p.wait(`document.querySelector(".links .focused") && document.querySelector(".looked").textContent.includes("is looked at by")`)
}

// TestPageHelp explains terms where the pointer rests and where the keyboard is.
func TestPageHelp(t *testing.T) {
	p := shown(t, func(o *server.Options) { o.Decoding.Normalization = new(1.0) }, typed+"&tree=1&model=en-fr&model=int8")
	p.run(chromedp.EmulateViewport(360, 600))
	p.click("#options summary")
	p.drawn()
	const open = `document.querySelector("#tip:popover-open")`
	for _, term := range []string{"beam", "end", "score", "logp", "tree"} {
		selector := fmt.Sprintf("[data-help=%s]", term)
		says := fmt.Sprintf(`%s?.textContent === document.querySelector("#help-%s").textContent`, open, term)
		p.point(p.middle(selector))
		p.wait(says)
		p.inside(term, "#tip")
		p.press(kb.Escape)
		p.wait(`!` + open)
		p.point([2]float64{1, 1})

		if term == "beam" {
			selector = "#beam"
		}
		eval[chromedp.Void](p, fmt.Sprintf(`document.querySelector(%q).focus({focusVisible: true})`, selector))
		p.wait(says)
		same(p, fmt.Sprintf("%s is described to those who cannot see", term), eval[bool](p, fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-describedby") === "help-%s"`, selector, term)), true)
		eval[chromedp.Void](p, `document.querySelector("#link").focus()`)
		p.wait(`!` + open)
	}
	p.run(chromedp.EmulateViewport(360, 600, chromedp.EmulateMobile))
	at := p.middle("[data-help=score]")
	call(p, input.SynthesizeTapGesture, input.SynthesizeTapGestureParams{X: at[0], Y: at[1]})
	p.wait(open + `?.textContent === document.querySelector("#help-score").textContent`)
	call(p, input.SynthesizeTapGesture, input.SynthesizeTapGestureParams{X: 2, Y: 300})
	p.wait(`!` + open)
}

// TestPageKeyboard walks over the page with Tab alone, and expects that each stop can be seen.
func TestPageKeyboard(t *testing.T) {
	p := shown(t, bothWays, url.Values{"text": {"the dog\nthe cat eats"}}.Encode()+"&tree=1")
	p.wait(`document.querySelector(".node")`)
	p.focus("#languages")
	var stops []string
	for range 40 {
		p.press(kb.Tab)
		stop := eval[string](p, `(e => e === document.body ? "" : e.id || e.classList[0] || e.localName)(document.activeElement)`)
		if stop == "" {
			break
		}
		same(p, fmt.Sprintf("the stop at %s can be seen", stop), eval[bool](p, `(e => e.matches(":focus-visible") && (getComputedStyle(e).outlineStyle !== "none" || e.matches(".node")))(document.activeElement)`), true)
		stops = append(stops, stop)
	}
	want := []string{
		"swap", "text", "summary", "link", "word", "word", "copy", "svg", "png", "canvas", "term", "input", "summary", "node",
	}
	if len(stops) < len(want) || !slices.Equal(stops[:len(want)], want) {
		t.Errorf("Tab stops at %q, expected %q", stops, want)
	}
}

// TestPageKeys changes a word of the second sentence without a pointer.
func TestPageKeys(t *testing.T) {
	p := shown(t, nil, url.Values{"text": {"the dog\n" + example}}.Encode())
	p.focus("#link")
	p.press(kb.Tab, kb.ArrowDown, kb.Enter)
	p.wait(`document.querySelector(".target p:nth-child(2) [aria-current=true]")`)
	p.idle()
	p.press(kb.Tab, kb.ArrowDown, kb.ArrowRight)
	p.wait(`document.querySelector(".looked").textContent.includes("looked at")`)
	p.press(kb.Enter)
	p.wait(`document.querySelectorAll(".menu:popover-open li").length === 8`)
	p.press(kb.ArrowDown, kb.Enter)
	p.wait(`document.querySelectorAll(".target p:nth-child(2) .fixed").length === 2`)
	p.idle()
	p.wait(`document.activeElement === document.querySelector(".target p:nth-child(2) .word:nth-child(2)")`)
	forced := eval[string](p, `new URLSearchParams(location.hash.slice(1)).getAll("token").join(" ")`)
	same(p, "the second sentence", p.sentences()[1], p.result(map[string]any{"prefix": strings.Fields(forced)}).words(0))
}

// TestPageTheme chooses a theme, which the page keeps.
func TestPageTheme(t *testing.T) {
	p := shown(t, nil, typed)
	colors := map[string]string{"light": "rgb(253, 252, 249)", "dark": "rgb(23, 22, 20)"}
	is := func(theme string) {
		t.Helper()
		p.wait(fmt.Sprintf(`getComputedStyle(document.body).backgroundColor === %q`, colors[theme]))
	}
	for _, theme := range []string{"dark", "light", "dark"} {
		p.choose("#theme", theme)
		is(theme)
	}
	p.drawn()
	corner := eval[string](p, `"rgb(" + [...document.querySelector("canvas").getContext("2d").getImageData(0, 0, 1, 1).data].slice(0, 3).join(", ") + ")"`)
	if corner != colors["dark"] {
		t.Errorf("the heat map has paper of %s, expected %s", corner, colors["dark"])
	}
	p.run(chromedp.Reload())
	is("dark")
	p.wait(`document.querySelector("#theme").value === "dark"`)
	eval[bool](p, `(select => { select.value = ""; return select.dispatchEvent(new Event("change")) })(document.querySelector("#theme"))`)
	is(eval[string](p, `matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"`))
}
