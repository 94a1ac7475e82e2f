package main

import (
	"bytes"
	"context"
	"testing"
)

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"--version"}, nil, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, &stderr)
	}
	if got, want := stdout.String(), "rnnsearch version "+version()+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
