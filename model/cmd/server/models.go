package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A served model has a translator, which a reload replaces while requests use it.
type served struct {
	Model
	decoding decode.Options
	maxBeam  int
	open     *sync.WaitGroup // translators that are not closed

	mutex   sync.Mutex
	current *translator // nil at the end
	closed  bool
}

// A translator translates with one version of a model. It is closed when another one has
// replaced it and no request uses it.
type translator struct {
	*decode.Translator
	models         []*model.Model // one, or an ensemble
	name           string
	source, target string       // language codes, or empty
	search         model.Search // with the options of the server
	longest        int          // bytes in JSON of a word of the target vocabulary
	reads, writes  model.Unigrams
	served         *served
	users          int // requests, and served; guarded by served.mutex
}

// load opens the model and makes it the current one. If there is an error, the old one stays.
func (s *served) load() error {
	models, err := s.Open()
	if err != nil {
		return fmt.Errorf("model %s: %w", s.Name, err)
	}
	t, err := s.translator(models)
	if err != nil {
		return fmt.Errorf("model %s: %w", s.Name, err)
	}
	if !s.replace(t) {
		t.Close()
		return decode.ErrClosed
	}
	return nil
}

func (s *served) translator(models []*model.Model) (*translator, error) {
	if len(models) == 0 {
		return nil, fmt.Errorf("%w: no model, expected at least one", model.ErrConfig)
	}
	m := models[0]
	if m.Source == nil || m.Target == nil {
		return nil, fmt.Errorf("%w: model without vocabularies, expected both", model.ErrConfig)
	}
	t := &translator{models: models, name: s.Name, served: s, users: 1}
	t.reads, t.writes = model.NewUnigrams(m.SourceText, m.Source), model.NewUnigrams(m.TargetText, m.Target)
	for _, word := range m.Target.Words() {
		t.longest = max(t.longest, inJSON(word))
	}
	var err error
	if t.source, err = agreed("source", s.Source, m.SourceText.Language()); err != nil {
		return nil, err
	}
	if t.target, err = agreed("target", s.Target, m.TargetText.Language()); err != nil {
		return nil, err
	}
	o := s.decoding
	if t.search = m.Search; o.Normalization != nil {
		t.search.Normalization = *o.Normalization
	}
	if o.Prune != 0 {
		t.search.Prune = min(o.Prune, math.MaxFloat64) // JSON has no infinity
	}
	t.search.Beam = min(cmp.Or(o.Beam, m.Search.Beam, 5), s.maxBeam)
	o.Beam, o.Ensemble = t.search.Beam, models[1:]
	if t.Translator, err = decode.New(m, o); err != nil {
		return nil, err
	}
	return t, nil
}

// agreed returns the code for a side of a model, from the code in the options and the model's own. Either may be missing.
func agreed(side, given, own string) (string, error) {
	if own == "other" { // a pipeline for languages without rules of their own
		own = ""
	}
	if given != "" && own != "" && given != own {
		return "", fmt.Errorf("%w: the %s language is %s, expected %s", model.ErrConfig, side, own, given)
	}
	return cmp.Or(given, own), nil
}

// replace makes t the current translator, nil at the end, and releases the one before. It reports false after the end,
// which t may be late for.
func (s *served) replace(t *translator) bool {
	s.mutex.Lock()
	before, late := s.current, s.closed
	switch {
	case late: // there is none
	case t == nil:
		s.current, s.closed = nil, true
	default:
		s.current = t
		s.open.Add(1)
	}
	s.mutex.Unlock()
	if before != nil {
		before.release()
	}
	return !late
}

// acquire returns the current translator, which the caller must release, or decode.ErrClosed.
func (s *served) acquire() (*translator, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.current == nil {
		return nil, decode.ErrClosed
	}
	s.current.users++
	return s.current, nil
}

// current returns the translators of the models that are not closed. They may be closed any time: the caller reads only
// what they are.
func (s *Server) current() (list []*translator) {
	for _, m := range s.models {
		if t, err := m.acquire(); err == nil {
			list = append(list, t)
			t.release()
		}
	}
	return list
}

// beam returns the beam of requests for a model that set none.
func (s *Server) beam(name string) int {
	for _, t := range s.current() {
		if name == "" || t.name == name {
			return t.search.Beam
		}
	}
	return 1 // the request fails
}

func (t *translator) release() {
	t.served.mutex.Lock()
	t.users--
	last := t.users == 0
	t.served.mutex.Unlock()
	if last {
		t.Close()
		t.served.open.Done()
	}
}

// first returns the first model, which has the vocabularies and pipelines of all.
func (t *translator) first() *model.Model { return t.models[0] }

// about returns what the first line of a log says: the models, and how much memory they and requests take.
func (s *Server) about() []slog.Attr {
	var models []string
	var weights int64
	for _, t := range s.current() {
		i, languages := t.info(), ""
		if i.Source != "" && i.Target != "" {
			languages = fmt.Sprintf(" from %s to %s", languageName(i.Source), languageName(i.Target))
		}
		number := strconv.FormatInt(i.Parameters, 10)
		if i.Parameters >= 1e6 {
			number = fmt.Sprintf("%.1f million", float64(i.Parameters)/1e6)
		}
		models = append(models, fmt.Sprintf("%s%s with %s weights of %s", i.Name, languages, number, i.Weights))
		for _, m := range t.models {
			weights += m.Config.ParameterBytes()
		}
	}
	const mebi = 1 << 20
	o := s.options
	searches := int64(len(s.models)) * cmp.Or(o.Decoding.Memory, 2<<30)
	return []slog.Attr{
		slog.String("models", strings.Join(models, ", ")),
		slog.String("memory", fmt.Sprintf("%.1f MiB of weights, at most %d MiB for searches, %d MiB for requests and answers, %d MiB for translated files",
			float64(weights)/mebi, searches/mebi, o.MaxMemory/mebi, s.files.limit/mebi)),
	}
}

// find returns the translator of the model with that name, by default the first, for a request whose
// answer is w. The caller must release it.
func (s *Server) find(w http.ResponseWriter, name string) (*translator, error) {
	for _, m := range s.models {
		if name == "" || m.Name == name {
			w.(*recorder).model = m.Name
			return m.acquire()
		}
	}
	return nil, failf(http.StatusNotFound, "model %.120q: not on this server, see /v1/models", userInput(name))
}

type modelList struct {
	Version string      `json:"version"` // of the server
	Models  []modelInfo `json:"models"`
	Default string      `json:"default"`
	Beam    int         `json:"beam"` // of requests for the default that set none
	Limits  limitsInfo  `json:"limits"`
}

type modelInfo struct {
	Name       string   `json:"name"`
	Source     string   `json:"source"`
	Target     string   `json:"target"`
	Kind       string   `json:"kind"`
	Parameters int64    `json:"parameters"` // of all models of an ensemble
	Weights    string   `json:"weights"`
	Models     int      `json:"models"`
	Alignments bool     `json:"alignments"`
	Examples   []string `json:"examples,omitempty"`

	Search model.Search `json:"search"` // of requests that do not say
}

type limitsInfo struct {
	Beam       int   `json:"beam"`
	Texts      int   `json:"texts"`
	Characters int   `json:"characters"`
	Words      int   `json:"words"`
	Body       int64 `json:"body"`
	Key        bool  `json:"key"` // requests need an API key
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	o := s.options
	list := modelList{
		Version: o.Version, Default: s.models[0].Name, Beam: s.beam(""),
		Limits: limitsInfo{o.MaxBeam, o.MaxTexts, o.MaxCharacters, o.MaxWords, o.MaxBody, o.Keys != nil},
	}
	for _, t := range s.current() {
		list.Models = append(list.Models, t.info())
	}
	if len(list.Models) < len(s.models) {
		return decode.ErrClosed
	}
	return writeJSON(w, http.StatusOK, list)
}

func (t *translator) info() modelInfo {
	i := modelInfo{
		Name: t.name, Source: t.source, Target: t.target, Kind: string(t.first().Config.Kind),
		Weights: "float32", Models: len(t.models), Alignments: slices.ContainsFunc(t.models, (*model.Model).HasAlignments),
		Examples: t.served.Examples, Search: t.search,
	}
	for _, m := range t.models {
		i.Parameters += m.Config.NumParameters()
		if m.Config.Weights == model.Int8 {
			i.Weights = "int8"
		}
	}
	return i
}

// A reload reads one thing again, a model or the keys, and logs what has come of it.
type reload func() error

// newReload returns a reload that calls load, whose log calls it what. Calls wait for each other, but
// not for other reloads: the file of one may be on a disk that does not answer.
func (s *Server) newReload(what string, load func() error, attributes ...any) reload {
	var mutex sync.Mutex
	return func() error {
		mutex.Lock()
		defer mutex.Unlock()
		if s.closed.Load() {
			return decode.ErrClosed
		}
		err := load()
		if err != nil {
			s.log.Error(what+" not reloaded, the old one stays", append(attributes, "error", err)...)
		} else {
			s.log.Info(what+" reloaded", attributes...)
		}
		return err
	}
}

// reloadOn opens all models and reads the keys again at each signal, until ctx ends. Signals during a reload
// begin it once more. Requests in progress keep the models that they have begun with, so both versions are in
// memory for a while. A model that cannot be opened stays as it is, and so do keys.
func (s *Server) reloadOn(ctx context.Context, signals ...os.Signal) {
	for _, reload := range s.reloads {
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, signals...)
		go func() {
			defer signal.Stop(arrived)
			for {
				select {
				case <-arrived:
					reload() // it logs errors
				case <-ctx.Done():
					return
				}
			}
		}()
	}
}
