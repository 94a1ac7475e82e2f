package a64

var (
	bfmlalb = form{"VBFMLALB", 0x2ec0fc00, three, "S4", "H8"}
	bfmlalt = form{"VBFMLALT", 0x6ec0fc00, three, "S4", "H8"}
)

// VBFMLALB and VBFMLALT add to each 32-bit lane of d the product of the lower and of the upper bfloat16
// values there in n and m, rounded once. They need FEAT_BF16.
func (f *Func) VBFMLALB(m, n, d V) { f.bfmlal(&bfmlalb, m, n, d) }
func (f *Func) VBFMLALT(m, n, d V) { f.bfmlal(&bfmlalt, m, n, d) }

func (f *Func) bfmlal(o *form, m, n, d V) {
	f.word(o, s4(d), vector{m, "H8"}, vector{n, "H8"})
	f.last().reads.add(s4(d))
}

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
