package main

import (
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/figure"
)

// trainedLog is the log of a training that resumed from update 200: it has updates twice, and the
// second validation after update 400 was not the best.
const trainedLog = `{"event":"start","epochs":3}
{"event":"progress","epoch":1,"update":100,"loss":5.5,"seconds":12.3,"sentences_per_second":80.1}
{"event":"validation","epoch":1,"update":200,"loss":4.2,"validation_loss":3.9,"bleu":12.3,"best":true}
{"event":"progress","epoch":2,"update":300,"loss":9.9,"seconds":12.3,"sentences_per_second":80.1}
{"event":"validation","epoch":2,"update":400,"loss":9.2,"validation_loss":9.9,"bleu":19.3,"best":true}

{"event":"resume","update":200}
{"event":"progress","epoch":2,"update":300,"loss":3.5,"seconds":12.3,"sentences_per_second":80.1}
{"event":"validation","epoch":2,"update":400,"loss":3.2,"validation_loss":3.7,"bleu":12.1,"best":false}`

func TestReadRuns(t *testing.T) {
	for _, test := range []struct {
		log  string
		want figure.Run
	}{
		{trainedLog, figure.Run{
			Training:   []figure.Sample{{Update: 100, Value: 5.5}, {Update: 300, Value: 3.5}},
			Validation: []figure.Sample{{Update: 200, Value: 3.9}, {Update: 400, Value: 3.7}},
			BLEU:       []figure.Sample{{Update: 200, Value: 12.3}, {Update: 400, Value: 12.1}},
			Best:       200,
		}},
		{`{"event":"validation","update":7,"loss":4,"validation_loss":3,"bleu":0}`, figure.Run{
			Training:   []figure.Sample{{Update: 7, Value: 4}},
			Validation: []figure.Sample{{Update: 7, Value: 3}},
			BLEU:       []figure.Sample{{Update: 7, Value: 0}},
		}},
		{`{"event":"progress","update":7,"loss":4}` + "\r\n", figure.Run{Training: []figure.Sample{{Update: 7, Value: 4}}}},
	} {
		got, err := figure.ReadRuns(strings.NewReader(test.log), nil)
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], test.want) {
			t.Errorf("got %+v, %v, want %+v", got, err, test.want)
		}
	}
}

// TestPlot draws one log from standard input and from a file, and two logs as SVG and PNG.
func TestPlot(t *testing.T) {
	dir := t.TempDir()
	first, second := write(t, "first.log", trainedLog), write(t, "second.log", trainedLog)
	want, stderr, code := execute(trainedLog, "plot")
	if code != 0 || stderr != "" {
		t.Fatal(stderr)
	}
	if got, _, _ := execute("", "plot", first); got != want {
		t.Errorf("from a file\n%s\nfrom standard input\n%s", got, want)
	}
	svg, image := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.png")
	for format, path := range map[string]string{"svg": svg, "png": image} {
		if stdout, stderr, code := execute("", "plot", first, second, "--format", format, "--output", path); code != 0 || stdout+stderr != "" {
			t.Errorf("%s: exit code %d, %q, %s", format, code, stdout, stderr)
		}
	}
	texts, _ := drawn(t, contents(t, svg))
	for _, want := range []string{"first, 12.3 BLEU", "second, 12.3 BLEU"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q in %q", want, texts)
		}
	}
	f, err := os.Open(image)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
}
