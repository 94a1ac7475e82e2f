package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/server"
)

var (
	screenshots = flag.String("screenshots", "", "write pictures of the page to that `folder`")
	pictured    = flag.String("model", "", "`file` of the model of the pictures")
)

// TestScreenshots takes the pictures of README.md with the model of rnnsearch demo. They depend on the
// version and the fonts of the browser. make screenshots sets the flags.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no -screenshots")
	}
	s := newSite(t, func(o *server.Options) {
		o.Models = []server.Model{{Name: "demo", Source: "en", Target: "fr", Open: func() ([]*model.Model, error) {
			m, err := model.Open(*pictured)
			return []*model.Model{m}, err
		}}}
	})
	const fragment = "text=the+tired+english+man+draws+a+heavy+red+castle+.&tree=1&model=demo"
	for name, scheme := range map[string]string{"page.png": "light", "page-dark.png": "dark"} {
		p := show(t, s, fragment)
		p.pose(scheme)
		p.point(p.middle(".target .word:nth-child(3)"))
		p.wait(`document.querySelector(".looked").textContent !== ""`)
		p.shoot(name, "body")
	}
	p := show(t, s, fragment)
	p.pose("light")
	p.click(".target .word:nth-child(5)")
	p.wait(`document.querySelector(".menu:popover-open li")`)
	p.point([2]float64{1, 1})
	p.shoot("page-words.png", ".menu")
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
