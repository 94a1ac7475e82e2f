package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

const works = `cpu: Some CPU
caches: L1 32K
os: Linux
go: go1
date: today
memory: 2160000000

{"work":"update","sizes":"paper","threads":1,"impl":"avx2","period":1000,"rounds":[{"n":1,"ns":4e9,"peak":90,"read":5},{"n":1,"ns":3e9,"peak":100,"read":10},{"n":2,"ns":2e9,"peak":80,"read":8}],"parts":[{"part":"products","samples":600000,"flop":96000000000},{"part":"streams","samples":300000,"bytes":3000000000},{"part":"functions","samples":100000},{"part":"waiting","samples":0}]}
{"work":"update","sizes":"paper","threads":1,"precision":"bf16","impl":"avx2","period":1000,"rounds":[{"n":1,"ns":1e9,"peak":200,"read":10}],"parts":[{"part":"products","samples":600000,"flop":96000000000},{"part":"streams","samples":300000,"bytes":3000000000},{"part":"functions","samples":100000},{"part":"waiting","samples":0}]}
{"work":"step","sizes":"small","threads":2,"impl":"avx2","period":1000,"rounds":[{"n":10,"ns":50000,"peak":100,"read":20}],"parts":[{"part":"output layer","samples":400,"bytes":400000},{"part":"a < b & c","samples":100}]}
{"work":"step","sizes":"small","threads":2,"weights":"int8","impl":"avx2","period":1000,"rounds":[{"n":10,"ns":20000,"peak":100,"read":10}],"parts":[{"part":"output layer","samples":300,"bytes":100000},{"part":"a < b & c","samples":100}]}
`

func TestWhereTimeGoes(t *testing.T) {
	const want = `Some CPU (L1 32K), Linux, go1, today. An update on sentences of 50 words at the paper's sizes takes 2.16 GB of memory. Kernels: avx2.

| training update | the paper's sizes, 1 thread | of the bound | the paper's sizes, bf16, 1 thread | of the bound |
| --- | --- | --- | --- | --- |
| products | 60.0 % | 80.0 GFLOP/s, 80 % | 60.0 % | 160 GFLOP/s, 80 % |
| streams | 30.0 % | 5.00 GB/s, 50 % | 30.0 % | 10.0 GB/s, 100 % |
| functions | 10.0 % | | 10.0 % | |
| all | 2.00 s | 48.0 GFLOP/s, 48 % | 1.00 s | 96.0 GFLOP/s, 48 % |
| bound | | 100 GFLOP/s, 10.0 GB/s of memory read | | 200 GFLOP/s, 10.0 GB/s of memory read |

| decoder step | small sizes, 2 threads | of the bound | small sizes, int8, 2 threads | of the bound |
| --- | --- | --- | --- | --- |
| output layer | 80.0 % | 10.0 GB/s, 50 % | 75.0 % | 6.67 GB/s, 67 % |
| a < b & c | 20.0 % | | 25.0 % | |
| all | 50.0 µs | 8.00 GB/s, 40 % | 20.0 µs | 5.00 GB/s, 50 % |
| bound | | 20.0 GB/s of weights read | | 10.0 GB/s of weights read |
`
	if got := whereTimeGoes(parse(t, works)); got != want {
		t.Errorf("table\n%s\nwant\n%s", got, want)
	}
}

func TestQuartile(t *testing.T) {
	for _, test := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1, 2}, 1}, {[]float64{4, 2, 3, 1}, 2}, {[]float64{8, 7, 6, 5, 4, 3, 2, 1}, 3}} {
		if got := quartile(test.x); got != test.want {
			t.Errorf("quartile(%g) = %g, want %g", test.x, got, test.want)
		}
	}
}

func TestWriteWork(t *testing.T) {
	var b strings.Builder
	if err := WriteWork(&b, parse(t, works).Works[0]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"training update, the paper's sizes, 1 thread, avx2: 100 GFLOP/s, 10.0 GB/s of memory read",
		"products   1.20 s  60.0 %", "on a processor for 9 % of the time",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "waiting") {
		t.Errorf("a part without samples in\n%s", b.String())
	}
}

// TestPicture: the picture is XML with a title for each work and a rectangle for each part and
// for its filled share.
func TestPicture(t *testing.T) {
	picture := Picture(parse(t, works))
	count := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			count[start.Name.Local]++
		}
	}
	const background, legend, parts = 1, 3, 12
	if count["svg"] != 1 || count["rect"] != background+legend+2*parts {
		t.Errorf("elements %v", count)
	}
	for _, want := range []string{
		">training update, the paper&#39;s sizes, 1 thread: 2.00 s, 48.0 GFLOP/s, 48 % of the bound<",
		">products<", ">60.0 %, at 80 %<", ">a &lt; b &amp; c<",
		`width="579.8" height="110.0" fill="#e3edf7"`, `y="59.0" width="579.8" height="88.0" fill="#9cc3e4"`,
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("no %s in\n%s", want, picture)
		}
	}
}

func TestParseWorkErrors(t *testing.T) {
	const rounds, parts = `"rounds":[{"n":1,"ns":1}]`, `"parts":[{"part":"p","samples":1}]`
	work := `{"work":"update",` + rounds + `,` + parts + `}`
	if _, err := Parse(strings.NewReader(work)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		`{"work":`, `{"work":"other",` + rounds + `,` + parts + `}`, `{"work":"update",` + parts + `}`,
		`{"work":"update",` + rounds + `}`, work + "\n" + strings.Replace(work, `"p"`, `"q"`, 1),
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil {
			t.Errorf("Parse(%q): no error", text)
		}
	}
}
