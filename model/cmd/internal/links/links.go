// Package links reads, combines and judges word alignments: the links of parallel text, a line a sentence
// pair, in the format of Pharaoh.
//
// A link i-j says that source word i and target word j, both counted from 0, translate each other. Alignments
// by hand also have possible links, ipj.
package links

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// MaxWords bounds the positions of words.
const MaxWords = 1 << 13

// A Link is a position of a source word and one of a target word.
type Link struct{ Source, Target int }

// Compare orders links by their target words and then by their source words.
func (l Link) Compare(other Link) int {
	return cmp.Or(cmp.Compare(l.Target, other.Target), cmp.Compare(l.Source, other.Source))
}

// An Alignment is the links of a sentence pair. Both lists ascend, and no link is in both.
type Alignment struct{ Sure, Possible []Link }

// String returns the sure links as a line.
func (a Alignment) String() string {
	list := make([]string, len(a.Sure))
	for i, l := range a.Sure {
		list[i] = fmt.Sprintf("%d-%d", l.Source, l.Target)
	}
	return strings.Join(list, " ")
}

// ErrSyntax is the error for what is not a link.
var ErrSyntax = errors.New("not a link")

// Parse returns the alignment in a line, whose links may be in any order.
func Parse(line string) (a Alignment, err error) {
	for _, field := range strings.Fields(line) {
		list, separator := &a.Sure, strings.IndexAny(field, "-p")
		if separator < 0 {
			separator = len(field)
		} else if field[separator] == 'p' {
			list = &a.Possible
		}
		source, sourceErr := position(field[:separator])
		target, targetErr := position(field[min(separator+1, len(field)):])
		if sourceErr != nil || targetErr != nil {
			return Alignment{}, fmt.Errorf("%w: %.40q, expected i-j or ipj, with i and j from 0 to %d", ErrSyntax, field, MaxWords-1)
		}
		*list = append(*list, Link{source, target})
	}
	a.Sure, a.Possible = sorted(a.Sure), sorted(a.Possible)
	a.Possible = slices.DeleteFunc(a.Possible, func(l Link) bool { return contains(a.Sure, l) })
	return a, nil
}

func position(digits string) (int, error) {
	n, err := strconv.ParseUint(digits, 10, 32)
	if err == nil && n >= MaxWords {
		err = strconv.ErrRange
	}
	return int(n), err
}

// sorted returns the list ascending and each link once.
func sorted(list []Link) []Link {
	slices.SortFunc(list, Link.Compare)
	return slices.Compact(list)
}

func contains(ascending []Link, l Link) bool {
	_, found := slices.BinarySearchFunc(ascending, l, Link.Compare)
	return found
}

// reversed returns the alignment of the other direction.
func (a Alignment) reversed() Alignment {
	turn := func(list []Link) []Link {
		turned := make([]Link, len(list))
		for i, l := range list {
			turned[i] = Link{l.Target, l.Source}
		}
		return sorted(turned)
	}
	return Alignment{turn(a.Sure), turn(a.Possible)}
}

// A Reader reads the alignments in a text, line by line.
type Reader struct {
	in    files.Named
	lines *files.Lines
}

// NewReader returns a reader of an input.
func NewReader(in files.Named) *Reader { return &Reader{in, files.NewLines(in)} }

// Next returns the alignment in the next line. The error has the name of the input and the line; at the end it is
// io.EOF.
func (r *Reader) Next() (Alignment, error) {
	line, err := r.lines.Next()
	if err != nil {
		return Alignment{}, err
	}
	a, bad := Alignment{}, line.Bad
	if bad == nil {
		a, bad = Parse(line.Text)
	}
	if bad != nil {
		return a, files.LineError(r.in.Name(), r.lines.Number(), bad)
	}
	return a, nil
}

// At returns the alignment in a line after those read, of a pair of that many words.
func (r *Reader) At(number, source, target int) (a Alignment, err error) {
	for err == nil && r.lines.Number() < number {
		a, err = r.Next()
	}
	if err == io.EOF {
		err = fmt.Errorf("%s: %w: ends before line %d", r.in.Name(), text.ErrLineCount, number)
	}
	if err != nil {
		return a, err
	}
	for _, l := range a.Sure {
		if l.Source >= source || l.Target >= target {
			err = fmt.Errorf("%w: %d-%d of a pair of %d and %d tokens", ErrSyntax, l.Source, l.Target, source, target)
			return a, files.LineError(r.in.Name(), number, err)
		}
	}
	return a, nil
}

// End returns an error unless the text ends with the line of that number, which is not before those read.
func (r *Reader) End(number int) error {
	if _, err := r.At(number, MaxWords, MaxWords); err != nil {
		return err
	}
	_, err := r.lines.Next()
	switch {
	case err == io.EOF:
		return nil
	case err == nil:
		err = files.LineError(r.in.Name(), number+1, fmt.Errorf("%w: expected %d", text.ErrLineCount, number))
	}
	return err
}

// read returns the alignments in a file.
func read(ctx context.Context, path string) (list []Alignment, err error) {
	in, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for r := NewReader(in); ; {
		a, err := r.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
}
