package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestErrorLength: no error repeats the whole text that it is about.
func TestErrorLength(t *testing.T) {
	long := strings.Repeat("\U000e0001", 1<<18) // 1 MiB
	half := long[:MaxLine/2]
	vocabularyOf := func(words ...string) error { _, err := VocabularyOf(words); return err }
	newVocabulary := func(words ...string) error { _, err := NewVocabulary(slices.Values([][]string{words}), 10); return err }
	readVocabulary := func(file string) error { _, err := ReadVocabulary(strings.NewReader(file)); return err }
	writeVocabulary := func(word string) error {
		v, err := VocabularyOf([]string{"</s>", "<unk>", word})
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.WriteTo(io.Discard)
		return err
	}
	readLine := func(text string) error { _, err := NewLineReader(strings.NewReader(text)).Next(); return err }
	readParallel := func(source, target string) error {
		_, err := ParallelReader{Source: strings.NewReader(source), Target: strings.NewReader(target)}.Read()
		return err
	}
	for name, err := range map[string]error{
		"vocabulary of other words":   vocabularyOf(long, long, long),
		"repeated word":               vocabularyOf("</s>", "<unk>", long, long),
		"word not UTF-8":              vocabularyOf("</s>", "<unk>", long+"\xff"),
		"word with a space":           newVocabulary(long + " "),
		"vocabulary not UTF-8":        newVocabulary(long + "\xff"),
		"line of a vocabulary":        readVocabulary("a " + half),
		"number in a vocabulary":      readVocabulary("a " + strings.Repeat("9", MaxLine/2) + "x"),
		"long line of a vocabulary":   readVocabulary(long + long),
		"repeated line":               readVocabulary(half + "\n" + half),
		"repeated line with a number": readVocabulary(half + " 1\n" + half + " 2"),
		"written word":                writeVocabulary(long + "a"),
		"long line":                   readLine(long + "a"),
		"line not UTF-8":              readLine(half + "\xff"),
		"endless line":                readLine(strings.Repeat(long, 65)),
		"UTF-16":                      readLine("\xff\xfe" + long),
		"long sentence":               readParallel(long+long, "a"),
		"sentence not UTF-8":          readParallel(half+"\xff", "a"),
		"unequal numbers of lines":    readParallel(half, half+"\n"+half),
	} {
		if err == nil || len(err.Error()) > 1800 {
			t.Errorf("%s: error of %d bytes, want at most 1,800", name, len(fmt.Sprint(err)))
		}
	}
}
