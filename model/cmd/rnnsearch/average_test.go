package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// TestAverage averages a model and what a further training has made of it.
func TestAverage(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, trainArgs(t, dir))
	mustTrain(t, trainArgs(t, dir, append(otherCorpus(t), "--init", dir+"/m", "--model", dir+"/second", "--epochs", "1")...))
	for _, name := range []string{"m", "second"} {
		if _, stderr, code := execute("", "quantize", "--model", dir+"/"+name, "--output", dir+"/"+name+".int8"); code != 0 {
			t.Fatal(stderr)
		}
	}
	if _, stderr, code := execute("", "average", "--model", dir+"/m", "--model", dir+"/second.int8", "--output", dir+"/mean"); code != 0 || stderr != "" {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	var models []*model.Model
	for _, name := range []string{"m", "second.int8"} {
		m, err := model.Open(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	mean, err := model.Average(models...)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := model.Write(&want, mean); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, dir+"/mean"), want.Bytes()) {
		t.Error("another model than the mean")
	}
	for args, want := range map[string]string{
		"--model DIR/m --output DIR/new":                     "expected several --model, found one",
		"--model DIR/m --model en-fr --output DIR/new":       "DIR/m, en-fr: ",
		"--model DIR/m --model DIR/none --output DIR/new":    "DIR/none",
		"--model DIR/m --model DIR/second --output=":         "--output is empty, expected the name of a file",
		"--model DIR/m --model DIR/second --output DIR/m":    "--output DIR/m: is an input, expected another file",
		"--model DIR/m --model DIR/second --output DIR/mean": "DIR/mean",
		"--model DIR/m --model DIR/second":                   "output",
	} {
		before := allFiles(t, dir)
		_, stderr, code := execute("", append([]string{"average"}, strings.Fields(strings.ReplaceAll(args, "DIR", dir))...)...)
		if want := strings.ReplaceAll(want, "DIR", dir); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, got %swant %s", args, code, stderr, want)
		}
		unchanged(t, dir, before)
	}
}
