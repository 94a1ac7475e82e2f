package browser

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/server"
	sites "github.com/softsearch-go/softsearch/model/cmd/site"
	"github.com/softsearch-go/softsearch/model/grammar"
)

// static writes a site with the models of o and returns its folder; nil for servers that answer.
var static func(t testing.TB, o server.Options) string

// TestStatic has what differs on a site without a server: who answers, and with the same bytes.
func TestStatic(t *testing.T) {
	folder := t.TempDir()
	written := map[string]string{} // folders by the names of models
	static = func(t testing.TB, o server.Options) string {
		key := ""
		for _, m := range o.Models {
			key += m.Name + " "
		}
		if written[key] == "" {
			written[key] = writeSite(t, fmt.Sprint(folder, "/", len(written)), o)
		}
		return written[key]
	}
	defer func() { static = nil }()
	t.Run("Bits", sameAnswers)
	t.Run("Offline", offline)
	t.Run("Cancel", cancelBetweenSteps)
	t.Run("Faults", badAnswers)
	t.Run("Update", halfAnUpdate)
}

func writeSite(t testing.TB, folder string, o server.Options) string {
	s := sites.Settings{Folder: folder, Decoding: o.Decoding}
	for _, m := range o.Models {
		models, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), m.Name+".safetensors")
		if err := save(path, models[0]); err != nil {
			t.Fatal(err)
		}
		s.Models = append(s.Models, sites.Model{Model: m, Paths: []string{path}})
	}
	if err := s.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	return folder
}

func save(path string, m *model.Model) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return model.Write(f, m)
}

// sameAnswers compares the bytes of n-best lists, alignments, trees, forced words and streams of 200 sentences.
func sameAnswers(t *testing.T) {
	p := show(t, newSite(t, nil), "")
	p.wait(`document.querySelector(".pane")`)
	_, pairs := grammar.Pairs(1, 200, 200)
	type request struct{ Path, Body string }
	var requests []request
	for i, pair := range pairs {
		body := map[string]any{"model": []string{"en-fr", "int8"}[i%2], "text": strings.Join(pair.Source, " ")}
		path := []string{"v1/translate", "v1/translate", "v1/stream", "v1/alternatives"}[i%4]
		switch i % 4 {
		case 0:
			body["nbest"], body["alignments"], body["tree"] = 5, true, true
		case 1:
			body["append"], body["beam"], body["alignments"] = "le", 3, true
		case 3:
			body["n"] = 8
		}
		encoded, err := json.Marshal(body)
		p.do(err)
		requests = append(requests, request{path, string(encoded)})
	}
	encoded, err := json.Marshal(requests)
	p.do(err)
	expression := `import("./page/send.js").then(async ({ send }) => {
		const answers = [];
		for (const { Path, Body } of ` + string(encoded) + `) answers.push(await (await send(Path, { body: Body })).text());
		return answers;
	})`
	answers := await[[]string](p, expression)
	for i, r := range requests {
		want := httptest.NewRecorder()
		p.site.ServeHTTP(want, httptest.NewRequest(http.MethodPost, "/"+r.Path, strings.NewReader(r.Body)))
		if answers[i] != want.Body.String() || want.Code != http.StatusOK {
			t.Fatalf("%s %s: %s, the server answers %d %s", r.Path, r.Body, answers[i], want.Code, want.Body)
		}
	}
}

// offline opens the page a second time without a server.
func offline(t *testing.T) {
	s := newSite(t, nil)
	p := show(t, s, typed)
	p.idle()
	want := p.target(0)
	p.kept()
	s.HTTP.Close()
	p.run(chromedp.Reload())
	p.idle()
	p.shows(0, want)
}

// kept waits until the browser has all files.
func (p tab) kept() {
	p.Helper()
	kept := `caches.keys().then(async (names) => {
		const counts = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
		return counts.length === 2 && counts.every((n) => n > 1) && Boolean((await navigator.serviceWorker.ready).active);
	})`
	for begun := time.Now(); !await[bool](p, kept); {
		if time.Since(begun) > hang {
			p.Fatal("the browser does not keep the files")
		}
	}
}

// badAnswers has a host that gives something else for a file. Once, the page asks again by itself; otherwise it says
// what failed, and the next request succeeds. So does one after a reload.
func badAnswers(t *testing.T) {
	login := func(w http.ResponseWriter) { fmt.Fprint(w, "<html>login</html>") }
	refusal := func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }
	cut := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "100000")
		fmt.Fprint(w, "half")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	for _, test := range []struct {
		file   string
		answer func(http.ResponseWriter)
		says   string // nothing if the answer comes once
	}{
		{"/models/en-fr-", login, ""},
		{"/program-", cut, ""},
		{"/models/en-fr-", cut, "en-fr: the host gives something else as models/en-fr-"},
		{"/program-", refusal, ": status 503."},
		{"/site.json", refusal, "en-fr: site.json: status 503."},
		{"/site.json", login, "en-fr: site.json: Unexpected token"},
	} {
		s, once := newSite(t, nil), test.says == ""
		s.disturb(test.file, func(w http.ResponseWriter, _ *http.Request) {
			if once {
				s.disturb("", nil)
			}
			test.answer(w)
		})
		p := show(t, s, typed)
		if !once {
			p.wait(fmt.Sprintf(`document.querySelector(".pane .message")?.textContent.includes(%q)`, test.says))
			s.disturb("", nil)
			p.write("#text", " .")
		}
		p.idle()
		p.run(chromedp.Reload())
		p.idle()
	}
}

// halfAnUpdate has a host that gives the new service worker and an old file beside it: the old version stays until the
// host has all files of the new one.
func halfAnUpdate(t *testing.T) {
	s := newSite(t, nil)
	p := show(t, s, typed)
	p.idle()
	p.kept()
	fetched := func(path string) string {
		r, err := http.Get(s.HTTP.URL + path)
		p.do(err)
		defer r.Body.Close()
		content, err := io.ReadAll(r.Body)
		p.do(err)
		return string(content)
	}
	files := map[string]string{"/page/main.js": fetched("/page/main.js") + "window.updated = true;\n"}
	hash := fmt.Sprintf(`"page/main.js":"%x"`, sha256.Sum256([]byte(files["/page/main.js"])))
	service := regexp.MustCompile(`"page/main.js":"\w+"`).ReplaceAllString(fetched("/service.js"), hash)
	files["/service.js"] = strings.Replace(service, `version = "`, `version = "2`, 1)
	for _, given := range []string{"/service.js", "/service.js /page/main.js"} {
		s.disturb("", func(w http.ResponseWriter, r *http.Request) {
			if !slices.Contains(strings.Fields(given), r.URL.Path) {
				s.plain.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, files[r.URL.Path])
		})
		all := strings.Contains(given, "main.js")
		for left, updated := 20, !all; updated != all; left-- {
			await[bool](p, `navigator.serviceWorker.ready.then(async (r) => {
				await r.update().catch(() => {});
				while (r.installing) await new Promise((done) => setTimeout(done, 20));
				return true;
			})`)
			p.run(chromedp.Navigate("about:blank")) // so that no page keeps a new version from its place
			p.run(chromedp.Navigate(s.HTTP.URL + "/#" + typed))
			p.idle()
			if updated = eval[bool](p, "Boolean(window.updated)"); updated != all && (!all || left == 1) {
				t.Fatalf("the host gives %s: the page is new: %t, expected %t", given, updated, all)
			}
		}
	}
}

// cancelBetweenSteps cancels a search, while which another one is answered.
func cancelBetweenSteps(t *testing.T) {
	p := shown(t, nil, typed)
	long, err := json.Marshal(map[string]any{"model": "en-fr", "text": slices.Repeat([]string{strings.Repeat(example+" ", 5)}, 60), "beam": 20})
	p.do(err)
	expression := fmt.Sprintf(`import("./page/send.js").then(async ({ send }) => {
		const body = %q;
		const controller = new AbortController();
		const aborted = send("v1/translate", { body, signal: controller.signal }).then(() => "answered", (error) => error.name);
		const short = send("v1/translate", { body: JSON.stringify({ model: "en-fr", text: "the dog" }) });
		const first = await Promise.race([short.then(({ status }) => status), aborted]);
		controller.abort();
		return [String(first), await aborted];
	})`, long)
	got := await[[]string](p, expression)
	if got[0] != "200" || got[1] != "AbortError" {
		t.Errorf("%q, want the short request's status and then AbortError", got)
	}
}

// BenchmarkStatic measures a site of the built-in models: the time from the address to the first answer, without and
// with files that the browser has kept, and then of a sentence of ten words.
func BenchmarkStatic(b *testing.B) {
	folder := filepath.Join(b.TempDir(), "site")
	static = func(t testing.TB, o server.Options) string {
		if _, err := os.Stat(folder); err != nil {
			writeSite(t, folder, o)
		}
		return folder
	}
	defer func() { static = nil }()
	ask := func(p tab, beam int) {
		expression := fmt.Sprintf(`import("./page/send.js").then(({ send }) =>
			send("v1/translate", { body: JSON.stringify({ model: "en-fr", text: "I would like to buy a red car for my sister.", beam: %d }) })
		).then((answer) => answer.text())`, beam)
		await[string](p, expression)
	}
	newSite(b, builtIn)
	b.Run("answer=first/files=loaded", func(b *testing.B) {
		for b.Loop() {
			ask(show(b, newSite(b, builtIn), ""), 5)
		}
	})
	p := show(b, newSite(b, builtIn), "")
	ask(p, 5)
	b.Run("answer=first/files=kept", func(b *testing.B) {
		for b.Loop() {
			p.run(chromedp.Reload())
			ask(p, 5)
		}
	})
	for _, beam := range []int{1, 5} {
		b.Run(fmt.Sprintf("answer=later/beam=%d", beam), func(b *testing.B) {
			for b.Loop() {
				ask(p, beam)
			}
		})
	}
}
