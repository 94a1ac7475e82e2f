package evaluation

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/model/bootstrap"
)

// A scoreJSON is a score in the output of bleu --json. The names up to Space are those of sacreBLEU.
type scoreJSON struct {
	Name      string  `json:"name"`
	Score     float64 `json:"score"`
	Signature string  `json:"signature"`
	Verbose   string  `json:"verbose_score,omitempty"`
	signatureJSON
	*confidenceJSON
	*comparisonJSON
	*samplesJSON
	ByLength []lengthJSON `json:"by_length,omitempty"`
}

// A signatureJSON has the parts of a signature.
type signatureJSON struct {
	References string `json:"nrefs"`
	Case       string `json:"case"`
	Eff        string `json:"eff"`
	Tok        string `json:"tok,omitempty"`
	Smooth     string `json:"smooth,omitempty"`
	NC         string `json:"nc,omitempty"`
	NW         string `json:"nw,omitempty"`
	Space      string `json:"space,omitempty"`
}

type confidenceJSON struct {
	Low  float64 `json:"confidence_low"`
	High float64 `json:"confidence_high"`
}

type comparisonJSON struct {
	Baseline   float64 `json:"baseline_score"`
	Difference float64 `json:"difference"`
	Low        float64 `json:"difference_low"`
	High       float64 `json:"difference_high"`
	P          float64 `json:"p_value"`
}

// samplesJSON describes the bootstrap samples.
type samplesJSON struct {
	Samples int    `json:"samples"`
	Seed    uint64 `json:"seed"`
}

type lengthJSON struct {
	Words     string  `json:"words"` // such as "1-10"
	Sentences int     `json:"sentences"`
	Score     float64 `json:"score"`
}

// json returns the scores as JSON, rounded like those of text.
func (o Options) json(in input) string {
	system := evaluate(in.system, in.references, o.Lowercase)
	var baselines []metric
	if o.Baseline != "" {
		baselines = evaluate(in.baseline, in.references, o.Lowercase).metrics()
	}
	lines, all := system.lines(), system.all()
	scores := make([]scoreJSON, len(lines))
	for i, m := range system.metrics() {
		s := parseScore(lines[i])
		if s.Signature == "" { // the format of multi-bleu.perl has none
			s.Signature = fmt.Sprintf("nrefs:%d|case:%s|eff:no|tok:none|smooth:none", system.references, parseScore(lines[1]).Case)
		}
		s.signatureJSON = parseSignature(s.Signature)
		if o.Confidence {
			c := bootstrap.Confidence(len(all), o.Seed, m.score)
			s.confidenceJSON = &confidenceJSON{rounded(c.Low, 2), rounded(c.High, 2)}
		}
		if baselines != nil {
			c := bootstrap.Compare(len(all), o.Seed, m.score, baselines[i].score)
			s.comparisonJSON = &comparisonJSON{rounded(c.Baseline, 2), rounded(c.System-c.Baseline, 2),
				rounded(c.Interval.Low, 2), rounded(c.Interval.High, 2), rounded(c.P, 4)}
		}
		if o.Confidence || baselines != nil {
			s.samplesJSON = &samplesJSON{bootstrap.Samples, o.Seed}
		}
		if o.ByLength != "" {
			for _, bucket := range lengthBuckets(in.byLength) {
				s.ByLength = append(s.ByLength, lengthJSON{bucket.String(), len(bucket.Sentences), rounded(m.score(bucket.Sentences), 2)})
			}
		}
		scores[i] = s
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(scores); err != nil {
		panic(err) // scores are finite
	}
	return b.String()
}

// parseScore returns the parts of a line of evaluation.lines: a name, a signature or none, the score
// and how it comes about.
func parseScore(line string) scoreJSON {
	var s scoreJSON
	name, value, _ := strings.Cut(line, " = ")
	s.Name, s.Signature, _ = strings.Cut(name, "|")
	number, verbose, _ := strings.Cut(value, " ")
	score, err := strconv.ParseFloat(strings.TrimSuffix(number, ","), 64)
	if err != nil {
		panic(err) // lines have numbers
	}
	s.Score, s.Verbose = score, verbose
	s.signatureJSON = parseSignature(s.Signature)
	return s
}

// parseSignature returns the parts of a signature, such as nrefs:1|case:mixed.
func parseSignature(signature string) (s signatureJSON) {
	parts := map[string]*string{
		"nrefs": &s.References, "case": &s.Case, "eff": &s.Eff, "tok": &s.Tok, "smooth": &s.Smooth, "nc": &s.NC, "nw": &s.NW, "space": &s.Space,
	}
	for part := range strings.SplitSeq(signature, "|") {
		key, value, _ := strings.Cut(part, ":")
		if field := parts[key]; field != nil {
			*field = value
		}
	}
	return s
}

// rounded returns the number that v is printed as with so many decimals.
func rounded(v float64, decimals int) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', decimals, 64), 64)
	if err != nil || n == 0 {
		return math.Abs(n) // no -0
	}
	return n
}
