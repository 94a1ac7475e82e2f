//go:build !race

package kernels

func reads[T any]([]T)              {}
func writes[T any]([]T)             {}
func writesPrefix([]float32, int)   {}
func readsMatrix(Matrix)            {}
func readsColumns(Matrix, int, int) {}
func writesMatrix(Matrix)           {}
func (t *tile) announce()           {}
func (v *vector) announce()         {}
func (t *tileInt8) announce()       {}
func (v *vectorInt8) announce()     {}
func (d *dequantization) announce() {}
func readsRowsBF16(RowsBF16, int)   {}
