package terminal

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cheggaaa/pb/v3"
)

func TestProgressLog(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	p := &progressLog{w: &out, title: "epoch 1 of 2", unit: "sentences", total: 100, interval: time.Hour, start: now.Add(-10 * time.Second), last: now}
	p.Add(10, "loss 5")
	if out.Len() > 0 {
		t.Errorf("line before the interval is over: %s", &out)
	}
	p.last = now.Add(-time.Hour)
	p.Add(10, "loss 4")
	p.Add(10, "loss 3")
	want := regexp.MustCompile(`^epoch 1 of 2: loss 4, 20 of 100 sentences, [12]\.\d sentences/s, 4\ds left\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got %q, want %s", &out, want)
	}
}

// TestProgressLogLines checks the lines of a progressLog after 100 seconds.
func TestProgressLogLines(t *testing.T) {
	for _, test := range []struct {
		title, unit     string
		finished, total int
		status, want    string
	}{
		{"reading", Bytes, 3 << 20, 9 << 20, "", "reading: 3.00 MiB of 9.00 MiB, 30.72 KiB/s, 3m20s left"},
		{"reading", Bytes, 3 << 20, 0, "", "reading: 3.00 MiB, 30.72 KiB/s"},
		{"segmenting", "pairs", 5000, 0, "", "segmenting: 5000 pairs, 50.0 pairs/s"},
		{"epoch 12 of 20", "sentences", 1_234_567, 3_000_000, "loss 3.456", "epoch 12 of 20: loss 3.456, 1234567 of 3000000 sentences, 12345.7/s, 2m23s left"},
		{"epoch 1000 of 100000, validation", "sentences", 1, 300_000_000, "BLEU 12.34", "epoch 1000 of 100000, validation: BLEU 12.34, 0.0%, 0.0/s, 999999h0m0s left"},
	} {
		p := &progressLog{title: test.title, unit: test.unit, finished: test.finished, total: test.total}
		if got := p.snapshot(test.status, 100*time.Second).fit(lineColumns, ", "); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestFit checks that no number is cut, however narrow the line is.
func TestFit(t *testing.T) {
	s := snapshot{title: "epoch 12 of 20", status: "loss 3.456", finished: "12.3%", short: "12%", speed: "123 sentences/s", shortSpeed: "123/s", left: "12h34m56s left"}
	numbers := regexp.MustCompile(`[0-9hms.%]*[0-9][0-9hms.%]*`)
	whole := append(numbers.FindAllString(s.fit(1000, " "), -1), "12%")
	for columns := range 100 {
		line := s.fit(columns, " ")
		if n := pb.CellCount(line); n > max(columns, len(s.short)) {
			t.Errorf("%d columns in %d: %s", n, columns, line)
		}
		for _, number := range numbers.FindAllString(line, -1) {
			if !slices.Contains(whole, number) {
				t.Errorf("%d columns: number %s in %s", columns, number, line)
			}
		}
	}
	for columns, want := range map[int]string{
		80: "epoch 12 of 20: loss 3.456 12.3% 123 sentences/s 12h34m56s left",
		60: "epoch 12 of 20: loss 3.456 12.3% 123/s 12h34m56s left",
		40: "epoch 12 of 20: loss 3.456 12% 12h34m56s",
		30: "loss 3.456 12% 12h34m56s left",
		20: "loss 3.456 12%",
	} {
		if got := s.fit(columns, " "); got != want {
			t.Errorf("%d columns: got %q, want %q", columns, got, want)
		}
	}
}

// TestProgressBar checks a bar, which has a bar only in a wide line.
func TestProgressBar(t *testing.T) {
	for _, test := range []struct {
		width, total int
		unit, want   string
	}{
		{80, 100, "sentences", `^training: loss 4 50\.0% \[=+> +\]$`},
		{30, 100, "sentences", `^training: loss 4 50\.0% +$`},
		{21, 100, "sentences", `^training: loss 4 50% *$`},
		{12, 100, "sentences", `^loss 4 50% *$`},
		{80, 0, Bytes, `^training: loss 4 50 B \[ +\]$`},
		{80, 0, "pairs", `^training: loss 4 50 \[ +\]$`},
	} {
		var out bytes.Buffer
		p := newProgressBar(&out, "training", test.unit, test.total)
		p.bar.SetWidth(test.width)
		p.Add(50, "loss 4")
		line, returns := strings.CutSuffix(p.bar.String(), "\r")
		p.Done()
		if pb.CellCount(line) != test.width || !returns {
			t.Errorf("%d columns, cursor returns: %t; want %d", pb.CellCount(line), returns, test.width)
		}
		if !regexp.MustCompile(test.want).MatchString(line) {
			t.Errorf("%d columns: got %q, want %s", test.width, line, test.want)
		}
	}
}

func TestProgressOnFile(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/progress")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, ok := ProgressOn(f)("training", "sentences", 1).(*progressLog); !ok {
		t.Errorf("got %T, want lines on a file", p)
	}
}
