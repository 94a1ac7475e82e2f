package bpe

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadCodes(t *testing.T) {
	want := Codes{{"a", "b"}, {"é\u00a0", "\xff</w>"}, {"a", "b"}}
	for _, text := range []string{
		"#version: 0.2\na b\né\u00a0 \xff</w>\na b\n",
		"#version: 0.2\na b\né\u00a0 \xff</w>\na b",
		"#version: 0.2\r\na b\r\né\u00a0 \xff</w>\r\na b\r\n\r\n",
	} {
		codes, err := ReadCodes(strings.NewReader(text))
		if err != nil || !slices.Equal(codes, want) {
			t.Errorf("%q: codes %q, error %v, want %q", text, codes, err, want)
		}
	}
	if codes, err := ReadCodes(strings.NewReader("#version: 0.2\n")); err != nil || len(codes) != 0 {
		t.Errorf("no merges: %q, error %v", codes, err)
	}
}

func TestReadCodesErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "line 1"},
		{"a b\n", "line 1"},
		{"#version: 0.1\na b\n", `line 1: "#version: 0.1", expected "#version: 0.2"`},
		{"#version: 0.2 byte\na b\n", "line 1"},
		{"#version: 0.2\na b\n\nc d\n", `line 3: ""`},
		{"#version: 0.2\na b\nc\n", `line 3: "c"`},
		{"#version: 0.2\na b c\n", `line 2: "a b c": expected two symbols separated by a space`},
		{"#version: 0.2\n a b\n", "line 2"},
		{"#version: 0.2\na  b\n", "line 2"},
		{"#version: 0.2\na b \n", "line 2"},
	}
	for _, test := range tests {
		_, err := ReadCodes(strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want one with %q", test.text, err, test.want)
		}
	}
	if _, err := ReadCodes(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v does not wrap that of the reader", err)
	}
}

func TestWriteCodesErrors(t *testing.T) {
	for _, codes := range []Codes{{{"a", ""}}, {{"a", "b"}, {"", "b"}}, {{"a b", "c"}}, {{"a", "b\r"}}} {
		var text strings.Builder
		if _, err := codes.WriteTo(&text); err == nil || text.Len() > 0 {
			t.Errorf("%q: error %v, written %q", codes, err, text.String())
		}
	}
}
