//go:build !race

package kernels

func readsVector([]float32)         {}
func writesVector([]float32)        {}
func writesPrefix([]float32, int)   {}
func readsMatrix(Matrix)            {}
func readsColumns(Matrix, int, int) {}
func writesMatrix(Matrix)           {}
func (t *tile) announce()           {}
func (v *vector) announce()         {}
func readsInt8([]int8)              {}
func writesInt8([]int8)             {}
func (t *tileInt8) announce()       {}
func (v *vectorInt8) announce()     {}
func (d *dequantization) announce() {}
func readsWords([]uint32)           {}
func writesWords([]uint32)          {}
func readsRowsBF16(RowsBF16, int)   {}
