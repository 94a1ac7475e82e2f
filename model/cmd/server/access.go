package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model"
)

// A keyring knows the keys of clients by their hashes, so that comparisons take the same time.
type keyring []struct {
	name string
	hash [sha256.Size]byte
}

// loadKeys reads the keys. After an error, the old ones stay.
func (s *Server) loadKeys() error {
	if s.options.Keys == nil {
		return nil
	}
	keys, err := s.options.Keys()
	switch {
	case err != nil:
	case len(keys) == 0:
		err = fmt.Errorf("%w: no API key, expected at least one", model.ErrConfig)
	case slices.ContainsFunc(keys, func(key Key) bool { return key.Secret == "" || strings.ContainsFunc(key.Secret, isUnsendable) }):
		err = fmt.Errorf("%w: API key that is empty, or has a character that no request can send in a header, such as a byte order mark", model.ErrConfig)
	}
	if err != nil {
		return err
	}
	ring := make(keyring, len(keys))
	for i, key := range keys {
		ring[i].name, ring[i].hash = key.Name, sha256.Sum256([]byte(key.Secret))
	}
	s.keys.Store(&ring)
	s.requests.divide(1)
	if slices.ContainsFunc(keys, func(key Key) bool { return key.Name != keys[0].Name }) {
		s.requests.divide(requestParts)
	}
	return nil
}

// isUnsendable reports whether a character of a key is not one of HTTP headers, or of JSON.
func isUnsendable(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }

// checkKey notes whose request w answers. It returns an error unless the server knows the key or needs none.
func (s *Server) checkKey(w *recorder, key string) error {
	switch {
	case s.options.Keys == nil:
		return nil
	case key == "":
		return failf(http.StatusUnauthorized, "missing API key: send one that the operator of this server gave you")
	}
	hash, found := sha256.Sum256([]byte(key)), false
	for _, known := range *s.keys.Load() {
		if subtle.ConstantTimeCompare(known.hash[:], hash[:]) == 1 {
			w.key, found = known.name, true
		}
	}
	if !found {
		return failf(http.StatusForbidden, "Invalid API key")
	}
	return nil
}

// keyOf returns the key in the header of a request, empty if there is none.
func keyOf(r *http.Request) string {
	if scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	return r.Header.Get("X-API-Key")
}

// A bodyKey returns the key in the body of a request, empty if there is none.
type bodyKey func(r *http.Request, body []byte) (string, error)

// named returns a handler that refuses requests for hosts other than localhost and Options.Hosts, if
// there are some or the server listens at a loopback address. Otherwise a page elsewhere could have its
// own name lead to this machine, and would be of the server's origin.
func (s *Server) named(next http.Handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if (s.local.Load() || len(s.options.Hosts) > 0) && !s.answersTo(r.Host) {
			return failf(http.StatusMisdirectedRequest, "host %.100q: not a name that the operator gave this server", userInput(r.Host))
		}
		next.ServeHTTP(w, r)
		return nil
	}
}

// answersTo reports whether a host, with or without a port, is localhost or one of Options.Hosts.
func (s *Server) answersTo(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(host, ".")
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost") ||
		slices.ContainsFunc(s.options.Hosts, func(known string) bool { return strings.EqualFold(host, known) })
}

// anyOrigin stands for all origins in Options.Origins.
const anyOrigin = "*"

// openPaths belong to LibreTranslate's interface, which pages of all origins may use.
var openPaths = []string{"/translate", "/translate_file", "/detect", "/languages", "/frontend/settings", "/suggest", "/health", "/spec"}

// isLibre reports whether a path is one of LibreTranslate's interface.
func isLibre(path string) bool {
	return slices.Contains(openPaths, path) || strings.HasPrefix(path, downloads)
}

// protected returns a handler that refuses requests of pages of other origins, but for open paths
// and the origins of the options.
func (s *Server) protected(next http.Handler) (http.Handler, error) {
	protection := http.NewCrossOriginProtection()
	for _, origin := range s.options.Origins {
		if origin == anyOrigin {
			protection.AddInsecureBypassPattern("/")
		} else if err := protection.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("%w: %w", model.ErrConfig, err)
		}
	}
	for _, path := range openPaths {
		protection.AddInsecureBypassPattern(path)
	}
	protection.SetDenyHandler(handler(func(_ http.ResponseWriter, r *http.Request) error {
		return failf(http.StatusForbidden, "origin %.100q: not one that this server trusts", r.Header.Get("Origin"))
	}))
	return s.shared(protection.Handler(next)), nil
}

// shared answers preflight requests and allows the pages of other origins to read answers.
func (s *Server) shared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		header.Set("Access-Control-Expose-Headers", requestID)
		trusted := slices.Contains(s.options.Origins, anyOrigin) || isLibre(r.URL.Path)
		switch {
		case trusted:
			header.Set("Access-Control-Allow-Origin", anyOrigin)
		case slices.Contains(s.options.Origins, origin):
			trusted = true
			header.Set("Access-Control-Allow-Origin", origin)
			header.Add("Vary", "Origin")
		}
		if trusted && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			header.Set("Access-Control-Allow-Methods", "GET, POST")
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, "+requestID)
			header.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}
