package a64

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"math"
	"strings"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// A File is an assembly file with the constants that its functions share, and the Go file that
// declares the functions.
type File struct {
	Package    string
	Generator  string // path of the program, for the headers
	Constraint string // build constraint
	Functions  []*Func

	constants []constant
}

// A constant is a word, stored once for each of the four lanes of a vector.
type constant struct {
	name string
	word uint32
}

// constantsName is the symbol of the table of constants of a file.
const constantsName = "constants<>"

// Function starts the function that d declares.
func (file *File) Function(d decl.Func) *Func {
	f := &Func{Func: d, file: file}
	f.arguments, f.size = frame(d)
	file.Functions = append(file.Functions, f)
	return f
}

// offset returns the offset of the constant of that name in the table of the file.
func (f *Func) offset(name string, word uint32) int {
	for i, c := range f.file.constants {
		if c.name == name {
			if c.word != word {
				f.fail("constant %s is %#x and %#x", name, c.word, word)
			}
			return 16 * i
		}
	}
	f.file.constants = append(f.file.constants, constant{name, word})
	return 16 * (len(f.file.constants) - 1)
}

// Constants sets d to the address of the table of constants.
func (f *Func) Constants(d R) { f.set("MOVD", general{d}, name("$"+constantsName+"(SB)")) }

// Float loads the constant v, under that name in the table, into every lane of d.
func (f *Func) Float(table R, name string, v float32, d V) {
	f.Bits(table, name, math.Float32bits(v), d)
}

// Bits is Float for a word.
func (f *Func) Bits(table R, name string, word uint32, d V) {
	f.FMOVQ(table, f.offset(name, word), d)
	f.last().comment = name
}

// An argument is the place of a parameter or of the result above the frame pointer.
type argument struct {
	offset int
	float  bool // it has 32 bits, which are moved by way of a vector register
}

// frame returns the arguments of d by name, and their total size. A result is named ret.
func frame(d decl.Func) (arguments map[string]argument, size int) {
	expression, err := parser.ParseExpr(d.Signature)
	if err != nil {
		panic(fmt.Sprintf("a64: %s: %v", d.Name, err))
	}
	signature := expression.(*ast.FuncType)
	arguments = map[string]argument{}
	place := func(name string, t ast.Expr) {
		width, float := 8, false
		if id, ok := t.(*ast.Ident); ok && (id.Name == "float32" || id.Name == "int32") {
			width, float = 4, true
		}
		size = (size + width - 1) / width * width
		arguments[name] = argument{size, float}
		size += width
	}
	for _, field := range signature.Params.List {
		for _, id := range field.Names {
			place(id.Name, field.Type)
		}
	}
	if signature.Results != nil {
		size = (size + 7) / 8 * 8
		place("ret", signature.Results.List[0].Type)
	}
	return arguments, size
}

func (f *Func) argument(parameter string, float bool) name {
	a, ok := f.arguments[parameter]
	if !ok || a.float != float {
		f.fail("no parameter %s of that type in %s", parameter, f.Signature)
	}
	return name(fmt.Sprintf("%s+%d(FP)", parameter, a.offset))
}

// Arg loads the argument of that name, a pointer or an int.
func (f *Func) Arg(parameter string) R {
	r := f.General()
	f.set("MOVD", general{r}, f.argument(parameter, false))
	return r
}

// FloatArg loads a float32 or int32 argument into lane 0.
func (f *Func) FloatArg(parameter string, d V) {
	f.set("FMOVS", float{d}, f.argument(parameter, true))
}

// Return stores lane 0 as the result.
func (f *Func) Return(v V) { f.use("FMOVS", float{v}, f.argument("ret", true)) }

// Assembly returns the text of the assembly file.
func (file *File) Assembly() []byte {
	var b strings.Builder
	file.header(&b)
	b.WriteString("#include \"textflag.h\"\n")
	for _, f := range file.Functions {
		fmt.Fprintf(&b, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", f.declaration(), f.Name, f.size)
		b.WriteString(f.text(f.assign()))
	}
	for i, c := range file.constants {
		if i == 0 {
			b.WriteString("\n")
		}
		for half := range 2 {
			fmt.Fprintf(&b, "DATA %s+%d(SB)/8, $0x%08x%08x // %s\n", constantsName, 16*i+8*half, c.word, c.word, c.name)
		}
	}
	if n := len(file.constants); n > 0 {
		fmt.Fprintf(&b, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", constantsName, 16*n)
	}
	return []byte(b.String())
}

func (f *Func) text(a assignment) string {
	var b strings.Builder
	attached := true // the line continues what a label or comment begins
	for _, i := range f.Instructions {
		if (i.IsComment() || i.label) && !attached {
			b.WriteString("\n")
		}
		b.WriteString(i.text(a))
		attached = i.IsComment() || i.label
	}
	return b.String()
}

// Stubs returns the text of the Go file.
func (file *File) Stubs() ([]byte, error) {
	var b strings.Builder
	file.header(&b)
	fmt.Fprintf(&b, "package %s\n", file.Package)
	for _, f := range file.Functions {
		fmt.Fprintf(&b, "\n// %s\n//\n//go:noescape\n%s\n", strings.Join(f.Doc, "\n// "), f.declaration())
	}
	return format.Source([]byte(b.String()))
}

func (file *File) header(b *strings.Builder) {
	fmt.Fprintf(b, "// Code generated by %s. DO NOT EDIT.\n\n//go:build %s\n\n", file.Generator, file.Constraint)
}

func (f *Func) declaration() string {
	return "func " + f.Name + strings.TrimPrefix(f.Signature, "func")
}

// text returns the line of i.
func (i Instruction) text(a assignment) string {
	if i.IsComment() {
		return "\t// " + i.comment + "\n"
	}
	if i.label {
		return i.name + ":\n"
	}
	if i.form != nil && a.virtual {
		return fmt.Sprintf("\t%s\n", i.form.syntax(i.operands, a))
	}
	if i.form != nil {
		return fmt.Sprintf("\tWORD    $0x%08x // %s\n", i.form.encode(i.operands, a), i.form.syntax(i.operands, a))
	}
	var operands []string
	for _, o := range i.operands {
		operands = append(operands, o.text(a))
	}
	if i.name == "MOVD" && operands[0] == operands[1] {
		return ""
	}
	line := strings.TrimRight(fmt.Sprintf("\t%-8s%s", i.name, strings.Join(operands, ", ")), " ")
	if i.comment != "" {
		line += " // " + i.comment
	}
	return line + "\n"
}
