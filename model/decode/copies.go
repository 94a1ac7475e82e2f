package decode

import (
	"slices"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// copies are the ids of the placeholders of spans that translations copy.
type copies struct{ source, target []int32 }

func copiesOf(m *model.Model) (c copies) {
	if m.Source == nil || m.Target == nil {
		return c
	}
	for _, word := range m.SourceText.Placeholders() {
		if id := m.Target.ID(word); id != text.UNK {
			c.source, c.target = append(c.source, m.Source.ID(word)), append(c.target, id)
		}
	}
	return c
}

// of returns how often each placeholder is in a source, without those that terms replace.
func (c copies) of(source []int32, terms []Constraint) []int {
	counts := make([]int, len(c.target))
	for at, id := range source {
		i := slices.Index(c.source, id)
		if i < 0 || id == text.UNK {
			continue
		}
		replaced := slices.ContainsFunc(terms, func(term Constraint) bool {
			return term.From <= at && at < term.To && !slices.Contains(term.IDs, c.target[i])
		})
		if !replaced {
			counts[i]++
		}
	}
	return counts
}
