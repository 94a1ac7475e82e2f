package model

// A Recipe says how to train a model. The zero value is the paper's recipe: Adadelta without
// regularization or averaging.
type Recipe struct {
	Adam           *Adam   `json:"adam,omitempty"` // nil: Adadelta (Zeiler, 2012) with ρ 0.95 and ε 1e-6
	Dropout        Dropout `json:"dropout"`
	LabelSmoothing float64 `json:"label_smoothing"`   // ε in [0, 1): the target distribution is 1-ε on the correct word plus ε/V on each of V words
	Average        float64 `json:"average,omitempty"` // d in [0, 1): decay of the moving average of the weights (see Trainer.Model); 0: no average
	Seed           uint64  `json:"seed"`              // of the dropout masks
}

// Check returns an error that wraps ErrConfig if a setting is out of its range.
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
