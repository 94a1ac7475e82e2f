//go:build (!amd64 && !arm64) || purego || noasm

package kernels

func native() []isa { return nil }

func (k Impl) tilePanels() int { return 1 }

func (k Impl) tileFloat32(t *tile)    { tileGo(t) }
func (k Impl) gemv(v *vector)         { gemvGo(v) }
func (k Impl) tilePanelsInt8() int    { return 1 }
func (k Impl) widensInt8() bool       { return false }
func (k Impl) tileInt8(t *tileInt8)   { tileInt8Go(t) }
func (k Impl) gemvInt8(v *vectorInt8) { gemvInt8Go(v) }
func (k Impl) tileBF16(t *tile)       { tileBF16Go(t) }
func (k Impl) widensBF16() bool       { return false }
