package markup

import (
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A part is a token, or what is between two marks of one.
type part struct{ token, from, to int }

// A target is a part of the translation, and the parts of the sentence that it comes from.
type target struct {
	part             // by bytes
	sums   []float32 // of its weights of the source tokens before each; nil if argmax has all
	argmax int       // the source part with the largest weight
	covers []int     // the source parts of which it has the largest weight of all
}

// anchored is the first pass of a placement: where each part of a translation comes from.
type anchored struct {
	translation Translation
	source      []part   // by the bytes before that are no white space
	tokens      [][2]int // source parts of each source token
	target      []target // in order
}

// weight returns the weight that a target part has of source parts.
func (a *anchored) weight(target, from, to int) float32 {
	t := &a.target[target]
	if t.sums != nil {
		return a.sum(t, to) - a.sum(t, from)
	}
	if from <= t.argmax && t.argmax < to {
		return 1
	}
	return 0
}

// sum returns the weight of the source parts before one. Those of a token have a share of its weight by their lengths.
func (a *anchored) sum(t *target, before int) float32 {
	if before == len(a.source) {
		return t.sums[len(t.sums)-1]
	}
	s := a.source[before]
	sum, parts := t.sums[s.token], a.tokens[s.token]
	if before == parts[0] {
		return sum
	}
	from, to := a.source[parts[0]].from, a.source[parts[1]-1].to
	return sum + (t.sums[s.token+1]-sum)*float32(s.from-from)/float32(to-from)
}

// An anchoring is that pass while it runs. An anchor is a source token that a target token equals.
type anchoring struct {
	anchored
	sentence string
	anchors  map[int]int // by target token
	weights  [][]float32 // for each target token, of each source token
}

// anchor divides a sentence at cuts, which are counts of the bytes before that are no white space, as is its size, and
// the translation alike.
func anchor(sentence string, t Translation, cuts []int, size int) anchored {
	a := &anchoring{anchored: anchored{translation: t.withEnds(sentence)}, sentence: sentence}
	a.divideSource(cuts, size)
	a.weigh()
	a.findAnchors()
	a.divideTarget()
	return a.anchored
}

// withEnds returns a translation of a sentence with tokens also for the ends that it keeps, such as the mark of a list.
// These have no words.
func (t Translation) withEnds(sentence string) Translation {
	before, after := ends(sentence, t.Source)
	sameBefore, sameAfter := ends(t.Text, t.Target)
	add := func(text string, list []pipeline.Span) []pipeline.Span {
		if before != "" && before == sameBefore {
			at := strings.Index(text, before)
			list = slices.Insert(slices.Clone(list), 0, pipeline.Span{Text: before, Bytes: [2]int{at, at + len(before)}})
		}
		if after != "" && after == sameAfter {
			at, words := strings.LastIndex(text, after), list[len(list)-1].Words[1]
			list = append(slices.Clone(list), pipeline.Span{Text: after, Words: [2]int{words, words}, Bytes: [2]int{at, at + len(after)}})
		}
		return list
	}
	t.Source, t.Target = add(sentence, t.Source), add(t.Text, t.Target)
	return t
}

// ends returns what stands before the first and after the last token of a text.
func ends(text string, tokens []pipeline.Span) (before, after string) {
	isEmpty := func(r rune) bool { return !isSolid(r) }
	return strings.TrimFunc(text[:tokens[0].Bytes[0]], isEmpty), strings.TrimFunc(text[tokens[len(tokens)-1].Bytes[1]:], isEmpty)
}

// divideSource divides the source tokens at marks. Together the parts have all characters.
func (a *anchoring) divideSource(cuts []int, size int) {
	at, key := 0, 0 // of the text, and of what is no white space there
	for i, s := range a.translation.Source {
		from, first := key, len(a.source)
		if end := s.Bytes[1]; end > at {
			key, at = key+count(a.sentence[at:end], isSolid), end
		}
		if i == len(a.translation.Source)-1 {
			key = size
		}
		for len(cuts) > 0 && cuts[0] < key {
			if cuts[0] > from {
				a.source = append(a.source, part{i, from, cuts[0]})
				from = cuts[0]
			}
			cuts = cuts[1:]
		}
		if from < key {
			a.source = append(a.source, part{i, from, key})
		}
		a.tokens = append(a.tokens, [2]int{first, len(a.source)})
	}
}

// weigh sets the weights. Without an alignment, both sides have the same order.
func (a *anchoring) weigh() {
	t := a.translation
	weights := decode.Translation{Alignment: t.Alignment}.Between(t.Source, t.Target)
	if weights.Rows == 0 {
		weights = kernels.NewMatrix(len(t.Target), len(t.Source))
		for i := range t.Target {
			weights.Row(i)[i*len(t.Source)/len(t.Target)] = 1
		}
	}
	for i := range t.Target {
		a.weights = append(a.weights, weights.Row(i))
	}
}

// findAnchors finds, by target token, equal source tokens: the one that it looks at, the only one if it looks there at all
// or has no letters, and one each for words that stand for kept content and for tokens without words.
func (a *anchoring) findAnchors() {
	const little = 0.05
	source, times := map[string][]int{}, map[string]int{}
	for i, s := range a.translation.Source {
		if a.tokens[i][0] < a.tokens[i][1] {
			source[s.Text] = append(source[s.Text], i)
		}
	}
	for _, t := range a.translation.Target {
		times[t.Text]++
	}
	a.anchors = map[int]int{}
	for i, t := range a.translation.Target {
		from, look := source[t.Text], slices.Max(a.weights[i])
		for _, s := range from {
			w := a.weights[i][s]
			only := len(from) == 1 && times[t.Text] == 1 && (w > little || !strings.ContainsFunc(t.Text, isWordRune))
			isEnd := isWordless(t) && isWordless(a.translation.Source[s])
			if isPlaceholder(t.Text) || isEnd || only || w > 0 && w == look {
				a.anchors[i] = s
				break
			}
		}
		if (isPlaceholder(t.Text) || isWordless(t)) && len(from) > 0 {
			source[t.Text] = from[1:]
		}
	}
}

func isWordless(s pipeline.Span) bool { return s.Words[0] == s.Words[1] }

func isPlaceholder(word string) bool { return strings.HasPrefix(word, "⟦\x01") }

// divideTarget takes the target tokens and their weights. One that stands in the source, too, is divided like that.
func (a *anchoring) divideTarget() {
	for i, t := range a.translation.Target {
		from, to := t.Bytes[0], t.Bytes[1]
		if from == to {
			continue
		}
		weights := a.weights[i]
		anchor, found := a.anchors[i]
		if found {
			parts := a.tokens[anchor]
			for k := parts[0]; k < parts[1]; k++ {
				end := to
				if k < parts[1]-1 {
					end = from + prefix(a.translation.Text[from:to], a.source[k].to-a.source[k].from, isSolid)
				}
				if from < end {
					a.target = append(a.target, target{part: part{i, from, end}, argmax: k})
				}
				from = end
			}
			continue
		}
		if a.isElided(i) { // as a whole with the next word
			for j, w := range weights {
				a.weights[i+1][j] = (a.weights[i+1][j] + w) / 2
			}
			continue
		}
		if i > 0 && a.isElided(i-1) {
			from = a.translation.Target[i-1].Bytes[0]
		}
		a.addTarget(part{i, from, to}, weights)
	}
	best, most := make([]int, len(a.source)), make([]float32, len(a.source)) // targets, and their weights
	for i, t := range a.target {
		from, to := 0, len(a.source)
		if t.sums == nil {
			from, to = t.argmax, t.argmax+1
		}
		for s := from; s < to; s++ {
			if w := a.weight(i, s, s+1); w > most[s] {
				best[s], most[s] = i, w
			}
		}
	}
	for s, i := range best {
		if most[s] > 0 {
			a.target[i].covers = append(a.target[i].covers, s)
		}
	}
}

func (a *anchoring) addTarget(at part, weights []float32) {
	t := target{part: at, sums: make([]float32, len(weights)+1)}
	var most float32
	for i, w := range weights {
		parts := a.tokens[i]
		if parts[0] == parts[1] {
			w = 0
		}
		t.sums[i+1] = t.sums[i] + w
		for k := parts[0]; k < parts[1]; k++ {
			if share := w * float32(a.source[k].to-a.source[k].from) / float32(a.source[parts[1]-1].to-a.source[parts[0]].from); share > most {
				t.argmax, most = k, share
			}
		}
	}
	a.target = append(a.target, t)
}

// isElided reports whether a target token is part of the next word, such as l' of l'homme, and neither has an anchor.
func (a *anchoring) isElided(i int) bool {
	if i+1 == len(a.translation.Target) {
		return false
	}
	token, after := a.translation.Target[i], a.translation.Target[i+1]
	_, anchor := a.anchors[i]
	_, next := a.anchors[i+1]
	return !anchor && !next && token.Bytes[1] == after.Bytes[0] && strings.HasSuffix(token.Text, "'") && strings.ContainsFunc(token.Text, isWordRune) &&
		strings.ContainsFunc(after.Text, isWordRune)
}
