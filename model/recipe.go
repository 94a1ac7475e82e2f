package model

// A Recipe says how a model is trained. The zero value is the paper's: Adadelta, and nothing
// that regularises.
type Recipe struct {
	Adam *Adam `json:"adam,omitempty"` // nil: Adadelta (Zeiler, 2012) with ρ 0.95 and ε 1e-6
}

// Check returns an error that wraps ErrConfig for a setting that no training can have.
func (r Recipe) Check() error {
	if r.Adam != nil {
		return r.Adam.Check()
	}
	return nil
}

// newOptimizer returns the optimizer of the recipe.
func (r Recipe) newOptimizer(c Config, weights, gradients *Parameters, source, target *embedding) optimizer {
	if r.Adam != nil {
		return newAdam(*r.Adam, c, weights, gradients)
	}
	return newAdadelta(c, weights, gradients, source, target)
}
