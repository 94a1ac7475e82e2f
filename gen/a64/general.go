package a64

// maxImmediate is the largest constant that all instructions on general registers can encode. For
// most larger ones the assembler uses an extra register.
const maxImmediate = 4095

func (f *Func) small(instruction string, value int) immediate {
	f.check(0 <= value && value <= maxImmediate, instruction, value)
	return immediate(value)
}

// MOVD copies a register.
func (f *Func) MOVD(n, d R) { f.set("MOVD", general{d}, general{n}) }

// MOVDI sets d to a constant.
func (f *Func) MOVDI(value int, d R) { f.set("MOVD", general{d}, f.small("MOVD", value)) }

// ADD sets d = n + m.
func (f *Func) ADD(m, n, d R) { f.set("ADD", general{d}, general{m}, general{n}) }

// ADDI sets d = n + value.
func (f *Func) ADDI(value int, n, d R) {
	f.set("ADD", general{d}, f.small("ADD", value), general{n})
}

// SUBI sets d = n - value.
func (f *Func) SUBI(value int, n, d R) {
	f.set("SUB", general{d}, f.small("SUB", value), general{n})
}

// ADDSI and SUBSI are ADDI and SUBI that also set the flags.
func (f *Func) ADDSI(value int, n, d R) {
	f.set("ADDS", general{d}, f.small("ADDS", value), general{n})
}

func (f *Func) SUBSI(value int, n, d R) {
	f.set("SUBS", general{d}, f.small("SUBS", value), general{n})
}

// LSLI sets d = n << shift.
func (f *Func) LSLI(shift int, n, d R) {
	f.check(0 <= shift && shift < 64, "LSL", shift)
	f.set("LSL", general{d}, immediate(shift), general{n})
}

// CMPI sets the flags according to n - value.
func (f *Func) CMPI(value int, n R) { f.use("CMP", f.small("CMP", value), general{n}) }

// B branches to label.
func (f *Func) B(label string) {
	f.branch("JMP", label)
	f.last().ends = true
}

// BEQ, BNE, BLT, BLE, BGT and BGE branch to label if the flags meet the condition.
func (f *Func) BEQ(label string) { f.branch("BEQ", label) }
func (f *Func) BNE(label string) { f.branch("BNE", label) }
func (f *Func) BLT(label string) { f.branch("BLT", label) }
func (f *Func) BLE(label string) { f.branch("BLE", label) }
func (f *Func) BGT(label string) { f.branch("BGT", label) }
func (f *Func) BGE(label string) { f.branch("BGE", label) }

// CBZ branches to label if n is 0.
func (f *Func) CBZ(n R, label string) {
	f.use("CBZ", general{n}, name(label))
	f.last().to = label
}

func (f *Func) branch(instruction, label string) {
	f.use(instruction, name(label))
	f.last().to = label
}

// RET returns.
func (f *Func) RET() {
	f.use("RET")
	f.last().ends = true
}
