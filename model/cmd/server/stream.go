package server

import (
	"encoding/json"
	"fmt"
	"net/http"
)

type tokenEvent struct {
	Token     token     `json:"token"`
	Text      string    `json:"text"` // so far
	Alignment []float32 `json:"alignment,omitempty"`
}

// stream answers POST /v1/stream.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) error {
	var q translateRequest
	t, err := s.request(w, r, &q, func() (string, texts) { return q.Model, q.Text })
	if err != nil {
		return err
	}
	defer t.release()
	sentence := t.sentence(q.Text.list[0])
	best, err := t.search(r.Context(), []sentenceT{sentence})
	if err != nil {
		return err
	}
	e := events{w, http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if err := e.send("source", sentence.side()); err != nil {
		return nil
	}
	result := sentence.translation(best[0][0], true)
	for i, token := range result.Target.Tokens {
		event := tokenEvent{Token: token, Text: t.first().Decode(best[0][0].IDs[:i+1])}
		if result.Alignment != nil {
			event.Alignment = result.Alignment[i]
		}
		if err := e.send("token", event); err != nil {
			return nil
		}
	}
	e.send("done", result)
	return nil
}

type sentenceT = sentence

// events is a stream of server-sent events.
type events struct {
	w http.ResponseWriter
	c *http.ResponseController
}

// send sends an event with a value.
func (e events) send(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data); err != nil {
		return err
	}
	return e.c.Flush()
}
