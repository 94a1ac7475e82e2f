// Package server translates over HTTP: for people on a page that shows what a model attends to, for
// programs by the interface of LibreTranslate, and by one that has n-best lists, scores, alignments,
// trees of beams and streams. GET /openapi.json describes all of it.
//
//	s, err := server.New(server.Options{Models: []server.Model{{Name: "en-fr", Open: open}}})
//	defer s.Close()
//	err = http.ListenAndServe("127.0.0.1:8080", s)
//
// A [Server] is an [http.Handler], and expects to be the root of a host: a handler elsewhere needs
// [http.StripPrefix]. An [Endpoint] listens for it, with TLS and a limit of connections, and ends when
// the requests are answered. The command rnnsearch serve is this package with flags.
//
// # From a request to its translation
//
// ServeHTTP passes a request through four wrappers: recorded (log.go) logs and counts it, named and
// protected (access.go) check its host and origin, and limited (limits.go) checks its key and reads
// its body within the limits. The handler that routes (server.go) names for its path, in v1.go,
// libretranslate.go or a file of its own, decodes it with unmarshal (json.go) into a request, and
// Server.search (search.go) does the rest: it takes a translator from models.go, which a reload
// may replace meanwhile, divides texts into sentences, reads them within the limits, takes memory for the
// answer, and gives the sentences to the [decode.Translator] of the model, which all its requests share.
// Sentences that are there at the same time are translated together, which changes no answer. Package api
// describes the result, token by token, package markup puts it back between the tags of HTML, and writeJSON
// sends it. A client that leaves ends its work. An error ends in recorder.fail (json.go), which answers
// {"error": "…", "request_id": "…"} with a status: a request is answered whole or not at all.
//
// # Limits
//
// Every field of a request that costs time or memory has a limit in [Options]. Requests above
// Options.MaxRequests get status 429 and a time after which to try again, and so do those for which
// Options.MaxMemory, the bytes of requests and answers, has no room. Searches take at most
// Options.Decoding.Memory for each model. A client that sends or reads too slowly is cut off after
// Options.ReadTimeout or Options.WriteTimeout, which work where the connection has deadlines, as those
// of net/http do. Headers and connections are the business of an [Endpoint], or of another
// [http.Server], which should have a ReadHeaderTimeout.
package server
