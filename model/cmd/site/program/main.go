//go:build js

// Command program is package server as WebAssembly. It gives JavaScript an object softsearch, whose functions are
// open(name, model, files, done), which calls done with an error or nothing, and answer(name, path, body, head, chunk,
// end), which answers a POST request and returns a function that cancels it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"syscall/js"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/server"
	"github.com/softsearch-go/softsearch/model/decode"
)

func main() {
	debug.SetGCPercent(50) // a page's memory never shrinks
	servers := map[string]*server.Server{}
	js.Global().Set("softsearch", map[string]any{
		"open": js.FuncOf(func(_ js.Value, args []js.Value) any {
			name, described, files, done := args[0].String(), args[1].String(), args[2], args[3]
			go func() {
				s, err := open(described, files)
				if err != nil {
					done.Invoke(err.Error())
					return
				}
				servers[name] = s
				done.Invoke()
			}()
			return nil
		}),
		"answer": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return answer(servers[args[0].String()], args[1].String(), args[2].String(), response{http.Header{}, args[3], args[4], new(bool)}, args[5])
		}),
	})
	select {}
}

// open returns a server of one model, described in JSON, whose files are the elements of an array.
func open(described string, array js.Value) (*server.Server, error) {
	m := server.Model{Open: func() (models []*model.Model, err error) {
		for i := range array.Length() {
			file := make([]byte, array.Index(i).Length())
			js.CopyBytesToGo(file, array.Index(i))
			m, err := model.Read(bytes.NewReader(file))
			if err != nil {
				return nil, fmt.Errorf("model file %d: %w", i+1, err)
			}
			models = append(models, m)
		}
		return models, nil
	}}
	d := struct {
		*server.Model
		Decoding decode.Options
	}{Model: &m}
	if err := json.Unmarshal([]byte(described), &d); err != nil {
		return nil, err
	}
	return server.New(server.Options{Models: []server.Model{m}, Decoding: d.Decoding})
}

// answer begins a request and returns the function that cancels it.
func answer(s *server.Server, path, body string, w response, end js.Value) js.Func {
	ctx, cancel := context.WithCancel(context.Background())
	canceling := js.FuncOf(func(js.Value, []js.Value) any {
		cancel()
		return nil
	})
	go func() {
		defer canceling.Release()
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/"+path, strings.NewReader(body))
		if err != nil {
			end.Invoke(err.Error())
			return
		}
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(w, r)
		end.Invoke()
	}()
	return canceling
}

// A response calls head with the status and the header in JSON, then chunk with each part of the body.
type response struct {
	header      http.Header
	head, chunk js.Value
	begun       *bool
}

func (r response) Header() http.Header { return r.header }

func (r response) WriteHeader(status int) {
	if *r.begun {
		return
	}
	*r.begun = true
	header := map[string]any{}
	for name := range r.header {
		header[name] = r.header.Get(name)
	}
	r.head.Invoke(status, header)
}

func (r response) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	part := js.Global().Get("Uint8Array").New(len(p))
	js.CopyBytesToJS(part, p)
	r.chunk.Invoke(part)
	return len(p), nil
}

func (r response) Flush() {}

// The time that a client takes to read has no limit here.
func (r response) SetReadDeadline(time.Time) error  { return nil }
func (r response) SetWriteDeadline(time.Time) error { return nil }
