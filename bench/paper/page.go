// Command paper makes the tables and Figure 2 of README.md and results/README.md from results:
//
//	go run ./bench/paper          # rewrites them
//	go run ./bench/paper -check   # fails if they differ
//
// The scripts write the results: run.sh of translators, align.sh of aligners, inflect.sh of models of inflection. Their
// text is made by the same program (text.go).
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

func main() {
	check := flag.Bool("check", false, "change nothing, and fail if a table or a figure differs")
	folder := flag.String("generate", "", "write generated text to a `folder`")
	language := flag.String("tokenize", "", "tokenize standard input of a `language`")
	models := flag.Bool("known", false, "say of which pairs of standard input the models know all words")
	flag.Parse()
	var err error
	switch {
	case *folder != "":
		err = generate(*folder)
	case *language != "":
		err = tokenize(*language)
	case *models:
		err = known(flag.Args())
	default:
		err = page(filepath.Join("bench", "paper"), *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "paper:", err)
		os.Exit(1)
	}
}

// marked matches a table between its markers: the name of the table and the folders of its results.
var marked = regexp.MustCompile(`(?s)(<!-- paper:(\w+) ([^\n]*) -->\n)(.*?)(<!-- /paper -->)`)

// page rewrites the tables and figures in a folder, or reports the first that differs.
func page(folder string, check bool) error {
	for _, name := range []string{"README.md", filepath.Join("results", "README.md")} {
		path := filepath.Join(folder, name)
		document, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var errs []error
		text := marked.ReplaceAllStringFunc(string(document), func(s string) string {
			m := marked.FindStringSubmatch(s)
			table, err := tables[m[2]](filepath.Join(folder, "results"), strings.Fields(m[3]))
			errs = append(errs, err)
			return m[1] + table + m[5]
		})
		if err := errors.Join(append(errs, write(path, text, check))...); err != nil {
			return err
		}
	}
	experiments, err := filepath.Glob(filepath.Join(folder, "results", "*", "figure2.svg"))
	for _, path := range experiments {
		list, readErr := readScores(filepath.Dir(path))
		if err = errors.Join(err, readErr); err == nil {
			err = write(path, byLength(list), check)
		}
	}
	return err
}

func write(path, text string, check bool) error {
	before, err := os.ReadFile(path)
	if err == nil && string(before) == text {
		return nil
	}
	if check {
		return fmt.Errorf("%s is not what the results give", path)
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

var tables = map[string]func(results string, names []string) (string, error){
	"table1": table1, "published": published, "align": alignments, "inflect": inflections,
}

// A score is the BLEU of sentences and the interval that holds 95 % of its bootstrap samples.
type score struct {
	sentences       int
	bleu, low, high float64
	words           float64 // mean length of the sources
}

func (s score) String() string { return fmt.Sprintf("%.2f (%.1f–%.1f)", s.bleu, s.low, s.high) }

// Scores are what run.sh writes of a model, KIND-LIMIT.scores: what was trained where, and the scores of all test
// sentences, of those whose words all models know, and of each range of lengths.
type scores struct {
	kind          string
	limit         int // words of a training sentence
	machine, date string
	all, known    score
	lengths       []score
}

func (s scores) name() string {
	return map[string]string{"encdec": "RNNencdec", "search": "RNNsearch"}[s.kind] + "-" + strconv.Itoa(s.limit)
}

// readScores returns the scores of an experiment, sorted by the limit.
func readScores(folder string) (list []scores, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.scores"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s: no scores: %w", folder, err)
	}
	for _, path := range paths {
		var s scores
		kind, limit, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".scores"), "-")
		s.kind = kind
		if s.limit, err = strconv.Atoi(limit); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(content)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			var n score
			switch key {
			case "machine":
				s.machine = value
			case "date":
				s.date = value
			case "all", "known", "length":
				if _, err := fmt.Sscan(value, &n.sentences, &n.words, &n.bleu, &n.low, &n.high); err != nil {
					return nil, fmt.Errorf("%s: %q: %w", path, line, err)
				}
			}
			switch key {
			case "all":
				s.all = n
			case "known":
				s.known = n
			case "length":
				s.lengths = append(s.lengths, n)
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b scores) int { return cmp.Or(cmp.Compare(a.limit, b.limit), cmp.Compare(a.kind, b.kind)) })
	return list, nil
}

// table1 shows BLEU as the paper's Table 1, the duration of each training, and where and when it was.
func table1(results string, names []string) (string, error) {
	var b strings.Builder
	b.WriteString("| results | model | minutes | all texts | normalized | of | without unknown words | of |\n" + rule(8))
	var machines []string
	experiments, dates := map[string][]string{}, map[string][]string{}
	for _, name := range names {
		folder := filepath.Join(results, name)
		list, err := readScores(folder)
		if err != nil {
			return "", err
		}
		for _, s := range list {
			file := filepath.Join(folder, fmt.Sprintf("%s-%d", s.kind, s.limit))
			training, err := readLog(file + ".jsonl")
			if err != nil {
				return "", err
			}
			normalized := ""
			if list, err := readBLEU(file + ".bleu"); err == nil {
				normalized = list[0].String()
			} else if !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			fmt.Fprintf(&b, "| %s | %s | %.0f | %s | %s | %d | %s | %d |\n",
				name, s.name(), 60*training.hours, s.all, normalized, s.all.sentences, s.known, s.known.sentences)
			if !slices.Contains(machines, s.machine) {
				machines = append(machines, s.machine)
			}
			experiments[s.machine] = append(experiments[s.machine], name)
			dates[s.machine] = append(dates[s.machine], s.date)
		}
	}
	b.WriteString("\n")
	for _, m := range machines {
		slices.Sort(dates[m])
		fmt.Fprintf(&b, "%s: %s, %s.\n", strings.Join(slices.Compact(experiments[m]), ", "), m, strings.Join(slices.Compact(dates[m]), " and "))
	}
	return b.String(), nil
}

// rule is the line below the titles of a table.
func rule(columns int) string { return strings.Repeat("| --- ", columns) + "|\n" }

// A training is what tables show of a log.
type training struct {
	updates, epochs int
	hours           float64
	speed           float64 // sentences per second of updates
	bleu            float64 // of the best model, in validation
}

// readLog reads the log of rnnsearch train. A training that resumed has repeated updates, but no validation.
func readLog(path string) (t training, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	updating := 0.0 // time of the updates in seconds per sentence of a batch
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		var r struct {
			Event         string
			Update, Epoch int
			Seconds, BLEU float64
			Speed         float64 `json:"sentences_per_second"`
			Best          bool
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return t, fmt.Errorf("%s: %w", path, err)
		}
		if r.Event != "validation" {
			continue
		}
		updating += float64(r.Update-t.updates) / r.Speed
		t.updates, t.epochs, t.hours = r.Update, r.Epoch, r.Seconds/3600
		if r.Best {
			t.bleu = r.BLEU
		}
	}
	if t.updates == 0 {
		return t, fmt.Errorf("%s: no validation: %w", path, lines.Err())
	}
	t.speed = float64(t.updates) / updating
	return t, nil
}

// readBLEU reads what rnnsearch bleu --confidence prints: BLEU, BLEU 13a and chrF2.
func readBLEU(path string) (list []score, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, table, _ := strings.Cut(string(content), "low     high\n")
	for _, name := range []string{"BLEU", "BLEU 13a", "chrF2"} {
		var s score
		row, rest, _ := strings.Cut(table, "\n")
		values, ok := strings.CutPrefix(row, name+" ")
		if _, err := fmt.Sscan(values, &s.bleu, &s.low, &s.high); !ok || err != nil {
			return nil, fmt.Errorf("%s: %q: expected the scores of rnnsearch bleu --confidence", path, row)
		}
		list, table = append(list, s), rest
	}
	return list, nil
}

// published shows the trainings on single captions: NAME.jsonl is the log, and NAME.bleu the scores of the test.
func published(results string, names []string) (string, error) {
	var b strings.Builder
	b.WriteString("| model | updates | epochs | hours | sentences/s | validation, greedy | test | 13a | chrF2 |\n" + rule(9))
	for _, row := range [][2]string{
		{"seed-1", "our recipe, seed 1"}, {"seed-2", "our recipe, seed 2"}, {"seed-3", "our recipe, seed 3"},
		{"ensemble", "ensemble of the three"}, {"paper", "the paper's recipe"}, {"seed-2-bf16", "our recipe, seed 2, in bfloat16"},
	} {
		file := filepath.Join(results, names[0], row[0])
		t, err := readLog(file + ".jsonl")
		switch {
		case err == nil:
			fmt.Fprintf(&b, "| %s | %d | %d | %.1f | %.0f | %.1f ", row[1], t.updates, t.epochs, t.hours, t.speed, t.bleu)
		case row[0] == "ensemble":
			fmt.Fprintf(&b, "| %s | | | | | ", row[1])
		default:
			return "", err
		}
		list, err := readBLEU(file + ".bleu")
		if err != nil {
			return "", err
		}
		for _, s := range list {
			fmt.Fprintf(&b, "| %s ", s)
		}
		b.WriteString("|\n")
	}
	return b.String(), nil
}

// alignments shows the alignment error rates of texts linked by hand, as rnnsearch aer prints them.
func alignments(results string, names []string) (string, error) {
	var b strings.Builder
	b.WriteString("| text | links by | en→fr | fr→en | intersection | union | grow-diag | grow-diag-final |\n" + rule(8))
	for _, text := range []string{"gold-test", "gold-val"} {
		for _, way := range []string{"attention", "agreement"} {
			path := filepath.Join(results, names[0], text+"."+way+".aer")
			content, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| %s | %s ", text, way)
			for _, row := range strings.Split(strings.TrimSpace(string(content)), "\n")[1:] {
				field := strings.Fields(row)
				if len(field) != 7 {
					return "", fmt.Errorf("%s: %q: expected a row of rnnsearch aer", path, row)
				}
				fmt.Fprintf(&b, "| %s (%s–%s) ", field[4], field[5], field[6])
			}
			b.WriteString("|\n")
		}
	}
	return b.String(), nil
}

// winner has the percentage of right forms of the five models that won the competition (Kann and Schütze, 2016).
var winner = map[string]float64{"arabic": 95.47, "german": 95.80, "hungarian": 99.30, "russian": 91.46, "spanish": 98.84, "turkish": 98.93}

// inflections shows forms.txt, which inflect.sh writes: of each language the forms of test and dev, those that one model
// and five find, and the minutes of each training.
func inflections(results string, names []string) (string, error) {
	path := filepath.Join(results, names[0], "forms.txt")
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	machine, rows, _ := strings.Cut(string(content), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n| language | forms | the winner's five | one model | 5 models | dev, one model | dev, 5 models | minutes |\n%s", machine, rule(8))
	var mean [5]float64
	languages := 0.0
	for row := range strings.Lines(rows) {
		var language string
		var test, dev, right [4]int
		var minutes [5]float64
		if _, err := fmt.Sscan(row, &language, &test[0], &right[0], &right[1], &dev[0], &right[2], &right[3],
			&minutes[0], &minutes[1], &minutes[2], &minutes[3], &minutes[4]); err != nil {
			return "", fmt.Errorf("%s: %q: %w", path, row, err)
		}
		fmt.Fprintf(&b, "| %s | %d | %.2f ", strings.ToUpper(language[:1])+language[1:], test[0], winner[language])
		mean[0] += winner[language]
		for i, forms := range []int{test[0], test[0], dev[0], dev[0]} {
			fmt.Fprintf(&b, "| %s ", wilson(right[i], forms))
			mean[1+i] += 100 * float64(right[i]) / float64(forms)
		}
		fmt.Fprintf(&b, "| %.1f |\n", slices.Min(minutes[:]))
		languages++
	}
	b.WriteString("| mean | ")
	for _, sum := range mean {
		fmt.Fprintf(&b, "| %.2f ", sum/languages)
	}
	return b.String() + "| |\n", nil
}

// wilson returns a percentage and its score interval of 95 % (Wilson, 1927).
func wilson(right, all int) string {
	const z = 1.959964
	n := float64(all)
	p := float64(right) / n
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return fmt.Sprintf("%.2f (%.1f–%.1f)", 100*p, 100*(center-half), 100*(center+half))
}

// byLength draws Figure 2: BLEU against the length of the source, with intervals.
func byLength(list []scores) string {
	type point struct{ X, Y, Low, High float64 }
	type line struct {
		Name, Color, Path string
		Points            []point
		Row               float64
	}
	round := func(v float64) float64 { return math.Round(10*v) / 10 }
	x := func(words float64) float64 { return round(50 + 6*words) }
	y := func(bleu float64) float64 { return round(20 + 2.6*(100-bleu)) }
	var lines []line
	for i, s := range list {
		l := line{Name: s.name(), Color: []string{"#0072b2", "#d55e00", "#56b4e9", "#e69f00", "#009e73"}[i%5], Row: float64(30 + 18*i)}
		for _, p := range s.lengths {
			l.Points = append(l.Points, point{x(p.words), y(p.bleu), y(p.low), y(p.high)})
			l.Path += fmt.Sprintf(" %v,%v", x(p.words), y(p.bleu))
		}
		lines = append(lines, l)
	}
	var b strings.Builder
	data := map[string]any{"Lines": lines, "Words": []float64{0, 20, 40, 60, 80}, "BLEU": []float64{0, 20, 40, 60, 80, 100}}
	if err := template.Must(template.New("").Funcs(template.FuncMap{"x": x, "y": y}).Parse(figure2)).Execute(&b, data); err != nil {
		panic(err) // the template takes what it is given
	}
	return b.String()
}

const figure2 = `<svg xmlns="http://www.w3.org/2000/svg" width="680" height="330" font-family="sans-serif" font-size="13" fill="#22201d">
<rect width="680" height="330" fill="#fff"/>
{{range .BLEU}}<path d="M50 {{y .}}H560" stroke="#e3ded6"/><text x="44" y="{{y .}}" dy="4" text-anchor="end">{{.}}</text>
{{end}}{{range .Words}}<text x="{{x .}}" y="298" text-anchor="middle">{{.}}</text>
{{end}}<text x="305" y="320" text-anchor="middle">words of the source</text>
<text x="14" y="150" text-anchor="middle" transform="rotate(-90 14 150)">BLEU</text>
{{range .Lines}}<g stroke="{{.Color}}" fill="none" stroke-width="2"><polyline points="{{.Path}}"/>{{range .Points}}<path d="M{{.X}} {{.Low}}V{{.High}}"/>{{end}}<path d="M570 {{.Row}}h16"/></g>
<text x="590" y="{{.Row}}" dy="4" font-size="12">{{.Name}}</text>
{{end}}</svg>
`
