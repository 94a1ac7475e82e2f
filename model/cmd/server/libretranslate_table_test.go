package server

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLibreTranslateTable sends the requests of clients: libretranslatepy 2.1.4; libretranslate 1.0.1 of npm;
// Dialect 2.1.1 of Debian; LibreTranslate's own page; and what LibreTranslate's documentation has beside. Each row of
// the table in README.md has some.
func TestLibreTranslateTable(t *testing.T) {
	s := newServer(t, nil)
	keyed := newServer(t, func(o *Options) { o.Keys = func() ([]Key, error) { return []Key{{Secret: "one"}}, nil } })
	long := newServer(t, func(o *Options) { o.MaxCharacters = 5 })
	exact := newServer(t, func(o *Options) { o.MaxCharacters = len("the dog sleeps") })
	const (
		json   = "application/json"
		dog    = `{"translatedText":"le chien dort dans le jardin"`
		listed = `[{"code":"en","name":"English","targets":["fr"]},{"code":"fr","name":"French","targets":[]}]`
		html   = `{"translatedText":"\u003cp\u003ele chien dort dans le jardin\u003c/p\u003e"`
	)
	type request struct{ row, method, path, kind, body, want string }
	rows := map[string]bool{}
	var file string // the last one that was translated
	for _, client := range []struct {
		name     string
		server   *Server
		requests []request
	}{
		{"libretranslatepy", s, []request{
			{"/translate q", "POST", "/translate", formType, "q=the+dog+sleeps&source=en&target=fr", "200 " + dog},
			{"/translate source", "POST", "/translate", formType, "q=the+dog+sleeps&source=auto&target=fr", "200 " + dog + `,"detectedLanguage":{"confidence":76.63,"language":"en"}}`},
			{"/detect", "POST", "/detect", formType, "q=the+dog+sleeps", `200 [{"confidence":76.63,"language":"en"},{"confidence":23.37,"language":"fr"}]`},
			{"/languages", "GET", "/languages", formType, "", "200 " + listed},
			{"/languages", "GET", "/languages", formType, "api_key=one", "200 " + listed},
		}},
		{"libretranslatepy with a key", keyed, []request{
			{"/translate api_key", "POST", "/translate", formType, "q=the+dog+sleeps&source=en&target=fr&api_key=one", "200 " + dog},
			{"/translate api_key", "POST", "/translate", formType, "q=the+dog+sleeps&source=en&target=fr&api_key=two", `403 {"error":"Invalid API key"`},
			{"/translate api_key", "POST", "/translate", formType, "q=the+dog+sleeps&source=en&target=fr", `401 {"error":"missing API key: `},
			{"/detect api_key", "POST", "/detect", formType, "q=the+dog+sleeps&api_key=one", `200 [{"confidence":76.63,"language":"en"},{"confidence":23.37,"language":"fr"}]`},
			{"/detect api_key", "POST", "/detect", formType, "q=the+dog+sleeps", `401 {"error":"missing API key: `},
		}},
		{"npm", s, []request{
			{"/languages", "GET", "/languages", json, "", "200 " + listed},
			{"/translate format", "POST", "/translate", json, `{"q":"the dog sleeps","source":"en","target":"fr","format":"text","apiKey":""}`, "200 " + dog + "}"},
		}},
		{"Dialect", s, []request{
			{"/spec", "GET", "/spec", "", "", `200 {"components":`},
			{"/frontend/settings", "GET", "/frontend/settings", "", "", `200 {"charLimit":10000,"frontendTimeout":500,"apiKeys":false,"keyRequired":false,"suggestions":false,"filesTranslation":true,"supportedFilesFormat":[".txt",".html",".htm",".xhtml",".md",".markdown",".srt",".vtt",".po",".pot",".xlf",".xliff"],"language":{"source":{"code":"en","name":"English"},"target":{"code":"fr","name":"French"}}}`},
			{"/translate target", "POST", "/translate", json, `{"q":"the dog sleeps","source":"en","target":"fr"}`, "200 " + dog + "}"},
			{"/translate target", "POST", "/translate", json, `{"q":"hello","source":"en","target":"es","api_key":"x"}`, `400 {"error":"es is not supported"`},
			{"/suggest", "POST", "/suggest", json, `{"q":"the dog","source":"en","target":"fr","s":"un chien"}`, `403 {"error":"Suggestions are disabled on this server."`},
		}},
		{"Dialect with long texts", long, []request{
			{"/translate q", "POST", "/translate", json, `{"q":"the dog sleeps","source":"en","target":"fr"}`, `400 {"error":"Invalid request: exceeds text limit: `},
			{"/detect", "POST", "/detect", json, `{"q":"the dog sleeps"}`, `400 {"error":"Invalid request: exceeds text limit: `},
		}},
		{"page", s, []request{
			{"/translate secret", "POST", "/translate", "form", "q=the dog sleeps&source=en&target=fr&format=html&alternatives=0&api_key=&secret=x", "200 " + dog},
			{"/translate alternatives", "POST", "/translate", "form", "q=the dog sleeps&source=en&target=fr&format=text&alternatives=3&api_key=", "200 " + dog + `,"alternatives":["le chien `},
			{"/translate alternatives", "POST", "/translate", "form", "q=a&source=en&target=fr&alternatives=20", `400 {"error":"Invalid request: alternatives parameter must be \u003c= 19"`},
			{"/translate_file file", "POST", "/translate_file", "a.srt", "1\n00:00:01,000 --> 00:00:02,000\nthe dog sleeps\n", `200 {"translatedFileUrl":"http://example.com/download_file/`},
			{"/download_file/NAME", "GET", "{file}", "", "", "200 1\n00:00:01,000 --> 00:00:02,000\nle chien dort dans le jardin\n"},
			{"/translate_file file", "POST", "/translate_file", "a.pdf", "%PDF", `400 {"error":"Invalid request: file format not supported"`},
			{"/suggest", "POST", "/suggest", "form", "q=the dog&s=un chien&source=en&target=fr&api_key=", "403 "},
			{"/health", "GET", "/health", "", "", `200 {"status":"ok"}`},
			{"/metrics", "GET", "/metrics", "", "", "200 # HELP "},
			{"/docs", "GET", "/docs", "", "", "404 "},
			{"/js/app.js", "GET", "/js/app.js", "", "", "404 "},
		}},
		{"page with a text as long as charLimit", exact, []request{
			{"/translate alternatives", "POST", "/translate", "form", "q=the dog sleeps&source=en&target=fr&format=text&alternatives=3&api_key=", "200 " + dog + `,"alternatives":[]}`},
			{"/translate alternatives", "POST", "/translate", json, `{"q":["",""],"source":"en","target":"fr","alternatives":3}`, `200 {"translatedText":["",""],"alternatives":[[],[]]}`},
			{"/translate q", "POST", "/translate", json, `{"q":["the dog sleeps","a"],"source":"en","target":"fr"}`, `400 {"error":"Invalid request: exceeds text limit: `},
		}},
		{"documentation", s, []request{
			{"/translate format", "POST", "/translate", json, `{"q":"<p>the dog sleeps</p>","source":"en","target":"fr","format":"html"}`, "200 " + html},
			{"/translate format", "POST", "/translate", json, `{"q":"a","source":"en","target":"fr","format":"xml"}`, `400 {"error":"xml format is not supported"`},
			{"/translate q", "POST", "/translate", json, `{"q":["the dog sleeps"],"source":"auto","target":"fr"}`, `200 {"translatedText":["le chien dort dans le jardin"],"detectedLanguage":[{"confidence":76.63,"language":"en"}]}`},
			{"/translate q", "POST", "/translate", json, `{"source":"en","target":"fr"}`, `400 {"error":"Invalid request: missing q parameter"`},
			{"/translate source", "POST", "/translate", json, `{"q":"le chien","source":"auto","target":"fr"}`, `200 {"translatedText":"le chien","detectedLanguage":{"confidence":58.6,"language":"fr"}}`},
			{"/detect", "POST", "/detect", json, `{"q":["the dog","the cat"]}`, `200 [{"confidence":85.24,"language":"en"},{"confidence":14.76,"language":"fr"}]`},
			{"/detect", "POST", "/detect", json, `{}`, `400 {"error":"Invalid request: missing q parameter"`},
			{"/detect", "GET", "/detect", "", "", "405 "},
			{"/translate_file api_key", "POST", "/translate_file", "a.txt", "the dog", `200 {"translatedFileUrl":"`},
			{"/translate_file source", "POST", "/translate_file", json, `{"source":"en","target":"fr"}`, `400 {"error":"Invalid request: missing file parameter"`},
			{"/download_file/NAME", "GET", "/download_file/a.txt", "", "", "404 "},
		}},
	} {
		for _, r := range client.requests {
			rows[r.row] = true
			body, kind := r.body, r.kind
			switch {
			case kind == "form": // as FormData of browsers
				fields := map[string]string{}
				for field := range strings.SplitSeq(body, "&") {
					name, value, _ := strings.Cut(field, "=")
					fields[name] = value
				}
				body, kind = multipartForm(t, fields)
			case strings.HasPrefix(kind, "a."):
				body, kind = upload(t, kind, body, "source", "en", "target", "fr", "api_key", "")
			}
			w := ask(client.server, r.method, strings.Replace(r.path, "{file}", file, 1), body, "Content-Type", kind)
			if got := strings.TrimPrefix(w.Result().Status, " ")[:4] + w.Body.String(); !strings.HasPrefix(got, r.want) {
				t.Errorf("%s: %s %s %s: got %s, want %s", client.name, r.method, r.path, r.body, got, r.want)
			}
			if _, name, ok := strings.Cut(w.Body.String(), downloads); ok {
				file = downloads + strings.TrimSuffix(name, "\"}\n")
			}
		}
	}
	if info := decoded(t, ask(s, "GET", "/spec", "").Body.String()).(map[string]any)["info"]; info.(map[string]any)["title"] != "LibreTranslate" {
		t.Errorf("Dialect does not know the server by %v", info)
	}

	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "| of LibreTranslate |")
	table, _, _ = strings.Cut(table, "\n\n")
	described := map[string]string{} // rows, by path
	for _, row := range regexp.MustCompile("(?m)^\\| `(?:GET|POST) (/[^`]*)` \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		described[row[1]] = row[2]
	}
	for row := range rows {
		path, field, _ := strings.Cut(row, " ")
		if text, ok := described[path]; !ok || field != "" && !strings.Contains(text, "`"+field+"`") {
			t.Errorf("the table lacks %q", row)
		}
	}
	for path := range described {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(rows)), func(row string) bool { return strings.HasPrefix(row+" ", path+" ") }) {
			t.Errorf("the table has %q, which no request has", path)
		}
	}
}
