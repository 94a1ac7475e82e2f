package links

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/text"
)

func parse(t *testing.T, line string) Alignment {
	t.Helper()
	a, err := Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParse(t *testing.T) {
	got := parse(t, " 2-1 0-0\t0p0 7p1 2-1 1p0")
	want := Alignment{Sure: []Link{{0, 0}, {2, 1}}, Possible: []Link{{1, 0}, {7, 1}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got.String() != "0-0 2-1" || (Alignment{}).String() != "" {
		t.Errorf("line %q", got)
	}
	for _, line := range []string{"1", "-", "1-", "-1", "1--2", "1-2-3", "1q2", "+1-2", "8192-0", "0-99999999999", "1p", "1–2"} {
		if a, err := Parse("0-0 " + line); !errors.Is(err, ErrSyntax) || a.Sure != nil {
			t.Errorf("%q: got %v, %v", line, a, err)
		}
	}
}

// TestSymmetrize has the cases by hand. In the first, backward lacks the links of source words 1 and 3.
func TestSymmetrize(t *testing.T) {
	for _, test := range []struct{ forward, backward, intersection, union, diag, final string }{
		{"0-0 1-1 2-2 3-4", "0-0 2-2 4-2", "0-0 2-2", "0-0 1-1 2-2 4-2 3-4", "0-0 1-1 2-2", "0-0 1-1 2-2 4-2 3-4"},
		// From 1-1 to 2-2, which is beside it diagonally, and from there to 3-2.
		{"1-1 2-2", "1-1 3-2", "1-1", "1-1 2-2 3-2", "1-1 2-2 3-2", "1-1 2-2 3-2"},
		// Both words of 1-0 have a link once 0-0 and 1-1 are in.
		{"0-0 1-1 1-0", "0-0 1-1", "0-0 1-1", "0-0 1-0 1-1", "0-0 1-1", "0-0 1-1"},
		// Without an intersection nothing grows; the second pass of final finds 0-1 complete.
		{"0-0 1-1", "0-1 1-0", "", "0-0 1-0 0-1 1-1", "", "0-0 1-1"},
		// Growth against the order of the links takes a second pass.
		{"3-3 2-2 1-1 0-0", "3-3", "3-3", "0-0 1-1 2-2 3-3", "0-0 1-1 2-2 3-3", "0-0 1-1 2-2 3-3"},
		// A neighbor with one free word: 1-2 gives target word 2 its first link.
		{"1-1 1-2", "1-1", "1-1", "1-1 1-2", "1-1 1-2", "1-1 1-2"},
		{"", "", "", "", "", ""},
	} {
		for i, want := range []string{test.intersection, test.union, test.diag, test.final} {
			if got := Symmetrize(Methods[i], parse(t, test.forward), parse(t, test.backward)).String(); got != want {
				t.Errorf("%s of %q and %q: got %q, want %q", Methods[i], test.forward, test.backward, got, want)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	var c Counts
	c.Add(parse(t, "0-0 1-2 2-2 3-3"), parse(t, "0-0 1p2 3p3 4-4 5-5"))
	c.Add(parse(t, ""), parse(t, "0-0"))
	if want := (Counts{Links: 4, Sure: 4, Correct: 3, Recalled: 1}); c != want {
		t.Fatalf("got %+v, want %+v", c, want)
	}
	for _, test := range []struct{ got, want float64 }{
		{c.Precision(), 3.0 / 4}, {c.Recall(), 1.0 / 4}, {c.ErrorRate(), 1 - 4.0/8}, {Counts{}.ErrorRate(), 0},
	} {
		if math.Abs(test.got-test.want) > 1e-15 {
			t.Errorf("got %v, want %v", test.got, test.want)
		}
	}
}

func TestReader(t *testing.T) {
	reader := func() *Reader {
		return NewReader(files.NewInput(t.Context(), "x", strings.NewReader("0-0\n\n0-1 2-0\n4p4\n")))
	}
	r := reader()
	for _, at := range []struct {
		number int
		want   string
	}{{1, "0-0"}, {3, "2-0 0-1"}, {4, ""}} {
		if a, err := r.At(at.number, 3, 2); err != nil || a.String() != at.want {
			t.Errorf("line %d: got %v, %v", at.number, a, err)
		}
	}
	if _, err := r.At(5, 3, 2); !errors.Is(err, text.ErrLineCount) {
		t.Errorf("after the end: %v", err)
	}
	for number, want := range map[int]string{
		3: "x:4: unequal numbers of lines: expected 3", 4: "", 5: "x: unequal numbers of lines: ends before line 5",
	} {
		if err := reader().End(number); (err == nil) != (want == "") || err != nil && (err.Error() != want || !errors.Is(err, text.ErrLineCount)) {
			t.Errorf("end at line %d: %v, want %s", number, err, want)
		}
	}
	for _, size := range [][2]int{{2, 2}, {3, 1}} {
		if _, err := reader().At(3, size[0], size[1]); !errors.Is(err, ErrSyntax) || !strings.HasPrefix(err.Error(), "x:3: ") {
			t.Errorf("pair of %v: %v", size, err)
		}
	}
}

func TestRun(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	forward, backward := file("forward", "0-0 1-2 2-2\n0-0 1-1\n"), file("backward", "0-0 2-1 1-2\n0-0\n")
	gold := file("gold", "0-0 1-2 2-1\n0-0 1p1\n")
	run := func(o Options) string {
		var b strings.Builder
		if err := o.Run(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	// By hand: the union lacks no sure link and has one wrong link of six, 2-2, so its rate is 1 - (4+5) / (6+4). Of
	// four samples, one has the first pair alone, with a rate of 1 - 6/7, and one the second, with none.
	want := `alignment           links precision  recall     AER     low    high
forward                 5      80.0    75.0    22.2     0.0    33.3
backward                4     100.0   100.0     0.0     0.0     0.0
intersection            3     100.0    75.0    14.3     0.0    20.0
union                   6      83.3   100.0    10.0     0.0    14.3
grow-diag               6      83.3   100.0    10.0     0.0    14.3
grow-diag-final         6      83.3   100.0    10.0     0.0    14.3
`
	if got := run(Options{Forward: forward, Backward: backward, Gold: gold}); got != want {
		t.Errorf("got\n%s", got)
	}
	if got, want := run(Options{Forward: forward, Backward: backward, Method: "intersection"}), "0-0 1-2\n0-0\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	short := file("short", "0-0\n")
	if err := (Options{Forward: forward, Gold: short}).Run(t.Context(), io.Discard); !errors.Is(err, text.ErrLineCount) {
		t.Errorf("short gold: %v", err)
	}
	if err := (Options{Forward: file("bad", "0-0\n0:0\n"), Gold: gold}).Run(t.Context(), io.Discard); !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "bad:2: ") {
		t.Errorf("bad line: %v", err)
	}
}
