package server

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A tokenEvent is a step of a translation.
type tokenEvent struct {
	Token     token     `json:"token"`
	Text      string    `json:"text"`                // so far
	Alignment []float32 `json:"alignment,omitempty"` // α of each source token
}

// stream answers POST /v1/stream: a greedy search, token by token.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, body []byte) error {
	var q query
	if err := s.read(r, body, &q); err != nil {
		return err
	}
	t, list, err := s.begin(q, 1)
	if err != nil {
		return err
	}
	defer t.release()
	if len(list) != 1 {
		return failf(http.StatusBadRequest, "stream of %d texts, expected one text", len(list))
	}
	sentence := list[0]
	e := events{w: w}
	var partial decode.Translation
	for word, err := range t.StreamWords(r.Context(), sentence.decoding(1, 1)) {
		if err != nil && !e.begun {
			return err
		}
		if err != nil {
			e.send("error", errorBody{err.Error()})
			return err
		}
		if !e.begun {
			e.send("source", sentence.side())
		}
		partial.IDs, partial.LogProbs = append(partial.IDs, word.ID), append(partial.LogProbs, word.LogProb)
		partial.LogProb += word.LogProb
		if n := len(word.Alignment); n > 0 {
			partial.Alignment = kernels.View(append(partial.Alignment.Data, word.Alignment...), len(partial.IDs), n)
		}
		e.send("token", tokenEvent{targetToken(t.first().Target, word.ID, word.LogProb), t.Text(sentence.text, partial), word.Alignment})
		if e.err != nil {
			return e.err
		}
	}
	partial.Score = partial.LogProb / math.Pow(float64(len(partial.IDs)), s.options.Decoding.Normalization)
	s.metrics.translated(sentence, partial)
	e.send("done", sentence.translation(partial, true))
	return e.err
}

// events writes server-sent events, until there is an error.
type events struct {
	w     http.ResponseWriter
	begun bool
	err   error
}

func (e *events) send(name string, v any) {
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("Cache-Control", "no-store")
		e.w.Header().Set("X-Accel-Buffering", "no") // proxies like nginx pass events on at once
	}
	var data []byte
	if e.err == nil {
		data, e.err = json.Marshal(v)
	}
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data)
	}
	if c := http.NewResponseController(e.w); e.err == nil {
		e.err = c.Flush()
		c.SetWriteDeadline(time.Time{}) // an expired one ends an HTTP/2 stream, even between events
	}
}
