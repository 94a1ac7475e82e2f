package suite

import (
	"testing"
	"unsafe"
)

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		name := c.String()
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
		if got, err := Parse(name); err != nil || got != c {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", name, got, err, c)
		}
	}
	for _, name := range []string{
		"Gemv/rows=256/cols=256", "Gemm/batch=80/rows=30000/cols=500", "GemmGrad/batch=2000/rows=3000/cols=620",
		"GemmInput/batch=2000/rows=3000/cols=620", "Tanh/n=1024", "Softmax/n=50",
		"DecoderStep/batch=12/source=25/units=256/vocabulary=8000/embedding=256/maxout=256",
		"TrainingUpdate/batch=80/source=25/units=1000/vocabulary=30000/embedding=620/maxout=500/threads=2",
	} {
		if !seen[name] {
			t.Errorf("%s is not listed", name)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"", "Gemv", "Gemv/", "/n=1", "Tanh/n=0", "Tanh/n=x", "Tanh/m=1", "Gemv/cols=1/rows=1"} {
		if c, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", text, c)
		}
	}
}

func TestMultiplications(t *testing.T) {
	for c, want := range map[Case]int{
		{Op: "Gemv", Rows: 3, Cols: 5}: 15, {Op: "Gemm", Batch: 2, Rows: 3, Cols: 5}: 30, {Op: "Exp", N: 7}: 0,
		{Op: "DecoderStep", Batch: 3, Source: 2, Units: 9, Vocabulary: 5, Embedding: 4, Maxout: 3}: 0,
	} {
		if got := c.Multiplications(); got != want {
			t.Errorf("%s: %d multiplications, want %d", c, got, want)
		}
	}
}

// TestMix compares with the first outputs of SplitMix64 for seed 0.
func TestMix(t *testing.T) {
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := mix(uint64(i)); got != want {
			t.Errorf("mix(%d) = %#x, want %#x", i, got, want)
		}
	}
}

func TestMemory(t *testing.T) {
	m, c := NewMemory(), Case{Op: "Gemm", Batch: 3, Rows: 300, Cols: 1000}
	w, x := m.W(c), m.X(c)
	if &w[0] != &m.W(c)[0] {
		t.Error("the weights of a case are made twice")
	}
	for _, data := range [][]float32{w, x, m.Floats(1), m.Floats(5 << 20)} {
		if uintptr(unsafe.Pointer(&data[0]))%cacheLine != 0 {
			t.Errorf("an operand of %d values begins inside a cache line", len(data))
		}
		for _, v := range data {
			if v < -1 || v >= 1 {
				t.Fatalf("value %g, want one in [-1, 1)", v)
			}
		}
	}
	transposed := m.Transposed(c)
	if transposed[2*c.Rows+7] != w[7*c.Cols+2] {
		t.Error("Transposed does not swap rows and columns")
	}
	if err := m.Free(); err != nil {
		t.Fatal(err)
	}
}
