//go:build !purego && !noasm

package kernels

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An emulator runs a process whose processor has no AMX or no AVX-VNNI. The instructions raise SIGILL; the
// emulator, its tracer, does what the Intel manual says of them, volume 2, in the encodings of gen/avx, and
// resumes the thread behind them. Whatever the manual forbids ends the process.
type emulator struct {
	pid      int
	threads  map[int]*tiles
	products int // instructions TDPBF16PS and VPDPBUSD
	dot      func(c float32, x, w []float32) float32
}

// tiles is the state of a thread.
type tiles struct {
	configured bool
	stack      uint64 // pointer at the time of LDTILECFG
	rows, cols [8]int // of words
	data       [8][tileRows][bf16Words]uint32
}

// emulate runs the subtests for one implementation of tests of this package, which must pass.
func emulate(t *testing.T, e *emulator, environment, implementation string, tests ...string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	status, err := e.run(file, []string{environment},
		"-test.run=^("+strings.Join(tests, "|")+")$/^"+implementation+"$", "-test.v", "-test.short")
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skip("this process may not trace another: ", err)
	}
	_, _ = file.Seek(0, io.SeekStart)
	text, _ := io.ReadAll(file)
	if err != nil || status != 0 {
		t.Errorf("%v: status %d, %v\n%s", tests, status, err, text)
	}
	for _, name := range tests {
		if !strings.Contains(string(text), "--- PASS: "+name+" ") {
			t.Errorf("%s does not pass on the emulator:\n%s", name, text)
		}
	}
}

// run starts this test binary and returns its exit status when it ends. The threads of the process are in a
// group of their own, so that no other child of this process is waited for.
func (e *emulator) run(output *os.File, environment []string, arguments ...string) (status int, err error) {
	runtime.LockOSThread() // the tracer is a thread
	defer runtime.UnlockOSThread()
	binary, err := os.Executable()
	if err != nil {
		return 0, err
	}
	process, err := os.StartProcess(binary, append([]string{binary}, arguments...), &os.ProcAttr{
		Env: append(os.Environ(), environment...), Files: []*os.File{nil, output, output},
		Sys: &unix.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return 0, err
	}
	e.pid, e.threads = process.Pid, map[int]*tiles{process.Pid: {}}
	var w unix.WaitStatus
	defer func() {
		_ = process.Kill()
		for err := error(nil); err == nil || errors.Is(err, unix.EINTR); {
			_, err = unix.Wait4(-e.pid, &w, unix.WALL, nil)
		}
		_ = process.Release()
	}()
	if _, err := unix.Wait4(e.pid, &w, 0, nil); err != nil || !w.Stopped() {
		return 0, fmt.Errorf("the process did not stop: %v", err)
	}
	if err := unix.PtraceSetOptions(e.pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL); err != nil {
		return 0, err
	}
	if err := unix.PtraceCont(e.pid, 0); err != nil {
		return 0, err
	}
	for {
		thread, err := unix.Wait4(-e.pid, &w, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case w.Stopped():
			signal, err := e.stopped(thread, w)
			if err != nil {
				return 0, err
			}
			if err := unix.PtraceCont(thread, int(signal)); err != nil && !errors.Is(err, unix.ESRCH) {
				return 0, err
			}
		case thread == e.pid && w.Signaled():
			return 0, fmt.Errorf("signal %s ended the process", w.Signal())
		case thread == e.pid:
			return w.ExitStatus(), nil
		default:
			delete(e.threads, thread)
		}
	}
}

// stopped returns the signal with which the thread is to continue.
func (e *emulator) stopped(thread int, w unix.WaitStatus) (unix.Signal, error) {
	t := e.threads[thread]
	switch signal := w.StopSignal(); {
	case t == nil: // a new thread starts with SIGSTOP
		e.threads[thread] = &tiles{}
		return 0, nil
	case signal == unix.SIGILL:
		return 0, e.emulate(thread, t)
	case signal == unix.SIGTRAP:
		return 0, nil
	default:
		return signal, nil
	}
}

// emulate executes all instructions of AMX and AVX-VNNI from that on at which the thread stopped.
func (e *emulator) emulate(thread int, t *tiles) error {
	var r unix.PtraceRegs
	if err := unix.PtraceGetRegs(thread, &r); err != nil {
		return err
	}
	var v vectorRegisters
	for count := 0; ; count++ {
		var code [10]byte
		if err := e.copy(unix.ProcessVMReadv, code[:], r.Rip, 0, 1); err != nil {
			return err
		}
		if multiplies(code) {
			e.products++
			if err := v.multiply(thread, code); err != nil {
				return err
			}
			r.Rip += 5
			continue
		}
		i, ok := decode(code, &r)
		if !ok && count > 0 {
			return errors.Join(v.store(thread), unix.PtraceSetRegs(thread, &r))
		}
		if !ok {
			return fmt.Errorf("illegal instruction % x", code)
		}
		if err := e.execute(t, i, r.Rsp); err != nil {
			return fmt.Errorf("% x: %w", code[:i.size], err)
		}
		r.Rip += uint64(i.size)
	}
}

// multiplies reports whether code starts with VPDPBUSD of three registers: VEX of the map 0F38, 66, W0, 256 bits.
func multiplies(code [10]byte) bool {
	return code[0] == 0xc4 && code[1]&0x5f == 0x42 && code[2]&0x87 == 0x05 && code[3] == 0x50 && code[4]>>6 == 3
}

// vectorRegisters are the vector registers of a thread in the form that XSAVE gives them.
type vectorRegisters struct {
	state [1 << 14]byte
	area  unix.Iovec // what Linux stores of state, or nothing before the first use
}

const (
	getRegisterSet, setRegisterSet, xstate = 0x4204, 0x4205, 0x202 // PTRACE_GETREGSET, PTRACE_SETREGSET, NT_X86_XSTATE
	xmm, features, ymmHigh, avx            = 160, 512, 576, 1 << 2
)

func (v *vectorRegisters) call(request, thread int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, uintptr(request), uintptr(thread), xstate, uintptr(unsafe.Pointer(&v.area)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// multiply executes VPDPBUSD on the registers of thread.
func (v *vectorRegisters) multiply(thread int, code [10]byte) error {
	if v.area.Len == 0 {
		v.area = unix.Iovec{Base: &v.state[0], Len: uint64(len(v.state))}
		if err := v.call(getRegisterSet, thread); err != nil {
			return err
		}
		if v.state[features]&avx == 0 {
			return errors.New("VPDPBUSD while the upper halves of the vector registers are not in use")
		}
	}
	sums, unsigned, signed := code[4]>>3&7|^code[1]>>4&8, ^code[2]>>3&15, code[4]&7|^code[1]>>2&8
	for half := range 2 {
		in := func(register byte) []byte {
			return v.state[[2]int{xmm, ymmHigh}[half]+16*int(register):][:16]
		}
		u, s, to := in(unsigned), in(signed), in(sums)
		for i := 0; i < 16; i += 4 {
			sum := int32(binary.LittleEndian.Uint32(to[i:]))
			for j := i; j < i+4; j++ {
				sum += int32(u[j]) * int32(int8(s[j]))
			}
			binary.LittleEndian.PutUint32(to[i:], uint32(sum))
		}
	}
	return nil
}

// store returns the registers to the thread if they were used.
func (v *vectorRegisters) store(thread int) error {
	if v.area.Len == 0 {
		return nil
	}
	return v.call(setRegisterSet, thread)
}

// A tileInstruction is decoded: its tiles, and its address and the distance between rows.
type tileInstruction struct {
	prefix, opcode  byte
	direct          bool
	reg, rm, second int
	address, stride uint64
	size            int
}

// decode returns the instruction at the start of code: VEX of the map 0F38, W0, 128 bits, with an index and 32
// bits of displacement if it has an address.
func decode(code [10]byte, r *unix.PtraceRegs) (i tileInstruction, ok bool) {
	if code[0] != 0xc4 || code[1]&0x9f != 0x82 || code[2]&0x84 != 0 {
		return i, false
	}
	m := code[4]
	i = tileInstruction{
		prefix: code[2] & 3, opcode: code[3], direct: m>>6 == 3, reg: int(m >> 3 & 7), rm: int(m & 7), second: int(^code[2] >> 3 & 15), size: 5,
	}
	if i.opcode != 0x5c && i.second != 0 || i.second > 7 {
		return i, false
	}
	if i.direct {
		return i, code[1]&0x60 == 0x60 && slices.Contains([]byte{0x49, 0x5c}, i.opcode)
	}
	general := [16]uint64{r.Rax, r.Rcx, r.Rdx, r.Rbx, r.Rsp, r.Rbp, r.Rsi, r.Rdi, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15}
	base, index := code[5]&7|^code[1]>>2&8, code[5]>>3&7|^code[1]>>3&8
	i.address = general[base] + uint64(int64(int32(binary.LittleEndian.Uint32(code[6:]))))
	if index != 4 {
		i.stride = general[index]
	}
	i.size = 10
	return i, m>>6 == 2 && i.rm == 4 && code[5]>>6 == 0 && slices.Contains([]byte{0x49, 0x4b}, i.opcode)
}

func (e *emulator) execute(t *tiles, i tileInstruction, stack uint64) error {
	const none, f3, f2 = 0, 2, 3
	if i.opcode == 0x49 && i.prefix == none && !i.direct {
		if t.configured && t.stack != stack {
			return errors.New("LDTILECFG before the TILERELEASE of another call")
		}
		t.configured, t.stack = true, stack
		var config [64]byte
		if err := e.copy(unix.ProcessVMReadv, config[:], i.address, 0, 1); err != nil {
			return err
		}
		return t.configure(config)
	}
	if !t.configured || t.stack != stack {
		return errors.New("no LDTILECFG in this call")
	}
	tile := &t.data[i.reg]
	switch {
	case i.opcode == 0x49 && i.prefix == none && i.reg == 0 && i.rm == 0:
		*t = tiles{}
	case i.opcode == 0x49 && i.prefix == f2 && i.rm == 0:
		*tile = [tileRows][bf16Words]uint32{}
	case i.opcode == 0x4b && i.prefix == f2 && !i.direct:
		row := make([]byte, t.rows[i.reg]*t.cols[i.reg]*4)
		if err := e.copy(unix.ProcessVMReadv, row, i.address, i.stride, t.rows[i.reg]); err != nil {
			return err
		}
		*tile = [tileRows][bf16Words]uint32{}
		for k := range len(row) / 4 {
			tile[k/t.cols[i.reg]][k%t.cols[i.reg]] = binary.LittleEndian.Uint32(row[4*k:])
		}
	case i.opcode == 0x4b && i.prefix == f3 && !i.direct:
		var rows []byte
		for r := range t.rows[i.reg] {
			for c := range t.cols[i.reg] {
				rows = binary.LittleEndian.AppendUint32(rows, tile[r][c])
			}
		}
		return e.copy(unix.ProcessVMWritev, rows, i.address, i.stride, t.rows[i.reg])
	case i.opcode == 0x5c && i.prefix == f3:
		e.products++
		return e.product(t, i.reg, i.rm, i.second)
	default:
		return errors.New("not an instruction of AMX")
	}
	return nil
}

func (t *tiles) configure(config [64]byte) error {
	for i, v := range config {
		if reserved := i > 0 && i < 16 || i >= 32 && i < 48 || i >= 56; reserved && v != 0 || i == 0 && v != 1 {
			return fmt.Errorf("byte %d of the configuration is %d", i, v)
		}
	}
	for n := range t.rows {
		rows, bytes := int(config[48+n]), int(binary.LittleEndian.Uint16(config[16+2*n:]))
		if rows > tileRows || bytes > 4*bf16Words || bytes%4 != 0 || (rows == 0) != (bytes == 0) {
			return fmt.Errorf("tile %d of %d rows of %d bytes", n, rows, bytes)
		}
		t.rows[n], t.cols[n] = rows, bytes/4
	}
	t.data = [8][tileRows][bf16Words]uint32{}
	return nil
}

// product computes c += a·b.
func (e *emulator) product(t *tiles, c, a, b int) error {
	if c == a || c == b || a == b || t.rows[a] != t.rows[c] || t.cols[b] != t.cols[c] || t.cols[a] != t.rows[b] || t.rows[c] == 0 || t.cols[c] == 0 || t.rows[b] == 0 {
		return fmt.Errorf("tiles %d, %d, %d of %d, %d, %d rows of %d, %d, %d words", c, a, b,
			t.rows[c], t.rows[a], t.rows[b], t.cols[c], t.cols[a], t.cols[b])
	}
	var x, w []float32
	for m := range t.rows[c] {
		for n := range t.cols[c] {
			x, w = x[:0], w[:0]
			for k, word := range t.data[a][m][:t.cols[a]] {
				x = append(x, flushed(lowerHalf(word)), flushed(upperHalf(word)))
				w = append(w, flushed(lowerHalf(t.data[b][k][n])), flushed(upperHalf(t.data[b][k][n])))
			}
			sum := &t.data[c][m][n]
			*sum = math.Float32bits(flushed(e.dot(flushed(math.Float32frombits(*sum)), x, w)))
		}
	}
	return nil
}

// dotPairs is TDPBF16PS for one element of c.
func dotPairs(c float32, x, w []float32) float32 {
	var chains [2]float32
	for k, v := range x {
		chains[k%2] = fmaFlushed(v, w[k], chains[k%2])
	}
	return c + flushed(chains[0]+chains[1])
}

// flushed returns v, or a zero of its sign where it is subnormal.
func flushed(v float32) float32 {
	if math.Abs(float64(v)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(v)))
	}
	return v
}

// fmaFlushed returns x·w+s of bfloat16 x and w, rounded once: the product is exact in float64, and their sum is
// rounded to odd there, which a second rounding does not notice.
func fmaFlushed(x, w, s float32) float32 {
	p, q := float64(x)*float64(w), float64(s)
	sum := p + q
	if sum-sum == 0 {
		back := sum - p
		rest := (p - (sum - back)) + (q - back)
		if bits := math.Float64bits(sum); rest != 0 && bits&1 == 0 {
			if (rest > 0) == (sum > 0) {
				bits++
			} else {
				bits--
			}
			sum = math.Float64frombits(bits)
		}
	}
	return flushed(float32(sum))
}

// copy copies local, in equal parts, from or to parts of the process stride bytes apart.
func (e *emulator) copy(call func(int, []unix.Iovec, []unix.RemoteIovec, uint) (int, error), local []byte, address, stride uint64, parts int) error {
	var remote []unix.RemoteIovec
	for i := range parts {
		remote = append(remote, unix.RemoteIovec{Base: uintptr(address + uint64(i)*stride), Len: len(local) / parts})
	}
	n, err := call(e.pid, []unix.Iovec{{Base: unsafe.SliceData(local), Len: uint64(len(local))}}, remote, 0)
	if err == nil && n != len(local) {
		err = fmt.Errorf("%d bytes of %d at %#x", n, len(local), address)
	}
	return err
}
