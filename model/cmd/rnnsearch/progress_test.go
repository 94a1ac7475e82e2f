package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestProgressLog(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	p := &progressLog{w: &out, title: "epoch 1 of 2", unit: unitSentences, total: 100, interval: time.Hour, start: now.Add(-10 * time.Second), last: now}
	p.add(10, "loss 5")
	if out.Len() > 0 {
		t.Errorf("line before the interval is over: %s", &out)
	}
	p.last = now.Add(-time.Hour)
	p.add(10, "loss 4")
	p.add(10, "loss 3")
	want := regexp.MustCompile(`^epoch 1 of 2: loss 4, 20 of 100 sentences, [12]\.\d sentences/s, 4\ds left\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got %q, want %s", &out, want)
	}
}

func TestProgressBar(t *testing.T) {
	var out bytes.Buffer
	p := newProgressBar(&out, "training", unitSentences, 100)
	p.bar.SetRefreshRate(time.Millisecond)
	p.add(50, "loss 4")
	p.bar.Write()
	p.done()
	for _, want := range []string{"training: loss 4", "50.00%", "sentences/s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want %q in it", &out, want)
		}
	}
}

func TestProgressOnFile(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/progress")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, ok := progressOn(f)("training", unitSentences, 1).(*progressLog); !ok {
		t.Errorf("got %T, want lines on a file", p)
	}
}
