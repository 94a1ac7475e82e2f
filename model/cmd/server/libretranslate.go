package server

import "net/http"

func (s *Server) libreTranslate(w http.ResponseWriter, r *http.Request) error {
	return failf(http.StatusNotImplemented, "not there yet")
}

func (s *Server) languages(w http.ResponseWriter, r *http.Request) error {
	return failf(http.StatusNotImplemented, "not there yet")
}

func (s *Server) frontendSettings(w http.ResponseWriter, r *http.Request) error {
	return failf(http.StatusNotImplemented, "not there yet")
}
