package bpe

import (
	"slices"
	"strings"
	"testing"
)

func TestJoin(t *testing.T) {
	tests := []struct{ segments, want string }{
		{"", ""},
		{"a", "a"},
		{"lo@@ w@@ er wall", "lower wall"},
		{"the lo@@ w@@ er", "the lower"},
		{"@-@ a@@@ b", "@-@ a@b"},
		{"@@ @@ a", "a"},
		{"a @@", "a @@"},
		{"a@@", "a@@"},
		{"a@@ b@@", "ab@@"},
	}
	for _, test := range tests {
		segments := strings.Fields(test.segments)
		got := Join([]string{"before"}, segments)
		if want := append([]string{"before"}, strings.Fields(test.want)...); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", segments, got, want)
		}
		if got := strings.ReplaceAll(test.segments, "@@ ", ""); got != test.want {
			t.Errorf("%q: replaced %q, want %q", segments, got, test.want)
		}
		if got := strings.Join(Join(segments[:0], segments), " "); got != test.want {
			t.Errorf("%q in place: %q, want %q", test.segments, got, test.want)
		}
	}
}
