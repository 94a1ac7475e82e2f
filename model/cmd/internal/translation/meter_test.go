package translation

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

// testTranslator returns a translator that is closed at the end of the test.
func testTranslator(t *testing.T, m *model.Model, o decode.Options) *Translator {
	t.Helper()
	tr, err := NewTranslator(m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// write writes a file to a temporary folder and returns its path.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A progressRecord is the progress that a bar would show.
type progressRecord struct {
	unit        string
	total, sum  int
	status      string
	starts, end int
}

func (p *progressRecord) start(_, unit string, total int) terminal.Progress {
	p.starts++
	p.unit, p.total = unit, total
	return p
}

func (p *progressRecord) Add(n int, status string) {
	if n < 0 {
		panic(fmt.Sprintf("progress of %d", n))
	}
	p.sum += n
	p.status = status
}

func (p *progressRecord) Done() { p.end++ }

// TestMeter translates inputs whose sizes are known and unknown, with a bad line in the middle.
func TestMeter(t *testing.T) {
	tr := testTranslator(t, fixture.TinyModel(t), decode.Options{MaxLength: 3, Threads: 1})
	source := strings.Repeat("a dog\n\n", 300) + "\xff\n" + strings.Repeat("the cat sees\n", 300) // several windows
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte(source))
	w.Close()
	for name, text := range map[string]string{"plain": source, "gzip": zipped.String()} {
		path := write(t, text)
		for _, known := range []bool{true, false} {
			in := files.NewInput(t.Context(), "in", strings.NewReader(text))
			want := progressRecord{unit: "lines", sum: 901, starts: 1, end: 1}
			if known {
				var err error
				if in, err = files.Open(t.Context(), path); err != nil {
					t.Fatal(err)
				}
				want.unit, want.total, want.sum, want.status = terminal.Bytes, len(text), len(text), "901 lines"
			}
			var got progressRecord
			var stderr, stdout bytes.Buffer
			m := &meter{stderr: &stderr, noun: "line", bar: got.start, size: in.Size()}
			err := tr.newRun(in, files.StandardOutput(&stdout), m, false).run(t.Context())
			if err == nil || got != want || bytes.Count(stdout.Bytes(), []byte("\n")) != 901 {
				t.Errorf("%s, known size %t: error %v, progress %+v, want %+v", name, known, err, got, want)
			}
			lines := strings.SplitAfter(stderr.String(), "\n")
			if len(lines) != 3 || !strings.HasSuffix(lines[0], "in:601: invalid UTF-8, translated as an empty line\n") ||
				!strings.HasPrefix(lines[0], "\r\x1b[Krnnsearch: ") || !strings.HasPrefix(lines[1], "rnnsearch: translated 901 lines, 1500 words in ") {
				t.Errorf("%s, known size %t: standard error %q", name, known, lines)
			}
		}
	}
}

// TestMeterResumed translates the last 300 of 901 lines. The bar for them starts where those before
// end.
func TestMeterResumed(t *testing.T) {
	tr := testTranslator(t, fixture.TinyModel(t), decode.Options{MaxLength: 3, Threads: 1})
	path := write(t, strings.Repeat("a dog\n", 600)+"\xff\n"+strings.Repeat("the cat sees\n", 300))
	in, err := files.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	var bars []*progressRecord
	var first []int // steps of the bars
	var stderr, stdout bytes.Buffer
	m := &meter{stderr: &stderr, noun: "line", size: in.Size(), bar: func(title, unit string, total int) terminal.Progress {
		titles, bars, first = append(titles, title), append(bars, new(progressRecord)), append(first, -1)
		return stepRecord{bars[len(bars)-1].start(title, unit, total), &first[len(first)-1]}
	}}
	run := tr.newRun(in, files.StandardOutput(&stdout), m, false)
	run.earlier = 601
	if err := run.run(t.Context()); err == nil || bytes.Count(stdout.Bytes(), []byte("\n")) != 300 {
		t.Errorf("error %v, translations %q", err, &stdout)
	}
	before, size := 600*len("a dog\n")+2, int(in.Size())
	if !slices.Equal(titles, []string{"reading", "translating"}) || bars[0].sum < before || bars[0].end != 1 || first[1] < before || bars[1].sum != size || bars[1].end != 1 {
		t.Errorf("%q: first steps %d, sums %d and %d, want %d and %d", titles, first, bars[0].sum, bars[1].sum, before, size)
	}
	want := regexp.MustCompile(`(?m)^rnnsearch: translated 901 lines, 2100 words: 601 lines in earlier runs, 300 lines in \d+\.\d s, \d+ words/s$`)
	if !want.Match(stderr.Bytes()) {
		t.Errorf("got %s\nwant %s", &stderr, want)
	}
}

// A stepRecord is progress with the first step.
type stepRecord struct {
	terminal.Progress
	first *int
}

func (s stepRecord) Add(n int, status string) {
	if *s.first < 0 {
		*s.first = n
	}
	s.Progress.Add(n, status)
}

// TestMeterDelay has a bar that is not due yet.
func TestMeterDelay(t *testing.T) {
	var got progressRecord
	var stderr bytes.Buffer
	m := &meter{stderr: &stderr, noun: "line", bar: got.start, delay: time.Hour}
	m.begin()
	m.add(1, 3, 0)
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
		m := newMeter(Console{Stderr: &stderr, Quiet: test.quiet}, 0, test.file)
		m.sumUp()
		if got := stderr.Len() > 0; got != test.want || m.bar != nil {
			t.Errorf("quiet %t, file %t: standard error %q, bar %t", test.quiet, test.file, &stderr, m.bar != nil)
		}
	}
}

// TestMeterTerminals has standard error on a terminal, and the other two there or elsewhere.
func TestMeterTerminals(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0) // the controller of a pseudoterminal is a terminal, too
	if err != nil {
		t.Skip(err)
	}
	defer tty.Close()
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
		{"file to file", file, file, tty, false, true},
		{"quiet", file, file, tty, true, false},
		{"no terminal", file, file, file, false, false},
		{"translations on the terminal", file, tty, tty, false, false},
		{"lines from the terminal", tty, file, tty, false, false},
	} {
		if got := newMeter(Console{test.stdin, test.stdout, test.stderr, test.quiet}, 0, false).bar != nil; got != test.want {
			t.Errorf("%s: bar %t, want %t", test.name, got, test.want)
		}
	}
}
