package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// fold writes a file without case and accents. Unless it is tokenized, as the text aligned by hand is, it divides
// the lines into the tokens of that text, in which French elisions and contractions are whole words.
func fold(w io.Writer, path, language string, tokenized bool) error {
	in, err := files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(w)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := accents.Replace(strings.ToLower(lines.Text()))
		if !tokenized {
			line = tokens(line, language)
		}
		fmt.Fprintln(out, line)
	}
	return errors.Join(lines.Err(), out.Flush())
}

var accents = strings.NewReplacer("à", "a", "â", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i", "ô", "o", "ö", "o",
	"ù", "u", "û", "u", "ü", "u", "ç", "c", "œ", "oe", "æ", "ae", "’", "'")

var token = regexp.MustCompile(`[a-z]+'|(?:mr|hon|mrs|dr)\.|[0-9]+(?:[.,][0-9]+)*|[\pL]+|\S`)

var whole = map[string]string{
	"l'": "le", "d'": "de", "qu'": "que", "n'": "ne", "s'": "se", "j'": "je", "c'": "ce", "m'": "me", "t'": "te",
	"jusqu'": "jusque", "lorsqu'": "lorsque", "quelqu'": "quelque", "puisqu'": "puisque",
	"du": "de le", "des": "de les", "au": "a le", "aux": "a les", "aujourd'": "aujourd'",
}

func tokens(line, language string) string {
	list := token.FindAllString(line, -1)
	for i, word := range list {
		if other, ok := whole[word]; ok && language == "fr" {
			list[i] = other
		} else if stem, cut := strings.CutSuffix(word, "'"); cut && stem != "" {
			list[i] = stem + " '"
		}
	}
	line = strings.Join(list, " ")
	if language == "en" {
		line = possessive.ReplaceAllString(line, " 's$1")
	}
	return line
}

var possessive = regexp.MustCompile(` ' s( |$)`)
