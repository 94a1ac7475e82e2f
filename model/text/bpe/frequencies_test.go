package bpe

import (
	"maps"
	"testing"
)

func TestAdd(t *testing.T) {
	f := Frequencies{"a": 2}
	for _, words := range [][]string{{"a", "b", "b"}, nil, {"b", "c"}} {
		f.Add(words)
	}
	if want := (Frequencies{"a": 3, "b": 3, "c": 1}); !maps.Equal(f, want) {
		t.Errorf("got %v, want %v", f, want)
	}
}
