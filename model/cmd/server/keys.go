package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"

	"github.com/softsearch-go/softsearch/model"
)

// A keyring knows the keys of clients by their hashes, so that comparisons take the same time.
type keyring [][sha256.Size]byte

// loadKeys reads the keys. If there is an error, those before stay.
func (s *Server) loadKeys() error {
	if s.options.Keys == nil {
		return nil
	}
	keys, err := s.options.Keys()
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("%w: no API key, expected at least one", model.ErrConfig)
	}
	if err != nil {
		return err
	}
	var ring keyring
	for _, key := range keys {
		ring = append(ring, sha256.Sum256([]byte(key)))
	}
	s.keys.Store(&ring)
	return nil
}

// checkKey returns an error unless the key is one of those of the server or it has none.
func (s *Server) checkKey(key string) error {
	if s.options.Keys == nil {
		return nil
	}
	hash, found := sha256.Sum256([]byte(key)), 0
	for _, known := range *s.keys.Load() {
		found |= subtle.ConstantTimeCompare(known[:], hash[:])
	}
	if found == 0 {
		return failf(http.StatusForbidden, "invalid API key")
	}
	return nil
}

// keyOf returns the key in the headers of a request.
func keyOf(r *http.Request) string {
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return r.Header.Get("X-API-Key")
}
