package a64

// Moves. Addresses are base+disp in bytes.

// FMOVQ loads a vector.
func (f *Func) FMOVQ(base R, disp int, d V) {
	f.set("FMOVQ", float{d}, f.vectorAt("FMOVQ", base, disp))
}

// STQ stores a vector.
func (f *Func) STQ(v V, base R, disp int) { f.use("FMOVQ", float{v}, f.vectorAt("FMOVQ", base, disp)) }

// FLDPQ loads two adjacent vectors.
func (f *Func) FLDPQ(base R, disp int, d0, d1 V) {
	f.check(d0 != d1, "FLDPQ", "one register twice")
	f.set("FLDPQ", pair{d0, d1}, f.pairAt("FLDPQ", base, disp))
}

// FLDPQP is FLDPQ at base, and then adds to base.
func (f *Func) FLDPQP(base R, add int, d0, d1 V) {
	f.check(d0 != d1, "FLDPQ.P", "one register twice")
	f.set("FLDPQ.P", pair{d0, d1}, f.pairAt("FLDPQ.P", base, add))
	f.last().writes.add(general{base})
}

// FSTPQ stores two adjacent vectors.
func (f *Func) FSTPQ(v0, v1 V, base R, disp int) {
	f.use("FSTPQ", pair{v0, v1}, f.pairAt("FSTPQ", base, disp))
}

// FMOVS loads a float32 into lane 0 and clears the others.
func (f *Func) FMOVS(base R, disp int, d V) {
	f.check(disp >= 0 && disp%4 == 0 && disp/4 <= maxImmediate, "FMOVS", disp)
	f.set("FMOVS", float{d}, memory{base, disp})
}

// FMOVSX is FMOVS at base+index.
func (f *Func) FMOVSX(base, index R, d V) { f.set("FMOVS", float{d}, indexed{base, index}) }

// FMOVSP is FMOVS at base, and then adds 4 to base.
func (f *Func) FMOVSP(base R, d V) {
	f.set("FMOVS.P", float{d}, memory{base, 4})
	f.last().writes.add(general{base})
}

// FMOVDP loads the lower half of d and clears the upper one, and then adds 8 to base.
func (f *Func) FMOVDP(base R, d V) {
	f.set("FMOVD.P", float{d}, memory{base, 8})
	f.last().writes.add(general{base})
}

// LD1DP loads the upper half of d, and then adds 8 to base.
func (f *Func) LD1DP(base R, d V) {
	f.update("VLD1.P", upper{d}, memory{base, 8})
	f.last().writes.add(general{base})
}

// STS stores lane 0.
func (f *Func) STS(v V, base R, disp int) {
	f.check(disp >= 0 && disp%4 == 0 && disp/4 <= maxImmediate, "FMOVS", disp)
	f.use("FMOVS", float{v}, memory{base, disp})
}

// LD1P loads a float32 at base into one lane, and then adds 4 to base.
func (f *Func) LD1P(base R, index int, d V) {
	f.check(0 <= index && index < 4, "VLD1.P", index)
	f.update("VLD1.P", lane{d, index}, memory{base, 4})
	f.last().writes.add(general{base})
}

// ST1P stores one lane at base, and then adds 4 to base.
func (f *Func) ST1P(v V, index int, base R) {
	f.check(0 <= index && index < 4, "VST1.P", index)
	f.use("VST1.P", lane{v, index}, memory{base, 4})
	f.last().writes.add(general{base})
}

// VLD1R loads a float32 into every lane.
func (f *Func) VLD1R(base R, d V) { f.set("VLD1R", list{d}, memory{base, 0}) }

func (f *Func) vectorAt(instruction string, base R, disp int) memory {
	f.check(disp >= 0 && disp%16 == 0 && disp/16 <= maxImmediate, instruction, disp)
	return memory{base, disp}
}

func (f *Func) pairAt(instruction string, base R, disp int) memory {
	f.check(-1024 <= disp && disp <= 1008 && disp%16 == 0, instruction, disp)
	return memory{base, disp}
}

// Arithmetic.

// VFMLA adds n·m to d, rounded once.
func (f *Func) VFMLA(m, n, d V) { f.update("VFMLA", s4(d), s4(m), s4(n)) }

// VFMLS subtracts n·m from d, rounded once.
func (f *Func) VFMLS(m, n, d V) { f.update("VFMLS", s4(d), s4(m), s4(n)) }

// VADD sets d = n + m in integers.
func (f *Func) VADD(m, n, d V) { f.set("VADD", s4(d), s4(m), s4(n)) }

// VADDP sets d to the sums of adjacent lanes of n, then of m, in integers.
func (f *Func) VADDP(m, n, d V) { f.set("VADDP", s4(d), s4(m), s4(n)) }

// VSUB sets d = n - m in integers.
func (f *Func) VSUB(m, n, d V) { f.set("VSUB", s4(d), s4(m), s4(n)) }

// VSHL shifts every lane left.
func (f *Func) VSHL(shift int, n, d V) {
	f.check(0 <= shift && shift < 32, "VSHL", shift)
	f.set("VSHL", s4(d), immediate(shift), s4(n))
}

// Bits and permutations.

// VAND sets d = n & m.
func (f *Func) VAND(m, n, d V) { f.set("VAND", b16(d), b16(m), b16(n)) }

// VEOR sets d = n ^ m.
func (f *Func) VEOR(m, n, d V) { f.set("VEOR", b16(d), b16(m), b16(n)) }

// VBIT copies the bits of n to d where m has a 1.
func (f *Func) VBIT(m, n, d V) { f.update("VBIT", b16(d), b16(m), b16(n)) }

// VMOVI sets every byte of d.
func (f *Func) VMOVI(value int, d V) {
	f.check(0 <= value && value < 256, "VMOVI", value)
	f.set("VMOVI", b16(d), immediate(value))
}

// VMOV copies a register.
func (f *Func) VMOV(n, d V) { f.set("VMOV", b16(d), b16(n)) }

// VDUP copies one lane to all.
func (f *Func) VDUP(n V, index int, d V) {
	f.check(0 <= index && index < 4, "VDUP", index)
	f.set("VDUP", s4(d), lane{n, index})
}

// VEXT sets d to the 16 bytes from index on of n followed by m.
func (f *Func) VEXT(index int, m, n, d V) {
	f.check(0 <= index && index < 16, "VEXT", index)
	f.set("VEXT", b16(d), immediate(index), b16(m), b16(n))
}

// VUZP1 and VUZP2 set d to the lanes of even and of odd index of n followed by m.
func (f *Func) VUZP1(m, n, d V) { f.set("VUZP1", s4(d), s4(m), s4(n)) }
func (f *Func) VUZP2(m, n, d V) { f.set("VUZP2", s4(d), s4(m), s4(n)) }

// VUZP1H and VUZP1B are VUZP1 of lanes of 16 and of 8 bits: the low half of every lane of twice as many.
func (f *Func) VUZP1H(m, n, d V) {
	f.set("VUZP1", vector{d, "H8"}, vector{m, "H8"}, vector{n, "H8"})
}
func (f *Func) VUZP1B(m, n, d V) { f.set("VUZP1", b16(d), b16(m), b16(n)) }

// VZIP1 and VZIP2 interleave the lanes of the lower and of the upper halves of n and m.
func (f *Func) VZIP1(m, n, d V) { f.set("VZIP1", s4(d), s4(m), s4(n)) }
func (f *Func) VZIP2(m, n, d V) { f.set("VZIP2", s4(d), s4(m), s4(n)) }

// VTRN1 and VTRN2 interleave the even and the odd lanes of n and m.
func (f *Func) VTRN1(m, n, d V) { f.set("VTRN1", s4(d), s4(m), s4(n)) }
func (f *Func) VTRN2(m, n, d V) { f.set("VTRN2", s4(d), s4(m), s4(n)) }

// VTRN1D and VTRN2D concatenate the lower and the upper halves of n and m.
func (f *Func) VTRN1D(m, n, d V) { f.set("VTRN1", d2(d), d2(m), d2(n)) }
func (f *Func) VTRN2D(m, n, d V) { f.set("VTRN2", d2(d), d2(m), d2(n)) }

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
