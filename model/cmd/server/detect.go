package server

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/html"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
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

// plainTexts returns the texts of a request without the tags, scripts and styles of HTML.
func plainTexts(q libreRequest) []string {
	if q.Format != "html" {
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
// percent. Without evidence it is 0, and the language is that of the first model.
func (s *Server) languagesOf(texts []string) []detected {
	languages, lexicons := s.lexicons()
	if len(languages) == 0 {
		return []detected{}
	}
	likelihoods, evidence := make([]likelihood, len(languages)), 0
	for i, lexicon := range lexicons {
		l, words, left := likelihood{1, 0}, 0, maxEvidence
		for _, text := range texts {
			for line := range strings.Lines(text) {
				line = line[:min(len(line), left)]
				left -= len(line)
				words += lexicon.multiply(&l, line)
			}
		}
		likelihoods[i], evidence = l.root(), max(evidence, words)
	}
	if evidence == 0 {
		return []detected{{0, languages[0]}}
	}
	best := slices.MaxFunc(likelihoods, func(a, b likelihood) int { return cmp.Compare(a.exponent, b.exponent) }).exponent
	shares, sum := make([]float64, len(languages)), 0.0
	for i, l := range likelihoods {
		shares[i] = math.Ldexp(l.fraction, l.exponent-best)
		sum += shares[i]
	}
	var list []detected
	for i, language := range languages {
		if percent := math.Round(1e4*shares[i]/sum) / 100; percent > 0 {
			list = append(list, detected{percent, language})
		}
	}
	slices.SortStableFunc(list, func(a, b detected) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return list
}

// lexicons returns the languages of the server and their lexicons: of the first model that reads the
// language, or of the first that writes it.
func (s *Server) lexicons() (languages []string, list []*lexicon) {
	add := func(language string, l func() *lexicon) {
		if !slices.Contains(languages, language) {
			languages, list = append(languages, language), append(list, l())
		}
	}
	pairs := s.pairs()
	for _, p := range pairs {
		add(p.source, p.reads)
	}
	for _, p := range pairs {
		add(p.target, p.writes)
	}
	return languages, list
}

// A lexicon knows how probable a text is in a language, from the vocabulary of a model: by its segments,
// whose frequency falls with their rank (Zipf's law), and by its letters, each after the two before. The
// geometric mean of both is closer to the truth than either.
type lexicon struct {
	pipeline   pipeline.Pipeline
	vocabulary *text.Vocabulary
	all        float64 // weights of all words
	letters    map[trigram]float64
}

// A trigram is one to three letters, or the space after a word. Zeros stand before fewer.
type trigram [3]rune

// newLexicon returns a function that makes the lexicon when it is called for the first time.
func newLexicon(p pipeline.Pipeline, v *text.Vocabulary) func() *lexicon {
	return sync.OnceValue(func() *lexicon {
		l := &lexicon{pipeline: p, vocabulary: v, letters: map[trigram]float64{}}
		for id, word := range v.Words() {
			weight := weightOf(int32(id))
			l.all += weight
			tokens := p.Join([]string{word, "."})
			if !isWord(word) || len(tokens) == 0 {
				continue
			}
			letters := lettersOf(strings.TrimSuffix(tokens[0], "."))
			if len(tokens) == 2 {
				letters = lettersOf(tokens[0] + " ")
			}
			for i := range letters {
				for n := 1; n <= min(3, i+1); n++ {
					l.letters[trigramOf(letters[i+1-n:i+1])] += weight
				}
				l.letters[trigram{}] += weight
			}
		}
		return l
	})
}

func weightOf(id int32) float64 { return 1 / (float64(id) + 10) }

func isWord(word string) bool { return strings.ContainsFunc(word, unicode.IsLetter) }

func lettersOf(s string) []rune { return []rune(strings.ToLower(s)) }

func trigramOf(letters []rune) (t trigram) {
	copy(t[3-len(letters):], letters)
	return t
}

// multiply multiplies a likelihood by the probability of a line, and returns the number of its words that
// count: those with letters.
func (l *lexicon) multiply(product *likelihood, line string) (n int) {
	words := l.pipeline.Words(line)
	for _, word := range words {
		if !isWord(word) {
			continue
		}
		id := l.vocabulary.ID(word)
		if id == text.UNK {
			id = int32(l.vocabulary.Size())
		}
		product.multiply(weightOf(id) / l.all)
		n++
	}
	for _, token := range l.pipeline.Join(words) {
		if isWord(token) {
			letters := lettersOf(token + " ")
			for i := range letters {
				product.multiply(l.probability(letters[max(0, i-2) : i+1]))
			}
		}
	}
	return n
}

// probability returns that of the last of up to three letters, after the others. Each length adds to what
// the shorter ones say.
func (l *lexicon) probability(letters []rune) float64 {
	const (
		p0    = 1.0 / 5000 // of any letter
		prior = 0.05       // weight of the shorter ones
	)
	p := p0
	for n := range letters {
		before, last := letters[len(letters)-1-n:len(letters)-1], letters[len(letters)-1-n:]
		p = (l.letters[trigramOf(last)] + float64(prior*p)) / (l.letters[trigramOf(before)] + prior)
	}
	return p
}

// A likelihood is fraction·2^exponent: a product of so many probabilities that its logarithm would be
// used, if that had the same bits on all machines.
type likelihood struct {
	fraction float64
	exponent int
}

func (l *likelihood) multiply(p float64) {
	fraction, exponent := math.Frexp(l.fraction * p)
	l.fraction, l.exponent = fraction, l.exponent+exponent
}

// root returns the square root.
func (l likelihood) root() likelihood {
	odd := l.exponent & 1
	return likelihood{math.Sqrt(math.Ldexp(l.fraction, odd)), (l.exponent - odd) / 2}
}
