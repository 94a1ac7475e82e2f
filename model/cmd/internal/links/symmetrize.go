package links

import "slices"

// Methods are the ways to symmetrize alignments of both directions (Koehn, Och and Marcu, 2003; Koehn et al.,
// 2005, whose names they have in Moses).
var Methods = []string{"intersection", "union", "grow-diag", "grow-diag-final"}

// Symmetrize combines the links that two directions have found by one of the Methods. backward has the links of
// the other direction, turned. Possible links do not count.
//
//	intersection     the links of both
//	union            the links of either
//	grow-diag        the intersection, to which links of the union are added as long as there are some beside
//	                 one that is in, also diagonally, with a word that has no link yet
//	grow-diag-final  that, and then each link of forward, and of backward, with a word that has no link yet
func Symmetrize(method string, forward, backward Alignment) Alignment {
	union := sorted(slices.Concat(forward.Sure, backward.Sure))
	if method == "union" {
		return Alignment{Sure: union}
	}
	g := growing{}
	for _, l := range forward.Sure {
		if contains(backward.Sure, l) {
			g.add(l)
		}
	}
	if method != "intersection" {
		g.grow(union)
	}
	if method == "grow-diag-final" {
		g.final(forward.Sure)
		g.final(backward.Sure)
	}
	return Alignment{Sure: g.links}
}

// growing is an alignment to which links are added.
type growing struct {
	links          []Link // ascending
	source, target [MaxWords]bool
}

func (g *growing) add(l Link) {
	at, _ := slices.BinarySearchFunc(g.links, l, Link.Compare)
	g.links = slices.Insert(g.links, at, l)
	g.source[l.Source], g.target[l.Target] = true, true
}

// completes reports whether a word of a link has no link yet.
func (g *growing) completes(l Link) bool { return !g.source[l.Source] || !g.target[l.Target] }

// neighbors are the steps to the links beside a link, in Koehn's order.
var neighbors = []Link{{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}

// grow adds the neighbors in the union of the links, in their order, those just added included, until there
// are none.
func (g *growing) grow(union []Link) {
	for before := -1; before < len(g.links); {
		before = len(g.links)
		for at := (Link{-1, -1}); ; {
			i, found := slices.BinarySearchFunc(g.links, at, Link.Compare)
			if found {
				i++
			}
			if i == len(g.links) {
				break
			}
			at = g.links[i]
			for _, step := range neighbors {
				if l := (Link{at.Source + step.Source, at.Target + step.Target}); contains(union, l) && g.completes(l) {
					g.add(l)
				}
			}
		}
	}
}

// final adds the links with a word that has none yet.
func (g *growing) final(list []Link) {
	for _, l := range list {
		if g.completes(l) {
			g.add(l)
		}
	}
}
