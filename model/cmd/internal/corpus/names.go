package corpus

import "github.com/softsearch-go/softsearch/model/text/pipeline"

// names are the tokens that become placeholders where both sides of a pair have them: names, which are known once tokens
// are counted, and placeholders of initials, which get other numbers then.
type names struct {
	keys         [2][]int    // of the tokens of each side: above 0 for a name, equal on both sides
	placeholders [2][]uint32 // tokens
	done         []bool      // tokens of the target
}

func newNames(source, target pipeline.Pipeline, t *tokenText) *names {
	if len(source.NamePlaceholders()) == 0 || len(target.NamePlaceholders()) == 0 {
		return nil
	}
	n := &names{}
	keys := map[string]int{}
	for side, s := range []*lexicon{&t.source, &t.target} {
		for _, word := range source.NamePlaceholders() {
			_, token := s.number(word)
			n.placeholders[side] = append(n.placeholders[side], token)
			keys[word] = len(n.placeholders[side])
		}
		n.keys[side] = make([]int, s.size())
		for i, token := range s.tokens {
			key := pipeline.CapitalKey(token)
			if keys[token] > 0 {
				key = token
			} else if key != "" && side == 0 && source.IsName(token) && keys[key] == 0 {
				keys[key] = len(keys) + 1
			}
			n.keys[side][i] = keys[key]
		}
	}
	return n
}

// take replaces the names that both sides of a pair have.
func (n *names) take(source, target []uint32) {
	if n == nil {
		return
	}
	n.done = append(n.done[:0], make([]bool, len(target))...)
	number := 0
	for i, token := range source {
		key := n.keys[0][token]
		for j, other := range target {
			if key > 0 && !n.done[j] && n.keys[1][other] == key {
				of := number % len(n.placeholders[0])
				source[i], target[j], n.done[j] = n.placeholders[0][of], n.placeholders[1][of], true
				number++
				break
			}
		}
	}
}
