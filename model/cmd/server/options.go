package server

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// Options configure a [Server]. Zeros stand for the defaults.
type Options struct {
	Models []Model // at least one; the first is the default of requests

	// Decoding holds the options of the translators of all models. Its Beam, by default each model's own or 5, is
	// the one of requests that set none. NBest, NoAlignments and Ensemble must be zero: requests and models set them.
	Decoding decode.Options

	// Limits of a request. A request that exceeds one gets an error, and no part of it is translated.
	MaxBeam       int   // beam, n-best list and number of alternatives; 0 is 20
	MaxTexts      int   // texts, or sentences of texts that /v1 splits; 0 is 256
	MaxCharacters int   // Unicode characters of all texts, times n of an n-best list, plus the beam for a tree, or n of alternatives; 0 is 10,000
	MaxWords      int   // words, or segments of them, of a sentence; 0 is 250
	MaxBody       int64 // bytes; 0 is 1 MiB

	MaxRequests int   // requests for translations that wait for the beginning of their answer, half of what others leave for one of several names of Keys; 0 is 256
	MaxMemory   int64 // bytes of all requests and answers, at least 128 times MaxBody; 0 is 1 GiB

	// ReadTimeout is the time for the body of a request, and WriteTimeout that for each part of an
	// answer that is written, such as an event of a stream. Zeros are 30 seconds.
	ReadTimeout, WriteTimeout time.Duration

	// Keys returns the API keys, at least one, of which requests for translations must have one.
	// An [Endpoint] calls it again at each SIGHUP. If it is nil, requests need no key.
	Keys func() ([]Key, error)

	// Hosts are the names, without ports, that requests may have in their Host header beside localhost and
	// loopback addresses. If there is none, requests may have any, but for an [Endpoint] that listens at a
	// loopback address.
	Hosts []string

	// Origins are origins of web pages elsewhere that may use /v1, such as https://example.org; "*" is
	// any. Pages of all origins may use the interface of LibreTranslate.
	Origins []string

	Logger  *slog.Logger // nil discards
	Version string       // of the program, for clients; empty is "(devel)"
}

// A Key is an API key. Log and metrics have the name of its client, if there is one, which several keys may share.
type Key struct{ Name, Secret string }

// A Model is a model, or an ensemble, to translate with.
type Model struct {
	Name string // letters, digits and ._:-

	// Source and Target are language codes of two or three letters, such as en. Empty ones are those
	// of the model, which must not have others. A pair without codes is not available to clients of
	// LibreTranslate.
	Source, Target string

	// Examples are texts that show what the model translates, for people who have none at hand.
	Examples []string

	// Open returns the model, or the models of an ensemble. An [Endpoint] calls it again at each
	// SIGHUP. It must be safe for concurrent use.
	Open func() ([]*model.Model, error)
}

var (
	nameSyntax     = regexp.MustCompile(`^[\pL\pN._:-]+$`)
	languageSyntax = regexp.MustCompile(`^([a-z]{2,3})?$`)
)

// withDefaults returns o with the defaults in place of zeros.
func (o Options) withDefaults() Options {
	o.MaxBeam = cmp.Or(o.MaxBeam, 20)
	o.MaxTexts = cmp.Or(o.MaxTexts, 256)
	o.MaxCharacters = cmp.Or(o.MaxCharacters, 10_000)
	o.MaxWords = cmp.Or(o.MaxWords, 250)
	o.MaxBody = cmp.Or(o.MaxBody, 1<<20)
	o.MaxRequests = cmp.Or(o.MaxRequests, 256)
	o.MaxMemory = cmp.Or(o.MaxMemory, 1<<30)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.Version = cmp.Or(o.Version, "(devel)")
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// check returns an error that wraps model.ErrConfig for options with defaults that cannot be used.
func (o Options) check() error {
	if len(o.Models) == 0 {
		return fmt.Errorf("%w: no model, expected at least one", model.ErrConfig)
	}
	names := map[string]bool{}
	for _, m := range o.Models {
		switch {
		case !nameSyntax.MatchString(m.Name) || utf8.RuneCountInString(m.Name) > 100:
			return fmt.Errorf("%w: model name %.120q, expected 1 to 100 letters, digits and ._:-", model.ErrConfig, m.Name)
		case names[m.Name]:
			return fmt.Errorf("%w: two models with the name %s, expected different names", model.ErrConfig, m.Name)
		case !languageSyntax.MatchString(m.Source) || !languageSyntax.MatchString(m.Target):
			return fmt.Errorf("%w: model %s: languages %.20q and %.20q, expected codes of two or three letters", model.ErrConfig, m.Name, m.Source, m.Target)
		case m.Open == nil:
			return fmt.Errorf("%w: model %s cannot be opened, expected a function", model.ErrConfig, m.Name)
		}
		names[m.Name] = true
	}
	for _, host := range o.Hosts {
		if _, _, err := net.SplitHostPort(host); err == nil || host == "" || strings.ContainsAny(host, "/ ") {
			return fmt.Errorf("%w: host %.120q, expected a name without port, such as example.org", model.ErrConfig, host)
		}
	}
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"beam", int64(o.MaxBeam)}, {"texts", int64(o.MaxTexts)}, {"characters", int64(o.MaxCharacters)},
		{"words", int64(o.MaxWords)}, {"body", o.MaxBody}, {"requests", int64(o.MaxRequests)},
		{"read timeout", int64(o.ReadTimeout)}, {"write timeout", int64(o.WriteTimeout)},
	} {
		if limit.value < 1 {
			return fmt.Errorf("%w: limit of %s is %d, expected at least 1", model.ErrConfig, limit.name, limit.value)
		}
	}
	d := o.Decoding
	switch {
	case o.MaxMemory/(memoryParts*perBodyByte) < o.MaxBody:
		return fmt.Errorf("%w: %d bytes of memory for bodies of %d, expected at least %d times as many", model.ErrConfig, o.MaxMemory, o.MaxBody, memoryParts*perBodyByte)
	case d.Beam > o.MaxBeam:
		return fmt.Errorf("%w: beam of %d, expected at most the limit of %d", model.ErrConfig, d.Beam, o.MaxBeam)
	case d.NBest != 0 || d.NoAlignments || d.Ensemble != nil:
		return fmt.Errorf("%w: decoding sets NBest, NoAlignments or Ensemble, expected none of them", model.ErrConfig)
	}
	return nil
}
