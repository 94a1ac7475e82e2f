package model_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/score"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/moses"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
	"github.com/softsearch-go/softsearch/model/torch"
	"github.com/softsearch-go/softsearch/rnn"
)

// functions and types are what can be called of the module. TestAll holds them complete.
var functions = []any{
	kernels.Alloc, kernels.AllocInt8, kernels.GradScratch, kernels.RowInt8Bytes, kernels.RowBF16Bytes, kernels.PackedBF16Len,
	kernels.PackedInt8Len, kernels.PackedLen, kernels.Available,
	kernels.Best, kernels.Lookup, kernels.NewMatrix, kernels.View, kernels.NewPacked, kernels.ViewPacked,
	kernels.NewPackedBF16, kernels.NewPackedInt8, kernels.NewRowsBF16, kernels.NewRowsInt8, kernels.NewTeam,
	rnn.SequenceBytes, rnn.NewLayout, rnn.NewSequence, rnn.NewStack,
	model.CheckpointNote, model.Average, model.New, model.NewScorer, model.NewStepper, model.NewTrainer, model.NewUnigrams, model.Open, model.Read,
	model.Save, model.ScorerBytes, model.StepperBytes, model.TrainerBytes, model.Write, model.CapacityOf,
	score.Tokenize13a, score.ByLength, score.Compare, score.Confidence,
	collective.Alone, collective.New, collective.NewLocal, decode.New, decode.Perplexity, decode.WithClient,
	safetensors.Digest, safetensors.Metadata, safetensors.Save, safetensors.Write, safetensors.Open, safetensors.OpenVerified, safetensors.NewReader, safetensors.Buffer, safetensors.Load, safetensors.Read,
	text.ReadBlocks[int], text.SortedBatches, text.Sources, text.Targets, text.Tokens,
	text.NewBatcher, text.NewCorpusBatcher, text.Examples, text.NewLineReader,
	text.NewVocabulary, text.ReadVocabulary, text.VocabularyOf, text.VocabularyOfCounts,
	bpe.Join, bpe.Merges, bpe.ReadCodes, bpe.NewSegmenter, grammar.AppendLine, grammar.Hyphenate, grammar.Pairs,
	moses.Normalize, moses.Sentences,
	pipeline.Merges, pipeline.New, pipeline.WithCounts, pipeline.Defaults,
	pipeline.ReadPair, pipeline.TokenizePair, pipeline.CapitalKey,
}

var types = []reflect.Type{
	reflect.TypeFor[kernels.Impl](), reflect.TypeFor[kernels.Matrix](), reflect.TypeFor[kernels.Packed](),
	reflect.TypeFor[kernels.PackedBF16](), reflect.TypeFor[kernels.PackedInt8](), reflect.TypeFor[kernels.RowsBF16](),
	reflect.TypeFor[kernels.RowsInt8](), reflect.TypeFor[kernels.Table](), reflect.TypeFor[kernels.Team](),
	reflect.TypeFor[kernels.Weights](), reflect.TypeFor[rnn.GRU](),
	reflect.TypeFor[rnn.GRUResetAfter](), reflect.TypeFor[rnn.LSTM](), reflect.TypeFor[rnn.Stack](), reflect.TypeFor[torch.StateDict](),
	reflect.TypeFor[rnn.Layout](), reflect.TypeFor[rnn.Sequence](), reflect.TypeFor[rnn.Transposed](),
	reflect.TypeFor[attention.Model](), reflect.TypeFor[attention.Transposed](),
	reflect.TypeFor[model.Adam](), reflect.TypeFor[model.Capacity](), reflect.TypeFor[model.Config](),
	reflect.TypeFor[model.Model](), reflect.TypeFor[model.Hyperparameters](), reflect.TypeFor[model.Scorer](),
	reflect.TypeFor[model.Stepper](), reflect.TypeFor[model.Trainer](), reflect.TypeFor[model.Unigrams](), reflect.TypeFor[score.Bucket](),
	reflect.TypeFor[score.BLEUStatistics](), reflect.TypeFor[score.Score](), reflect.TypeFor[score.ChrFStatistics](),
	reflect.TypeFor[collective.Group](), reflect.TypeFor[collective.Local](), reflect.TypeFor[decode.Translation](),
	reflect.TypeFor[decode.Translator](), reflect.TypeFor[safetensors.File](), reflect.TypeFor[safetensors.Reader](), reflect.TypeFor[text.Batcher](),
	reflect.TypeFor[text.Joiner](), reflect.TypeFor[text.LineError](), reflect.TypeFor[text.LineReader](), reflect.TypeFor[text.ParallelReader](),
	reflect.TypeFor[text.Vocabulary](), reflect.TypeFor[bpe.Codes](), reflect.TypeFor[bpe.Frequencies](),
	reflect.TypeFor[bpe.Segmenter](), reflect.TypeFor[moses.Detokenizer](),
	reflect.TypeFor[moses.Tokenizer](), reflect.TypeFor[pipeline.Pipeline](), reflect.TypeFor[pipeline.Reading](), reflect.TypeFor[pipeline.TermError](),
}

const module = "github.com/softsearch-go/softsearch/"

// endless takes the time and the memory of as many pairs as its operands say.
const endless = "model/grammar.Pairs"

// TestMisuse calls every exported function and method of the root module with operands that are missing,
// too short, too long, negative or out of range. Each returns, or returns an error, or panics with a string that
// begins with the name of its package; none ends in an error of the runtime.
func TestMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	calls := uint64(45) // of each function, with operands of their own
	if fixture.Full() {
		calls = 300
	}
	found := map[string]string{}
	call := func(name string, f func(g *generator)) {
		for i := range calls {
			g := newGenerator(i)
			if kind, place := failure(func() { f(g) }); kind != "" {
				found[name+": "+kind] = place
			}
		}
	}
	for _, f := range functions {
		v := reflect.ValueOf(f)
		call(functionName(v), func(g *generator) {
			arguments := g.arguments(v.Type(), 0)
			if functionName(v) == endless && slices.ContainsFunc(arguments, func(a reflect.Value) bool { return a.CanInt() && a.Int() > 1000 }) {
				return
			}
			use(invoke(v, arguments))
		})
	}
	for _, typ := range types {
		pointer := reflect.PointerTo(typ)
		for i := range pointer.NumMethod() {
			m := pointer.Method(i)
			call(strings.TrimPrefix(typ.String(), module)+"."+m.Name, func(g *generator) {
				arguments := append([]reflect.Value{g.receiver(typ)}, g.arguments(m.Type, 1)...)
				use(invoke(m.Func, arguments))
			})
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("%s at %s", kind, found[kind])
	}
}

// invoke calls f, whose last argument is a slice if f is variadic.
func invoke(f reflect.Value, arguments []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(arguments)
	}
	return f.Call(arguments)
}

// TestNilContext calls every method that takes a context without one.
func TestNilContext(t *testing.T) {
	tested := 0
	for _, typ := range types {
		pointer := reflect.PointerTo(typ)
		for i := range pointer.NumMethod() {
			m := pointer.Method(i)
			if m.Type.NumIn() < 2 || m.Type.In(1) != reflect.TypeFor[context.Context]() {
				continue
			}
			tested++
			g := newGenerator(1)
			arguments := []reflect.Value{g.receiver(typ), reflect.Zero(m.Type.In(1))}
			for j := 2; j < m.Type.NumIn(); j++ {
				arguments = append(arguments, reflect.Zero(m.Type.In(j)))
			}
			func() {
				defer func() {
					if value := recover(); value != path.Base(typ.PkgPath())+": nil context" {
						t.Errorf("%s.%s: panic %v, want nil context", typ, m.Name, value)
					}
				}()
				m.Func.Call(arguments)
			}()
		}
	}
	if tested == 0 {
		t.Error("no method takes a context")
	}
}

// use runs the iterators of results, up to some elements, and closes what has a method for it.
func use(results []reflect.Value) {
	for _, r := range results {
		if c, ok := r.Interface().(interface{ Close() }); ok && !(r.Kind() == reflect.Pointer && r.IsNil()) {
			c.Close()
		}
		if !r.IsValid() || r.Kind() != reflect.Func || r.IsNil() || r.Type().NumOut() > 0 {
			continue
		}
		left := 3
		if r.Type().CanSeq() {
			for range r.Seq() {
				if left--; left == 0 {
					break
				}
			}
		} else if r.Type().CanSeq2() {
			for range r.Seq2() {
				if left--; left == 0 {
					break
				}
			}
		}
	}
}

// failure runs f and returns what it panics with, unless that is a constant of the module, and where.
func failure(f func()) (kind, place string) {
	defer func() {
		value := recover()
		if s, ok := value.(string); value == nil || ok && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) }) {
			return
		}
		kind = fmt.Sprint(value)
		if at := strings.IndexAny(kind, "[0123456789"); at > 0 {
			kind = kind[:at]
		}
		pc := make([]uintptr, 64)
		frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
		for frame, more := frames.Next(); more; frame, more = frames.Next() {
			if strings.HasPrefix(frame.Function, module) && !strings.HasPrefix(frame.Function, module+"model_test.") {
				place = fmt.Sprintf("%s:%d", path.Base(frame.File), frame.Line)
				return
			}
		}
	}()
	f()
	return "", ""
}

var prefixes = []string{"kernels: ", "rnn: ", "attention: ", "model: ", "score: ", "collective: ",
	"decode: ", "safetensors: ", "text: ", "bpe: ", "moses: ", "pipeline: ", "grammar: ", "torch: "}

func functionName(f reflect.Value) string {
	name := strings.TrimPrefix(runtime.FuncForPC(f.Pointer()).Name(), module)
	name, _, _ = strings.Cut(name, "[")
	return name
}

// TestAll compares functions and types with the sources.
func TestAll(t *testing.T) {
	known := map[string]bool{}
	for _, f := range functions {
		known[functionName(reflect.ValueOf(f))] = true
	}
	for _, typ := range types {
		known[strings.TrimPrefix(typ.PkgPath(), module)+"."+typ.Name()] = true
	}
	seen := 0
	root := ".."
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		folder, relative := filepath.Rel(root, file)
		if err != nil || relative != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		if entry.IsDir() {
			if strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2 ||
				slices.Contains([]string{"asm", "gen", "bench", "model/cmd", "model/internal"}, folder) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		if tree.Name.Name == "main" {
			return nil // nobody imports it
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				typ := f.Recv.List[0].Type
				if star, ok := typ.(*ast.StarExpr); ok {
					typ = star.X
				}
				identifier, ok := typ.(*ast.Ident)
				if !ok || !identifier.IsExported() {
					continue
				}
				name = identifier.Name
			}
			seen++
			if name = path.Dir(folder) + "." + name; !known[name] {
				t.Errorf("%s is in no list of this test", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no sources")
	}
}

// A generator makes operands. Those of a call mostly fit each other.
type generator struct {
	*rand.Rand
	h, e, rows int
	empty      bool // matrices have as many rows as there can be, without columns
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 30))}
	g.h, g.e, g.rows = g.size(), g.size(), g.size()
	if g.odd(2) {
		g.e = g.h
	}
	if g.odd(2) {
		g.rows = g.h
	}
	g.empty = g.odd(30)
	return g
}

// odd reports true for one call in n.
func (g *generator) odd(n int) bool { return g.IntN(n) == 0 }

func (g *generator) size() int { return []int{1, 2, 3, 18}[g.IntN(4)] }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) arguments(f reflect.Type, from int) (list []reflect.Value) {
	for i := from; i < f.NumIn(); i++ {
		list = append(list, g.value(f.In(i), 0))
	}
	return list
}

// value returns an operand of a type: of makers, or else of any.
func (g *generator) value(t reflect.Type, depth int) reflect.Value {
	if list := makers[t]; list != nil {
		v := reflect.New(t).Elem()
		if made := list(g); made != nil {
			v.Set(reflect.ValueOf(made))
		}
		return v
	}
	return g.any(t, depth)
}

// any returns an operand whose parts are operands of their types.
func (g *generator) any(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if depth > 6 || g.odd(12) {
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(g.odd(2))
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Int8:
		v.SetInt(g.number(t.Bits()))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(g.number(64)) >> (64 - t.Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(pick(g, 0, 0.5, 0.5, 0.25, 1, -1, 1e300, math.Inf(1), math.NaN()))
	case reflect.String:
		v.SetString(pick(g, "", "a", "b c .", "en", "fr", "\xff", "missing/file", strings.Repeat("x", 100)))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(g.value(t.Elem(), depth+1))
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(g.value(t.Field(i).Type, depth+1))
			}
		}
	case reflect.Slice:
		n := pick(g, 0, 1, 1, g.h, g.e, g.rows, 2*g.h, g.h*g.rows)
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			v.Index(i).Set(g.value(t.Elem(), depth+1))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range g.IntN(4) {
			v.SetMapIndex(g.value(t.Key(), depth+1), g.value(t.Elem(), depth+1))
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) (results []reflect.Value) {
			for i := range t.NumOut() {
				results = append(results, reflect.Zero(t.Out(i)))
			}
			return results
		}))
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(g.value(t.Elem(), depth+1))
		}
	case reflect.Interface:
		panic("no maker of " + t.String())
	default:
		panic("no operand of " + t.String())
	}
	return v
}

// number returns a small number or one whose product with any other overflows.
func (g *generator) number(bits int) int64 {
	if !g.odd(4) {
		return int64(pick(g, 0, 0, 1, 1, 2, g.h, g.e, g.rows))
	}
	return pick[int64](g, -1, -2, 7, 100, 1<<(bits-2), math.MaxInt64>>(64-bits), math.MinInt64>>(64-bits))
}

// number of rows or columns that mostly fits.
func (g *generator) dim(want int) int {
	if g.odd(12) {
		return int(g.number(strconv.IntSize))
	}
	return want
}

// length is a number of values that mostly fits.
func (g *generator) length(want int) int {
	if g.odd(12) {
		return max(0, want+pick(g, -want, -1, 1, 16))
	}
	return want
}

// matrix returns a matrix that mostly is rows×cols.
func (g *generator) matrix(rows, cols int) kernels.Matrix {
	if g.empty {
		return kernels.Matrix{Rows: math.MaxInt}
	}
	m := kernels.NewMatrix(rows, cols)
	if g.odd(10) {
		m = kernels.NewMatrix(rows+1, cols+3).Slice(0, rows).Columns(0, cols)
	}
	m.Rows, m.Cols, m.Stride = g.dim(m.Rows), g.dim(m.Cols), g.dim(m.Stride)
	m.Data = m.Data[:min(len(m.Data), g.length(len(m.Data)))]
	return m
}

// weights returns a matrix of any precision that mostly is out×in.
func (g *generator) weights(out, in int) kernels.Weights {
	var w kernels.Weights
	if g.empty {
		out, in = pick(g, out, 0), 0
	}
	switch g.IntN(7) {
	case 0:
		w.Int8 = kernels.NewPackedInt8(out, in)
		w.Int8.Out, w.Int8.In = g.dim(out), g.dim(in)
	case 1:
		w.BF16 = kernels.NewPackedBF16(out, in)
		w.BF16.Out, w.BF16.In = g.dim(out), g.dim(in)
	case 2:
	default:
		w.Float32 = g.packed(out, in)
	}
	if g.odd(20) {
		w.Int8 = kernels.NewPackedInt8(out, in)
	}
	return w
}

func (g *generator) packed(out, in int) kernels.Packed {
	if g.empty {
		out, in = 0, 0
	}
	w := kernels.NewPacked(out, in)
	w.Data = w.Data[:min(len(w.Data), g.length(len(w.Data)))]
	w.Out, w.In = g.dim(out), g.dim(in)
	return w
}

// side is a size of the operands of the call.
func (g *generator) side() int { return pick(g, g.h, g.h, g.e, g.rows, 2*g.h, 3*g.h) }

func (g *generator) rowsInt8(rows, cols int) kernels.RowsInt8 {
	x := kernels.NewRowsInt8(rows, cols)
	x.Rows, x.Cols = g.dim(rows), g.dim(cols)
	return x
}

func (g *generator) rowsBF16(rows, cols int) kernels.RowsBF16 {
	x := kernels.NewRowsBF16(rows, cols)
	x.Rows, x.Cols = g.dim(rows), g.dim(cols)
	return x
}

var team = sync.OnceValue(func() *kernels.Team { return kernels.NewTeam(2) })

func (g *generator) impl() kernels.Impl {
	k := pick(g, kernels.Available()...)
	if g.odd(3) {
		k = k.With(team())
	}
	if !g.odd(4) {
		rows, cols := g.rows+3, 3*max(g.h, g.e)
		k = k.Using(&kernels.Scratch{
			Int8: g.rowsInt8(rows, cols), BF16: g.rowsBF16(rows, cols), DYBF16: g.rowsBF16(rows, cols),
			Grad: make([]float32, g.length(kernels.GradScratch(cols))),
		})
		if g.odd(3) {
			k = k.Using(&kernels.Scratch{Grad: make([]float32, g.length(kernels.GradScratch(cols)))})
		}
	}
	return k
}

// cell returns a cell, or nil.
func (g *generator) cell() rnn.Cell {
	switch g.IntN(8) {
	case 0:
		return pick[rnn.Cell](g, nil, (*rnn.GRU)(nil), (*rnn.LSTM)(nil))
	case 1, 2:
		return pointerTo[rnn.GRU](g)
	case 3, 4, 5:
		return pointerTo[rnn.GRUResetAfter](g)
	}
	return pointerTo[rnn.LSTM](g)
}

func pointerTo[T any](g *generator) *T {
	v := g.value(reflect.TypeFor[T](), 0).Interface().(T)
	return &v
}

func config(kind model.Kind, order model.Order) model.Config {
	return model.Config{Kind: kind, Order: order, SourceVocab: 5, TargetVocab: 5, Embedding: 3, Hidden: 2, Alignment: 2, Maxout: 2}
}

func newModel(g *generator) *model.Model {
	c := config(pick(g, model.RNNsearch, model.RNNsearch, model.RNNencdec), pick(g, model.UpdateFirst, model.PredictFirst))
	m := must(model.New(c, 1))
	if g.odd(2) {
		m.Source, m.Target = vocabulary(), vocabulary()
	}
	if g.odd(4) {
		m = must(m.Quantize())
	}
	return m
}

func vocabulary() *text.Vocabulary {
	return must(text.VocabularyOf([]string{"</s>", "<unk>", "a", "b", "."}))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// makers make the operands that any does not, or that would rarely fit each other. A maker that returns
// nil makes the zero value.
var makers map[reflect.Type]func(g *generator) any

func add[T any](m func(g *generator) T) {
	makers[reflect.TypeFor[T]()] = func(g *generator) any { return m(g) }
}

// opaque adds a maker of a pointer to a type that has a constructor: nil for some calls.
func opaque[T any](m func(g *generator) *T) {
	add(func(g *generator) *T {
		if g.odd(8) {
			return nil
		}
		return m(g)
	})
	constructed[reflect.TypeFor[T]()] = func(g *generator) any { return m(g) }
}

// constructed make receivers.
var constructed = map[reflect.Type]func(g *generator) any{}

func init() {
	makers = map[reflect.Type]func(g *generator) any{}
	add((*generator).impl)
	add(func(g *generator) kernels.Matrix { return g.matrix(pick(g, g.rows, g.rows, g.h), g.side()) })
	add(func(g *generator) kernels.Packed { return g.packed(g.side(), g.side()) })
	add(func(g *generator) kernels.Weights { return g.weights(g.side(), g.side()) })
	add(func(g *generator) kernels.RowsInt8 { return g.rowsInt8(g.rows, g.side()) })
	add(func(g *generator) kernels.RowsBF16 { return g.rowsBF16(g.rows, g.side()) })
	add(func(g *generator) kernels.PackedInt8 { return g.weights(g.side(), g.side()).Int8 })
	add(func(g *generator) kernels.PackedBF16 { return g.weights(g.side(), g.side()).BF16 })
	add(func(g *generator) kernels.Task { return pick[kernels.Task](g, nil, task{}) })
	add(func(g *generator) []float32 {
		if g.empty {
			return nil
		}
		return make([]float32, g.length(pick(g, 0, g.h, g.h, g.e, g.rows)))
	})
	opaque(func(g *generator) *kernels.Team { return team() })
	add(func(g *generator) rnn.GRU {
		return rnn.GRU{W: g.weights(3*g.h, g.e), B: make([]float32, g.length(3*g.h)), Uzr: g.weights(2*g.h, g.h), U: g.weights(g.h, g.h)}
	})
	add(func(g *generator) rnn.GRUResetAfter {
		return rnn.GRUResetAfter{
			W: g.weights(3*g.h, g.e), B: make([]float32, g.length(3*g.h)), U: g.weights(3*g.h, g.h), C: make([]float32, g.length(g.h)),
		}
	})
	add(func(g *generator) rnn.LSTM {
		return rnn.LSTM{W: g.weights(4*g.h, g.e), B: make([]float32, g.length(4*g.h)), U: g.weights(4*g.h, g.h)}
	})
	add(func(g *generator) rnn.Cell { return g.cell() })
	opaque(func(g *generator) *rnn.Stack {
		for { // some of these cells do not fit
			var s *rnn.Stack
			failure(func() {
				s = rnn.NewStack([]rnn.Layer{{Forward: g.cell(), Backward: pick(g, nil, g.cell())}}, g.rows, g.rows)
			})
			if s != nil {
				return s
			}
		}
	})
	add(func(g *generator) torch.StateDict {
		d := torch.StateDict{Impl: g.impl(), Int8: g.odd(2)}
		if g.odd(12) {
			return d
		}
		rows := pick(g, 3, 4) * g.h
		d.Tensor = func(name string) ([]int, []float32, error) {
			shape := []int{rows, g.h}
			switch {
			case strings.Contains(name, "bias") || g.odd(3):
				shape = []int{rows}
			case g.odd(4) || strings.HasPrefix(name, "weight_ih_l1"):
				return nil, nil, fmt.Errorf("%w: %q", safetensors.ErrMissing, name)
			}
			n := 1
			for i := range shape {
				shape[i] = max(0, shape[i]+pick(g, 0, 0, 0, 0, 0, 1, -1, -shape[i]))
				n *= shape[i]
			}
			return shape, make([]float32, n), nil
		}
		return d
	})
	add(func(g *generator) rnn.Transposed {
		return rnn.Transposed{W: g.weights(g.e, 3*g.h), Uzr: g.weights(g.h, 2*g.h), U: g.weights(g.h, g.h)}
	})
	add(func(g *generator) rnn.Layout {
		l := rnn.NewLayout(g.rows)
		if !g.odd(8) {
			l.Set([]int{g.rows})
		}
		return pick(g, l, l, l, rnn.Layout{})
	})
	opaque(func(g *generator) *rnn.Sequence {
		s := rnn.NewSequence(g.h, g.rows, g.rows, g.odd(2))
		if g.odd(2) {
			failure(func() {
				l := rnn.NewLayout(g.rows)
				l.Set([]int{g.rows})
				gru := g.value(reflect.TypeFor[rnn.GRU](), 0).Interface().(rnn.GRU)
				s.Forward(g.impl(), &gru, &l, g.matrix(g.rows, g.h), g.matrix(g.rows, g.e))
			})
		}
		return s
	})
	add(func(g *generator) attention.Model {
		return attention.Model{Wa: g.weights(g.h, g.h), Ua: g.weights(g.h, g.e), Va: make([]float32, g.length(g.h*g.IntN(2))), WaBias: make([]float32, g.length(g.h)), UaBias: make([]float32, g.length(g.h))}
	})
	add(func(g *generator) attention.Transposed {
		return attention.Transposed{Wa: g.weights(g.h, g.h), Ua: g.weights(g.e, g.h)}
	})

	add(func(g *generator) model.Kind { return pick[model.Kind](g, model.RNNsearch, model.RNNencdec, "other") })
	add(func(g *generator) model.Order {
		return pick[model.Order](g, model.UpdateFirst, model.PredictFirst, "other")
	})
	add(func(g *generator) model.Precision { return pick(g, model.Float32, model.Int8, model.BF16) })
	add(func(g *generator) *model.Model {
		return pick(g, nil, &model.Model{}, newModel(g), newModel(g), newModel(g), &model.Model{Config: config(model.RNNsearch, model.UpdateFirst), Parameters: &model.Parameters{}})
	})
	constructed[reflect.TypeFor[model.Model]()] = func(g *generator) any {
		return pick(g, &model.Model{}, newModel(g), newModel(g))
	}
	add(func(g *generator) text.Example { return text.Example{Source: g.ids(), Target: g.ids()} })
	add(func(g *generator) model.Capacity {
		return model.Capacity{Sentences: g.dim(2), SourceLength: g.dim(3), TargetLength: g.dim(3)}
	})
	add(func(g *generator) model.StepperCapacity {
		return model.StepperCapacity{Sentences: g.dim(2), Hypotheses: g.dim(3), Words: g.dim(8), Joining: g.dim(6)}
	})
	add(func(g *generator) model.Hyperparameters {
		return model.Hyperparameters{Shards: g.dim(0), Average: pick(g, 0, 0.5), Precision: pick(g, model.Float32, model.BF16, "x")}
	})
	opaque(func(g *generator) *model.Scorer {
		s := must(model.NewScorer(kernels.Best(), newModel(g), model.Capacity{Sentences: 2, SourceLength: 3, TargetLength: 3}))
		if g.odd(2) {
			must(s.Loss([]text.Example{{Source: []int32{2, 0}, Target: []int32{2, 0}}}))
		}
		return s
	})
	opaque(func(g *generator) *model.Stepper {
		s := must(model.NewStepper(kernels.Best(), newModel(g), model.StepperCapacity{Sentences: 2, Hypotheses: 3, Words: 8, Joining: 6}))
		if g.odd(2) {
			s.Begin([]int32{2, 0})
		}
		if g.odd(2) {
			s.Step([]int32{-1})
		}
		return s
	})
	opaque(func(g *generator) *model.Trainer {
		m := must(model.New(config(model.RNNsearch, model.UpdateFirst), 1))
		return must(model.NewTrainer(kernels.Best(), m, model.Hyperparameters{Shards: pick(g, 0, 2)}, model.Capacity{Sentences: 2, SourceLength: 3, TargetLength: 3}))
	})

	add(func(g *generator) context.Context {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		return pick(g, nil, ended, context.Background())
	})
	opaque(func(g *generator) *decode.Translator { return pick(g, translators()...) })
	add(func(g *generator) decode.Sentence {
		return decode.Sentence{Source: g.ids(), Prefix: g.ids()[:1], MaxLength: g.dim(0), Beam: g.dim(0), NBest: g.dim(0)}
	})
	add(func(g *generator) decode.Translation {
		return decode.Translation{IDs: g.ids(), Alignment: g.matrix(3, 3)}
	})
	add(func(g *generator) decode.Options {
		return decode.Options{
			Beam: g.dim(0), NBest: g.dim(0), MinLength: g.dim(0), MaxLength: g.dim(0), Waiting: g.dim(0), Threads: pick(g, 1, 2, -1, math.MaxInt),
			Normalization: pick(g, nil, new(1.0), new(-1.0), new(math.NaN())), Terms: pick(g, nil, []pipeline.Term{{}}, []pipeline.Term{{Source: "a", Target: "b"}}),
			Memory: int64(g.dim(0)), Ensemble: pick(g, nil, nil, []*model.Model{nil}, []*model.Model{newModel(g)}),
		}
	})

	add(func(g *generator) collective.Transport {
		local := collective.NewLocal(2)
		local.Close()
		return pick[collective.Transport](g, nil, transport{0, 1}, transport{0, 2}, transport{-1, 2}, transport{7, 2}, transport{0, -1}, transport{0, 3}, local.Transport(0))
	})
	opaque(func(g *generator) *collective.Group {
		return pick(g, groups()...)
	})
	opaque(func(g *generator) *collective.Local {
		local := collective.NewLocal(2)
		local.Close()
		return local
	})
	add(func(g *generator) []int32 { return g.ids() })
	add(func(g *generator) text.Corpus {
		return pick[text.Corpus](g, nil, corpus(0), corpus(3), corpus(3), corpus(-1))
	})
	opaque(func(g *generator) *text.Batcher {
		return text.NewCorpusBatcher(corpus(5), 2, pick(g, 0, 4), 1)
	})
	opaque(func(g *generator) *text.Vocabulary { return vocabulary() })
	opaque(func(g *generator) *text.LineReader { return text.NewLineReader(strings.NewReader("a\nb\n")) })
	opaque(func(g *generator) *bpe.Segmenter {
		return bpe.NewSegmenter(bpe.Codes{{Left: "a", Right: "b"}}, bpe.Frequencies{"ab": 2}, 1)
	})
	add(func(g *generator) pipeline.Settings {
		s := pipeline.Defaults("en")
		s.Language = pick(g, "en", "fr", "")
		return s
	})
	add(func(g *generator) pipeline.Pipeline {
		return pick(g, pipeline.Pipeline{}, english())
	})
	add(func(g *generator) io.ReaderAt {
		return pick[io.ReaderAt](g, nil, strings.NewReader(""), strings.NewReader("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	})
	add(func(g *generator) io.Reader {
		return pick[io.Reader](g, nil, strings.NewReader(""), strings.NewReader("a b 1\nc d\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	})
	add(func(g *generator) io.Writer { return pick[io.Writer](g, nil, io.Discard) })
	add(func(g *generator) error { return pick(g, nil, io.EOF) })
}

// ids returns ids of the vocabulary, mostly of a sentence.
func (g *generator) ids() []int32 {
	list := make([]int32, pick(g, 1, 2, 3, 3, 20))
	for i := range list[:len(list)-1] {
		list[i] = int32(g.dim(2))
	}
	return list
}

// receiver returns what a constructor made, or else an operand: methods of nil, and of the zero value of
// a type that has a constructor, are like those of any package.
func (g *generator) receiver(t reflect.Type) reflect.Value {
	if m := constructed[t]; m != nil {
		return reflect.ValueOf(m(g))
	}
	v := reflect.New(t)
	v.Elem().Set(g.value(t, 0))
	return v
}

type task struct{}

func (task) Run(kernels.Impl, int, int) {}

// A transport without messages.
type transport struct{ rank, size int }

func (t transport) Rank() int                          { return t.rank }
func (t transport) Size() int                          { return t.size }
func (t transport) Exchange(int, []byte, []byte) error { return collective.ErrTransport }

// A corpus of that many examples.
type corpus int

func (c corpus) Len() int       { return int(c) }
func (c corpus) Length(int) int { return 2 }
func (c corpus) Example(int, []int32) (text.Example, []int32, error) {
	return text.Example{Source: []int32{2, 0}, Target: []int32{2, 0}}, nil, nil
}

var english = sync.OnceValue(func() pipeline.Pipeline { return must(pipeline.New(pipeline.Defaults("en"))) })

var groups = sync.OnceValue(func() []*collective.Group {
	return []*collective.Group{collective.Alone(), must(collective.New(transport{0, 2})), must(collective.New(transport{1, 2}))}
})

var translators = sync.OnceValue(func() (list []*decode.Translator) {
	for _, kind := range []model.Kind{model.RNNsearch, model.RNNencdec} {
		m := must(model.New(config(kind, model.UpdateFirst), 1))
		m.Source, m.Target = vocabulary(), vocabulary()
		for _, o := range []decode.Options{{Threads: 1}, {Threads: 1, ReplaceUNK: kind == model.RNNsearch, Beam: 2, NBest: 2}} {
			list = append(list, must(decode.New(m, o)))
		}
	}
	return list
})
