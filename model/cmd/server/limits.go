package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
)

// What a request takes from a budget, in bytes: at least what it has in memory, as the test of memory
// measures.
const (
	perBodyByte = 32  // JSON of many short values, decoded
	perTextByte = 128 // sentences
	perLine     = 512 // of a text that is split
	perSentence = 4 << 10
	perToken    = 512 // with its word, in an answer and in JSON
	perLetter   = 12  // of the longest word in JSON, per token
	perWeight   = 8   // of an alignment that is computed
	perNumber   = 56  // of one in JSON, too, or by which elements are placed

	perMarkupByte = 256 // text and elements of documents
)

// largeBody is the number of bytes beyond which a body takes a turn of its client.
const largeBody = 4 << 10

// A client may take 1/parts of what others leave of a budget, so that a few large requests leave room for many
// small ones.
const (
	memoryParts           = 4 // for one request
	unauthenticatedParts  = 4 // for one network
	unauthenticatedBodies = 4 // of the largest size
	requestParts          = 2 // for keys of one name, where there are several names
)

// limited returns a handler that reads the body of a request and answers with h, or with status 429
// while Options.MaxRequests others, or too many of the same client, wait for the beginning of their answers. The header must have a key,
// unless keyIn finds one in the body.
func (s *Server) limited(keyIn bodyKey, h func(w http.ResponseWriter, r *http.Request, body []byte) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		rec := w.(*recorder)
		body, err := s.admit(rec, r, keyIn)
		if err != nil {
			return err
		}
		defer s.pin(r)()
		if !s.requests.take(rec.key, 1) {
			return failf(http.StatusTooManyRequests, "%d requests are in progress, of at most %d in all: try again later", s.requests.inUse(), s.options.MaxRequests)
		}
		rec.answering = sync.OnceFunc(func() { s.requests.take(rec.key, -1) }) // a client that sends or reads slowly is not counted
		defer rec.answering()
		client := cmp.Or(rec.key, networkOf(r.RemoteAddr).String())
		r = r.WithContext(decode.WithClient(r.Context(), client))
		if len(body) > largeBody {
			if rec.read, err = s.turns.take(r.Context(), client); err != nil {
				return err
			}
			defer rec.read()
		}
		return h(w, r, body)
	}
}

// admit reads the body of a request that has a key, in its header or, without one there, where keyIn finds
// it. Until the key is known, the body takes memory of its own.
func (s *Server) admit(w *recorder, r *http.Request, keyIn bodyKey) ([]byte, error) {
	if err := checkEncoding(r); err != nil {
		return nil, err
	}
	key := keyOf(r)
	refused := s.checkKey(w, key)
	if refused == nil {
		return s.body(w, r)
	}
	if keyIn == nil || key != "" {
		return nil, refused
	}
	w.memory.budget, w.memory.owner = s.unauthenticated, networkOf(r.RemoteAddr)
	body, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	key, err = keyIn(r, body)
	if err == nil {
		err = s.checkKey(w, key)
	}
	if err == nil {
		err = w.memory.move(s.memory)
	}
	return body, err
}

// expectBody gives the body of any request, read by a handler or not, Options.ReadTimeout. Until it has
// been read, an answer ends the connection. Net/http resets the deadline at the end of the body.
func (s *Server) expectBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	// An error means that there are no deadlines, as in tests.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.options.ReadTimeout))
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
}

// body reads the body of a request.
func (s *Server) body(w *recorder, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(&budgeted{http.MaxBytesReader(w, r.Body, s.options.MaxBody), &w.memory})
	var tooLarge *http.MaxBytesError
	var known failure
	switch {
	case errors.As(err, &known):
		return nil, err
	case errors.As(err, &tooLarge):
		return nil, failf(http.StatusRequestEntityTooLarge, "request of more than %d bytes, the limit of this server", s.options.MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, failf(http.StatusRequestTimeout, "the request is not complete after %s", s.options.ReadTimeout)
	case err != nil:
		return nil, failf(http.StatusBadRequest, "the request ends early: %v", err)
	}
	w.Header().Del("Connection")
	return body, nil
}

// A budget bounds the bytes, or requests, in use. No owner has more than one of its parts of what others leave.
type budget struct {
	limit, parts int64

	mutex sync.Mutex
	used  int64
	by    map[any]int64 // owners of some
}

func newBudget(limit, parts int64) *budget {
	return &budget{limit: limit, parts: parts, by: map[any]int64{}}
}

// take reports whether there are n bytes for an owner, which has them until it takes -n.
func (b *budget) take(owner any, n int64) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	own := b.by[owner]
	if n > 0 && own+n > (b.limit-b.used+own)/b.parts {
		return false
	}
	b.used += n
	if b.by[owner] = own + n; own+n == 0 {
		delete(b.by, owner)
	}
	return true
}

func (b *budget) inUse() int64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.used
}

// divide sets the parts.
func (b *budget) divide(parts int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.parts = parts
}

// Turns lets the server read one large body of each client at a time: reading competes with the workers for processors, and
// many bodies of one client would keep out all others.
type turns struct {
	mutex sync.Mutex
	by    map[string]chan struct{} // of clients that have the turn: closes when it ends
}

// take waits for a turn of the client. The caller must end it.
func (t *turns) take(ctx context.Context, client string) (end func(), err error) {
	for {
		t.mutex.Lock()
		taken, turn := t.by[client], make(chan struct{})
		if taken == nil {
			t.by[client] = turn
		}
		t.mutex.Unlock()
		if taken == nil {
			return sync.OnceFunc(func() {
				t.mutex.Lock()
				defer t.mutex.Unlock()
				delete(t.by, client)
				close(turn)
			}), nil
		}
		select {
		case <-taken:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// networkOf returns what one client has of the addresses of the Internet: one of IPv4, or 2⁶⁴ of IPv6.
func networkOf(remote string) netip.Prefix {
	a, _ := netip.ParseAddrPort(remote)
	ip := a.Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(ip.BitLen(), 64))
	return p
}

// A reservation is what a request has of a budget.
type reservation struct {
	*budget
	owner any // the reservation itself, or a network
	own   int64
}

func (r *reservation) add(n int64) error {
	switch most := r.limit / r.parts; {
	case r.own+n > most:
		return failf(http.StatusBadRequest, "request and answer can take %d bytes of memory, expected at most %d", r.own+n, most)
	case !r.take(r.owner, n):
		return failf(http.StatusTooManyRequests, "the requests in progress take too much memory: try again later")
	}
	r.own += n
	return nil
}

// move takes what the request has from another budget instead.
func (r *reservation) move(to *budget) error {
	n := r.own
	r.free()
	r.budget, r.owner = to, r
	return r.add(n)
}

func (r *reservation) free() {
	r.take(r.owner, -r.own)
	r.own = 0
}

// A budgeted reader takes from a budget what becomes of the bytes that it reads.
type budgeted struct {
	io.Reader
	*reservation
}

func (b *budgeted) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	return n, cmp.Or(b.add(int64(n)*perBodyByte), err)
}

// inJSON returns the number of bytes of a word in JSON.
func inJSON(word string) int {
	data, _ := json.Marshal(word)
	return len(data) - len(`""`)
}

// divisionBytes returns the memory of dividing the texts.
func (j *job) divisionBytes() (sum int64) {
	for _, text := range j.texts {
		if sum += perMarkupByte * int64(len(text)); j.byLine {
			sum += perLine * int64(strings.Count(text, "\n"))
		}
	}
	return sum
}

// answerBytes returns the memory of a sentence and of its longest possible translations.
func (j *job) answerBytes(one sentence) int64 {
	d, source := j.served.decoding, len(one.Search.Source)
	longest := cmp.Or(d.MaxLength, max(3*source, d.MinLength+1))
	n := j.nBest
	if j.tree {
		n += j.beam
	}
	spans := 0 // each stands once in a translation, as text and as a word
	for _, s := range one.Spans {
		spans += inJSON(s.Text) + inJSON(s.Target)
	}
	return perSentence + perTextByte*int64(len(one.Line)) + j.tokenBytes(one, source) + j.translationBytes(one, n*longest) + 2*perLetter*int64((1+n)*spans)
}

// translationBytes returns the memory of translations with that many tokens, and of their alignments.
func (j *job) translationBytes(one sentence, tokens int) int64 {
	weight := int64(perWeight)
	if j.aligned {
		weight += perNumber
	}
	return j.tokenBytes(one, tokens) + int64(tokens)*int64(len(one.Search.Source))*weight
}

func (j *job) tokenBytes(one sentence, tokens int) int64 {
	letters := j.longest
	if one.copyUnknown {
		for _, word := range one.Words {
			letters = max(letters, inJSON(word))
		}
	}
	if j.spelled {
		letters *= markup.MaxSpelling
	}
	return int64(tokens) * (perToken + perLetter*int64(letters))
}
