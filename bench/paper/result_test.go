package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// TestSummary summarizes a log with a restart, whose last validation is not the best.
func TestSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	log := `{"event":"start","update":0,"seconds":0}
{"event":"validation","epoch":1,"update":100,"seconds":60,"loss":4,"sentences_per_second":10,"validation_loss":3,"bleu":20,"best":true,"file":"m"}
{"event":"end","update":150,"seconds":90,"reason":"interrupted"}
{"event":"resume","update":100,"seconds":62}
{"event":"progress","update":150,"seconds":90,"loss":3.5}
{"event":"validation","epoch":2,"update":200,"seconds":180,"loss":3,"sentences_per_second":30,"validation_loss":3.5,"bleu":19,"best":false}
`
	if err := os.WriteFile(path, []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := readSummary(path)
	// 100 batches at 10 sentences per second and 100 at 30.
	want := summary{updates: 200, epochs: 2, hours: 0.05, speed: 15, bleu: 20}
	if math.Abs(got.speed-want.speed) < 1e-9 {
		got.speed = want.speed
	}
	if err != nil || got != want {
		t.Errorf("summary %+v, %v, want %+v", got, err, want)
	}
	for _, log := range []string{`{"event":"start"}`, `{"event":"validation","update":1,"loss":4,"validation_loss":3,"bleu":20,"best":true}`} {
		if err := os.WriteFile(path, []byte(log), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readSummary(path); err == nil {
			t.Errorf("no error for %s", log)
		}
	}
}

// TestComplete checks that a log is complete if it ends after the updates of the settings.
func TestComplete(t *testing.T) {
	folder := t.TempDir()
	s := system{model.RNNsearch, 20}
	for _, test := range []struct {
		log  string
		want bool
	}{
		{`{"event":"end","update":150,"reason":"interrupted"}`, false},
		{`{"event":"end","update":200,"reason":"updates"}`, true},
		{`{"event":"end","update":200,"reason":"updates"}` + "\n" + `{"event":"resume","update":200}`, false},
		{"", false},
	} {
		if err := os.WriteFile(filepath.Join(folder, "search-20.jsonl"), []byte(test.log), 0o666); err != nil {
			t.Fatal(err)
		}
		trainer := trainer{folder: folder, updates: 200}
		if done, err := trainer.complete(s); done != test.want || err != nil {
			t.Errorf("%s: %t, %v", test.log, done, err)
		}
	}
	if done, err := (&trainer{folder: t.TempDir()}).complete(s); done || err != nil {
		t.Errorf("without a log: %t, %v", done, err)
	}
}
