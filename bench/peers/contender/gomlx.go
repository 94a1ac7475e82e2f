package contender

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// gomlx is the Go backend of github.com/gomlx/compute, on one thread. It executes graphs, here
// of one node each. Its products run on the instruction set that gomlxProducts names, its
// functions are Go. It takes a result from a pool, to which the operation returns it.
func gomlx() []Contender {
	return []Contender{
		table{
			"Gemv": weightsTransposed,
			"Gemm": weightsTransposed,
			"GemmInput": func(c suite.Case, m *suite.Memory) Operation {
				return graphOf(m, product, tensor{m.DY(c), []int{c.Batch, c.Rows}}, tensor{m.W(c), []int{c.Rows, c.Cols}})
			},
		}.contender(gomlxProducts()),
		table{
			"Tanh":    function(compute.Function.Tanh),
			"Sigmoid": function(compute.Function.Logistic),
			"Exp":     function(compute.Function.Exp),
			"Softmax": function(func(f compute.Function, x compute.Value) (compute.Value, error) { return f.FusedSoftmax(x, 0) }),
		}.contender("gomlx-go"),
	}
}

// A tensor is an operand of a graph.
type tensor struct {
	data  []float32
	shape []int
}

// A node adds the operation of a graph to f.
type node func(f compute.Function, operands []compute.Value) (compute.Value, error)

// product is the matrix product of two operands.
func product(f compute.Function, v []compute.Value) (compute.Value, error) {
	return f.DotGeneral(v[0], []int{1}, nil, v[1], []int{0}, nil, compute.DotGeneralConfig{})
}

// weightsTransposed takes the weights as the backend multiplies with them fastest.
func weightsTransposed(c suite.Case, m *suite.Memory) Operation {
	x := tensor{m.X(c), []int{max(c.Batch, 1), c.Cols}}
	w := tensor{m.Transposed("transposed", m.W(c), c.Rows, c.Cols), []int{c.Cols, c.Rows}}
	return graphOf(m, product, x, w)
}

func function(op func(f compute.Function, x compute.Value) (compute.Value, error)) func(c suite.Case, m *suite.Memory) Operation {
	n := func(f compute.Function, v []compute.Value) (compute.Value, error) { return op(f, v[0]) }
	return func(c suite.Case, m *suite.Memory) Operation {
		return graphOf(m, n, tensor{m.Source(c), []int{c.Elements()}})
	}
}

// graphOf compiles a graph of one node and copies its operands to buffers of the backend.
func graphOf(m *suite.Memory, n node, operands ...tensor) Operation {
	backend := suite.Shared(m, "gomlx", func() compute.Backend {
		return must(gobackend.New("ops_sequential"))
	})
	builder := backend.Builder("peer")
	f := builder.Main()
	values := make([]compute.Value, len(operands))
	buffers := make([]compute.Buffer, len(operands))
	for i, t := range operands {
		shape := shapes.Make(dtypes.Float32, t.shape...)
		values[i] = must(f.Parameter(fmt.Sprint("operand", i), shape, nil))
		buffer, flat, err := backend.NewSharedBuffer(0, shape)
		check(err)
		suite.AdviseHuge(flat.([]float32))
		copy(flat.([]float32), t.data)
		buffers[i] = buffer
	}
	check(f.Return([]compute.Value{must(n(f, values))}, nil))
	graph := must(builder.Compile())
	execute := func() compute.Buffer { return must(graph.Execute(buffers, nil, 0))[0] }
	op := once(nil, func() { check(execute().Finalize()) })
	op.Result = func() []float32 {
		shape, y := graph.Outputs()[0], execute()
		data := make([]float32, shape.Size())
		check(y.ToFlatData(data))
		return data
	}
	return op
}
