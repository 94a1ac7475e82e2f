package decode

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// fullScan lists all candidates and sorts them.
func fullScan(rows [][]float32, base []float64, width int) []candidate {
	var all []candidate
	for i, row := range rows {
		for w, s := range row {
			if score := base[i] + float64(s); score > math.Inf(-1) {
				all = append(all, candidate{score, i, int32(w)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return all[:min(width, len(all))]
}

func checkRanking(t *testing.T, k kernels.Impl, rows [][]float32, base []float64, width int) {
	t.Helper()
	r := ranking{best: []candidate{{1, 2, 3}}}
	r.reset(width)
	for i, row := range rows {
		r.add(k, i, base[i], row)
	}
	if want := fullScan(rows, base, width); !slices.Equal(r.best, want) {
		t.Errorf("%s: best %d of %d rows of %d: got %v, want %v", k, width, len(rows), len(rows[0]), r.best, want)
	}
}

// TestRanking uses rows with few distinct values, so that most candidates are tied within their row
// and across blocks and rows, and rows of distinct values.
func TestRanking(t *testing.T) {
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		r := newRand(70)
		for _, n := range []int{1, 3, rankingBlock - 1, rankingBlock, rankingBlock + 1, 2 * rankingBlock, 777} {
			for _, values := range []int{1, 2, 5, 1 << 20} {
				for _, width := range []int{1, 2, 3, 12, rankingBlock, 300} {
					rows, base := make([][]float32, 1+r.IntN(4)), make([]float64, 4)
					for i := range rows {
						rows[i], base[i] = make([]float32, n), float64(r.IntN(3))
						for w := range rows[i] {
							rows[i][w] = float32(r.IntN(values))
							if r.IntN(8) == 0 {
								rows[i][w] = -inf
							}
						}
					}
					checkRanking(t, k, rows, base, width)
				}
			}
		}
	})
}

// TestRankingRounds uses scores that differ, but become equal when a base is added.
func TestRankingRounds(t *testing.T) {
	row := make([]float32, 3*rankingBlock)
	for i := range row {
		row[i] = float32(i) * 0x1p-20
	}
	for _, base := range []float64{0, -0x1p31, -0x1p33, -0x1p40} {
		for _, width := range []int{1, 5, 100} {
			checkRanking(t, kernels.Best(), [][]float32{row, row}, []float64{base, base}, width)
		}
	}
}

func FuzzRanking(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 0, 64}, uint8(2), uint8(0), float64(-1))
	f.Add(make([]byte, 1000), uint8(12), uint8(1), float64(0))
	f.Fuzz(func(t *testing.T, data []byte, width, second uint8, base float64) {
		var row []float32
		for ; len(data) >= 4; data = data[4:] {
			row = append(row, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		notNumber := func(v float32) bool { return v != v || v == inf }
		if base-base != 0 || width == 0 || len(row) == 0 || slices.ContainsFunc(row, notNumber) {
			return
		}
		from := int(second) % len(row)
		other := slices.Concat(row[from:], row[:from])
		for _, k := range kernels.Available() {
			checkRanking(t, k, [][]float32{row, other}, []float64{base, base / 2}, int(width))
		}
	})
}
