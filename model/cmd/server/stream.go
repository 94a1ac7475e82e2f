package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
)

type streamRequest struct {
	query
	Split     bool `json:"split"`      // translate the sentences of each line, one after the other
	JoinLines bool `json:"join_lines"` // before that, and keep code
}

type tokenEvent struct {
	Token     api.Token `json:"token"`
	Text      string    `json:"text"`                // so far
	Alignment []float32 `json:"alignment,omitempty"` // α of each source token
}

type endEvent struct {
	Texts []string `json:"texts"` // whole translations
}

// stream answers POST /v1/stream: greedy searches, token by token.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, body []byte) error {
	var q streamRequest
	if err := unmarshal(body, &q, true); err != nil {
		return err
	}
	request, err := s.request(q.query, 1)
	if err != nil {
		return err
	}
	if request.aligned = true; q.Split {
		request.split(q.JoinLines)
	} else {
		request.single = "stream of"
	}
	j, err := s.open(w, request)
	if err != nil {
		return err
	}
	defer j.release()
	e := events{w: w}
	texts := make([]string, len(j.sentences))
	for i, one := range j.sentences {
		if texts[i], err = s.streamSentence(r.Context(), &e, j, one); err != nil {
			return err
		}
	}
	if q.Split {
		e.send("end", endEvent{j.with(func(i int) markup.Translation { return markup.Translation{Text: texts[i]} })})
	}
	return e.err
}

// streamSentence sends the events of one sentence, and returns its translation. Tokens have repetitions whole,
// texts do not.
func (s *Server) streamSentence(ctx context.Context, e *events, j *job, one sentence) (string, error) {
	var partial decode.Translation
	for word, err := range j.StreamWords(ctx, one.Search) {
		if err != nil && !e.begun {
			return "", err
		}
		if err != nil {
			e.send("error", errorOf(e.w, err))
			return "", err
		}
		if partial.IDs == nil {
			if one.at.Text != nil {
				e.send("sentence", one.at)
			}
			e.send("source", one.Side())
		}
		partial = word.SoFar
		e.send("token", tokenEvent{api.TargetToken(one.Model.Target, word.ID, word.LogProb), one.show(partial), word.Alignment})
		if e.err != nil {
			return "", e.err
		}
	}
	s.metrics.translated(j.name, one, partial)
	done := one.translation(partial, true)
	e.send("done", done)
	return done.Text, e.err
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
	for _, part := range [][]byte{[]byte("event: " + name + "\ndata: "), data, []byte("\n\n")} { // not as one: data may be long
		if e.err == nil {
			_, e.err = e.w.Write(part)
		}
	}
	if c := http.NewResponseController(e.w); e.err == nil {
		e.err = c.Flush()
		c.SetWriteDeadline(time.Time{}) // an expired one ends an HTTP/2 stream, even between events
	}
}
