package server

import (
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

var lines = []string{
	"the dog sleeps in the garden", "the cat eats", "", "the dog and the cat sleep", "the bird", "an unknown word",
	strings.TrimSpace(strings.Repeat("the dog and ", 20)),
}

// TestTranslate compares answers with what the translator returns, for single texts and lists.
func TestTranslate(t *testing.T) {
	s := newServer(t, nil)
	models, err := tiny()
	if err != nil {
		t.Fatal(err)
	}
	m := models[0]
	tr, err := decode.New(m, decode.Options{NBest: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	a := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, map[string]any{"text": lines, "nbest": 3, "alignments": true}))
	if a.Model != "en-fr" || len(a.Translations) != len(lines) {
		t.Fatalf("model %s, %d translations", a.Model, len(a.Translations))
	}
	for i, line := range lines {
		one := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, map[string]any{"text": line, "nbest": 3, "alignments": true}))
		if got, want := encode(t, one.Translations[0]), encode(t, a.Translations[i]); got != want {
			t.Errorf("%q alone gives\n%s, in a list\n%s", line, got, want)
		}
		reading, err := tr.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		best, err := tr.Translate(t.Context(), m.EncodeWords(reading.Words))
		if err != nil {
			t.Fatal(err)
		}
		got := a.Translations[i]
		if len(got.Best) != len(best) || len(got.Source.Tokens) != len(m.Encode(line)) {
			t.Fatalf("%q: %d translations of %d tokens, want %d", line, len(got.Best), len(got.Source.Tokens), len(best))
		}
		for k, b := range best {
			g, text := got.Best[k], tr.Write(reading, b).Line
			if g.Text != text || g.LogProb != b.LogProb || g.Score != b.Score || len(g.Alignment) != len(b.IDs) {
				t.Errorf("%q: translation %d is %q with %v and %v, want %q with %v and %v", line, k, g.Text, g.LogProb, g.Score, text, b.LogProb, b.Score)
			}
			for j, id := range b.IDs {
				if token := g.Target.Tokens[j]; token.Token != m.Target.Word(id) || *token.LogProb != b.LogProbs[j] || !slices.Equal(g.Alignment[j], b.Alignment.Row(j)) {
					t.Errorf("%q: token %d is %q with %v", line, j, token.Token, *token.LogProb)
				}
			}
		}
	}
	if unknown := a.Translations[5].Source.Tokens[0]; unknown.Token != "an" || !unknown.Unknown {
		t.Errorf("unknown source word is %+v", unknown)
	}
	plain := get[translateAnswer](t, s, "POST", "/v1/translate", `{"text": "the cat eats"}`)
	if best := plain.Translations[0].Best; len(best) != 1 || best[0].Alignment != nil {
		t.Errorf("without options: %d translations, alignment %v", len(best), best[0].Alignment)
	}
}

// TestBeam compares translations by beams of two sizes with those of package decode, for lines of which some show the
// size.
func TestBeam(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxTexts, o.MaxCharacters = 1000, 100_000 })
	models, err := tiny()
	if err != nil {
		t.Fatal(err)
	}
	m := models[0]
	words := m.Source.Words()[1:]
	var lines []string
	for i, n := 0, len(words); i < n*n*n; i++ {
		lines = append(lines, strings.Join([]string{words[i%n], words[i/n%n], words[i/n/n], words[i%n]}, " "))
	}
	found := [2][]float64{} // log p of all sentences
	for i := range found {
		tr, err := decode.New(m, decode.Options{Beam: 1 + i})
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		for j, a := range get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, map[string]any{"text": lines, "beam": 1 + i})).Translations {
			best, err := tr.Translate(t.Context(), m.Encode(lines[j]))
			if err != nil || a.Best[0].LogProb != best[0].LogProb {
				t.Fatalf("%s: a beam of %d gives log p %v, want that of %+v, %v", lines[j], 1+i, a.Best[0].LogProb, best, err)
			}
			found[i] = append(found[i], a.Best[0].LogProb)
		}
	}
	if slices.Equal(found[0], found[1]) {
		t.Error("the beam does not matter")
	}
}

// TestConcurrentRequests compares the answers under load with those of single requests.
func TestConcurrentRequests(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxRequests = 1000 })
	bodies := make([]string, 0, 3*len(lines))
	for _, line := range lines {
		bodies = append(bodies, encode(t, map[string]any{"text": line}), encode(t, map[string]any{"text": line, "beam": 2, "nbest": 2}),
			encode(t, map[string]any{"text": []string{line, lines[0]}, "alignments": true}))
	}
	want := make([]string, len(bodies))
	for i, body := range bodies {
		want[i] = ask(s, "POST", "/v1/translate", body).Body.String()
	}
	var group sync.WaitGroup
	for i := range 16 * len(bodies) {
		group.Go(func() {
			if got := ask(s, "POST", "/v1/translate", bodies[i%len(bodies)]).Body.String(); got != want[i%len(bodies)] {
				t.Errorf("%s\nunder load gives\n%.300s, alone\n%.300s", bodies[i%len(bodies)], got, want[i%len(bodies)])
			}
		})
	}
	group.Wait()
}

// TestTree follows each finished hypothesis of a tree to the root.
func TestTree(t *testing.T) {
	s := newServer(t, nil)
	a := get[translateAnswer](t, s, "POST", "/v1/translate", `{"text": "the dog sleeps", "beam": 4, "nbest": 4, "tree": true}`)
	tree, ranks := a.Translations[0].Tree, 0
	for i, n := range tree {
		if n.ID != i || n.Parent >= i || n.Parent < 0 && n.Step != 0 || n.Parent >= 0 && n.Step != tree[n.Parent].Step+1 {
			t.Fatalf("node %d: %+v", i, n)
		}
		if n.Ended != (n.Token == "</s>") {
			t.Errorf("node %+v", n)
		}
		if n.Best == nil {
			continue
		}
		ranks++
		best := a.Translations[0].Best[*n.Best]
		sum := 0.0
		for k, at := len(best.Target.Tokens)-1, i; at >= 0; k, at = k-1, tree[at].Parent {
			if tree[at].Token != best.Target.Tokens[k].Token || tree[at].LogProb != *best.Target.Tokens[k].LogProb || tree[at].Step != k {
				t.Errorf("translation %d: token %d is %+v in the tree, %+v", *n.Best, k, tree[at], best.Target.Tokens[k])
			}
			sum += tree[at].LogProb
		}
		if n.Total != best.LogProb || math.Abs(sum-n.Total) > 1e-9 {
			t.Errorf("translation %d: total %v, sum %v, want %v", *n.Best, n.Total, sum, best.LogProb)
		}
	}
	if ranks != len(a.Translations[0].Best) || ranks == 0 {
		t.Errorf("%d ranks in the tree, want %d", ranks, len(a.Translations[0].Best))
	}
}

// TestAlternatives compares alternatives with translations that are forced to begin with them.
func TestAlternatives(t *testing.T) {
	s := newServer(t, nil)
	a := get[alternativesAnswer](t, s, "POST", "/v1/alternatives", `{"text": "the dog sleeps", "prefix": ["le"], "n": 19}`).Alternatives
	greedy := get[translateAnswer](t, s, "POST", "/v1/translate", `{"text": "the dog sleeps", "prefix": ["le"], "beam": 1}`).Translations[0].Best[0]
	if len(a) == 0 || a[0].Text != greedy.Text || a[0].LogProb != *greedy.Target.Tokens[1].LogProb {
		t.Fatalf("alternatives %+v, want %q first", a, greedy.Text)
	}
	ended := false
	for i, alternative := range a {
		if i > 0 && alternative.LogProb > a[i-1].LogProb {
			t.Errorf("alternative %d is more probable than the one before", i)
		}
		if alternative.Token == "</s>" {
			ended = true
			if alternative.Word != "" || alternative.Text != "le" {
				t.Errorf("the end: %+v", alternative)
			}
			continue
		}
		forced := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, map[string]any{"text": "the dog sleeps", "prefix": []string{"le", alternative.Token}, "beam": 1})).Translations[0].Best[0]
		if alternative.Text != forced.Text || !strings.HasPrefix(forced.Text, "le "+alternative.Word) {
			t.Errorf("%+v, want %q", alternative, forced.Text)
		}
	}
	if !ended {
		t.Errorf("the end is not among %+v", a)
	}
	appended := get[translateAnswer](t, s, "POST", "/v1/translate", `{"text": "the dog sleeps", "prefix": ["le"], "append": "chat mange"}`).Translations[0].Best[0]
	if !strings.HasPrefix(appended.Text, "le chat mange") {
		t.Errorf("appended words give %q", appended.Text)
	}
}

// TestModels describes an ensemble of int8 weights beside a model.
func TestModels(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Models[0].Examples = lines[:2]
		o.Models = append(o.Models, Model{Name: "both", Open: func() ([]*model.Model, error) {
			models, err := tiny()
			if err != nil {
				return nil, err
			}
			q, err := models[0].Quantize()
			return []*model.Model{q, models[0]}, err
		}})
	})
	list := get[modelList](t, s, "GET", "/v1/models", "")
	want := []modelInfo{
		{"en-fr", "en", "fr", "search", list.Models[0].Parameters, "float32", 1, true, lines[:2], model.Search{Beam: 5}},
		{"both", "", "", "search", 2 * list.Models[0].Parameters, "int8", 2, true, nil, model.Search{Beam: 5}},
	}
	if !reflect.DeepEqual(list.Models, want) || list.Default != "en-fr" || list.Beam != 5 || list.Limits != (limitsInfo{20, 256, 10_000, 250, 1 << 20, false}) || list.Models[0].Parameters < 1000 {
		t.Errorf("got %+v", list)
	}
	a := get[translateAnswer](t, s, "POST", "/v1/translate", `{"model": "both", "text": "the dog sleeps"}`)
	if a.Model != "both" || a.Translations[0].Best[0].Text != "le chien dort dans le jardin" {
		t.Errorf("the ensemble gives %+v", a)
	}
}

// TestModelSearch has a model that says how to search it, and which translations are unsure.
func TestModelSearch(t *testing.T) {
	search := model.Search{Beam: 3, Prune: 2, Normalization: 1, Unsure: -1e-9}
	open := func() ([]*model.Model, error) {
		models, err := tiny()
		models[0].Search = search
		return models, err
	}
	for _, test := range []struct {
		options decode.Options
		maxBeam int
		want    model.Search
	}{
		{decode.Options{}, 20, search},
		{decode.Options{}, 2, model.Search{Beam: 2, Prune: 2, Normalization: 1, Unsure: -1e-9}},
		{decode.Options{Beam: 4, Prune: 3, Normalization: new(0.5)}, 20, model.Search{Beam: 4, Prune: 3, Normalization: 0.5, Unsure: -1e-9}},
	} {
		s := newServer(t, func(o *Options) { o.Models[0].Open, o.Decoding, o.MaxBeam = open, test.options, test.maxBeam })
		if list := get[modelList](t, s, "GET", "/v1/models", ""); list.Models[0].Search != test.want || list.Beam != test.want.Beam {
			t.Errorf("got %+v, want %+v", list, test.want)
		}
		const text = `{"text": "the cat eats"`
		tree := get[translateAnswer](t, s, "POST", "/v1/translate", text+`, "tree": true}`)
		want := get[translateAnswer](t, s, "POST", "/v1/translate", text+fmt.Sprintf(`, "tree": true, "beam": %d}`, test.want.Beam))
		if best := tree.Translations[0].Best[0]; !reflect.DeepEqual(tree, want) || !best.Unsure || best.Score != best.LogProb/math.Pow(float64(len(best.Target.Tokens)), test.want.Normalization) {
			t.Errorf("got %+v, want %+v", tree, want)
		}
		if w := ask(s, "POST", "/v1/stream", text+"}"); !strings.Contains(w.Body.String(), `"unsure":true`) {
			t.Errorf("stream %s", w.Body)
		}
	}
}

// segmented returns a model of plain English and French whose words are characters, untrained.
func segmented(t *testing.T, kind model.Kind) func() ([]*model.Model, error) {
	t.Helper()
	m, err := model.New(model.Config{
		Kind: kind, Order: model.UpdateFirst, SourceVocab: 8, TargetVocab: 8,
		Embedding: 4, Hidden: 4, Alignment: 4, Maxout: 4,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"</s>", "<unk>", "a@@", "b@@", "a", "b", ".", "!"}
	for _, side := range []struct {
		language   string
		vocabulary **text.Vocabulary
		text       *pipeline.Pipeline
	}{{"en", &m.Source, &m.SourceText}, {"fr", &m.Target, &m.TargetText}} {
		if *side.vocabulary, err = text.VocabularyOf(words); err != nil {
			t.Fatal(err)
		}
		if *side.text, err = pipeline.New(pipeline.Settings{Language: side.language, Codes: bpe.Codes{}}); err != nil {
			t.Fatal(err)
		}
	}
	return func() ([]*model.Model, error) { return []*model.Model{m}, nil }
}

// TestWords groups the segments of words, of sources and of forced translations.
func TestWords(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Models = []Model{{Name: "en-fr", Open: segmented(t, model.RNNencdec)}}
	})
	a := get[translateAnswer](t, s, "POST", "/v1/translate", `{"text": "ab Bba.", "prefix": ["b@@", "a"], "append": "aab !", "alignments": true}`)
	source, best := a.Translations[0].Source, a.Translations[0].Best[0]
	if want := []api.Word{{Text: "ab", Tokens: [2]int{0, 2}}, {Text: "Bba", Tokens: [2]int{2, 5}}, {Text: ".", Tokens: [2]int{5, 6}}}; !slices.Equal(source.Words, want) {
		t.Errorf("source words %v, want %v", source.Words, want)
	}
	if first := source.Tokens[2]; first.Token != "B@@" || !first.Unknown || len(source.Tokens) != 7 {
		t.Errorf("source tokens %+v", source.Tokens)
	}
	if want := []api.Word{{Text: "ba", Tokens: [2]int{0, 2}}, {Text: "aab", Tokens: [2]int{2, 5}}, {Text: "!", Tokens: [2]int{5, 6}}}; len(best.Target.Words) < 3 || !slices.Equal(best.Target.Words[:3], want) {
		t.Errorf("target words %v, want %v", best.Target.Words, want)
	}
	if best.Alignment != nil {
		t.Error("RNNencdec has alignments")
	}
	if i := get[modelList](t, s, "GET", "/v1/models", "").Models[0]; i.Source != "en" || i.Target != "fr" || i.Alignments || i.Kind != "encdec" {
		t.Errorf("model %+v", i)
	}
	for body, word := range map[string]string{
		`{"text": "ab", "append": "ab bøb, ab"}`:            "bøb,",
		`{"text": "ab", "prefix": ["b@@", "ø@@"]}`:          "ø@@",
		`{"text": "ab", "prefix": ["x"], "append": "ø a."}`: "x",
	} {
		w := ask(s, "POST", "/v1/alternatives", body)
		if want := `this model cannot write "` + word + `"`; w.Code != http.StatusBadRequest || decodedError(w.Body.Bytes()) != want {
			t.Errorf("%s: status %d, %s, want %s", body, w.Code, w.Body, want)
		}
	}
}

// TestCopyUnknown has an unknown word that the text shows as the source word, if the server or the request
// says so.
func TestCopyUnknown(t *testing.T) {
	for _, test := range []struct {
		server bool
		field  string
		want   string
	}{{true, "", "zebra"}, {false, `, "copy_unknown": true`, "zebra"}, {true, `, "copy_unknown": false`, "zebra"}, {false, "", "<unk>"}} {
		s := newServer(t, func(o *Options) { o.Decoding.ReplaceUNK = test.server })
		request := `{"text": "zebra", "prefix": ["le", "<unk>"]` + test.field + `}`
		best := get[translateAnswer](t, s, "POST", "/v1/translate", request).Translations[0].Best[0]
		if !strings.HasPrefix(best.Text, "le "+test.want) || best.Target.Words[1].Text != test.want || best.Target.Tokens[1].Token != "<unk>" || !best.Target.Tokens[1].Unknown {
			t.Errorf("server %t, %s: got %+v", test.server, request, best)
		}
		if stream := ask(s, "POST", "/v1/stream", request).Body.String(); !strings.Contains(stream, `"text":`+strings.TrimSuffix(encode(t, "le "+test.want), `"`)) {
			t.Errorf("server %t, %s: stream %s", test.server, request, stream)
		}
	}
}

// TestLoop has translations that repeat a word endlessly.
func TestLoop(t *testing.T) {
	list, err := tiny()
	if err != nil {
		t.Fatal(err)
	}
	m := list[0]
	id := m.Target.ID("le")
	m.Parameters.B[id], m.Parameters.B[text.EOS] = 100, -100
	s := newServer(t, func(o *Options) {
		o.Models = []Model{{Name: "en-fr", Open: func() ([]*model.Model, error) { return list, nil }}}
	})
	for _, request := range []string{`{"text": "zebra", "alignments": true}`, `{"text": "zebra", "alignments": true, "tree": true}`} {
		answer := get[translateAnswer](t, s, "POST", "/v1/translate", request).Translations[0]
		whole := slices.ContainsFunc(answer.Tree, func(n node) bool { return n.Best != nil && n.Step > 0 })
		if whole != strings.Contains(request, "tree") {
			t.Errorf("%s: the tree has the whole translation: %t", request, whole)
		}
		best := answer.Best[0]
		if best.Text != "le" || !best.Looped || len(best.Target.Tokens) != 1 || len(best.Alignment) != 1 {
			t.Errorf("%s: got %+v", request, best)
		}
	}
	stream := ask(s, "POST", "/v1/stream", `{"text": "zebra"}`).Body.String()
	if !strings.Contains(stream, `"text":"le le le"`) || strings.Contains(stream, `"text":"le le le le"`) || !strings.Contains(stream, `"looped":true`) {
		t.Errorf("stream %s", stream)
	}
}

// copying returns a model of plain text that begins each translation with the first code of the text, or a name or term.
func copying(t *testing.T) func() ([]*model.Model, error) {
	list, err := segmented(t, model.RNNsearch)()
	if err != nil {
		t.Fatal(err)
	}
	m := list[0]
	for v, p := range map[**text.Vocabulary]*pipeline.Pipeline{&m.Source: &m.SourceText, &m.Target: &m.TargetText} {
		words := (*v).Words()
		words[6], words[7] = "⟦@1⟧", "⟦1⟧"
		if *v, err = text.VocabularyOf(words); err != nil {
			t.Fatal(err)
		}
		s := p.Settings()
		s.Rules = pipeline.Reversible
		if *p, err = pipeline.New(s); err != nil {
			t.Fatal(err)
		}
	}
	m.Parameters.B[6], m.Parameters.B[7] = 50, 100
	return func() ([]*model.Model, error) { return list, nil }
}

// TestSpans has spans that come back as they are in all answers, while tokens are those of the vocabulary.
func TestSpans(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Models = []Model{{Name: "en-fr", Open: copying(t)}} })
	const span, request = "``x. <Y  z``", `"text": "a ` + "``x. <Y  z`` b" + `"`
	a := get[translateAnswer](t, s, "POST", "/v1/translate", "{"+request+`, "alignments": true, "tree": true}`).Translations[0]
	if want := []api.Word{{Text: "a", Tokens: [2]int{0, 1}}, {Text: span, Tokens: [2]int{1, 2}}, {Text: "b", Tokens: [2]int{2, 3}}}; !slices.Equal(a.Source.Words, want) {
		t.Errorf("source words %v, want %v", a.Source.Words, want)
	}
	if got := a.Source.Tokens; got[1].Token != "⟦1⟧" {
		t.Errorf("source tokens %+v", got)
	}
	best := a.Best[0]
	if best.Target.Words[0].Text != span || best.Target.Tokens[0].Token != "⟦1⟧" || !strings.HasPrefix(best.Text, span) || strings.Contains(best.Text, "⟦") {
		t.Errorf("translation %+v", best)
	}
	for _, more := range []string{`"prefix": ["a", "⟦1⟧"]`, `"append": "a ` + span + `"`} {
		forced := get[translateAnswer](t, s, "POST", "/v1/translate", "{"+request+", "+more+"}").Translations[0].Best[0]
		if words := forced.Target.Words; words[0].Text != "a" || words[1].Text != span || !strings.HasPrefix(forced.Text, "a "+span) {
			t.Errorf("%s: %+v", more, forced)
		}
	}
	for _, foreign := range []string{"⟦1⟧", "`y`"} {
		if w := ask(s, "POST", "/v1/translate", "{"+request+`, "append": "a `+foreign+`"}`); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), foreign) {
			t.Errorf("append %s: status %d, %s", foreign, w.Code, w.Body)
		}
	}
	next := get[alternativesAnswer](t, s, "POST", "/v1/alternatives", "{"+request+`, "n": 8}`).Alternatives
	if next[0].Token != "⟦1⟧" || next[0].Word != span || !strings.HasPrefix(next[0].Text, span) {
		t.Errorf("alternatives %+v", next)
	}
	if w := ask(s, "POST", "/v1/stream", "{"+request+"}"); w.Code != http.StatusOK || strings.Count(w.Body.String(), `"text":"`+"``x. \\u003cY  z``") < 3 {
		t.Errorf("stream: status %d, %s", w.Code, w.Body)
	}
	for format, want := range map[string]string{"text": span, "html": "``x. &lt;Y  z``"} {
		q := strings.NewReplacer("text\":", "q\":", "<", map[string]string{"text": "<", "html": "&lt;"}[format]).Replace(request)
		got := get[libreAnswer](t, s, "POST", "/translate", "{"+q+`, "source": "en", "target": "fr", "format": "`+format+`"}`)
		if text := encode(t, got.TranslatedText); !strings.HasPrefix(text, encode(t, want)[:len(encode(t, want))-1]) {
			t.Errorf("%s: %s, want %s", format, text, want)
		}
	}
}
