package browser

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/server"
)

var screenshots = flag.String("screenshots", "", "write pictures of the page to that `folder`")

// TestScreenshots takes the pictures of README.md of a site with the built-in models. They depend on the version and
// the fonts of the browser. make screenshots sets the flag.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no -screenshots")
	}
	static = func(t testing.TB, o server.Options) string {
		return writeSite(t, filepath.Join(t.TempDir(), "site"), o)
	}
	defer func() { static = nil }()
	s := newSite(t, builtIn)
	fragment := url.Values{"text": {builtin.Examples("en-fr")[1]}, "tree": {"1"}}.Encode()
	for name, scheme := range map[string]string{"page.png": "light", "page-dark.png": "dark"} {
		p := show(t, s, fragment)
		p.pose(scheme)
		p.point(p.middle(".target .word:nth-child(7)"))
		p.wait(`document.querySelector(".looked").textContent !== ""`)
		p.shoot(name, "body")
	}
	p := show(t, s, fragment)
	p.pose("light")
	p.click(".target .word:nth-child(4)")
	p.wait(`document.querySelector(".menu:popover-open li")`)
	p.point([2]float64{1, 1})
	p.shoot("page-words.png", ".menu")
}

// builtIn serves what rnnsearch serve --normalize 1 does.
func builtIn(o *server.Options) {
	o.Models, o.Decoding.Normalization = nil, new(1.0)
	for _, name := range builtin.Names() {
		o.Models = append(o.Models, server.Model{Name: name, Examples: builtin.Examples(name), Open: func() ([]*model.Model, error) {
			m, err := builtin.Open(name)
			return []*model.Model{m}, err
		}})
	}
}

// pose makes the page look the same in all pictures.
func (p tab) pose(scheme string) {
	p.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
	}})
	p.run(chromedp.EmulateViewport(1100, 1000, chromedp.EmulateScale(1.5)))
	p.idle()
	p.wait(`document.querySelector(".node")`)
	p.run(chromedp.Blur(chromedp.CSS("#text")))
}

// shoot writes a picture of the top of the page, down to the end of an element.
func (p tab) shoot(name, last string) {
	p.Helper()
	p.drawn()
	bottom := eval[float64](p, `Math.min(document.querySelector("`+last+`").getBoundingClientRect().bottom + 24, document.body.scrollHeight)`)
	picture := call(p, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
		CaptureBeyondViewport: new(true), Clip: &cdppage.Viewport{Width: 1100, Height: bottom, Scale: 1},
	})
	p.do(os.WriteFile(filepath.Join(*screenshots, name), picture.Data, 0o666))
}
