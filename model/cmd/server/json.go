package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Fields of requests are a string, a bool, or one of these.
type (
	list  []string
	texts struct { // a text or a list
		list
		many bool // a list, maybe of one text
	}
	terms      []pipeline.Term
	count      int // a whole number; 1.0 is one
	looseCount int // a count that may stand in a string, empty for 0
)

// expected says what a field can be set to.
func expected(field any) string {
	switch field.(type) {
	case *string:
		return "a text"
	case *bool:
		return "true or false"
	case *list:
		return "a list of texts"
	case *terms:
		return `objects {"source": "…", "target": "…"} in brackets`
	case *texts:
		return "a text or a list of texts"
	}
	return "a whole number of at most nine digits"
}

var errMismatch = errors.New("another type")

func (l *list) UnmarshalJSON(data []byte) error {
	var items []*string
	if jsonv2.Unmarshal(data, &items) != nil || slices.Contains(items, nil) {
		return errMismatch
	}
	*l = make(list, len(items))
	for i, text := range items {
		(*l)[i] = *text
	}
	return nil
}

func (t *terms) UnmarshalJSON(data []byte) error {
	var items []map[string]*string
	if jsonv2.Unmarshal(data, &items) != nil {
		return errMismatch
	}
	for _, item := range items {
		if len(item) != 2 || item["source"] == nil || item["target"] == nil {
			return errMismatch
		}
		*t = append(*t, pipeline.Term{Source: *item["source"], Target: *item["target"]})
	}
	return nil
}

func (t *texts) UnmarshalJSON(data []byte) error {
	t.list = make(list, 1)
	if jsonv2.Unmarshal(data, &t.list[0]) == nil {
		return nil
	}
	t.list, t.many = nil, true
	return t.list.UnmarshalJSON(data)
}

func (c *count) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(string(data), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 999_999_999 {
		return errMismatch
	}
	*c = count(f)
	return nil
}

func (c *looseCount) UnmarshalJSON(data []byte) error {
	if data = bytes.Trim(data, `"`); len(data) == 0 {
		return nil
	}
	return (*count)(c).UnmarshalJSON(data)
}

// checkEncoding returns an error unless a request sends its body as it is.
func checkEncoding(r *http.Request) error {
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return failf(http.StatusUnsupportedMediaType, "Content-Encoding %.40q, expected a body without one", coding)
	}
	return nil
}

// unmarshal sets fields of the struct that v points to from a body that is one JSON object. No object
// may have a field twice. Null is no value. Only strict decoding refuses fields that v has not.
func unmarshal(body []byte, v any, strict bool) error {
	var values map[string]jsontext.Value
	err := jsonv2.Unmarshal(body, &values)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return duplicate(syntax.JSONPointer.LastToken())
		}
		return failf(http.StatusBadRequest, "invalid JSON at byte %d: %s", syntax.ByteOffset, userInput(syntax.Err.Error()))
	}
	if err != nil || values == nil {
		return mismatch("request", body, "an object")
	}
	fields, names := fieldsOf(v)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, value := fields[name], values[name]
		if field == nil && strict {
			return failf(http.StatusBadRequest, "unknown field %.40q, expected one of %s", userInput(name), strings.Join(names, ", "))
		}
		if field == nil || value.Kind() == 'n' || jsonv2.Unmarshal(value, field) == nil {
			continue
		}
		wanted, items := expected(field), []jsontext.Value(nil)
		if strings.Contains(wanted, "list") && jsonv2.Unmarshal(value, &items) == nil {
			i := slices.IndexFunc(items, func(item jsontext.Value) bool { return item.Kind() != '"' })
			name, value, wanted = name+"["+strconv.Itoa(i)+"]", items[i], "a text"
		}
		return mismatch(name, value, wanted)
	}
	return nil
}

func mismatch(name string, found []byte, wanted string) error {
	return failf(http.StatusBadRequest, "%s: found %.40s, expected %s", name, userInput(found), wanted)
}

func duplicate(name string) error {
	return failf(http.StatusBadRequest, "duplicate field %.40q, expected it once", userInput(name))
}

// fieldsOf returns pointers to the fields of the struct that v points to, by their names in JSON, and
// these names in order.
func fieldsOf(v any) (fields map[string]any, names []string) {
	fields = map[string]any{}
	s := reflect.ValueOf(v).Elem()
	for _, f := range reflect.VisibleFields(s.Type()) {
		if name := f.Tag.Get("json"); name != "" {
			fields[name], names = s.FieldByIndex(f.Index).Addr().Interface(), append(names, name)
		}
	}
	return fields, names
}

// A failure is an error that a client reads, with its status.
type failure struct {
	code            int
	message, logged string
}

func (f failure) Error() string { return f.message }

// LogValue is for slog.
func (f failure) LogValue() slog.Value { return slog.StringValue(f.logged) }

// userInput is what a client sent, which errors quote to the client but not in logs.
type userInput string

func failf(code int, format string, values ...any) error {
	f := failure{code: code, message: fmt.Sprintf(format, values...)}
	for i, v := range values {
		if _, ok := v.(userInput); ok {
			values[i] = userInput("…")
		}
	}
	f.logged = fmt.Sprintf(format, values...)
	return f
}

// statusGone is the status in logs and metrics of requests whose clients left. Nobody reads it.
const statusGone = 499

func statusOf(err error) int {
	var f failure
	var term *pipeline.TermError
	switch {
	case errors.As(err, &f):
		return f.code
	case errors.Is(err, model.ErrCapacity), errors.Is(err, model.ErrExample), errors.As(err, &term):
		return http.StatusBadRequest
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return statusGone
	case errors.Is(err, decode.ErrBusy):
		return http.StatusTooManyRequests
	case errors.Is(err, decode.ErrClosed):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// fail answers with an error, unless an answer has begun or the client has left.
func (r *recorder) fail(err error) {
	r.failure = err
	code := statusOf(err)
	if r.code != statusGone || code == statusGone {
		return
	}
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		r.Header().Set("Retry-After", "1") // second
	}
	if code == http.StatusUnauthorized {
		r.Header().Set("WWW-Authenticate", "Bearer")
	}
	if code == http.StatusUnsupportedMediaType {
		r.Header().Set("Accept-Encoding", "identity")
	}
	writeJSON(r, code, errorOf(r, err))
}

type errorBody struct {
	Error     string `json:"error"`
	RequestID string `json:"request_id"`
}

// errorOf returns what a client reads of the error of the request that w answers.
func errorOf(w http.ResponseWriter, err error) errorBody {
	return errorBody{err.Error(), w.Header().Get(requestID)}
}

func writeJSON(w http.ResponseWriter, code int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(code)
	if _, err = w.Write(body); err == nil {
		_, err = w.Write([]byte("\n")) // not as one: the body may be long
	}
	return err
}

// withPlainErrors answers as mux does, but with its errors about paths and methods in JSON.
func withPlainErrors(mux *http.ServeMux) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return nil
		}
		answer := &discarded{header: w.Header()}
		mux.ServeHTTP(answer, r)
		if answer.code == http.StatusMethodNotAllowed {
			return failf(answer.code, "%.20q %s: expected method %s", r.Method, r.URL.Path, w.Header().Get("Allow"))
		}
		return failf(answer.code, "%.100q: no such path on this server", r.URL.Path)
	}
}

// A discarded answer keeps its header and status.
type discarded struct {
	header http.Header
	code   int
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) WriteHeader(code int)        { d.code = code }
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }
