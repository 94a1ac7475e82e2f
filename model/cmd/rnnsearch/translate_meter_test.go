package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A progressRecord is the progress that a bar would show.
type progressRecord struct {
	unit        string
	total, sum  int
	status      string
	starts, end int
}

func (p *progressRecord) start(_, unit string, total int) progress {
	p.starts++
	p.unit, p.total = unit, total
	return p
}

func (p *progressRecord) add(n int, status string) {
	if n < 0 {
		panic(fmt.Sprintf("progress of %d", n))
	}
	p.sum += n
	p.status = status
}

func (p *progressRecord) done() { p.end++ }

// TestMeter translates inputs whose sizes are known and unknown, with a bad line in the middle.
func TestMeter(t *testing.T) {
	tr := testTranslator(t, tinyModel(t), decode.Options{MaxLength: 3, Threads: 1})
	source := strings.Repeat("a dog\n\n", 300) + "\xff\n" + strings.Repeat("the cat sees\n", 300) // several windows
	for _, c := range compressions {
		text := c.compress(t, source)
		path := write(t, "in", text)
		for _, known := range []bool{true, false} {
			in := files.NewInput("in", strings.NewReader(text))
			want := progressRecord{unit: "lines", sum: 901, starts: 1, end: 1}
			if known {
				var err error
				if in, err = files.Open(path); err != nil {
					t.Fatal(err)
				}
				want.unit, want.total, want.sum, want.status = unitBytes, len(text), len(text), "901 lines"
			}
			var got progressRecord
			var stderr, stdout bytes.Buffer
			m := &meter{stderr: &stderr, bar: got.start, size: in.Size()}
			err := newTranslation(tr, in, &outputWriter{w: &stdout}, m, false).run(t.Context())
			if err == nil || got != want || bytes.Count(stdout.Bytes(), []byte("\n")) != 901 {
				t.Errorf("%s, known size %t: error %v, progress %+v, want %+v", c.name, known, err, got, want)
			}
			lines := strings.SplitAfter(stderr.String(), "\n")
			if len(lines) != 3 || !strings.HasSuffix(lines[0], "in:601: invalid UTF-8, translated as an empty line\n") ||
				!strings.HasPrefix(lines[0], "\r\x1b[Krnnsearch: ") || !strings.HasPrefix(lines[1], "rnnsearch: translated 901 lines, 1500 words in ") {
				t.Errorf("%s, known size %t: standard error %q", c.name, known, lines)
			}
		}
	}
}

// TestMeterDelay has a bar that is not due yet.
func TestMeterDelay(t *testing.T) {
	var got progressRecord
	var stderr bytes.Buffer
	m := &meter{stderr: &stderr, bar: got.start, delay: time.Hour}
	m.begin()
	m.add(3, 0)
	m.stop()
	m.sumUp()
	if got.starts > 0 || stderr.Len() > 0 {
		t.Errorf("%d bars, standard error %q", got.starts, &stderr)
	}
}

// TestMeterSummary has translations without a bar.
func TestMeterSummary(t *testing.T) {
	for _, test := range []struct{ quiet, file, want bool }{{false, true, true}, {false, false, false}, {true, true, false}} {
		var stderr bytes.Buffer
		m := newMeter(nil, nil, &stderr, 0, test.quiet, test.file)
		m.sumUp()
		if got := stderr.Len() > 0; got != test.want || m.bar != nil {
			t.Errorf("quiet %t, file %t: standard error %q, bar %t", test.quiet, test.file, &stderr, m.bar != nil)
		}
	}
}

// TestMeterTerminals has standard error on a terminal, and the other two there or elsewhere.
func TestMeterTerminals(t *testing.T) {
	_, terminal := openTerminal(t)
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, test := range []struct {
		name                  string
		stdin, stdout, stderr *os.File
		quiet, want           bool
	}{
		{"file to file", file, file, terminal, false, true},
		{"quiet", file, file, terminal, true, false},
		{"no terminal", file, file, file, false, false},
		{"translations on the terminal", file, terminal, terminal, false, false},
		{"lines from the terminal", terminal, file, terminal, false, false},
	} {
		if got := newMeter(test.stdin, test.stdout, test.stderr, 0, test.quiet, false).bar != nil; got != test.want {
			t.Errorf("%s: bar %t, want %t", test.name, got, test.want)
		}
	}
}
