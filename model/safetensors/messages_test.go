package safetensors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

var longTexts = map[string]string{
	"letters":   strings.Repeat("x", 1<<13),
	"controls":  strings.Repeat("\x1b\n", 1<<12),
	"invisible": strings.Repeat("\U000e0001", 1<<11),
	"invalid":   strings.Repeat("\xff", 1<<13),
}

// checkMessage bounds the message of an error: quoted pieces have up to 80 characters, of up to 10
// bytes each.
func checkMessage(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	message := err.Error()
	if len(message) > 2000 || !utf8.ValidString(message) || strings.ContainsAny(message, "\x1b\n") {
		t.Errorf("%s: message of %d bytes: %.300q", what, len(message), message)
	}
}

// TestReadMessages puts long texts into every place of a header.
func TestReadMessages(t *testing.T) {
	const meta = `"__metadata__":{DIGEST}`
	headers := []string{
		"X", "{X", `{"__metadata__":X}`, `{"__metadata__":{"a":X}}`, `{"__metadata__":{"sha256":X}}`, `{"__metadata__":{X:1}}`,
		`{"__metadata__":{X:"","a":{}}}`, `{"__metadata__":{X:"",X:""}}`, `{X:1}`, `{X:{}}`, `{X:{},X:{}}`, `{` + meta + `,X:{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`,
		`{` + meta + `,X:{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, `{X:{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
		`{` + meta + `,X:{"dtype":"I8","shape":[8],"data_offsets":[0,8]}}`, `{X:{"dtype":"I8","shape":[1],"data_offsets":[0,4]}}`,
		`{X:{X:1}}`, `{"a":{"dtype":X}}`, `{"a":{"shape":X}}`, `{"a":{"shape":[X]}}`, `{"a":{"data_offsets":[X]}}`, `{"a":X}`, `{"a":{X:X}}`,
	}
	for name, long := range longTexts {
		quoted, err := json.Marshal(long)
		if err != nil {
			t.Fatal(err)
		}
		for _, header := range headers {
			file := rawFile(strings.ReplaceAll(header, "X", string(quoted)), 1, 0, 128, 255)
			_, err := Read(bytes.NewReader(file))
			checkMessage(t, fmt.Sprintf("%s in %s", name, header), err)
			_, err = NewReader(bytes.NewReader(file), int64(len(file)))
			if !strings.Contains(header, meta) {
				checkMessage(t, fmt.Sprintf("NewReader: %s in %s", name, header), err)
			}
		}
		_, err = Read(strings.NewReader(long))
		checkMessage(t, name+" alone", err)
		_, err = Read(bytes.NewReader(rawFile(long)))
		checkMessage(t, name+" as a header", err)
	}
	digits, dimensions := strings.Repeat("9", 1<<13), strings.Repeat("1,", 1<<12)+"1"
	for _, header := range []string{
		`{"a":{"shape":[` + digits + `]}}`, `{"a":{"dtype":` + digits + `}}`, `{"a":` + digits + `}`, `{"__metadata__":{"a":` + digits + `}}`,
		`{"a":{"dtype":"F32","shape":[` + dimensions + `],"data_offsets":[0,8]}}`, `{"a":{"dtype":"F32","shape":[1],"data_offsets":[` + dimensions + `]}}`,
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[9223372036854775807,0]}}`, strings.Repeat("[", 1<<13), `{"a":` + strings.Repeat("[", 1<<13),
	} {
		_, err := Read(bytes.NewReader(rawFile(header)))
		checkMessage(t, fmt.Sprintf("%.40s", header), err)
	}
}

// TestWriteMessages writes files that are impossible in a place of long text.
func TestWriteMessages(t *testing.T) {
	many := make([]int, 1<<12)
	for i := range many {
		many[i] = 1
	}
	nan := float32(math.NaN())
	for name, long := range longTexts {
		for i, f := range []*File{
			{Metadata: map[string]string{long: "\xff"}}, {Metadata: map[string]string{long + "\xff": ""}}, {Metadata: map[string]string{"sha256": long}},
			{Tensors: []Tensor{{Name: long}}}, {Tensors: []Tensor{{Name: long, Shape: many}}}, {Tensors: []Tensor{{Name: long, Shape: append(many, -1)}}},
			{Tensors: []Tensor{{Name: long, Data: []float32{nan}}}}, {Tensors: []Tensor{{Name: long, Shape: []int{0}}, {Name: long, Shape: []int{0}}}},
			{Tensors: []Tensor{{Name: long, Int8: []int8{}}}}, {Tensors: []Tensor{{Name: long, Data: []float32{1}, Int8: []int8{1}}}},
		} {
			checkMessage(t, fmt.Sprintf("file %d of %s", i, name), Write(new(bytes.Buffer), f))
		}
	}
}
