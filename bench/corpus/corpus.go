package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// A corpus is the text that the command writes.
type corpus struct {
	pairs, bad int // pairs with a bad line are among the pairs
	seed       uint64
}

// write writes the lines to english and french, and to places where the bad ones are.
func (c corpus) write(ctx context.Context, english, french, places io.Writer) error {
	w := newWriter(c.seed)
	number, bad := 0, 0
	for p := range grammar.All(c.seed) {
		if number++; number > c.pairs {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		source, target := w.write(p)
		if number == c.badLine(bad) {
			d := damages[bad%len(damages)]
			bad++
			if d.target {
				target = d.line(target)
			} else {
				source = d.line(source)
			}
			if _, err := fmt.Fprintf(places, "%d\t%s\t%s\n", number, d.file(), d.kind); err != nil {
				return err
			}
		}
		if err := writeLine(english, source); err != nil {
			return err
		}
		if err := writeLine(french, target); err != nil {
			return err
		}
	}
	return nil
}

// badLine returns the number of bad line i, from 0, or 0 after the last one.
func (c corpus) badLine(i int) int {
	if i >= c.bad {
		return 0
	}
	return int(int64(c.pairs)*int64(i)/int64(c.bad)) + int(int64(c.pairs)/int64(2*c.bad)) + 1
}

func writeLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	_, err := w.Write([]byte{'\n'})
	return err
}

// A damage makes a line bad.
type damage struct {
	kind   string
	target bool                     // whether the line is French
	line   func(line []byte) []byte // returns the bad line
}

// damages are the kinds of bad lines, in turn.
var damages = []damage{
	{"empty", false, func([]byte) []byte { return nil }},
	{"not UTF-8", true, latin1},
	{"too long", false, long},
	{"white space", true, func([]byte) []byte { return []byte(" \t ") }},
	{"not UTF-8", false, latin1},
	{"too long", true, long},
}

// file names the file with the bad line as in messages.
func (d damage) file() string {
	if d.target {
		return "target"
	}
	return "source"
}

// latin1 returns the line with a word in ISO 8859-1.
func latin1(line []byte) []byte { return append(line, " \xe9t\xe9"...) }

// long returns the line repeated to more than the longest line of a text.LineReader.
func long(line []byte) []byte {
	return bytes.Repeat(append(line, ' '), maxLine/len(line)+1)
}

// maxLine is the length in bytes of the longest line that can be used.
const maxLine = text.MaxLine
