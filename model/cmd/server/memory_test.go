package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// endless opens a model whose translations are as long as they may be.
func endless() ([]*model.Model, error) {
	list, err := tiny()
	if err == nil {
		list[0].Parameters.B[text.EOS] = -100
	}
	return list, err
}

// escaped is endless with target words that are long, and longer in JSON.
func escaped() ([]*model.Model, error) {
	list, err := endless()
	if err != nil {
		return nil, err
	}
	words := list[0].Target.Words()
	for i := range words[2:] { // not </s> and <unk>
		words[2+i] += strings.Repeat("<", 50)
	}
	list[0].Target, err = text.VocabularyOf(words)
	return list, err
}

// A stuck client reads nothing from the first write of at least that many bytes on, until the end of the
// test.
type stuck struct {
	*httptest.ResponseRecorder
	size int
	at   chan<- struct{} // receives when the client is stuck
	end  <-chan struct{}
}

func (c *stuck) Flush() {}

func (c *stuck) Write(p []byte) (int, error) {
	if len(p) >= c.size {
		c.at <- struct{}{}
		<-c.end
		return 0, http.ErrHandlerTimeout
	}
	return len(p), nil
}

// TestMemoryOfRequests has requests that take as much memory as they can, and clients that do not read
// the answers. What they have in memory, at any time, is at most what they have taken from the budget.
func TestMemoryOfRequests(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(2)) // so that the heap is little more than what is in use
	const perRequest = 64 << 10                     // beside the budget
	pairs := 40
	if fixture.Full() {
		pairs = 124
	}
	line := strings.TrimSpace(strings.Repeat("the dog ", pairs))
	const body = 1 << 20
	many := func(begin, item, end string) string {
		return begin + strings.Repeat(item, (body-len(begin)-len(end))/len(item)) + end
	}
	fields := strings.Builder{}
	for i := 0; fields.Len() < body-100; i++ {
		fmt.Fprintf(&fields, `"%x":1,`, i)
	}
	references := strings.Builder{} // as long as they stay
	for c := 'a'; c <= 'z'; c++ {
		fmt.Fprintf(&references, "&#%07d;", c)
	}
	tests := []struct {
		name, path, body string
		clients, size    int
	}{
		{"stream of long words", "/v1/stream", `{"text": "` + line + `", "model": "escaped"}`, 2, 30_000},
		{"alignments", "/v1/translate", `{"text": "` + line + `", "alignments": true, "nbest": 4}`, 2, 0},
		{"tree", "/v1/translate", `{"text": "` + line + `", "tree": true, "beam": 20}`, 2, 0},
		{"lines", "/v1/translate", `{"text": "` + strings.Repeat(`the dog\n`, 200) + `", "split": true, "alignments": true}`, 2, 0},
		{"LibreTranslate", "/translate", `{"source": "en", "target": "fr", "format": "html", "alternatives": 4, "q": "` + strings.Repeat("<b>the dog</b>", 120) + `"}`, 2, 0},
		{"file", "/translate_file", "--x\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nauto\r\n--x\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nfr\r\n" +
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.srt\"\r\n\r\n" + strings.Repeat("1\n0:0 --> 0:0\nthe dog\n\n", 200) + "\r\n--x--\r\n", 2, 0},
		{"deep elements", "/translate", `{"source": "en", "target": "fr", "format": "html", "q": "a ` + strings.Repeat("<q>", 8000) + "the" + strings.Repeat("</q>", 8000) + ` dog"}`, 2, 0},
		{"fields", "/translate", "{" + fields.String() + `"q": 1}`, 2, 0},
		{"page", "/", "", 20, 0},
		{"stream", "/v1/stream", `{"text": "` + line + `"}`, 4, 0},
		{"end of stream", "/v1/stream", `{"text": "` + line + `"}`, 3, 30_000},
		{"n-best", "/v1/translate", `{"text": "` + line + `", "nbest": 20, "beam": 20}`, 2, 0},
		{"long words", "/v1/translate", `{"text": "` + line + `", "nbest": 5, "model": "escaped"}`, 2, 0},
		{"texts", "/v1/translate", `{"text": ["` + strings.Repeat(`the dog","`, 200) + `"]}`, 2, 0},
		{"empty lines", "/v1/translate", `{"text": "the dog` + strings.Repeat(`\n`, 90_000) + `", "split": true}`, 2, 0},
		{"stream of lines", "/v1/stream", `{"text": "` + strings.Repeat(`the dog\n`, 200) + `", "split": true}`, 2, 6_000},
		{"scores", "/v1/score", `{"text": "` + line + `", "alignments": true, "translations": ["` + strings.Join(slices.Repeat([]string{line}, 8), `","`) + `"]}`, 2, 0},
		{"alternatives", "/v1/alternatives", `{"text": "` + line + `", "n": 20}`, 2, 0},
		{"detection", "/detect", `{"q": ["` + strings.Repeat(`the dog","`, 200) + `"]}`, 2, 0},
		{"elements", "/translate", `{"source": "en", "target": "fr", "format": "html", "alternatives": 4, "q": "` + strings.Repeat("the dog <b>the<i>", 120) + strings.Repeat("</i></b>", 120) + ` a"}`, 2, 0},
		{"marks", "/translate", `{"source": "en", "target": "fr", "format": "html", "q": "a ` + strings.Repeat("<br>", 10_000) + `dog"}`, 2, 0},
		{"marks in a word", "/translate", `{"source": "en", "target": "fr", "format": "html", "q": "the dog a_` + strings.Repeat("<!>a", 10_000) + `"}`, 2, 0},
		{"references", "/translate", `{"source": "en", "target": "fr", "format": "html", "alternatives": 4, "q": "` + strings.Repeat("the dog ", 120) + references.String() + `"}`, 2, 0},
		{"list", "/v1/translate", many(`{"text": [""`, `,""`, `]}`), 2, 0},
		{"prefix", "/v1/translate", many(`{"text": "a", "prefix": [""`, `,""`, `]}`), 2, 0},
		{"form", "/translate", many("q=1", "&q=", ""), 2, 0},
		{"metrics", "/metrics", "", 20, 0},
		{"description", "/openapi.json", "", 20, 0},
		{"models", "/v1/models", "", 20, 0},
	}
	if !fixture.Full() {
		tests = tests[:9]
	}
	for _, test := range tests {
		s := newServer(t, func(o *Options) {
			o.Models[0].Open, o.MaxCharacters = endless, 100_000
			o.Models = append(o.Models, Model{Name: "escaped", Open: escaped})
		})
		var requests sync.WaitGroup
		request := func() *http.Request {
			r := httptest.NewRequest(http.MethodPost, test.path, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept-Encoding", "gzip")
			switch test.name {
			case "form":
				r.Header.Set("Content-Type", formType)
			case "file":
				r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
			}
			if test.body == "" {
				r = httptest.NewRequest(http.MethodGet, test.path, nil)
			}
			return r
		}
		for range test.clients { // the searches have their own memory, which they keep
			r := request()
			requests.Go(func() { s.ServeHTTP(httptest.NewRecorder(), r) })
		}
		requests.Wait()
		measure := func() (used, bound uint64) {
			runtime.GC()
			runtime.GC() // pools keep what the first one finds
			at, end, sampled := make(chan struct{}), make(chan struct{}), make(chan [2]uint64)
			before := heap()
			for range test.clients {
				r := request()
				requests.Go(func() { s.ServeHTTP(&stuck{httptest.NewRecorder(), test.size, at, end}, r) })
			}
			all := make(chan struct{})
			go func() {
				var used, taken uint64
				for {
					runtime.GC() // which garbage there is depends on the load of the machine
					now := heap()
					s.memory.mutex.Lock()
					if n := uint64(s.memory.used); n > 0 { // otherwise what is not in use any more remains
						used, taken = max(used, now), max(taken, n)
					}
					s.memory.mutex.Unlock()
					select {
					case <-all:
						sampled <- [2]uint64{used, taken}
						return
					case <-time.After(time.Millisecond):
					}
				}
			}()
			for range test.clients {
				<-at
			}
			if test.name == "stream" { // its words wait
				ask(s, "POST", "/v1/translate", test.body)
			}
			close(all)
			sample := <-sampled
			if s.memory.used == 0 { // an error, or an answer to a request without a body
				runtime.GC()
				sample[0] = max(sample[0], heap())
			}
			sample[0] -= min(before, sample[0])
			close(end)
			requests.Wait()
			return sample[0], sample[1] + uint64(test.clients)*perRequest
		}
		// Searches that are the first to run at the same time take memory of their own, which they keep: a further
		// attempt finds it there.
		for attempt := 1; ; attempt++ {
			used, bound := measure()
			t.Logf("%s: %d bytes of %d, %.2f", test.name, used, bound, float64(used)/float64(bound))
			if used <= bound {
				break
			} else if attempt == 3 {
				t.Errorf("%s: %d bytes in use, expected at most %d", test.name, used, bound)
				break
			}
		}
		if n := s.memory.used; n != 0 {
			t.Errorf("%s: %d bytes remain taken", test.name, n)
		}
	}
}

// TestMemoryBound attacks a small server with all that takes memory, at once, and reads no answer: its heap stays below the
// sum of the limits that README.md lists.
func TestMemoryBound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	const (
		body, memory, searches = 64 << 10, 32 << 20, 16 << 20
		clients                = 800
		bound                  = 2*searches + memory + memory/16 // there are no keys, nor connections
	)
	var kinds strings.Builder
	for i := range 100 {
		fmt.Fprintf(&kinds, "A&#%d;. ", 19968+i)
	}
	form := func(name, content string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n--x\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nfr\r\n" +
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" + content + "\r\n--x--\r\n"
	}
	html := func(q string) string { return `{"source": "en", "target": "fr", "format": "html", "q": "` + q + `"}` }
	dogs := strings.TrimSpace(strings.Repeat("dog ", 12))
	attacks := []struct{ path, kind, body string }{
		{"/translate", "application/json", html("<p>&#" + strings.Repeat("0", 4900) + "97; x_" + strings.Repeat("a", 4900))},
		{"/translate", "application/json", html(kinds.String())},
		{"/translate", "application/json", html(strings.Repeat("<b>the <i>", 300))},
		{"/translate_file", "multipart/form-data; boundary=x", form("a.html", "<p>&#"+strings.Repeat("0", body/2)+"101; see x_"+strings.Repeat("e", 9000)+" now.")},
		{"/translate_file", "multipart/form-data; boundary=x", form("a.html", kinds.String())},
		{"/v1/translate", "application/json", `{"text": "` + dogs + `", "beam": 5, "terms": [{"source": "dog", "target": "` + strings.Repeat("le ", 3300) + `"}]}`},
		{"/v1/translate", "application/json", `{"text": "a", "prefix": [""` + strings.Repeat(`,""`, 20_000) + `]}`},
	}
	full := `{"text": "` + strings.TrimSpace(strings.Repeat("the dog ", 19)) + `", "alignments": true, "nbest": 20, "beam": 20, "model": "endless"}`
	s := newServer(t, func(o *Options) {
		o.Models = append(o.Models, Model{Name: "endless", Open: endless})
		o.Models[0].Open = func() ([]*model.Model, error) {
			m, err := builtin.Open("en-fr")
			return []*model.Model{m}, err
		}
		o.MaxRequests, o.MaxBody, o.MaxMemory, o.Decoding.Memory = clients, body, memory, searches
	})
	runtime.GC()
	before := heap()
	var requests sync.WaitGroup
	at, end := make(chan struct{}, clients), make(chan struct{})
	for i := range clients {
		a := attacks[i/4%len(attacks)]
		if i%4 > 0 {
			a.path, a.kind, a.body = "/v1/translate", "application/json", full
		}
		r := httptest.NewRequest(http.MethodPost, a.path, strings.NewReader(a.body))
		r.Header.Set("Content-Type", a.kind)
		requests.Go(func() { s.ServeHTTP(&stuck{httptest.NewRecorder(), 1, at, end}, r) })
	}
	most := uint64(0)
	for len(at) < clients && most <= before+bound { // until nobody reads an answer
		runtime.GC()
		most = max(most, heap())
		time.Sleep(time.Millisecond)
	}
	runtime.GC()
	most = max(most, heap())
	close(end)
	requests.Wait()
	t.Logf("%d bytes of %d", most-min(before, most), bound)
	if most > before+bound {
		t.Fatalf("%d bytes in use, expected at most %d", most-before, bound)
	}
}

// heap returns the bytes of the heap.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
