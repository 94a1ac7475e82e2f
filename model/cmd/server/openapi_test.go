package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
)

// An openDocument is what the tests read of openapi.json.
type openDocument struct {
	Paths map[string]map[string]struct {
		RequestBody struct{ Content map[string]openContent }
		Responses   map[string]struct {
			Ref     string `json:"$ref"`
			Content map[string]openContent
		}
	}
	Components struct{ Schemas map[string]*openSchema }
}

type openContent struct {
	Schema  *openSchema
	Example json.RawMessage
}

// An openSchema is a schema of the few kinds that openapi.json has.
type openSchema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Properties           map[string]*openSchema
	Required             []string
	AdditionalProperties bool
	Items                *openSchema
	OneOf                []*openSchema
	Enum                 []any
	Pattern              string
}

func readOpenAPI(t *testing.T) (d openDocument) {
	t.Helper()
	if err := json.Unmarshal(openAPI, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// check returns an error unless a value is one of the schema.
func (d openDocument) check(s *openSchema, v any) error {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		s = d.Components.Schemas[name]
		if s == nil {
			return fmt.Errorf("no schema %s", name)
		}
	}
	if s.OneOf != nil {
		fitting := slices.DeleteFunc(slices.Clone(s.OneOf), func(o *openSchema) bool { return d.check(o, v) != nil })
		if len(fitting) == 0 {
			return fmt.Errorf("%v is none of %d schemas", v, len(s.OneOf))
		}
		return nil
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%v is not one of %v", v, s.Enum)
	}
	kind := ""
	switch v := v.(type) {
	case string:
		kind = "string"
		if !regexp.MustCompile(s.Pattern).MatchString(v) {
			return fmt.Errorf("%q does not match %s", v, s.Pattern)
		}
	case bool:
		kind = "boolean"
	case float64:
		kind = "number"
		if s.Type == "integer" && v == math.Trunc(v) {
			kind = "integer"
		}
	case []any:
		kind = "array"
		for i, item := range v {
			if s.Items == nil {
				return fmt.Errorf("a list, expected %s", s.Type)
			}
			if err := d.check(s.Items, item); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	case map[string]any:
		kind = "object"
		for name, value := range v {
			switch {
			case s.Properties[name] != nil:
				if err := d.check(s.Properties[name], value); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			case s.Properties != nil && !s.AdditionalProperties:
				return fmt.Errorf("%s: not described", name)
			}
		}
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				return fmt.Errorf("%s: missing", name)
			}
		}
	}
	if kind != s.Type {
		return fmt.Errorf("%v is not of type %s", v, s.Type)
	}
	return nil
}

// TestOpenAPI sends the examples of openapi.json to their paths, and compares the answers, and those
// to requests that end in errors, with the schemas. Each path that the server has is described.
func TestOpenAPI(t *testing.T) {
	s := newServer(t, nil)
	d := readOpenAPI(t)
	file := translateFile(t, s, "a.txt", "the dog", "source", "en", "target", "fr")
	var described []string
	for path, methods := range d.Paths {
		for method, operation := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
			body, bodyType := string(operation.RequestBody.Content["application/json"].Example), "application/json"
			if form := operation.RequestBody.Content["multipart/form-data"].Example; form != nil {
				var f struct{ File, Source, Target string }
				if err := json.Unmarshal(form, &f); err != nil {
					t.Fatal(err)
				}
				body, bodyType = upload(t, "a.txt", f.File, "source", f.Source, "target", f.Target)
			}
			w := ask(s, strings.ToUpper(method), strings.Replace(path, downloads+"{name}", file, 1), body, "Content-Type", bodyType)
			kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
			content, ok := operation.Responses["200"].Content[kind]
			if !ok && w.Code == http.StatusForbidden && operation.Responses["403"].Ref != "" {
				continue
			}
			if w.Code != http.StatusOK || !ok {
				t.Errorf("%s %s: status %d and type %s", method, path, w.Code, kind)
				continue
			}
			if kind != "application/json" {
				continue
			}
			if err := d.check(content.Schema, decoded(t, w.Body.String())); err != nil {
				t.Errorf("%s %s: %v", method, path, err)
			}
		}
	}
	slices.Sort(described)
	patterns := append(slices.Collect(maps.Keys(s.routes())), "GET /", "GET /metrics")
	slices.Sort(patterns)
	if !slices.Equal(described, patterns) {
		t.Errorf("described are %q, the server has %q", described, patterns)
	}
	for _, e := range parseEvents(t, ask(s, "POST", "/v1/stream", `{"text": "the dog", "split": true}`).Body.String()) {
		name := map[string]string{"source": "Side", "token": "TokenEvent", "done": "Translation", "sentence": "Place", "end": "End"}[e.name]
		if err := d.check(d.Components.Schemas[name], decoded(t, e.data)); err != nil {
			t.Errorf("event %s: %v", e.name, err)
		}
	}
	for _, body := range []string{`{"text": "the dog", "tree": true, "beam": 3, "alignments": true}`, `{"text": ""}`, `{"text": "the dog\n", "split": true}`} {
		if err := d.check(d.Components.Schemas["TranslateAnswer"], decoded(t, ask(s, "POST", "/v1/translate", body).Body.String())); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{
		`{"q": "the dog", "source": "auto", "target": "fr", "alternatives": 1}`, `{"q": ["the dog"], "source": "auto", "target": "fr", "alternatives": 1}`,
	} {
		if err := d.check(d.Components.Schemas["LibreAnswer"], decoded(t, ask(s, "POST", "/translate", body).Body.String())); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	if err := d.check(d.Components.Schemas["Error"], decoded(t, ask(s, "POST", "/v1/translate", "{}").Body.String())); err != nil {
		t.Errorf("error: %v", err)
	}
}

// TestOpenAPIFields compares the properties of schemas with the fields of the Go types.
func TestOpenAPIFields(t *testing.T) {
	d := readOpenAPI(t)
	for name, v := range map[string]any{
		"Token": api.Token{}, "Word": api.Word{}, "Side": api.Side{}, "Translation": api.Translation{}, "Node": node{}, "Translated": translated{},
		"TranslateRequest": translateRequest{}, "TranslateAnswer": translateAnswer{}, "StreamRequest": streamRequest{}, "End": endEvent{}, "TokenEvent": tokenEvent{},
		"AlternativesRequest": alternativesRequest{}, "AlternativesAnswer": alternativesAnswer{}, "ScoreRequest": scoreRequest{}, "ScoreAnswer": scoreAnswer{}, "ModelList": modelList{},
		"Error": errorBody{}, "Status": status{}, "LibreRequest": libreRequest{}, "LibreAnswer": libreAnswer{}, "Detected": detected{}, "FileAnswer": fileAnswer{}, "FrontendSettings": libreSettings{},
	} {
		s := d.Components.Schemas[name]
		if s == nil {
			t.Errorf("no schema %s", name)
			continue
		}
		fields, optional := map[string]bool{}, map[string]bool{}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if f.Anonymous {
				continue
			}
			field, more, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields[field], optional[field] = true, more == "omitempty"
		}
		for field := range fields {
			if s.Properties[field] == nil {
				t.Errorf("%s: %s is not described", name, field)
			}
			if !strings.HasSuffix(name, "Request") && slices.Contains(s.Required, field) == optional[field] {
				t.Errorf("%s: %s is optional: %v, not so in the description", name, field, optional[field])
			}
		}
		for property := range s.Properties {
			if !fields[property] {
				t.Errorf("%s: there is no %s", name, property)
			}
		}
	}
}

// TestOpenAPIRequests gives each field of requests values of all types, and expects that the server takes
// those that the schema takes.
func TestOpenAPIRequests(t *testing.T) {
	d := readOpenAPI(t)
	values := []string{`"a"`, `"1"`, `""`, `1`, `1.0`, `-1e0`, `1.5`, `true`, `"true"`, `["a"]`, `[]`, `[1]`, `[null]`, `{}`, `[{}]`, `[["a"]]`}
	for name, request := range map[string]func() any{
		"TranslateRequest": func() any { return &translateRequest{} }, "StreamRequest": func() any { return &streamRequest{} },
		"AlternativesRequest": func() any { return &alternativesRequest{} }, "ScoreRequest": func() any { return &scoreRequest{} }, "LibreRequest": func() any { return &libreRequest{} },
	} {
		s := d.Components.Schemas[name]
		properties := maps.Clone(s.Properties)
		properties["Other"] = nil
		for field, property := range properties {
			for _, value := range values {
				want := s.AdditionalProperties
				if property != nil {
					want = property.Enum != nil && value[0] == '"' || d.check(property, decoded(t, value)) == nil
				}
				if err := unmarshal([]byte(`{"`+field+`": `+value+`}`), request(), !s.AdditionalProperties); (err == nil) != want {
					t.Errorf("%s: %s of %s: the schema takes it: %v, the server says %v", name, field, value, want, err)
				}
			}
		}
	}
}
