package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
)

type libreRequest struct {
	Q            texts      `json:"q"`
	Source       string     `json:"source"`
	Target       string     `json:"target"`
	Format       string     `json:"format"`
	Alternatives looseCount `json:"alternatives"`
	Key          string     `json:"api_key"`
}

// A libreAnswer has lists as values if q is one.
type libreAnswer struct {
	TranslatedText any `json:"translatedText"`
	Detected       any `json:"detectedLanguage,omitempty"`
	Alternatives   any `json:"alternatives,omitempty"`
}

type detected struct {
	Confidence float64 `json:"confidence"`
	Language   string  `json:"language"`
}

const autoLanguage = "auto"

// libreTranslate answers POST /translate as LibreTranslate does. Texts may have several lines and,
// for models of plain text, several sentences in a line.
func (s *Server) libreTranslate(w http.ResponseWriter, r *http.Request, body []byte) error {
	q, err := readLibre(r, body)
	if err != nil {
		return err
	}
	nBest, err := s.checkLibre(q)
	if err != nil {
		return err
	}
	a, err := s.libreTexts(w, r, q, nBest)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a.answer(q, q.Alternatives > 0))
}

// libreTexts translates the texts of a request. Those that are in the target language already stay as they
// are.
func (s *Server) libreTexts(w http.ResponseWriter, r *http.Request, q libreRequest, nBest int) (a libreLists, err error) {
	if a.detected = (detected{100, q.Source}); q.Source == autoLanguage {
		if err := w.(*recorder).memory.add(perTextByte * maxEvidence); err != nil {
			return a, err
		}
		list := s.languagesOf(plainTexts(q))
		if len(list) == 0 {
			return a, failf(http.StatusBadRequest, "auto is not supported: no model has languages")
		}
		a.detected = list[0]
	}
	model, err := s.pair(a.detected.Language, q.Target)
	if err != nil {
		return a, err
	}
	if model == "" {
		a.texts, a.alternatives = q.Q.list, slices.Repeat([][]string{{}}, len(q.Q.list))
		return a, nil
	}
	format := cmp.Or(q.Format, "text")
	found, err := s.search(r.Context(), w, request{
		model: model, texts: q.Q.list, format: format, aligned: format != "text", beam: max(s.beam(model), nBest), nBest: nBest,
	})
	if err != nil {
		return a, err
	}
	a.texts, a.alternatives = found.whole(0), slices.Repeat([][]string{{}}, len(q.Q.list))
	for rank := 1; rank < nBest; rank++ {
		for i, other := range found.whole(rank) {
			if other != a.texts[i] && !slices.Contains(a.alternatives[i], other) {
				a.alternatives[i] = append(a.alternatives[i], other)
			}
		}
	}
	return a, nil
}

type libreLists struct {
	texts        []string
	alternatives [][]string
	detected     detected // the language of all
}

func (l libreLists) answer(q libreRequest, alternatives bool) (a libreAnswer) {
	if q.Q.many {
		a = libreAnswer{l.texts, slices.Repeat([]detected{l.detected}, len(l.texts)), l.alternatives}
	} else {
		a = libreAnswer{l.texts[0], l.detected, l.alternatives[0]}
	}
	if q.Source != autoLanguage {
		a.Detected = nil
	}
	if !alternatives {
		a.Alternatives = nil
	}
	return a
}

// readLibre reads a request in JSON or as a form, which may be part of the address.
func readLibre(r *http.Request, body []byte) (q libreRequest, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		return q, unmarshal(body, &q, false)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	err = r.ParseForm()
	if kind == "multipart/form-data" {
		err = r.ParseMultipartForm(int64(len(body)))
	}
	if err != nil {
		return q, failf(http.StatusBadRequest, "invalid form: %s", userInput(err.Error()))
	}
	fields, _ := fieldsOf(&q)
	for name, values := range r.Form {
		switch {
		case !utf8.ValidString(strings.Join(values, "")):
			return q, failf(http.StatusBadRequest, "the form is not UTF-8")
		case fields[name] != nil && len(values) > 1:
			return q, duplicate(name)
		}
	}
	if text := r.Form.Get("q"); text != "" {
		// Forms have CRLF at the ends of lines.
		q.Q.list = []string{strings.ReplaceAll(text, "\r\n", "\n")}
	}
	q.Source, q.Target, q.Format, q.Key = r.Form.Get("source"), r.Form.Get("target"), r.Form.Get("format"), r.Form.Get("api_key")
	alternatives := []byte(r.Form.Get("alternatives"))
	if q.Alternatives.UnmarshalJSON(alternatives) != nil {
		return q, mismatch("alternatives", alternatives, expected(&q.Alternatives))
	}
	return q, nil
}

// libreKey is the [bodyKey] of LibreTranslate's interface. It decodes nothing else of JSON: who has no key is refused
// for the price of scanning the body.
func libreKey(r *http.Request, body []byte) (key string, err error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		q, err := readLibre(r, body)
		return q.Key, err
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))
	if begin, _ := d.ReadToken(); begin.Kind() != '{' {
		return "", nil
	}
	for err == nil && d.PeekKind() == '"' {
		name, _ := d.ReadToken()
		if name.String() != "api_key" {
			err = d.SkipValue()
		} else if value, _ := d.ReadToken(); value.Kind() == '"' {
			return value.String(), nil
		}
	}
	return "", nil
}

func missing(parameter string) error {
	return failf(http.StatusBadRequest, "Invalid request: missing %s parameter", parameter)
}

// hasText reports whether there is a text, which in a list may be empty.
func (q libreRequest) hasText() bool { return len(q.Q.list) > 0 && (q.Q.many || q.Q.list[0] != "") }

// checkLibre checks a request and returns the number of translations that it asks for, or of those that the limit of
// characters allows.
func (s *Server) checkLibre(q libreRequest) (nBest int, err error) {
	switch {
	case !q.hasText():
		return 0, missing("q")
	case q.Source == "":
		return 0, missing("source")
	case q.Target == "":
		return 0, missing("target")
	}
	if q.Format != "" && q.Format != "text" && q.Format != "html" {
		return 0, failf(http.StatusBadRequest, "%.20s format is not supported", userInput(q.Format))
	}
	if int(q.Alternatives) >= s.options.MaxBeam {
		return 0, failf(http.StatusBadRequest, "Invalid request: alternatives parameter must be <= %d", s.options.MaxBeam-1)
	}
	nBest = 1 + max(0, int(q.Alternatives))
	most := s.options.MaxCharacters / max(1, characters(q.Q.list))
	return max(1, min(nBest, most)), overLimit(s.checkTexts(q.Q, 1))
}

// overLimit returns an error about a limit with words by which clients know it.
func overLimit(err error) error {
	if err != nil {
		err = failf(http.StatusBadRequest, "Invalid request: exceeds text limit: %v", err)
	}
	return err
}

// pairs returns the translators whose languages are known, see current.
func (s *Server) pairs() []*translator {
	return slices.DeleteFunc(s.current(), func(t *translator) bool { return t.source == "" || t.target == "" })
}

// pair returns the name of the first model for a pair of languages, empty if both are the same.
func (s *Server) pair(source, target string) (model string, err error) {
	var known []string // languages
	for _, p := range s.pairs() {
		known = append(known, p.source, p.target)
		if p.source == source && p.target == target {
			model = cmp.Or(model, p.name)
		}
	}
	switch {
	case !slices.Contains(known, source):
		return "", failf(http.StatusBadRequest, "%.20s is not supported", userInput(source))
	case !slices.Contains(known, target):
		return "", failf(http.StatusBadRequest, "%.20s is not supported", userInput(target))
	case source == target:
		return "", nil
	case model == "":
		return "", failf(http.StatusBadRequest, "%s (%s) is not available as a target language from %s (%s)",
			languageName(target), target, languageName(source), source)
	}
	return model, nil
}

func languageName(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	return display.English.Languages().Name(tag)
}

type libreLanguage struct {
	Code    string   `json:"code"`
	Name    string   `json:"name"`
	Targets []string `json:"targets"`
}

func (s *Server) languages(w http.ResponseWriter, _ *http.Request) error {
	list := []libreLanguage{}
	place := func(code string) *libreLanguage {
		i := slices.IndexFunc(list, func(l libreLanguage) bool { return l.Code == code })
		if i < 0 {
			i, list = len(list), append(list, libreLanguage{code, languageName(code), []string{}})
		}
		return &list[i]
	}
	for _, p := range s.pairs() {
		place(p.source)
		place(p.target)
		if l := place(p.source); !slices.Contains(l.Targets, p.target) {
			l.Targets = append(l.Targets, p.target)
		}
	}
	return writeJSON(w, http.StatusOK, list)
}

// libreSpec returns what is at /spec. Clients read in its title whether a server has the interface of
// LibreTranslate.
func libreSpec() ([]byte, error) {
	var d map[string]any
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, err
	}
	d["info"] = map[string]any{"title": "LibreTranslate", "version": "1", "description": "The interface of LibreTranslate, as rnnsearch serve has it."}
	maps.DeleteFunc(d["paths"].(map[string]any), func(path string, _ any) bool { return !isLibre(path) })
	return json.Marshal(d)
}

// libreSettings is what LibreTranslate's own page reads about a server.
type libreSettings struct {
	CharLimit            int      `json:"charLimit"`
	FrontendTimeout      int      `json:"frontendTimeout"` // milliseconds after typing
	APIKeys              bool     `json:"apiKeys"`
	KeyRequired          bool     `json:"keyRequired"`
	Suggestions          bool     `json:"suggestions"`
	FilesTranslation     bool     `json:"filesTranslation"`
	SupportedFilesFormat []string `json:"supportedFilesFormat"`
	Language             struct {
		Source libreDefault `json:"source"`
		Target libreDefault `json:"target"`
	} `json:"language"`
}

type libreDefault struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

func (s *Server) frontendSettings(w http.ResponseWriter, _ *http.Request) error {
	keys := s.options.Keys != nil
	settings := libreSettings{
		CharLimit: s.options.MaxCharacters, FrontendTimeout: 500,
		APIKeys: keys, KeyRequired: keys, FilesTranslation: true, SupportedFilesFormat: markup.Extensions(),
	}
	if pairs := s.pairs(); len(pairs) > 0 {
		settings.Language.Source = libreDefault{pairs[0].source, languageName(pairs[0].source)}
		settings.Language.Target = libreDefault{pairs[0].target, languageName(pairs[0].target)}
	}
	return writeJSON(w, http.StatusOK, settings)
}
