package figure

import (
	"slices"
	"testing"
)

func TestRunNames(t *testing.T) {
	for _, test := range []struct{ paths, want []string }{
		{[]string{"a/first.log", "b/second.json"}, []string{"first", "second"}},
		{[]string{"a/train.log", "b/train.log"}, []string{"a/train.log", "b/train.log"}},
	} {
		if got := runNames(test.paths); !slices.Equal(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
