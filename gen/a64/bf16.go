package a64

// VUSHR shifts every lane right.
func (f *Func) VUSHR(shift int, n, d V) {
	f.check(1 <= shift && shift <= 32, "VUSHR", shift)
	f.set("VUSHR", s4(d), immediate(shift), s4(n))
}

// VSRI shifts every lane of n right and inserts it into d, which keeps its upper bits.
func (f *Func) VSRI(shift int, n, d V) {
	f.check(1 <= shift && shift <= 32, "VSRI", shift)
	f.update("VSRI", s4(d), immediate(shift), s4(n))
}

// VZIP1H and VZIP2H interleave the 16-bit lanes of the lower and of the upper halves of n and m.
func (f *Func) VZIP1H(m, n, d V) {
	f.set("VZIP1", vector{d, "H8"}, vector{m, "H8"}, vector{n, "H8"})
}
func (f *Func) VZIP2H(m, n, d V) {
	f.set("VZIP2", vector{d, "H8"}, vector{m, "H8"}, vector{n, "H8"})
}
