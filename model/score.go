package model

import (
	"fmt"

	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
)

// A AlignmentModel is an alignment model of package attention, which has the equations. RNNencdec has none;
// its AlignmentModel is the zero value.
type AlignmentModel string

// The alignment models: the paper's, with A units of its own, and two of Luong, Pham and Manning
// (2015, equation 8), whose units are those of a state, A = H. Their letter Wa in a model file
// is the matrix of the annotations, H×2H. Dot has no weights.
const (
	Additive AlignmentModel = ""
	Dot      AlignmentModel = "dot"
	General  AlignmentModel = "general"
)

// checkScore returns an error for an alignment model that no model can have.
func (c Config) checkScore() error {
	switch {
	case c.AlignmentModel != Additive && c.AlignmentModel != Dot && c.AlignmentModel != General:
		return fmt.Errorf("model: %w: score %q, expected %q, %q or none for the additive one", ErrConfig, c.AlignmentModel, Dot, General)
	case c.AlignmentModel != Additive && c.Kind != RNNsearch:
		return fmt.Errorf("model: %w: score %q of kind %q, expected none", ErrConfig, c.AlignmentModel, c.Kind)
	case c.AlignmentModel != Additive && c.Alignment != c.Hidden:
		return fmt.Errorf("model: %w: alignment of %d for score %q, expected %d as hidden", ErrConfig, c.Alignment, c.AlignmentModel, c.Hidden)
	}
	return nil
}

// unitCost returns what a unit of a score costs, for kernels.Impl.Divide.
func (s AlignmentModel) unitCost() int {
	if s == Additive {
		return kernels.CostFunction
	}
	return kernels.CostMove
}

// attention returns the alignment model of RNNsearch.
func (a *arena) attention(c Config) attention.Model {
	units, values := c.Alignment, c.context()
	switch c.AlignmentModel {
	case Additive:
		return attention.Model{Wa: a.packed(units, c.Hidden), Ua: a.packed(units, values), Va: a.vector(units)}
	case General:
		return attention.Model{Ua: a.packed(units, values)}
	}
	return attention.Model{}
}

// transposedAttention returns room for the transposes of the matrices of that model.
func (a *arena) transposedAttention(c Config) attention.Transposed {
	m := new(arena).attention(c)
	return attention.Transposed{Wa: a.packed(m.Wa.In, m.Wa.Out), Ua: a.packed(m.Ua.In, m.Ua.Out)}
}

// attention adds the weights of that model.
func (l *tensorList) attention(s AlignmentModel, m *attention.Model) {
	switch s {
	case Additive:
		l.packed("attention.Wa", m.Wa, 0, m.Wa.Out)
		l.packed("attention.Ua", m.Ua, 0, m.Ua.Out)
		l.vector("attention.va", m.Va)
	case General:
		l.packed("attention.Wa", m.Ua, 0, m.Ua.Out)
	}
}
