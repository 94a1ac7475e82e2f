package markup

import (
	"slices"
	"sort"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A node is an element in a sentence, or kept content.
type node struct {
	start, end string
	keeps      bool // start is the whole of it
	parent     *node
	depth      int
	unit       *unit
}

// A unit is elements around the same source words. The root has the whole sentence and one node without tags.
type unit struct {
	nodes      []*node // the outer ones first
	children   []*unit
	formatting bool    // all of it: may be repeated
	word       string  // that stands for kept content and is copied, or empty
	items      []item  // of the sentence
	from, to   int     // source parts
	targets    []int   // in order
	owners     []*unit // for each target, the child that it is part of, or nil
}

func (u *unit) inner() *node { return u.nodes[len(u.nodes)-1] }

// A mark is markup without text, or kept content that the translation lacks, before a source part.
type mark struct {
	place
	raw    string
	isWord bool
}

// A part is a token, or what is between two marks of one.
type part struct{ token, from, to int }

// A target is a part of the translation, and the parts of the sentence that it comes from.
type target struct {
	part            // by bytes
	sums  []float32 // of its weights of the source parts before each
	looks int       // at the source part with the largest weight
	most  []int     // source parts of which it has the largest weight of all
	unit  *unit     // the innermost one
}

// A placement is where the elements of a sentence are in its translation.
type placement struct {
	*sentence
	items       []item // in pairs
	translation Translation
	source      []part      // by the bytes before that are no white space
	tokens      [][2]int    // source parts of each source token
	target      []target    // in order
	twins       map[int]int // source tokens, by equal target tokens
	weights     [][]float32 // for each target token, of each source token
	root        *unit
	marks       []mark
}

func (s *sentence) place(t Translation) *placement {
	p := &placement{sentence: s, items: s.paired(), translation: t.withEnds(s.text)}
	keys := make([]int, len(p.items)+1)
	var cuts []int
	for i, it := range p.items {
		keys[i+1] = keys[i] + count(it.text, isSolid)
		if it.kind != characters {
			cuts = append(cuts, keys[i], keys[i+1])
		}
	}
	p.divideSource(cuts, keys[len(p.items)])
	p.weigh()
	p.findTwins()
	p.divideTarget()
	p.build(keys)
	all := make([]int, len(p.target))
	for i := range all {
		all[i] = i
	}
	p.assign(p.root, all)
	return p
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
func (p *placement) divideSource(cuts []int, size int) {
	at, key := 0, 0 // of the text, and of what is no white space there
	for i, s := range p.translation.Source {
		from, first := key, len(p.source)
		if end := s.Bytes[1]; end > at {
			key, at = key+count(p.text[at:end], isSolid), end
		}
		if i == len(p.translation.Source)-1 {
			key = size
		}
		for len(cuts) > 0 && cuts[0] < key {
			if cuts[0] > from {
				p.source = append(p.source, part{i, from, cuts[0]})
				from = cuts[0]
			}
			cuts = cuts[1:]
		}
		if from < key {
			p.source = append(p.source, part{i, from, key})
		}
		p.tokens = append(p.tokens, [2]int{first, len(p.source)})
	}
}

// divideTarget takes the target tokens and their weights. One that stands in the source, too, is divided like that.
func (p *placement) divideTarget() {
	for i, t := range p.translation.Target {
		from, to := t.Bytes[0], t.Bytes[1]
		if from == to {
			continue
		}
		weights := p.weights[i]
		twin, found := p.twins[i]
		if found {
			parts := p.tokens[twin]
			for k := parts[0]; k < parts[1]; k++ {
				end := to
				if k < parts[1]-1 {
					end = from + prefix(p.translation.Text[from:to], p.source[k].to-p.source[k].from, isSolid)
				}
				if from < end {
					row := make([]float32, len(p.source))
					row[k] = 1
					p.addTarget(part{i, from, end}, row)
				}
				from = end
			}
			continue
		}
		if p.isElided(i) { // as a whole with the next word
			for j, w := range weights {
				p.weights[i+1][j] = (p.weights[i+1][j] + w) / 2
			}
			continue
		}
		if i > 0 && p.isElided(i-1) {
			from = p.translation.Target[i-1].Bytes[0]
		}
		row := make([]float32, len(p.source))
		for k, s := range p.source {
			token := p.tokens[s.token]
			row[k] = weights[s.token] * float32(s.to-s.from) / float32(p.source[token[1]-1].to-p.source[token[0]].from)
		}
		p.addTarget(part{i, from, to}, row)
	}
	for s := range p.source {
		most, best := float32(0), -1
		for i, t := range p.target {
			if w := t.sums[s+1] - t.sums[s]; w > most {
				most, best = w, i
			}
		}
		if best >= 0 {
			p.target[best].most = append(p.target[best].most, s)
		}
	}
}

func (p *placement) addTarget(at part, row []float32) {
	t := target{part: at, sums: make([]float32, len(row)+1)}
	for k, w := range row {
		t.sums[k+1] = t.sums[k] + w
		if w > row[t.looks] {
			t.looks = k
		}
	}
	p.target = append(p.target, t)
}

// isElided reports whether a target token is part of the next word, such as l' of l'homme, and both have no twin.
func (p *placement) isElided(i int) bool {
	if i+1 == len(p.translation.Target) {
		return false
	}
	a, b := p.translation.Target[i], p.translation.Target[i+1]
	_, twin := p.twins[i]
	_, next := p.twins[i+1]
	return !twin && !next && a.Bytes[1] == b.Bytes[0] && strings.HasSuffix(a.Text, "'") && strings.ContainsFunc(a.Text, isWordRune) &&
		strings.ContainsFunc(b.Text, isWordRune)
}

// findTwins finds, by target token, equal source tokens: the one that it looks at, the only one if it looks there at all
// or has no letters, and one each for words that stand for kept content and for tokens without words.
func (p *placement) findTwins() {
	const little = 0.05
	source, times := map[string][]int{}, map[string]int{}
	for i, s := range p.translation.Source {
		if p.tokens[i][0] < p.tokens[i][1] {
			source[s.Text] = append(source[s.Text], i)
		}
	}
	for _, t := range p.translation.Target {
		times[t.Text]++
	}
	p.twins = map[int]int{}
	for i, t := range p.translation.Target {
		from, look := source[t.Text], slices.Max(p.weights[i])
		for _, s := range from {
			w := p.weights[i][s]
			only := len(from) == 1 && times[t.Text] == 1 && (w > little || !strings.ContainsFunc(t.Text, isWordRune))
			isEnd := isWordless(t) && isWordless(p.translation.Source[s])
			if isPlaceholder(t.Text) || isEnd || only || w > 0 && w == look {
				p.twins[i] = s
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

// weigh sets the weights. Without an alignment, both sides have the same order.
func (p *placement) weigh() {
	t := p.translation
	weights := decode.Translation{Alignment: t.Alignment}.Between(t.Source, t.Target)
	if weights.Rows == 0 {
		weights = kernels.NewMatrix(len(t.Target), len(t.Source))
		for i := range t.Target {
			weights.Row(i)[i*len(t.Source)/len(t.Target)] = 1
		}
	}
	for i := range t.Target {
		p.weights = append(p.weights, weights.Row(i))
	}
}

// mass returns the weight that a target part has of a unit.
func (p *placement) mass(target int, u *unit) float32 {
	return p.target[target].sums[u.to] - p.target[target].sums[u.from]
}

// build makes the units of the items, which have that many bytes before them that are no white space.
func (p *placement) build(keys []int) {
	p.root = &unit{to: len(p.source)}
	current := &node{unit: p.root}
	p.root.nodes = []*node{current}
	ends := map[*element]int{} // items
	for i, it := range p.items {
		if it.kind == end {
			ends[it.element] = i
		}
	}
	partAt := func(item int) int {
		return sort.Search(len(p.source), func(i int) bool { return p.source[i].from >= keys[item] })
	}
	// enter begins an element of items from and before to, unless it has no words: then it is a mark.
	enter := func(e element, from, to int, isWord bool) bool {
		u, o := &unit{formatting: e.formatting, items: p.items[from:to], from: partAt(from), to: partAt(to)}, current.unit
		switch {
		case u.from == u.to:
			p.marks = append(p.marks, mark{place{u.from, current}, raw(u.items, true), isWord})
			return false
		case o != p.root && u.from == o.from && u.to == o.to:
			o.formatting = o.formatting && e.formatting
			u = o
		default:
			o.children = append(o.children, u)
		}
		current = &node{start: e.start, end: e.end, parent: current, depth: current.depth + 1, unit: u}
		u.nodes = append(u.nodes, current)
		return true
	}
	for i := 0; i < len(p.items); i++ {
		switch it := p.items[i]; it.kind {
		case point:
			p.marks = append(p.marks, mark{place{partAt(i), current}, it.raw, false})
		case start:
			if last := ends[it.element]; !enter(*it.element, i, last+1, false) {
				i = last
			}
		case end:
			current = current.parent
		case kept:
			if !enter(element{start: it.raw}, i, i+1, true) {
				continue
			}
			current.keeps = true
			if isPlaceholder(it.text) {
				current.unit.word = it.text
			}
			current = current.parent
		}
	}
}

// assign gives target parts to a unit, and of these to each child the ones that look at it most. A child that may be
// repeated has all of those, and of one part between two; another one has a row of them.
func (p *placement) assign(u *unit, targets []int) {
	u.targets, u.owners = targets, make([]*unit, len(targets))
	for i, t := range targets {
		p.target[t].unit = u
		most := p.mass(t, u)
		for _, c := range u.children {
			most -= p.mass(t, c)
		}
		for _, c := range u.children {
			if m := p.mass(t, c); m > most && (c.word == "" || c.word == p.targetText(t)) {
				u.owners[i], most = c, m
			}
		}
	}
	for i := 2; i < len(targets); i++ {
		if c := u.owners[i]; c != nil && c.formatting && c == u.owners[i-2] && u.owners[i-1] == nil && targets[i] == targets[i-2]+2 {
			u.owners[i-1] = c
		}
	}
	for _, c := range u.children {
		if !c.formatting {
			p.gather(u, c)
		}
	}
	for _, c := range u.children {
		own := p.own(u, c)
		if own == nil {
			p.marks = append(p.marks, mark{place{c.from, c.nodes[0].parent}, raw(c.items, false), c.word != ""})
			continue
		}
		p.assign(c, own)
	}
}

// gather leaves child c of u the row of targets with the largest sum of weights above a half, without those of
// other children.
func (p *placement) gather(u, c *unit) {
	var best, sum float32
	from, to, begin := 0, 0, 0
	for i, t := range u.targets {
		switch {
		case u.owners[i] != c && (u.owners[i] != nil || c.word != ""):
			begin, sum = i+1, 0
			continue
		case i > 0 && t != u.targets[i-1]+1 || sum < 0:
			begin, sum = i, 0
		}
		sum += 2*p.mass(t, c) - p.mass(t, u)
		if u.owners[i] == c && (from == to || sum > best) {
			best, from, to = sum, begin, i+1
		}
	}
	for i := range u.targets {
		switch {
		case from <= i && i < to:
			u.owners[i] = c
		case u.owners[i] == c:
			u.owners[i] = nil
		}
	}
}

// own returns the targets that child c of u keeps, or else the one of u alone that looks at it most, if there is one.
// Those at their ends that belong elsewhere are left to u: punctuation that c does not have there, and parts that are
// looked at most by what is outside of c but by nothing in it.
func (p *placement) own(u, c *unit) (own []int) {
	inside := func(s int) bool { return c.from <= s && s < c.to }
	isOther := func(i, end int) bool {
		t := u.targets[i]
		if !strings.ContainsFunc(p.targetText(t), isWordRune) {
			return strings.ContainsFunc(p.sourceText(end), isWordRune)
		}
		return len(p.target[t].most) > 0 && !slices.ContainsFunc(p.target[t].most, inside)
	}
	nearest, most := []int(nil), float32(0)
	for i, t := range u.targets {
		if u.owners[i] == c {
			own = append(own, i)
		} else if m := p.mass(t, c); u.owners[i] == nil && c.word == "" && m > most {
			nearest, most = []int{i}, m
		}
	}
	for len(own) > 1 && isOther(own[len(own)-1], c.to-1) {
		u.owners[own[len(own)-1]] = nil
		own = own[:len(own)-1]
	}
	for len(own) > 1 && isOther(own[0], c.from) {
		u.owners[own[0]] = nil
		own = own[1:]
	}
	if own == nil {
		own = nearest
	}
	for k, i := range own {
		u.owners[i], own[k] = c, u.targets[i]
	}
	return own
}

func (p *placement) sourceText(s int) string { return p.translation.Source[p.source[s].token].Text }

func (p *placement) targetText(t int) string { return p.translation.Target[p.target[t].token].Text }
