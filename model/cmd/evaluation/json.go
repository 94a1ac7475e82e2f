package evaluation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/model/bootstrap"
)

// json returns the scores as JSON, rounded like those of text. The names up to space are those of
// sacreBLEU.
func (o Options) json(in input) string {
	system := evaluate(in.system, in.references, o.Lowercase)
	var baselines []metric
	if o.Baseline != "" {
		baselines = evaluate(in.baseline, in.references, o.Lowercase).metrics()
	}
	lines, all := system.lines(), system.all()
	_, of13a, _, _ := parseScore(lines[1])
	letterCase := strings.Split(of13a, "|")[1]
	scores := make([]object, len(lines))
	for i, m := range system.metrics() {
		name, signature, score, verbose := parseScore(lines[i])
		if signature == "" { // the format of multi-bleu.perl has none
			signature = fmt.Sprintf("nrefs:%d|%s|eff:no|tok:none|smooth:none", system.references, letterCase)
		}
		s := object{{"name", name}, {"score", score}, {"signature", signature}}
		if verbose != "" {
			s = append(s, member{"verbose_score", verbose})
		}
		for part := range strings.SplitSeq(signature, "|") {
			key, value, _ := strings.Cut(part, ":")
			s = append(s, member{key, value})
		}
		if o.Confidence {
			c := bootstrap.Confidence(len(all), o.Seed, m.score)
			s = append(s, member{"confidence_low", rounded(c.Low, 2)}, member{"confidence_high", rounded(c.High, 2)})
		}
		if baselines != nil {
			c := bootstrap.Compare(len(all), o.Seed, m.score, baselines[i].score)
			s = append(s, member{"baseline_score", rounded(c.Baseline, 2)}, member{"difference", rounded(c.System-c.Baseline, 2)},
				member{"difference_low", rounded(c.Interval.Low, 2)}, member{"difference_high", rounded(c.Interval.High, 2)}, member{"p_value", rounded(c.P, 4)})
		}
		if o.Confidence || baselines != nil {
			s = append(s, member{"samples", bootstrap.Samples}, member{"seed", o.Seed})
		}
		if o.ByLength != "" {
			var lengths []object
			for _, bucket := range lengthBuckets(in.byLength) {
				lengths = append(lengths, object{{"words", bucket.String()}, {"sentences", len(bucket.Sentences)}, {"score", rounded(m.score(bucket.Sentences), 2)}})
			}
			s = append(s, member{"by_length", lengths})
		}
		scores[i] = s
	}
	content, err := json.MarshalIndent(scores, "", "  ")
	if err != nil {
		panic(err) // scores are finite
	}
	return string(content) + "\n"
}

// An object is a JSON object with its members in their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], m.key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// parseScore returns the parts of a line of evaluation.lines: a name, a signature or none, the score
// and how it comes about.
func parseScore(line string) (name, signature string, score float64, verbose string) {
	name, value, _ := strings.Cut(line, " = ")
	name, signature, _ = strings.Cut(name, "|")
	number, verbose, _ := strings.Cut(value, " ")
	score, err := strconv.ParseFloat(strings.TrimSuffix(number, ","), 64)
	if err != nil {
		panic(err) // lines have numbers
	}
	return name, signature, score, verbose
}

// rounded returns the number that v is printed as with so many decimals.
func rounded(v float64, decimals int) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', decimals, 64), 64)
	if err != nil || n == 0 {
		return math.Abs(n) // no -0
	}
	return n
}
