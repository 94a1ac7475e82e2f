package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"--version"}, nil, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, &stderr)
	}
	want := `^rnnsearch version \S+\n(commit [0-9a-f]+(, with changes)?\n)?go\S+ \w+/\w+\n\w+ kernels\n$`
	if got := stdout.String(); !regexp.MustCompile(want).MatchString(got) || !strings.Contains(got, "\n"+kernels.Best().String()+" kernels\n") {
		t.Errorf("got %q, want %s", got, want)
	}
}
