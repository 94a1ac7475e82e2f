// Package suite holds the cases that peers are measured on, and their operands.
package suite

import (
	"fmt"
	"strconv"
	"strings"
)

// A Case is one operation at one size. Sizes that the operation does not have are 0.
//
//	Gemv       y = W·x              W is Rows×Cols
//	Gemm       Y = X·Wᵀ             X is Batch×Cols, W Rows×Cols
//	GemmInput  dX = dY·W            dY is Batch×Rows, W Rows×Cols
//	GemmGrad   dW = dW + dYᵀ·X      dY is Batch×Rows, X Batch×Cols
//	Tanh, Sigmoid, Exp, Softmax     of N elements
//	Scores     e[j] = Σ_i v[i]·tanh(q[i] + keys[j][i])     keys is Source×Units
//	DecoderStep                     of Batch hypotheses, log p of Vocabulary words (sentences.go)
//	TrainingUpdate                  of Batch pairs of Source + Source words, by Threads threads (sentences.go)
type Case struct {
	Op                            string
	Batch, Rows, Cols             int
	N                             int
	Source, Units                 int
	Vocabulary, Embedding, Maxout int
	Threads                       int // 0 is 1
}

// sizes returns the names of the sizes, in the order of a case's name, and where they are.
func (c *Case) sizes() ([]string, []*int) {
	return []string{"batch", "rows", "cols", "n", "source", "units", "vocabulary", "embedding", "maxout", "threads"},
		[]*int{&c.Batch, &c.Rows, &c.Cols, &c.N, &c.Source, &c.Units, &c.Vocabulary, &c.Embedding, &c.Maxout, &c.Threads}
}

// Shape returns the sizes as a benchmark names them: "batch=80/rows=768/cols=256".
func (c Case) Shape() string {
	var parts []string
	names, values := c.sizes()
	for i, v := range values {
		if *v != 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", names[i], *v))
		}
	}
	return strings.Join(parts, "/")
}

// String returns the operation and its sizes: "Gemv/rows=256/cols=256".
func (c Case) String() string { return c.Op + "/" + c.Shape() }

// Parse is the inverse of String.
func Parse(text string) (Case, error) {
	op, shape, _ := strings.Cut(text, "/")
	c := Case{Op: op}
	names, values := c.sizes()
	rest := shape
	for i, name := range names {
		value, ok := strings.CutPrefix(rest, name+"=")
		if !ok {
			continue
		}
		value, rest, _ = strings.Cut(value, "/")
		n, err := strconv.Atoi(value)
		if err != nil || n <= 0 {
			return Case{}, fmt.Errorf("suite: case %q: %s is not a positive number", text, name)
		}
		*values[i] = n
	}
	if op == "" || shape == "" || rest != "" {
		return Case{}, fmt.Errorf("suite: %q is not an operation and its sizes", text)
	}
	return c, nil
}

// Multiplications returns the number of multiplications in a product, 0 for other operations.
func (c Case) Multiplications() int { return max(c.Batch, 1) * c.Rows * c.Cols }

// Processors returns the number of processors that the case runs on.
func (c Case) Processors() int { return max(1, c.Threads) }

// Elements returns the number of elements that an elementwise operation, a softmax or the
// scores evaluate, 0 for other operations.
func (c Case) Elements() int {
	if c.Vocabulary > 0 {
		return 0
	}
	return max(c.N, c.Source*c.Units)
}
