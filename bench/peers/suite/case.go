// Package suite holds the cases that peers are measured on, and their operands: [All] lists the cases,
// [Parse] reads one from the name of a benchmark, and the methods of [Memory] make its operands.
package suite

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A Case is one operation at one size. Sizes that the operation does not have are 0. Names have the
// sizes in the order of the fields.
//
//	Gemv       y = W·x              W is Rows×Cols
//	Gemm       Y = X·Wᵀ             X is Batch×Cols, W Rows×Cols
//	GemmInput  dX = dY·W            dY is Batch×Rows, W Rows×Cols
//	GemmGrad   dW = dW + dYᵀ·X      dY is Batch×Rows, X Batch×Cols
//	Tanh, Sigmoid, Exp, Softmax     of N elements
//	GRULayer, LSTMLayer             of PyTorch, Batch sequences of Source steps, Units inputs and units (operands.go)
//	DecoderStep                     of Batch hypotheses, log p of Vocabulary words (operands.go)
//	TrainingUpdate                  of Batch pairs of Source + Source words, by Threads threads (operands.go)
type Case struct {
	Op                            string
	Batch, Rows, Cols             int
	N                             int
	Source, Units                 int
	Vocabulary, Embedding, Maxout int
	Threads                       int // 0 is 1
}

// String returns the operation and its sizes: "Gemv/rows=256/cols=256".
func (c Case) String() string {
	parts := []string{c.Op}
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).CanInt() && !v.Field(i).IsZero() {
			parts = append(parts, fmt.Sprintf("%s=%d", strings.ToLower(name), v.Field(i).Int()))
		}
	}
	return strings.Join(parts, "/")
}

// Parse is the inverse of String.
func Parse(text string) (Case, error) {
	op, shape, _ := strings.Cut(text, "/")
	c := Case{Op: op}
	for part := range strings.SplitSeq(shape, "/") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(value)
		size := reflect.ValueOf(&c).Elem().FieldByNameFunc(func(field string) bool { return strings.ToLower(field) == name })
		if err == nil && n > 0 && size.IsValid() && size.CanInt() {
			size.SetInt(int64(n))
		}
	}
	if op == "" || shape == "" || c.String() != text {
		return Case{}, fmt.Errorf("suite: %q is not an operation and its sizes", text)
	}
	return c, nil
}

// Multiplications returns the number of multiplications in a product, 0 for other operations.
func (c Case) Multiplications() int { return max(c.Batch, 1) * c.Rows * c.Cols }

// Processors returns the number of processors that the case runs on.
func (c Case) Processors() int { return max(1, c.Threads) }
