// Package browser tests the page of package server in a browser. It is a module of its own, so that who installs
// the command does not resolve what drives a browser.
package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/server"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	hang = 30 * time.Second // after which a condition on the page has failed for good
	lost = 2 * hang         // after which a browser that has not ended a step has lost the tab
)

// A site is a server of the models en-fr and int8 whose answers a test can disturb.
type site struct {
	*server.Server
	HTTP  *httptest.Server
	plain http.Handler // what is not disturbed

	mutex sync.Mutex
	path  string
	with  http.HandlerFunc
}

// newSite returns a site, which ends with the test. Without a browser it skips the test.
func newSite(t testing.TB, change func(*server.Options)) *site {
	t.Helper()
	if _, err := startBrowser(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no browser to show the page: ", err)
	}
	o := server.Options{
		Models:   []server.Model{{Name: "en-fr", Source: "en", Target: "fr", Open: attentive}, {Name: "int8", Source: "en", Target: "fr", Open: quantized}},
		Decoding: decode.Options{Threads: 2},
	}
	if change != nil {
		change(&o)
	}
	opened, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	s := &site{Server: opened, plain: opened}
	if static != nil {
		s.plain = http.FileServer(http.Dir(static(t, o)))
	}
	s.HTTP = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		path, with := s.path, s.with
		s.mutex.Unlock()
		if with == nil || !strings.HasPrefix(r.URL.Path, path) {
			with = s.plain.ServeHTTP
		}
		with(w, r)
	}))
	t.Cleanup(func() { s.HTTP.Close() })
	return s
}

// tiny opens a small model of tokenized English and French that translates a few sentences.
func tiny() ([]*model.Model, error) {
	m, err := model.Open("../../../decode/testdata/en-fr.safetensors")
	return []*model.Model{m}, err
}

// attentive opens the tiny model with attention that is far from uniform.
func attentive() ([]*model.Model, error) {
	models, err := tiny()
	if err != nil {
		return nil, err
	}
	a := &models[0].Parameters.Attention
	scale(a.Wa.Float32.Data, 300)
	scale(a.Ua.Float32.Data, 300)
	scale(a.Va, 10000)
	return models, nil
}

func scale(values []float32, by float32) {
	for i := range values {
		values[i] *= by
	}
}

func quantized() ([]*model.Model, error) {
	models, err := attentive()
	if err != nil {
		return nil, err
	}
	models[0], err = models[0].Quantize()
	return models, err
}

// disturb answers requests for paths that begin with one, until with is nil.
func (s *site) disturb(path string, with http.HandlerFunc) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.path, s.with = path, with
}

// A tab shows the page of a site.
type tab struct {
	testing.TB
	ctx  context.Context // of chromedp
	site *site
}

var startBrowser = sync.OnceValues(func() (context.Context, error) {
	i := slices.IndexFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if i < 0 {
		return nil, fmt.Errorf("none of %s found", strings.Join(browsers, ", "))
	}
	ctx, _ := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(
		chromedp.ExecPath(browsers[i]), chromedp.WindowSize(1200, 1000)))
	return ctx, chromedp.Do(ctx)
})

var browsers = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

func TestMain(m *testing.M) {
	code := m.Run()
	if ctx, err := startBrowser(); err == nil {
		chromedp.Cancel(ctx)
	}
	os.Exit(code)
}

// show shows the page with a fragment in its address. Errors of scripts and requests to other hosts
// fail the test.
func show(t testing.TB, s *site, fragment string) tab {
	t.Helper()
	shared, err := startBrowser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(shared)
	t.Cleanup(cancel)
	defer time.AfterFunc(lost, cancel).Stop() // the tab lives as long as the context that opens it
	p := tab{t, ctx, s}
	p.do(chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		case *runtime.EventConsoleAPICalled:
			t.Errorf("console: %s %s", e.Type, e.Args[0].Value)
		case *cdplog.EventEntryAdded:
			if e.Entry.Source != cdplog.EntrySourceNetwork { // which tests of faults cause
				t.Errorf("log: %s %s", e.Entry.Level, e.Entry.Text)
			}
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, s.HTTP.URL) && !strings.HasPrefix(u, "blob:"+s.HTTP.URL) {
				t.Errorf("request to %s, which is not the server", u)
			}
		}
	}))
	call(p, network.Enable, network.EnableParams{})
	p.run(chromedp.Navigate(s.HTTP.URL + "/#" + fragment))
	return p
}

// shown shows the page of a new site, and waits for the translation.
func shown(t testing.TB, change func(*server.Options), fragment string) tab {
	t.Helper()
	p := show(t, newSite(t, change), fragment)
	p.idle()
	return p
}

func (p tab) do(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// limited returns the context of one step.
func (p tab) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, lost)
}

// step returns the result of a step.
func step[R any](p tab, take func(context.Context) (R, error)) R {
	p.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	result, err := take(ctx)
	p.do(err)
	return result
}

func (p tab) run(action chromedp.Action[chromedp.Void]) {
	p.Helper()
	step(p, func(ctx context.Context) (chromedp.Void, error) { return chromedp.Run(ctx, action) })
}

func call[P, R any](p tab, command cdp.Command[P, R], parameters P) R {
	p.Helper()
	return step(p, func(ctx context.Context) (R, error) { return chromedp.Call(ctx, command, parameters) })
}

// callBrowser is call for commands of the browser as a whole.
func callBrowser[P, R any](p tab, command cdp.Command[P, R], parameters P) {
	p.Helper()
	step(p, func(ctx context.Context) (R, error) { return chromedp.CallBrowser(ctx, command, parameters) })
}

// click, focus and write work on the first element that a selector finds.
func (p tab) click(selector string) { p.Helper(); p.run(chromedp.Click(chromedp.CSS(selector))) }
func (p tab) focus(selector string) { p.Helper(); p.run(chromedp.Focus(chromedp.CSS(selector))) }
func (p tab) write(selector, text string) {
	p.Helper()
	p.run(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// replace replaces what a field has.
func (p tab) replace(selector, text string) {
	p.Helper()
	eval[chromedp.Void](p, fmt.Sprintf("document.querySelector(%q).select()", selector))
	p.write(selector, text)
}

// menu opens the menu of a word.
func (p tab) menu(word string) {
	p.Helper()
	p.click(word)
	p.wait(`document.querySelectorAll(".menu:popover-open li").length === 8`)
}

func (p tab) press(keys ...string) {
	p.Helper()
	for _, key := range keys {
		p.run(chromedp.KeyEvent(key))
	}
}

func (p tab) wait(expression string) {
	p.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(hang))); err != nil {
		p.Fatalf("%s: %v; the page says\n%s", expression, err, eval[string](p, "document.body.innerText"))
	}
}

func eval[T any](p tab, expression string, options ...chromedp.EvaluateOption) T {
	p.Helper()
	return step(p, func(ctx context.Context) (T, error) {
		return chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
	})
}

// await returns what a promise resolves to.
func await[T any](p tab, promise string) T {
	p.Helper()
	return eval[T](p, promise, chromedp.EvalAwaitPromise)
}

// idle waits until all panes show their translations.
func (p tab) idle() {
	p.Helper()
	p.wait(`document.querySelector(".pane") && [...document.querySelectorAll(".pane")].every(pane =>
		pane.ariaBusy === "false" && pane.querySelector(".status").hidden && !pane.querySelector(".result").hidden && !pane.querySelector(".growing"))`)
}

// drawn waits until the page has drawn all that has changed before: most changes wait for a frame.
func (p tab) drawn() {
	p.Helper()
	const frames = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))`
	await[int](p, frames)
}

// target returns the words of the translation of a pane.
func (p tab) target(pane int) []string {
	p.Helper()
	return eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(".pane")[%d].querySelectorAll(".target .word")].map(w => w.textContent)`, pane))
}

// shows fails the test unless the translation of a pane has these words.
func (p tab) shows(pane int, want []string) {
	p.Helper()
	same(p, fmt.Sprintf("pane %d", pane), p.target(pane), want)
}

// same fails the test unless what the page has is what is expected.
func same[T any](p tab, what string, got, want T) {
	p.Helper()
	if !reflect.DeepEqual(got, want) {
		p.Errorf("%s: %v, expected %v", what, got, want)
	}
}

const (
	example = "the dog sleeps in the garden"
	typed   = "text=the+dog+sleeps+in+the+garden"
)

// result is the answer that the page should show for example, given further fields of the request.
func (p tab) result(fields map[string]any) translated {
	p.Helper()
	request := map[string]any{"text": example, "nbest": 5, "alignments": true, "tree": true, "copy_unknown": true}
	maps.Copy(request, fields)
	return ask[struct{ Translations []translated }](p, "translate", request).Translations[0]
}

// ask returns an answer of /v1 that the page does not see.
func ask[T any](p tab, path string, request map[string]any) (answer T) {
	p.Helper()
	body, err := json.Marshal(request)
	p.do(err)
	r := httptest.NewRequest("POST", "/v1/"+path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	p.site.Server.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		p.Fatalf("%s: status %d, %s", path, w.Code, w.Body)
	}
	p.do(json.Unmarshal(w.Body.Bytes(), &answer))
	return answer
}

// translated is what tests compare of a text and its translations, the best first.
type translated struct {
	Best []struct {
		Text      string
		LogProb   float64
		Target    struct{ Tokens []struct{ Token string } }
		Alignment [][]float32
	}
	Tree []struct{}
}

// shown is words where the page shows source words instead of <unk>, which the answer's text has.
func (t translated) shown(rank int) []string {
	return append(strings.Fields(t.Best[rank].Text), "end")
}

// words returns a translation as the page shows it. All words are one token.
func (t translated) words(rank int) []string {
	var words []string
	for _, token := range t.Best[rank].Target.Tokens {
		words = append(words, strings.Replace(token.Token, "</s>", "end", 1))
	}
	return words
}

func TestPageTyping(t *testing.T) {
	s := newSite(t, nil)
	release := make(chan struct{})
	ended := make(chan string, 10) // texts of requests whose client left
	s.disturb("/v1/translate", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case <-release:
			s.plain.ServeHTTP(w, r)
		case <-r.Context().Done():
			ended <- string(body)
		}
	})
	p := show(t, s, "")
	p.wait(`document.querySelector(".pane") && document.activeElement.id === "text"`)
	p.write("#text", "the dog")
	const grown = `document.querySelector(".target .growing .end")` // the greedy translation, before the beam's
	p.wait(grown + ` && document.querySelector("#count").textContent === "7 characters"`)
	p.write("#text", " sleeps in the garden")
	p.wait(grown + ` && document.querySelectorAll(".source .word").length === 7`)
	select {
	case body := <-ended:
		if !strings.Contains(body, `"the dog"`) {
			t.Errorf("the client left %s, expected the older request", body)
		}
	case <-time.After(hang):
		t.Fatal("the client waits for the older request")
	}
	close(release)
	p.idle()
	p.shows(0, p.result(nil).words(0))
	p.replace("#text", "!")
	p.wait(`!document.querySelector(".result").checkVisibility() && document.querySelector(".pane .message").textContent === "The text has no word to translate."`)
	p.replace("#text", " ")
	p.wait(`document.querySelector(".result").hidden && !document.querySelector("#hint").hidden`)
}

func TestPageFocus(t *testing.T) {
	p := show(t, newSite(t, nil), typed+"&model=en-fr&token=jardin&token=dort") // not a diagonal
	p.idle()
	alignment := p.result(map[string]any{"prefix": []string{"jardin", "dort"}}).Best[0].Alignment
	check := func(side, other string, index int, weights []float32) {
		t.Helper()
		p.wait(fmt.Sprintf(`document.querySelectorAll(".%s .word")[%d].classList.contains("focused")`, side, index))
		p.drawn()
		compare(t, fmt.Sprintf("%s %d: shades of %s", side, index, other), p.shades(other), weights)
		own := p.shades(side)
		compare(t, fmt.Sprintf("%s %d: shades of its own side", side, index), own, make([]float32, len(own)))
		links := eval[[]int](p, fmt.Sprintf(`[...document.querySelectorAll(".links .focused")].filter(l => l.dataset.%s === "%d").map(l => Number(l.dataset.%s))`, side, index, other))
		var linked []int
		for k, weight := range weights {
			if weight >= 0.04 {
				linked = append(linked, k)
			}
		}
		if all := eval[int](p, `document.querySelectorAll(".links .focused").length`); !slices.Equal(links, linked) || all != len(linked) {
			t.Errorf("%s %d: links to %s %v and %d in all, expected %v", side, index, other, links, all, linked)
		}
		shown := eval[string](p, `[...document.querySelectorAll(".mark:not([hidden])")].map(m => m.classList[1]).join()`)
		if want := map[string]string{"source": "column", "target": "row"}[side]; shown != want {
			t.Errorf("%s: the heat map marks %q, expected its %s", side, shown, want)
		}
	}
	p.point(p.middle(".target .word:nth-child(3)"))
	check("target", "source", 2, alignment[2])
	p.wait(`document.querySelector(".looked").textContent.includes("looked at")`)
	p.point(p.middle("h1"))
	p.focus(".source .word")
	p.press(kb.ArrowRight)
	var column []float32
	for _, row := range alignment {
		column = append(column, row[1])
	}
	check("source", "target", 1, column)
	most := slices.MaxFunc(alignment, func(a, b []float32) int { return cmp.Compare(a[1], b[1]) })[1]
	p.wait(fmt.Sprintf(`document.querySelector(".looked").textContent.match(/ [0-9.]+/)[0] === " %.2f"`, most))

	p.focus("canvas")
	p.press(kb.ArrowDown, kb.ArrowDown, kb.ArrowRight)
	p.wait(fmt.Sprintf(`document.querySelector(".looked").textContent.endsWith(" with weight %.2f")`, alignment[1][1]))
	p.drawn()
	pixel := eval[[3]float64](p, `(() => {
		const at = new DOMMatrix(getComputedStyle(document.querySelector(".mark.cell")).transform), middle = document.querySelector(".mark.cell").offsetWidth / 2;
		return [...document.querySelector("canvas").getContext("2d").getImageData(at.e + middle, at.f + middle, 1, 1).data].slice(0, 3) })()`)
	if want := heat(float64(alignment[1][1])); !near(pixel, want) {
		t.Errorf("the heat map has the color %v for weight %.3f, expected %v", pixel, alignment[1][1], want)
	}
	cell := p.middle(".mark.cell")
	p.run(chromedp.Blur(chromedp.CSS("canvas")))
	p.wait(`document.querySelector(".looked").textContent === "" && document.querySelector(".mark.cell").hidden`)
	p.point(cell)
	p.wait(fmt.Sprintf(`document.querySelector(".looked").textContent.endsWith(" with weight %.2f")`, alignment[1][1]))
	p.drawn()
	if p.middle(".mark.cell") != cell {
		t.Error("the pointer and the arrow keys mark different cells")
	}
}

// shades returns how strong the color behind each word of a side is, from 0 to 1.
func (p tab) shades(side string) []float64 {
	p.Helper()
	return eval[[]float64](p, fmt.Sprintf(`[...document.querySelectorAll(".%s .word")].map(w => Number(getComputedStyle(w).backgroundColor.match(/\/ ([0-9.]+)/)[1]))`, side))
}

// compare compares numbers of the page with weights, which it rounds to three decimals.
func compare(t testing.TB, what string, got []float64, want []float32) {
	t.Helper()
	equal := func(got float64, want float32) bool { return math.Abs(got-float64(want)) < 0.0006 }
	if !slices.EqualFunc(got, want, equal) {
		t.Errorf("%s are %.3f, expected %.3f", what, got, want)
	}
}

// heat returns the color of a cell of a weight: the color of heat over the grid, as opaque as the weight.
func heat(weight float64) (c [3]float64) {
	grid, full := [3]float64{0xf3, 0xef, 0xe8}, [3]float64{0xc9, 0x67, 0x0c}
	for i := range c {
		c[i] = grid[i] + weight*(full[i]-grid[i])
	}
	return c
}

// near reports whether two colors differ by rounding.
func near(a, b [3]float64) bool {
	return math.Abs(a[0]-b[0]) < 2 && math.Abs(a[1]-b[1]) < 2 && math.Abs(a[2]-b[2]) < 2
}

// middle returns the middle of an element in the window.
func (p tab) middle(selector string) [2]float64 {
	p.Helper()
	return eval[[2]float64](p, fmt.Sprintf(`(e => { e.scrollIntoView({block: "nearest"}); const b = e.getBoundingClientRect();
		return [b.left + b.width / 2, b.top + b.height / 2] })(document.querySelector(%q))`, selector))
}

func (p tab) point(at [2]float64) {
	p.Helper()
	p.run(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
}

func TestPageForce(t *testing.T) {
	p := shown(t, nil, typed)
	first := p.result(nil)
	prefix := slices.Clip(first.words(0)[:1])
	a := ask[struct {
		Alternatives []struct{ Token, Word string }
	}](p, "alternatives", map[string]any{"text": example, "prefix": prefix, "n": 8, "copy_unknown": true})
	menu := func() {
		t.Helper()
		p.menu(".target .word:nth-child(2)")
	}
	menu()
	words := eval[[]string](p, `[...document.querySelectorAll(".menu .choice")].map(e => e.textContent)`)
	for i, alternative := range a.Alternatives {
		if want := cmp.Or(alternative.Word, "end"); words[i] != want {
			t.Errorf("alternative %d is %q, expected %q", i, words[i], want)
		}
	}
	p.press(kb.ArrowDown, kb.Enter)
	forced := append(prefix, a.Alternatives[1].Token)
	p.wait(`document.querySelectorAll(".word.fixed").length === 2`)
	p.idle()
	p.shows(0, p.result(map[string]any{"prefix": forced}).words(0))
	if slices.Equal(p.target(0), first.words(0)) {
		t.Error("the forced word changes nothing")
	}

	menu()
	p.write(".menu input", "zzz"+kb.Enter)
	p.wait(`document.querySelector(".menu:popover-open .message").textContent.includes("zzz")`)
	p.replace(".menu input", "maison"+kb.Enter)
	p.wait(`!document.querySelector(".menu:popover-open") && document.querySelectorAll(".word.fixed").length === 2`)
	p.idle()
	p.shows(0, p.result(map[string]any{"prefix": append(prefix, "maison")}).words(0))

	p.click(".undo")
	p.idle()
	p.shows(0, p.result(map[string]any{"prefix": forced}).words(0))
	p.click(".undo")
	p.idle()
	p.shows(0, first.words(0))
	p.wait(`document.querySelector(".undo").hidden`)

	menu()
	p.press(kb.ArrowDown, kb.Enter)
	p.wait(`document.querySelectorAll(".word.fixed").length === 2`)
	p.idle()
	eval[chromedp.Void](p, `history.back()`)
	p.wait(`document.querySelectorAll(".word.fixed").length === 0`)
	p.idle()
	p.shows(0, first.words(0))
	eval[chromedp.Void](p, `history.forward()`)
	p.wait(`document.querySelectorAll(".word.fixed").length === 2`)
	p.idle()
	p.shows(0, p.result(map[string]any{"prefix": forced}).words(0))
}

func TestPageTree(t *testing.T) {
	p := shown(t, nil, typed)
	p.focus(".tree summary") // a click would leave the pointer over nodes, which light up as they scroll below it
	p.press(kb.Enter)
	p.wait(`document.querySelectorAll(".tree .node").length > 0`)
	a := p.result(nil)
	tree := a.Tree
	same(p, "nodes", eval[int](p, `document.querySelectorAll(".tree .node").length`), len(tree))
	same(p, "nodes lead to the chosen translation", eval[int](p, `document.querySelectorAll(".tree .node.chosen").length`), len(a.words(0)))
	if eval[int](p, `document.querySelectorAll(".tree .node.pruned").length`) == 0 {
		t.Error("no node was pruned")
	}
	eval[chromedp.Void](p, `document.querySelector(".tree .node.chosen").focus()`)
	p.press(kb.ArrowRight)
	p.wait(`document.querySelectorAll(".tree .node.focused").length === 2`)
	p.wait(fmt.Sprintf(`document.querySelector(".tree .caption").textContent.startsWith(%q)`, strings.Join(a.words(0)[:2], " ")))

	eval[chromedp.Void](p, `[...document.querySelectorAll(".node.finished")].find(n => n.ariaLabel.endsWith("translation 2")).focus()`)
	p.press(kb.Enter)
	p.wait(`document.querySelector('.best input[value="1"]').checked`)
	p.wait(fmt.Sprintf(`document.querySelectorAll(".tree .node.chosen").length === %d`, len(a.words(1))))
	p.shows(0, a.words(1))

	eval[chromedp.Void](p, `document.querySelector(".tree .node.chosen").focus()`) // all translations go through it
	p.press(kb.Enter)
	p.wait(`document.querySelector('.best input[value="0"]').checked`)
}

func TestPageCompare(t *testing.T) {
	p := shown(t, nil, typed)
	p.click("#options summary")
	p.choose("#compare", "int8")
	p.wait(`document.querySelectorAll(".pane").length === 2`)
	p.idle()
	var shown []string // of the pane before
	for pane, name := range []string{"en-fr", "int8"} {
		same(p, fmt.Sprintf("pane %d is of model", pane), eval[string](p, fmt.Sprintf(`document.querySelectorAll(".pane .name")[%d].textContent`, pane)), name)
		want := p.result(map[string]any{"model": name})
		p.shows(pane, want.words(0))
		var scores, texts []string
		for _, best := range want.Best {
			scores = append(scores, strings.Replace(fmt.Sprintf("log p %.2f", best.LogProb), "-", "−", 1))
			texts = append(texts, best.Text)
		}
		for selector, want := range map[string][]string{".score": scores, ".best .text": texts} {
			got := eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(".pane")[%d].querySelectorAll(%q)].map(s => s.textContent)`, pane, selector))
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s has %q, expected %q", name, selector, got, want)
			}
		}
		if pane == 1 && slices.Equal(scores, shown) {
			t.Errorf("the models agree on %q", scores)
		}
		shown = scores
	}
}

// TestPageLink checks that a page with the address of another shows the same.
func TestPageLink(t *testing.T) {
	s := newSite(t, nil)
	first := show(t, s, typed+"&tree=1&model=en-fr&token=le&token=chat&best=1&model=int8&append=maison+le")
	first.idle()
	first.wait(`document.querySelectorAll(".tree[open]").length === 2`)
	first.shows(0, first.result(map[string]any{"prefix": []string{"le", "chat"}}).words(1))
	first.shows(1, first.result(map[string]any{"model": "int8", "prefix": []string{"maison", "le"}}).words(0))
	second := show(t, s, strings.TrimPrefix(eval[string](first, "location.hash"), "#"))
	second.idle()
	for pane := range 2 {
		second.shows(pane, first.target(pane))
	}
	same(second, "text", eval[string](second, `document.querySelector("#text").value`), example)
	eval[string](second, `location.hash = "#text=the+cat+eats"`)
	second.wait(`document.querySelectorAll(".pane").length === 1 && document.querySelectorAll(".source .word").length === 4`)
}

// TestPageMarkup checks that words of a model never become markup.
func TestPageMarkup(t *testing.T) {
	p := show(t, newSite(t, func(o *server.Options) {
		o.Models[0].Open = func() ([]*model.Model, error) {
			models, err := attentive()
			if err != nil {
				return nil, err
			}
			words := models[0].Target.Words()
			for i := range words {
				if id := int32(i); id != text.UNK && id != text.EOS {
					words[i] = "<i>" + words[i] + "</i>"
				}
			}
			models[0].Target, err = text.VocabularyOf(words)
			return models, err
		}
	}), typed+"&tree=1")
	p.idle()
	p.wait(`document.querySelector(".tree .node")`)
	p.shows(0, p.result(nil).words(0))
	p.focus(".target .word")
	p.wait(`document.querySelector(".looked").textContent.startsWith("“<i>")`)
	p.menu(".target .word:nth-child(2)")
	p.write(".menu input", "<i>zzz</i>"+kb.Enter)
	p.wait(`document.querySelector(".menu:popover-open .message").textContent.includes("<i>zzz</i>")`)
	eval[chromedp.Void](p, `document.querySelector(".tree .node.chosen").focus()`)
	for _, selector := range []string{".best .text", ".choice", ".rest", ".node .token", ".tree .caption"} {
		if got := eval[string](p, fmt.Sprintf("document.querySelector(%q).textContent", selector)); !strings.HasPrefix(got, "<i>") {
			t.Errorf("%s says %q, expected its markup as text", selector, got)
		}
	}
	same(p, "words became markup", eval[int](p, `document.querySelectorAll("i").length`), 0)
}

// A figure is an exported heat map.
type figure struct {
	Width  float64 `xml:"width,attr"`
	Height float64 `xml:"height,attr"`
	Groups []struct {
		Fill  string `xml:"fill,attr"`
		Grids []struct {
			Fill string `xml:"fill,attr"`
		} `xml:"path"`
		Cells []struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Side   float64 `xml:"width,attr"`
			Weight float64 `xml:"fill-opacity,attr"`
		} `xml:"rect"`
		Labels []string `xml:"text"`
	} `xml:"g"`
}

const odd = `<script>alert(1)</script> & "red" 👩‍🚀 שלום ` + "\x01" + ` cat .`

// TestPageExport checks files of a figure, and that text never becomes markup.
func TestPageExport(t *testing.T) {
	p := shown(t, nil, url.Values{"text": {odd}}.Encode()+"&model=en-fr&best=1")
	same(p, "source", eval[[]string](p, `[...document.querySelectorAll(".source .word")].map(w => w.textContent)`), append(text.Tokens(odd), "end"))
	best := p.result(map[string]any{"text": odd}).Best[1]
	var labels []string
	for _, token := range append(text.Tokens(odd), "end") {
		labels = append(labels, strings.ReplaceAll(token, "\x01", "\uFFFD")) // XML has no U+0001
	}
	labels = append(labels, p.target(0)...)
	var f figure
	if err := xml.Unmarshal(p.download(".svg"), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Groups) != 2 || !slices.Equal(f.Groups[1].Labels, labels) {
		t.Fatalf("the SVG is %+v, expected cells and the labels %q", f, labels)
	}
	cells := f.Groups[0]
	var weights []float64
	for i, cell := range cells.Cells {
		weights = append(weights, cell.Weight)
		row, column := cells.Cells[i-i%len(best.Alignment[0])], cells.Cells[i%len(best.Alignment[0])]
		if cell.X != column.X || cell.Y != row.Y {
			t.Errorf("cell %d is at %v, %v, expected %v, %v", i, cell.X, cell.Y, column.X, row.Y)
		}
	}
	compare(t, "weights of the SVG", weights, slices.Concat(best.Alignment...))
	if cells.Fill != "#c9670c" || len(cells.Grids) != len(cells.Cells) || cells.Grids[0].Fill != "#f3efe8" {
		t.Errorf("the SVG has cells of %s over %+v", cells.Fill, cells.Grids)
	}
	m, err := png.Decode(bytes.NewReader(p.download(".png")))
	if err != nil {
		t.Fatal(err)
	}
	const scale = 2 // pixels of the PNG
	if b := m.Bounds(); b.Dx() != int(scale*f.Width) || b.Dy() != int(scale*f.Height) {
		t.Errorf("the PNG has %v pixels, expected twice %v×%v", b, f.Width, f.Height)
	}
	colorAt := func(x, y float64) [3]float64 {
		c := color.NRGBAModel.Convert(m.At(int(scale*x), int(scale*y))).(color.NRGBA)
		return [3]float64{float64(c.R), float64(c.G), float64(c.B)}
	}
	for i, cell := range cells.Cells {
		if got, want := colorAt(cell.X+cell.Side/2, cell.Y+cell.Side/2), heat(cell.Weight); !near(got, want) {
			t.Errorf("cell %d of the PNG has the color %v for weight %.3f, expected %v", i, got, cell.Weight, want)
		}
	}
	inked := false // labels
	for x := range int(f.Width) {
		for y := range int(cells.Cells[0].Y) {
			inked = inked || near(colorAt(float64(x), float64(y)), [3]float64{0x22, 0x20, 0x1d})
		}
	}
	if !inked || colorAt(0, 0) != [3]float64{0xff, 0xff, 0xff} {
		t.Errorf("the PNG has labels: %t, and paper of %v", inked, colorAt(0, 0))
	}
	p.replace("#text", "שלום")
	p.wait(`getComputedStyle(document.querySelector(".source p")).direction === "rtl"`)
}

// TestPageCopy checks what the buttons put on the clipboard, with the permission of the browser and
// without, and that the page shows the same.
func TestPageCopy(t *testing.T) {
	s := newSite(t, nil)
	for _, allowed := range []browser.PermissionSetting{browser.PermissionSettingGranted, browser.PermissionSettingDenied} {
		p := show(t, s, url.Values{"text": {"  the dog\n\nthe cat eats"}}.Encode())
		p.idle()
		whole := "  " + p.result(map[string]any{"text": "the dog"}).Best[0].Text + "\n\n" + p.result(map[string]any{"text": "the cat eats"}).Best[0].Text
		same(p, "rows", eval[string](p, `[...document.querySelectorAll(".target p")].map(p => p.textContent.replaceAll("end", "")).join("\n")`), whole)
		permit := func(name string, setting browser.PermissionSetting) {
			callBrowser(p, browser.SetPermission, browser.SetPermissionParams{
				Permission: &browser.PermissionDescriptor{Name: name}, Setting: setting,
			})
		}
		permit("clipboard-read", browser.PermissionSettingGranted)
		permit("clipboard-write", allowed)
		for button, value := range map[string]string{".copy": fmt.Sprintf("%q", whole), "#link": "location.href"} {
			p.click(button)
			p.wait(fmt.Sprintf(`document.querySelector(%q).textContent === "Copied"`, button))
			if !await[bool](p, `navigator.clipboard.readText().then(text => text === `+value+`)`) {
				t.Errorf("clipboard-write %s: %s copies something else", allowed, button)
			}
		}
	}
}

// download presses a button and returns the file that it gives.
func (p tab) download(button string) []byte {
	p.Helper()
	folder, done := p.TempDir(), make(chan string, 1)
	p.do(chromedp.ListenBrowser(p.ctx, func(event any) {
		if e, ok := event.(*browser.EventDownloadProgress); ok && e.State == browser.DownloadProgressStateCompleted {
			select {
			case done <- e.GUID:
			default:
			}
		}
	}))
	callBrowser(p, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: folder, EventsEnabled: new(true),
	})
	p.click(button)
	select {
	case name := <-done:
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			p.Fatal(err)
		}
		return data
	case <-time.After(hang):
		p.Fatal("no download")
		return nil
	}
}

// TestPageFaults checks what the page says of errors, that it tries again, and that text stays.
func TestPageFaults(t *testing.T) {
	s := newSite(t, nil)
	p := show(t, s, typed)
	p.idle()
	const message = `document.querySelector(".pane .status:not([hidden]) .message")?.textContent`
	for code, says := range map[int]string{429: "trouble 429", 503: "trouble 503", 200: "The server does not answer"} {
		s.disturb("", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "100000")
			w.WriteHeader(code)
			if code == http.StatusOK { // and a stream without an end
				fmt.Fprint(w, `event: source`+"\n"+`data: {"tokens":[{"token":"</s>"}],"words":[]}`+"\n\n")
			} else {
				fmt.Fprintf(w, `{"error": "trouble %d"}`, code)
			}
		})
		p.write("#text", " .")
		p.wait(fmt.Sprintf(`%s?.startsWith("%s. Your text is kept")`, message, says))
		s.disturb("", nil)
		p.click(".pane .status button")
		p.idle()
		p.wait(`document.querySelector(".pane .status").hidden`)
	}

	s.disturb("", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "no such <b>thing</b>"}`)
	})
	p.write("#text", " .")
	p.wait(fmt.Sprintf(`%s === "no such <b>thing</b>." && document.querySelector(".pane .status button").hidden`, message))
	s.disturb("", nil)

	address := s.HTTP.Listener.Addr().String()
	s.HTTP.CloseClientConnections()
	s.HTTP.Close()
	p.write("#text", " .")
	p.wait(fmt.Sprintf(`%s?.startsWith("The server does not answer.")`, message))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s.HTTP = &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.HTTP.Config.Handler}}
	s.HTTP.Start()
	p.idle() // without a press of the button
	same(p, "text", eval[string](p, `document.querySelector("#text").value`), example+" . . . . .")
}

// TestPageRetries checks how long the page waits before it tries again: longer each time, or as long as
// the server asks.
func TestPageRetries(t *testing.T) {
	s := newSite(t, nil)
	p := show(t, s, "")
	p.wait(`document.querySelector(".pane")`)
	eval[chromedp.Void](p, fmt.Sprintf(`{
		window.waits = [];
		const wait = window.setTimeout;
		window.setTimeout = (action, delay) => {
			const retry = 1000 <= delay && delay < %d && delay !== 3000; // those of p.wait and of the history
			if (retry) waits.push(delay / 1000);
			return wait(action, retry ? 0 : delay);
		};
	}`, hang.Milliseconds()))
	answers := make(chan string, 8) // what they say of when to try again
	for _, seconds := range []string{"", "", "", "", "", "", "7", ""} {
		answers <- seconds
	}
	close(answers)
	s.disturb("/v1/stream", func(w http.ResponseWriter, r *http.Request) {
		seconds, left := <-answers
		if !left {
			s.plain.ServeHTTP(w, r)
			return
		}
		if seconds != "" {
			w.Header().Set("Retry-After", seconds)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	p.run(chromedp.SetValue(chromedp.CSS("#text"), example))
	eval[bool](p, `document.querySelector("#text").dispatchEvent(new Event("input"))`)
	p.idle()
	same(p, "seconds that the page waits", eval[[]float64](p, "waits"), []float64{1, 2, 4, 8, 15, 15, 7, 15})
}

// TestPageKey checks that the page asks for a key where the server wants one.
func TestPageKey(t *testing.T) {
	p := show(t, newSite(t, func(o *server.Options) {
		o.Keys = func() ([]server.Key, error) { return []server.Key{{Secret: "secret"}}, nil }
	}), typed)
	p.wait(`document.querySelector(".pane .message")?.textContent === "missing API key: send one that the operator of this server gave you."`)
	p.write("#key input", "secret"+kb.Enter)
	p.idle()
	p = shown(t, nil, typed)
	same(p, "the page asks for a key that the server does not want", eval[bool](p, `document.querySelector("#key").checkVisibility()`), false)
}

// TestPageNoAttention checks a model without attention, of which there is no heat map.
func TestPageNoAttention(t *testing.T) {
	p := show(t, newSite(t, func(o *server.Options) {
		o.Models[0].Open = func() ([]*model.Model, error) {
			models, err := tiny()
			if err != nil {
				return nil, err
			}
			c := models[0].Config
			c.Kind = model.RNNencdec
			m, err := model.New(c, 1)
			if err != nil {
				return nil, err
			}
			m.Source, m.Target = models[0].Source, models[0].Target
			return []*model.Model{m}, nil
		}
	}), typed)
	p.idle()
	p.shows(0, p.result(nil).words(0))
	p.point(p.middle(".target .word"))
	p.wait(`document.querySelector(".looked").textContent.startsWith("This model has no attention")`)
	same(p, "there is a heat map", eval[bool](p, `document.querySelector(".map").checkVisibility()`), false)
}

// TestPageAccessible checks the roles of what the page has, and that everything that takes the keyboard
// has a name.
func TestPageAccessible(t *testing.T) {
	p := shown(t, nil, typed+"&tree=1&model=en-fr&model=int8")
	p.click("#options summary")
	nodes := eval[int](p, `document.querySelectorAll(".node").length`)
	const visible = `[...document.querySelectorAll(".word")].filter(w => w.checkVisibility()).length`
	p.roles(map[string]int{
		"textbox": 1, "combobox": 4, "spinbutton": 1, "radio": 10, "application": 2, "tree": 2, "treeitem": nodes, "group": 13, "status": 6,
		"button": eval[int](p, visible) + 9, // and "Copy link", four of each pane
		"alert":  0, "dialog": 0, "DisclosureTriangle": 3,
	})
	p.menu(".target .word")
	p.roles(map[string]int{"dialog": 1})
	p.press(kb.Escape)
	p.replace("#text", "the dog\nthe cat eats")
	p.wait(`document.querySelectorAll(".target .sentence").length === 4`)
	p.idle()
	p.roles(map[string]int{"button": eval[int](p, visible) + 9, "group": 13 + 4, "radio": 10, "application": 2, "tree": 2})
	p.site.disturb("", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	p.write("#text", " .")
	p.wait(`document.querySelectorAll(".pane .status:not([hidden])").length === 2`)
	p.roles(map[string]int{"alert": 2})
}

// roles fails the test unless the page has that many elements of each role.
func (p tab) roles(want map[string]int) {
	p.Helper()
	got := map[string]int{}
	for _, n := range call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if n.Ignored || n.Role == nil || n.Name == nil {
			continue
		}
		role, name := strings.Trim(string(n.Role.Value), `"`), strings.Trim(string(n.Name.Value), `"`)
		got[role]++
		switch role {
		case "button", "textbox", "combobox", "spinbutton", "radio", "application", "tree", "treeitem", "dialog", "DisclosureTriangle":
			if name == "" {
				p.Errorf("a %s has no name", role)
			}
		}
	}
	for role, n := range want {
		if got[role] != n {
			p.Errorf("%d of role %s, expected %d", got[role], role, n)
		}
	}
}
