package bpe

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestMergesNone(t *testing.T) {
	for _, f := range []Frequencies{nil, {"a": 3, "b": 2}} {
		if codes := learned(t, f, 10, 1); len(codes) != 0 {
			t.Errorf("%v: merges %q, want none", f, codes)
		}
	}
}

func TestMergesErrors(t *testing.T) {
	tests := []struct {
		f            Frequencies
		minFrequency int
		want         string
	}{
		{nil, 0, "minimum frequency 0: expected at least 1"},
		{Frequencies{"ab": 1, "c d": 1}, 1, `word "c d": expected characters other than space, CR and LF`},
		{Frequencies{"": 1}, 1, `word ""`},
		{Frequencies{"a\n": 1}, 1, `word "a\n"`},
		{Frequencies{"ab": 0}, 1, `word "ab": frequency 0, expected at least 1`},
	}
	for _, test := range tests {
		_, err := Merges(test.f, test.minFrequency)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.f, err, test.want)
		}
	}
}

func TestMergesOverflow(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int is too small for an overflow")
	}
	_, err := Merges(Frequencies{"ab": math.MaxInt / 2, "cd": 1}, 1)
	if err == nil || !strings.Contains(err.Error(), `word "cd": frequency 1: expected a text of less than`) {
		t.Errorf("error %v, want an overflow", err)
	}
	_, err = Merges(Frequencies{strings.Repeat("a", 1<<20): math.MaxInt}, 1)
	if err == nil || len(err.Error()) > 1200 {
		t.Errorf("error of %d bytes, want at most 1,200", len(fmt.Sprint(err)))
	}
	if _, err := Merges(Frequencies{"ab": math.MaxInt / 2}, 1); err != nil {
		t.Error(err)
	}
}
