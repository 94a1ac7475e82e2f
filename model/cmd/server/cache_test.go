package server

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// longer opens the tiny model with another bias of EOS, so that it translates otherwise.
func longer() ([]*model.Model, error) {
	list, err := tiny()
	if err == nil {
		list[0].Parameters.B[0] -= 3
	}
	return list, err
}

// TestCache drops what has not been used for the longest time.
func TestCache(t *testing.T) {
	c := newCache[int](3 * (perItem + 11))
	for i := range 3 {
		c.put(fmt.Sprint(i), i, 10)
	}
	c.get("0")
	if !c.put("3", 3, 10) || !c.put("3", 4, 10) || c.put("4", 4, 3*perItem) {
		t.Error("what fits is not there, or what does not fit is")
	}
	for key, want := range map[string]bool{"0": true, "1": false, "2": true, "3": true, "4": false} {
		if value, ok := c.get(key); ok != want || ok && fmt.Sprint(value) != key {
			t.Errorf("%s: got %d, %t", key, value, ok)
		}
	}
	c.remove("0")
	c.remove("0")
	if _, ok := c.get("0"); ok || c.bytes() != 2*(perItem+11) || len(c.items) != 2 || c.order.Len() != 2 {
		t.Errorf("%d bytes of %d items", c.bytes(), len(c.items))
	}
}

// TestAnswerKey changes each field that determines translations.
func TestAnswerKey(t *testing.T) {
	one, other := &translator{name: "a", version: 1}, &translator{name: "a", version: 2}
	full := decode.Sentence{Source: []int32{1, 2}, Prefix: []int32{3}, MaxLength: 4, Beam: 5, NBest: 6, Terms: []decode.Constraint{{IDs: []int32{7}, From: 8, To: 9}}}
	keys := map[string]string{}
	add := func(name string, t1 *translator, s decode.Sentence) {
		key := answerKey(t1, s)
		if before, ok := keys[key]; ok {
			t.Errorf("%s has the key of %s", name, before)
		}
		keys[key] = name
	}
	add("full", one, full)
	add("version", other, full)
	add("name", &translator{name: "b", version: 1}, full)
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		changed := reflect.New(v.Type()).Elem()
		changed.Set(v)
		changed.Field(i).SetZero()
		add(v.Type().Field(i).Name, one, changed.Interface().(decode.Sentence))
	}
	for i := range reflect.TypeFor[decode.Constraint]().NumField() {
		term := full.Terms[0]
		reflect.ValueOf(&term).Elem().Field(i).SetZero()
		changed := full
		changed.Terms = []decode.Constraint{term}
		add("term without field "+fmt.Sprint(i), one, changed)
	}
	moved := full
	moved.Source, moved.Prefix = []int32{1}, []int32{2, 3}
	add("moved", one, moved)
}

// TestCachedAnswers has clients with requests of all kinds, at a server that remembers few answers and is
// reloaded with one of two models. Each answer is that of a server without a cache, for one of the models.
func TestCachedAnswers(t *testing.T) {
	const size = 20_000
	var second atomic.Bool
	open := func() ([]*model.Model, error) {
		if second.Load() {
			return longer()
		}
		return tiny()
	}
	plain := []*Server{newServer(t, nil), newServer(t, func(o *Options) { o.Models[0].Open = longer })}
	s := newServer(t, func(o *Options) { o.Models[0].Open, o.CacheAnswers = open, size })
	type request struct{ path, body string }
	var requests []request
	for _, line := range lines {
		requests = append(requests,
			request{"/v1/translate", `{"text": "` + line + `"}`},
			request{"/v1/translate", `{"text": ["` + line + `", "` + line + `", "the dog"], "nbest": 3, "alignments": true}`},
			request{"/v1/translate", `{"text": "` + line + `", "beam": 2}`},
			request{"/v1/translate", `{"text": "` + line + `", "terms": [{"source": "the", "target": "la"}]}`},
			request{"/v1/translate", `{"text": "` + line + `", "append": "la"}`},
			request{"/v1/alternatives", `{"text": "` + line + `", "n": 4}`},
			request{"/translate", `{"q": ["` + line + `", "the cat"], "source": "en", "target": "fr", "alternatives": 2}`})
	}
	want := make([][2]string, len(requests))
	for i, r := range requests {
		for k, p := range plain {
			want[i][k] = ask(p, "POST", r.path, r.body).Body.String()
		}
	}
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(client)))
			for range 150 {
				i := random.IntN(len(requests))
				got := ask(s, "POST", requests[i].path, requests[i].body).Body.String()
				if got != want[i][0] && got != want[i][1] {
					t.Errorf("%v: got %s, want %s or %s", requests[i], got, want[i][0], want[i][1])
				}
				if n := s.answers.bytes(); n > size {
					t.Errorf("%d bytes in the cache", n)
				}
			}
		})
	}
	for range 6 {
		second.Store(!second.Load())
		if err := s.Reload(); err != nil {
			t.Error(err)
		}
	}
	clients.Wait()
	for i, r := range requests { // the last model is the first
		for range 2 {
			if got := ask(s, "POST", r.path, r.body).Body.String(); got != want[i][0] {
				t.Errorf("%v: got %s, want %s", r, got, want[i][0])
			}
		}
	}
	metrics := ask(s, "GET", "/metrics", "").Body.String()
	for _, name := range []string{"cache_hits_total{model=\"en-fr\"}", "cache_misses_total{model=\"en-fr\"}", "cache_bytes"} {
		if !strings.Contains(metrics, "\nrnnsearch_"+name+" ") || strings.Contains(metrics, "\nrnnsearch_"+name+" 0\n") {
			t.Errorf("no %s in\n%s", name, metrics)
		}
	}
}

// TestCacheMetrics counts the sentences of three requests, one of which is answered from the cache.
func TestCacheMetrics(t *testing.T) {
	s := newServer(t, func(o *Options) { o.CacheAnswers = 1 << 20 })
	for _, text := range []string{`"the dog"`, `["the dog", "the cat"]`, `"the dog sleeps"`} {
		ask(s, "POST", "/v1/translate", `{"text": `+text+`}`)
	}
	metrics := ask(s, "GET", "/metrics", "").Body.String()
	for _, line := range []string{
		`cache_hits_total{model="en-fr"} 1`, `cache_misses_total{model="en-fr"} 3`, `sentences_total{model="en-fr"} 4`,
	} {
		if !strings.Contains(metrics, "\nrnnsearch_"+line+"\n") {
			t.Errorf("no %s in\n%s", line, metrics)
		}
	}
}

// TestCacheMemory fills caches with translations of several sizes, which take at most the bytes that are
// counted.
func TestCacheMemory(t *testing.T) {
	for _, n := range []int{1, 7, 30, 250} {
		runtime.GC()
		runtime.GC() // pools keep what the first one finds
		before := heap()
		a := answers{newCache[[]decode.Translation](8 << 20)}
		t1, count := &translator{name: "en-fr", version: 1}, 0
		for dropped := false; !dropped; count++ {
			search := decode.Sentence{Source: make([]int32, n), Beam: 5, NBest: 2}
			search.Source[0] = int32(count)
			best := make([]decode.Translation, 2)
			for i := range best {
				best[i] = decode.Translation{IDs: make([]int32, n), LogProbs: make([]float64, n), Alignment: kernels.NewMatrix(n, n)}
			}
			_, keys := a.recall(t1, []decode.Sentence{search}, make([][]decode.Translation, 1))
			a.remember(keys, 0, best)
			dropped = a.order.Len() <= count
		}
		runtime.GC()
		if used := heap() - before; used > uint64(a.bytes()) || uint64(a.bytes()) > 4*used {
			t.Errorf("%d words: %d bytes in use of %d that are counted", n, used, a.bytes())
		} else {
			t.Logf("%d words: %d items, %.2f of the bytes that are counted", n, a.order.Len(), float64(used)/float64(a.bytes()))
		}
		runtime.KeepAlive(a)
	}
}

// BenchmarkCache translates the sentences of [BenchmarkServer] a second time, with and without a cache.
func BenchmarkCache(b *testing.B) {
	m, lines := captions(b, 128)
	for _, size := range []int64{0, 64 << 20} {
		b.Run(fmt.Sprintf("sizes=captions/beam=5/bytes=%d", size), func(b *testing.B) {
			s, err := New(Options{
				Models: []Model{{Name: "m", Open: func() ([]*model.Model, error) { return []*model.Model{m}, nil }}}, CacheAnswers: size,
				Decoding: decode.Options{Threads: benchmarkThreads},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			send := func(i int) { ask(s, "POST", "/v1/translate", `{"text": "`+lines[i]+`"}`) }
			all(lines, benchmarkClients, send)
			for b.Loop() {
				all(lines, benchmarkClients, send)
			}
			b.ReportMetric(float64(len(lines)*b.N)/b.Elapsed().Seconds(), "sentences/s")
		})
	}
}
