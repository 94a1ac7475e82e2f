package kernels

import (
	"slices"
	"testing"
)

func TestMatrix(t *testing.T) {
	const rows, cols, stride = 5, 4, 7
	m := Matrix{rows, cols, stride, make([]float32, (rows-1)*stride+cols)}
	for i := range m.Data {
		m.Data[i] = float32(i)
	}
	for from := range rows + 1 {
		for to := from; to <= rows; to++ {
			for left := range cols + 1 {
				for right := left; right <= cols; right++ {
					for name, part := range map[string]Matrix{
						"Slice then Columns": m.Slice(from, to).Columns(left, right),
						"Columns then Slice": m.Columns(left, right).Slice(from, to),
					} {
						if part.Rows != to-from || part.Cols != right-left || !part.valid() {
							t.Fatalf("%s rows %d:%d columns %d:%d: shape %d×%d", name, from, to, left, right, part.Rows, part.Cols)
						}
						for i := range part.Rows {
							want := m.Data[(from+i)*stride+left : (from+i)*stride+right]
							if got := part.Row(i); !slices.Equal(got, want) {
								t.Fatalf("%s rows %d:%d columns %d:%d: row %d = %g, want %g", name, from, to, left, right, i, got, want)
							}
						}
					}
				}
			}
		}
	}
	v := View(m.Data, 3, 8)
	if v.Stride != 8 || v.Row(2)[7] != 23 || len(v.Data) != 24 {
		t.Errorf("View(data, 3, 8) = %v", v)
	}
}
