package model

// A Recipe says how a model is trained. The zero value is the paper's: Adadelta, and nothing
// that regularises or averages.
type Recipe struct {
	Adam           *Adam   `json:"adam,omitempty"` // nil: Adadelta (Zeiler, 2012) with ρ 0.95 and ε 1e-6
	Dropout        Dropout `json:"dropout"`
	LabelSmoothing float64 `json:"label_smoothing"`   // ε in [0, 1): the aim is 1-ε for the right word plus ε/V for each of V words
	Average        float64 `json:"average,omitempty"` // d in [0, 1), the decay of the moving average of the weights that is in Trainer.Model; 0: none
	Seed           uint64  `json:"seed"`              // of the masks of Dropout
}

// Check returns an error that wraps ErrConfig for a setting that no training can have.
func (r Recipe) Check() error {
	if r.Adam != nil {
		if err := r.Adam.Check(); err != nil {
			return err
		}
	}
	if err := r.Dropout.check(); err != nil {
		return err
	}
	if err := checkProbability("label smoothing", r.LabelSmoothing); err != nil {
		return err
	}
	return checkProbability("moving average's decay", r.Average)
}

// newOptimizer returns the optimizer of the recipe.
func (r Recipe) newOptimizer(c Config, weights, gradients *Parameters, source, target *embedding) optimizer {
	if r.Adam != nil {
		return newAdam(*r.Adam, c, weights, gradients)
	}
	return newAdadelta(c, weights, gradients, source, target)
}
