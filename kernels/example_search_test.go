package kernels_test

import (
	"fmt"
	"runtime"

	"github.com/softsearch-go/softsearch/kernels"
)

// An Index finds the vectors with the highest cosine similarity to a query.
type Index struct {
	vectors kernels.Packed // n×dim, every row of norm 1
}

// NewIndex normalizes the rows of vectors in place and packs them.
func NewIndex(k kernels.Impl, vectors kernels.Matrix) *Index {
	for i := range vectors.Rows {
		row := vectors.Row(i)
		k.Scale(row, 1/k.Norm(row)) // zeros become NaN, which TopK leaves out
	}
	return &Index{k.Pack(vectors)}
}

// A Neighbor is a vector of an index and its cosine similarity to the query.
type Neighbor struct {
	ID     int32
	Cosine float32
}

// Search returns the top nearest neighbors of every query, the nearest first. One product reads
// the vectors once for all queries.
func (x *Index) Search(k kernels.Impl, queries kernels.Matrix, top int) [][]Neighbor {
	scores := kernels.NewMatrix(queries.Rows, x.vectors.Out)
	k.Gemm(scores, x.vectors, queries, nil, kernels.Identity)

	lists := make([][]Neighbor, queries.Rows)
	values, ids := make([]float32, top), make([]int32, top)
	for i := range lists {
		norm := k.Norm(queries.Row(i))
		for j := range k.TopK(values, ids, scores.Row(i)) {
			lists[i] = append(lists[i], Neighbor{ids[j], values[j] / norm})
		}
	}
	return lists
}

// A search for the nearest neighbors of queries among vectors, divided among threads where there
// are enough vectors.
func Example_search() {
	team := kernels.NewTeam(runtime.GOMAXPROCS(0))
	defer team.Close()
	k := kernels.Best().With(team)

	words := []string{"king", "queen", "boat", "ship", "stone"}
	vectors := kernels.View([]float32{
		5, 1, 9, 0,
		5, 8, 9, 0,
		0, 1, 1, 7,
		1, 1, 3, 9,
		1, 0, 0, 1,
	}, len(words), 4)
	index := NewIndex(k, vectors)

	queries := kernels.View([]float32{
		4, 5, 8, 0,
		0, 0, 1, 5,
	}, 2, 4)
	for i, neighbors := range index.Search(k, queries, 2) {
		fmt.Printf("query %d:", i)
		for _, n := range neighbors {
			fmt.Printf(" %s %.3f", words[n.ID], n.Cosine)
		}
		fmt.Println()
	}
	// Output:
	// query 0: queen 0.988 king 0.915
	// query 1: boat 0.989 ship 0.981
}
