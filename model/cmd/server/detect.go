package server

import (
	"cmp"
	"math"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/softsearch-go/softsearch/model"
)

// detect answers POST /detect as LibreTranslate does: the languages of this server that a text, or a list,
// can be in, the most probable first.
func (s *Server) detect(w http.ResponseWriter, r *http.Request, body []byte) error {
	q, err := readLibre(r, body)
	if err == nil && !q.hasText() {
		err = missing("q")
	}
	if err == nil {
		err = overLimit(s.checkTexts(q.Q, 1))
	}
	if err == nil {
		err = w.(*recorder).memory.add(perTextByte * maxEvidence)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, s.languagesOf(q.Q.list))
}

// plainTexts returns the texts of a request; in other formats, without tags, scripts and styles of HTML.
func plainTexts(q libreRequest) []string {
	if q.Format == "" || q.Format == "text" {
		return q.Q.list
	}
	list := make([]string, len(q.Q.list))
	for i, text := range q.Q.list {
		var b strings.Builder
		z, code := html.NewTokenizer(strings.NewReader(text)), false
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			switch {
			case kind != html.TextToken:
				name, _ := z.TagName()
				code = kind == html.StartTagToken && (string(name) == "script" || string(name) == "style")
				b.WriteByte(' ')
			case !code:
				b.Write(z.Text())
			}
		}
		list[i] = b.String()
	}
	return list
}

// maxEvidence is the number of bytes from the beginning of texts that decide about their language.
const maxEvidence = 16 << 10

// languagesOf returns the languages that texts are in, all in the same one, with their confidence in
// percent. Without evidence it is 0, and the language is the first model's.
func (s *Server) languagesOf(texts []string) []detected {
	var languages []string
	var likelihoods []*big.Float
	best, evidence := new(big.Float), 0
	add := func(language string, unigrams model.Unigrams) {
		if slices.Contains(languages, language) {
			return
		}
		l, words, left := big.NewFloat(1), 0, maxEvidence
		for _, text := range texts {
			for line := range strings.Lines(text) {
				line = line[:min(len(line), left)]
				left -= len(line)
				p, n := unigrams.Likelihood(line)
				l.Mul(l, p)
				words += n
			}
		}
		languages, likelihoods, evidence = append(languages, language), append(likelihoods, l), max(evidence, words)
		if l.Cmp(best) > 0 {
			best = l
		}
	}
	pairs := s.pairs()
	for _, p := range pairs {
		add(p.source, p.reads)
	}
	for _, p := range pairs {
		add(p.target, p.writes)
	}
	list := []detected{}
	if evidence == 0 {
		for _, language := range languages[:min(1, len(languages))] {
			list = append(list, detected{0, language})
		}
		return list
	}
	shares, sum := make([]float64, len(languages)), 0.0
	for i, l := range likelihoods {
		shares[i], _ = new(big.Float).Quo(l, best).Float64()
		sum += shares[i]
	}
	for i, language := range languages {
		if percent := math.Round(1e4*shares[i]/sum) / 100; percent > 0 {
			list = append(list, detected{percent, language})
		}
	}
	slices.SortStableFunc(list, func(a, b detected) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return list
}
