package kernels

import "testing"

// longVectors is the length from which on not every offset is tried.
const longVectors = 300

func TestVectorBits(t *testing.T) {
	lengths := []int{127, 128, 129, 191, 192, 193, 255, 256, 257, block - 1, block, block + 1, block + 16, 2*block + 17}
	for n := range 68 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for offset := range offsets {
			if n > longVectors && offset%5 != 0 || testing.Short() && offset%3 != 0 {
				continue
			}
			checkAll(t, vectorKernels(n), fills, uint64(100*n+offset), offset)
		}
	}
}

func TestAttentionBits(t *testing.T) {
	for cols := range 68 {
		for _, rows := range []int{0, 1, 2, 5} {
			offset := (cols + rows) % offsets
			checkAll(t, attentionKernels(rows, cols, cols), fills, uint64(100*cols+rows), offset)
			checkAll(t, attentionKernels(rows, cols, cols+3), fills, uint64(100*cols+rows), 7-offset)
		}
	}
	for offset := range offsets {
		checkAll(t, attentionKernels(3, 79, 83), fills, uint64(offset), offset)
	}
	shapes := [][2]int{
		{attentionRows - 1, 17}, {attentionRows, 17}, {attentionRows, 64}, {attentionRows + 1, 3}, // rows of a call
		{129, 127}, {16, 1000}, {17, 1000}, {5, block - 1}, {5, block}, {2, block + 1}, {1, attentionValues + 1}, // its values
	}
	for i, s := range shapes {
		checkAll(t, attentionKernels(s[0], s[1], s[1]+i), fills, uint64(i), i%offsets)
	}
}

func TestRowBits(t *testing.T) {
	for _, cols := range []int{1, 2, 15, 16, 17, 33, 67, block + 1} {
		for _, rows := range []int{0, 1, 2, 5} {
			offset := (cols + rows) % offsets
			checkAll(t, rowKernels(rows, cols, cols), fills, uint64(100*cols+rows), offset)
			checkAll(t, rowKernels(rows, cols, cols+3), fills, uint64(100*cols+rows), 7-offset)
		}
	}
}

func TestProductBits(t *testing.T) {
	outs := []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 81, 95, 96, 97}
	kinds, step := 3, 1
	if testing.Short() {
		kinds, step = 1, 2
	}
	for m := range 18 {
		for i, rows := range outs {
			for j, cols := range []int{0, 1, 2, 3, 7, 15, 16, 17, 33} {
				if (m+i+j)%step != 0 {
					continue
				}
				seed := uint64(10000*m + 100*rows + cols)
				checkAll(t, productKernels(m, rows, cols), some(m+i+j, kinds), seed, (m+i+cols)%offsets)
			}
		}
	}
}

func TestWeightBits(t *testing.T) {
	for rows := range 50 {
		for _, cols := range []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 65, 128} {
			checkAll(t, weightKernels(rows, cols), fills[len(fills)-1:], uint64(100*rows+cols), (rows+cols)%offsets)
		}
	}
}

// TestProductBlocks has shapes on both sides of the rows and the depth that a block takes,
// and of the panels that go into one call.
func TestProductBlocks(t *testing.T) {
	wide, narrow := tileDepth(maxTilePanels), tileDepth(1)
	shapes := [][3]int{
		{gemmRows - 1, 17, 5}, {gemmRows, 16, 5}, {gemmRows + 1, 33, 5}, {2*gemmRows + 7, 17, 3},
		{gradRows - 1, 5, 17}, {gradRows, 16, 16}, {gradRows + 1, 17, 33}, {2*gradRows + 1, 3, 5},
		{1, 16 * 7, wide}, {1, 16*9 + 5, 1024}, {1, gemvValues/100 + 40, 100}, {1, 2*gemvValues/64 + 1, 64},
		{1, 33, gemvDepth}, {1, 33, gemvDepth + 1}, {1, 85, 2*gemvDepth + 1}, {1, 2*block + 1, 3},
		{gemmRows + 1, 17, narrow + 1}, {gemmRows, 49, gemmValues/gemmRows + 1},
	}
	for _, cols := range []int{wide - 1, wide, wide + 1, 2 * wide, 2*wide + 1, narrow - 1, narrow, narrow + 1, 2*narrow + 1} {
		for _, m := range []int{1, 2, 6, 7, 13} {
			shapes = append(shapes, [3]int{m, 65, cols})
		}
	}
	for i, s := range shapes {
		kinds := some(i, 3)
		if testing.Short() {
			kinds = kinds[:1]
		}
		checkAll(t, productKernels(s[0], s[1], s[2]), kinds, uint64(i), i%offsets)
	}
}
