package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Fields of requests are a string, a bool, or one of these.
type (
	list  []string
	texts struct { // a text or a list
		list
		many bool // a list, maybe of one text
	}
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
	case *texts:
		return "a text or a list of texts"
	}
	return "a whole number of at most nine digits"
}

var errMismatch = errors.New("another type")

// An itemError is about an item of a list that is no text.
type itemError struct {
	index int
	found []byte
}

func (itemError) Error() string { return errMismatch.Error() }

func (l *list) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		return errMismatch
	}
	for i, item := range items {
		var text *string
		if json.Unmarshal(item, &text) != nil || text == nil {
			return itemError{i, item}
		}
		*l = append(*l, *text)
	}
	return nil
}

func (t *texts) UnmarshalJSON(data []byte) error {
	t.list = make(list, 1)
	if json.Unmarshal(data, &t.list[0]) == nil {
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

// checkEncoding returns an error unless the body of a request is as it is.
func checkEncoding(r *http.Request) error {
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return failf(http.StatusUnsupportedMediaType, "Content-Encoding %.40q, expected a body without one", coding)
	}
	return nil
}

// unmarshal sets fields of the struct that v points to from a body that is one JSON object. No object
// may have a field twice. Null is no value. Only strict decoding refuses fields that v has not.
func unmarshal(body []byte, v any, strict bool) error {
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		at := int64(len(body))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = syntax.Offset
		}
		return failf(http.StatusBadRequest, "invalid JSON at byte %d: %s", at, given(err.Error()))
	}
	if at := loneSurrogate(body); at >= 0 {
		return failf(http.StatusBadRequest, "invalid JSON at byte %d: %s is half of a character", at+1, given(body[at:at+6]))
	}
	if err := checkUnique(json.NewDecoder(bytes.NewReader(body))); err != nil {
		return err
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(body, &values) != nil || values == nil {
		return mismatch("request", body, "an object")
	}
	fields, names := fieldsOf(v)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, value := fields[name], values[name]
		if field == nil && strict {
			return failf(http.StatusBadRequest, "unknown field %.40q, expected one of %s", given(name), strings.Join(names, ", "))
		}
		if field == nil || string(value) == "null" {
			continue
		}
		err := json.Unmarshal(value, field)
		if item, ok := errors.AsType[itemError](err); ok {
			return mismatch(name+"["+strconv.Itoa(item.index)+"]", item.found, "a text")
		}
		if err != nil {
			return mismatch(name, value, expected(field))
		}
	}
	return nil
}

func mismatch(name string, found []byte, expected string) error {
	return failf(http.StatusBadRequest, "%s: found %.40s, expected %s", name, given(found), expected)
}

func duplicate(name string) error {
	return failf(http.StatusBadRequest, "duplicate field %.40q, expected it once", given(name))
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

// checkUnique reads a value of valid JSON, and returns an error if an object in it has a field twice.
func checkUnique(d *json.Decoder) error {
	d.UseNumber()
	begin, err := d.Token()
	if _, ok := begin.(json.Delim); !ok || err != nil {
		return err
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if begin == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if seen[name] {
				return duplicate(name.(string))
			}
			seen[name] = true
		}
		if err := checkUnique(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// loneSurrogate returns where valid JSON escapes half of a pair of UTF-16 without the other half, or
// -1.
func loneSurrogate(body []byte) int {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++
		first := codeUnit(body[i:])
		if !utf16.IsSurrogate(first) {
			continue
		}
		rest := body[i+5:]
		if rest[0] != '\\' || utf16.DecodeRune(first, codeUnit(rest[1:])) == utf8.RuneError {
			return i - 1
		}
		i += 10
	}
	return -1
}

// codeUnit returns the value of an escape \uXXXX without its backslash, 0 for others.
func codeUnit(escape []byte) rune {
	if escape[0] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(escape[1:5]), 16, 16)
	return rune(n)
}
