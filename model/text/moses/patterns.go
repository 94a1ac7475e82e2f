package moses

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of CompilePatterns. They bound the work per byte of a line.
const (
	maxPatterns      = 100  // in a list
	maxPatternLength = 1000 // bytes of one pattern
	maxProgramSize   = 2000 // instructions of the compiled list
)

// Protected returns regular expressions for words that the rules of Moses break, so that they
// cannot be joined again: XML and HTML tags, URLs, mail addresses, file paths, hashtags and
// handles, names like C++, C# and R&D, character references like &amp;, times and other numbers
// with colons or slashes, and names with underscores. They cover what basic-protected-patterns of
// Moses is meant for. Punctuation that ends a sentence or a bracket is not part of a URL.
func Protected() []string { return slices.Clone(protected) }

// Parts of the patterns. Those of package regexp for words, \b and \w, know ASCII only.
const (
	letter = `[\pL\pN_]`
	// fileName does not end with a full stop.
	fileName = `\.?` + letter + `(?:[\pL\pN_.-]*` + letter + `)?`
	number   = `[0-9]+(?:\.[0-9]+)*`
	// urlRest is what follows the host of a URL. Its last character is no punctuation, and it has
	// brackets in pairs only.
	urlRest = `(?:[^\s<>"()\[\]{}„“”«»]|\([^\s<>"()]*\))*(?:[^\s<>"()\[\]{}„“”«»'’.,:;!?…]|\([^\s<>"()]*\))`

	// markup are tags. Those that contain white space have attributes or end with a slash.
	markup      = `</?[^\s<>]+>|<[A-Za-z][^\s<>]*(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>`
	windowsPath = `(?:\b[A-Za-z]:|\\)\\(?:[^\s<>"'()|?*:;,]*[^\s<>"'()|?*:;,.!])?`
	rootedPath  = `\B(?:~|\.\.?)?/` + fileName + `(?:/` + fileName + `)*/?`
	// relativePath is to a file with a suffix.
	relativePath = `(?:` + fileName + `/)+` + letter + `[\pL\pN_-]*(?:\.[A-Za-z0-9]+)+`
	// hashtag is also for handles.
	hashtag = `\B[@#]` + letter + `+`
	// ampersand is for names joined by ampersands, and character references.
	ampersand = `\w+(?:&(?:#?\w+;)?\w+)+|&#?\w+;`
	// programming has C++, g++, C++17 and C#.
	programming = `\b[A-Za-z]\w*\+\+[0-9]*|\b[A-Z]#\B`
	// formula has numbers, as in 3 × 4 = 12 or × 12.
	formula = `(?:` + number + `\s*(?:[-−*/^]\s*` + number + `\s*)*` + relation + `|[×÷≤≥≠≈±])\s*` + number +
		`(?:\s*(?:[-−*/^]|` + relation + `)\s*` + number + `)*`
	relation = `[=<>+×÷≤≥≠≈±]+`
	// amount is of money or degrees, or from one to another.
	amount  = `(?:\B[-−])?(?:` + coin + `\s?` + decimal + `(?:\s?[-–]\s?` + coin + `?` + decimal + `)?|` + decimal + `(?:` + unit + `?\s?[-–]\s?` + decimal + `)?` + unit + `)`
	decimal = `[.,]?(?:\b[0-9]{1,3}(?:[ \x{a0}\x{202f}][0-9]{3})+\b|[0-9]+)(?:[.,][0-9]+)*`
	coin    = `(?:(?:\b[A-Z]{1,2})?[$€£¥](?:(?:US|CA)\b)?)`
	unit    = `(?:\s?(?:` + coin + `|°(?:\s?[CFK]\b)?))`
	phone   = `\+[0-9]{1,3}(?:[ .-][0-9]+){2,}`
)

// Names returns regular expressions for what is the same in every language: tags, hosts with a common domain, file
// paths, names of files with a common suffix, options like --verbose, hashtags, handles, names like C++, C# and R&D,
// amounts like €10, US$5 and 20 °C, formulas of numbers like 3 × 4 = 12, and phone numbers like +33 1 23 45.
func Names() []string { return slices.Clone(names) }

var names = []string{
	markup,
	`(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|io|dev|info|eu|fr|de|uk|ca)\b(?::[0-9]+)?(?:/(?:` + urlRest + `)?)?`,
	`localhost(?::[0-9]+)?(?:/(?:` + urlRest + `)?)?`,
	`\B--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:=[^\s,;"'()]*[^\s,;"'().!?:])?`,
	windowsPath,
	rootedPath,
	relativePath,
	`[\pL\pN_-]+(?:\.[\pL\pN_-]+)*\.(?:[ch]|(?i:go|mod|py|js|ts|cpp|rs|java|rb|php|html|css|json|xml|ya?ml|toml|ini|cfg|conf|sh|bat|exe|dll|` +
		`md|rst|txt|log|csv|tsv|tex|pdf|docx?|odt|xlsx?|pptx?|png|jpe?g|gif|svg|mp3|mp4|wav|avi|zip|tar|t?gz|safetensors))\b`,
	ampersand,
	hashtag,
	programming,
	amount,
	formula,
	phone,
}

var protected = []string{
	markup,
	// URLs, and hosts with a port or a path.
	`(?:[A-Za-z][A-Za-z0-9+.-]*://|mailto:)` + urlRest,
	`(?:(?:[A-Za-z0-9-]+\.)+[a-z]{2,}|localhost)(?::[0-9]+)?/(?:` + urlRest + `)?`,
	`(?:(?:[A-Za-z0-9-]+\.)+[a-z]{2,}|localhost):[0-9]+`,
	// Mail addresses.
	`[\pL\pN_.%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`,
	ampersand,
	hashtag,
	programming + `|\b[A-Za-z0-9]+\+\B`, // also A+
	windowsPath,
	rootedPath,
	relativePath,
	// Times, ratios, dates, fractions and networks.
	number + `(?:(?::[0-9]+)+|(?:/` + number + `)+)`,
	// Versions with build metadata.
	`\bv?[0-9]+(?:\.[0-9]+)+(?:-[\w.-]*\w)?\+\w+(?:[.-]\w+)*`,
	// Names with underscores.
	`[A-Za-z0-9][\w.-]*_[\w.-]*[A-Za-z0-9]`,
}

// Patterns find the words that a [Tokenizer] leaves whole and a [Detokenizer] puts between spaces.
// Nil finds none. They are immutable and safe for concurrent use.
type Patterns struct {
	list     []*regexp.Regexp
	whole    *regexp.Regexp  // matches what one of the list matches
	need     [256]patternSet // for each byte, the patterns that need it or a similar one
	required byteSet         // the bytes that a pattern needs
}

// A patternSet is a set of indexes of patterns.
type patternSet [(maxPatterns + 63) / 64]uint64

// CompilePatterns compiles a list of regular expressions in the syntax of package regexp, of which
// the empty list is nil. The error names the first pattern that is not valid UTF-8 or no regular
// expression, matches the empty string or is longer than 1,000 bytes, or says that the list has
// more than 100 patterns or compiles to more than 2,000 instructions.
//
// The patterns apply in order. A match that overlaps one of an earlier pattern does not count.
// The time to find matches grows with the length of the line, for patterns that look far beyond
// a short match, like a[^b]*b|a, times the number of matches.
func CompilePatterns(list []string) (*Patterns, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > maxPatterns {
		return nil, fmt.Errorf("%d patterns, expected at most %d", len(list), maxPatterns)
	}
	p := new(Patterns)
	size := 0
	for i, pattern := range list {
		re, n, err := parsePattern(pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern %d: %w", i, err)
		}
		bytes, found := requiredBytes(re)
		if !found {
			return nil, fmt.Errorf("pattern %d: %q matches the empty string, expected one that needs characters", i, pattern)
		}
		if size += n; size > maxProgramSize {
			return nil, fmt.Errorf("pattern %d: the list compiles to more than %d instructions", i, maxProgramSize)
		}
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern %d: %w", i, err)
		}
		p.add(compiled, bytes)
	}
	var err error
	if p.whole, err = regexp.Compile(`\A(?:(?:` + strings.Join(list, `)|(?:`) + `))\z`); err != nil {
		return nil, fmt.Errorf("patterns: %w", err)
	}
	return p, nil
}

// add appends a pattern all of whose matches contain one of the required bytes.
func (p *Patterns) add(pattern *regexp.Regexp, required byteSet) {
	i := len(p.list)
	p.list = append(p.list, pattern)
	p.required.add(required)
	for b, in := range required {
		if in {
			p.need[b][i/64] |= 1 << (i % 64)
		}
	}
}

func (p *Patterns) candidates(text string) (set patternSet) {
	for i := p.required.index(text); i >= 0 && i < len(text); i++ {
		for j, bits := range p.need[text[i]] {
			set[j] |= bits
		}
	}
	return set
}

// parsePattern returns the syntax tree of a pattern and the number of its instructions.
func parsePattern(pattern string) (*syntax.Regexp, int, error) {
	if len(pattern) > maxPatternLength {
		return nil, 0, fmt.Errorf("%d bytes, expected at most %d", len(pattern), maxPatternLength)
	}
	if !utf8.ValidString(pattern) {
		return nil, 0, fmt.Errorf("%q: expected UTF-8", pattern)
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	program, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, 0, err
	}
	return re, len(program.Inst), nil
}

// placeholder stands for a protected word in a line without control characters.
const placeholder = '\x01'

// cut replaces each protected word of a line without control characters by a placeholder between
// spaces, and returns for each of them the words that it consists of.
func (p *Patterns) cut(line string) (string, [][]string) {
	spans := p.Find(line)
	if spans == nil {
		return line, nil
	}
	words := make([][]string, len(spans))
	var b strings.Builder
	b.Grow(len(line))
	at := 0
	for i, span := range spans {
		words[i] = strings.Fields(line[span[0]:span[1]])
		b.WriteString(line[at:span[0]])
		b.WriteString(" " + string(placeholder) + " ")
		at = span[1]
	}
	b.WriteString(line[at:])
	return b.String(), words
}

// Find returns the beginning and the end of each match in a line, in order.
func (p *Patterns) Find(line string) (spans [][]int) {
	if p == nil {
		return nil
	}
	candidates := p.candidates(line)
	if candidates == (patternSet{}) {
		return nil
	}
	for i, pattern := range p.list {
		if candidates[i/64]>>(i%64)&1 != 0 {
			spans = merge(spans, pattern.FindAllStringIndex(line, -1))
		}
	}
	return spans
}

// merge returns spans and those of more that overlap none of them, all in order. Each list is in order
// and without overlaps.
func merge(spans, more [][]int) [][]int {
	if len(spans) == 0 || len(more) == 0 {
		return append(spans, more...)
	}
	merged := make([][]int, 0, len(spans)+len(more))
	for _, span := range more {
		for len(spans) > 0 && spans[0][1] <= span[0] {
			merged, spans = append(merged, spans[0]), spans[1:]
		}
		if len(spans) == 0 || span[1] <= spans[0][0] {
			merged = append(merged, span)
		}
	}
	return append(merged, spans...)
}

// match reports whether the whole word is a protected one.
func (p *Patterns) match(word string) bool {
	return p != nil && p.candidates(word) != (patternSet{}) && p.whole.MatchString(word)
}

// A byteSet is a set of bytes.
type byteSet [256]bool

func (s *byteSet) add(t byteSet) {
	for b, in := range t {
		s[b] = s[b] || in
	}
}

// index returns the index of the first byte of text that is in the set, or -1.
func (s *byteSet) index(text string) int {
	for i := range len(text) {
		if s[text[i]] {
			return i
		}
	}
	return -1
}

// addRange adds the bytes of the ASCII characters from low to high, and all others if a character
// that is not ASCII is between them.
func (s *byteSet) addRange(low, high rune) {
	for r := low; r <= high && r < utf8.RuneSelf; r++ {
		s[r] = true
	}
	if high >= utf8.RuneSelf {
		for b := utf8.RuneSelf; b < len(s); b++ {
			s[b] = true
		}
	}
}

// frequency estimates how often text contains a byte of the set.
func (s *byteSet) frequency() int {
	sum := 0
	for b, in := range s {
		switch {
		case !in:
		case b >= utf8.RuneSelf, b == ' ', isASCIILetter(byte(b)):
			sum += 100
		case strings.IndexByte(".,-'", byte(b)) >= 0:
			sum += 200
		case isASCIIDigit(byte(b)):
			sum += 5
		default:
			sum++
		}
	}
	return sum
}

// requiredBytes returns a set of bytes one of which is in every match of re, if possible of rare ones.
// It finds none if re matches the empty string.
func requiredBytes(re *syntax.Regexp) (best byteSet, found bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return best, true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			best, found = rarer(best, found, literalBytes(r, re.Flags&syntax.FoldCase != 0))
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			best.addRange(re.Rune[i], re.Rune[i+1])
		}
		return best, true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		best.addRange(0, unicode.MaxRune)
		return best, true
	case syntax.OpCapture, syntax.OpPlus:
		return requiredBytes(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredBytes(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if bytes, ok := requiredBytes(sub); ok {
				best, found = rarer(best, found, bytes)
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			bytes, ok := requiredBytes(sub)
			if !ok {
				return byteSet{}, false
			}
			best.add(bytes)
		}
		return best, true
	}
	return best, found
}

// literalBytes returns the bytes one of which is in a character, or in its other cases if fold is set.
func literalBytes(r rune, fold bool) (s byteSet) {
	s.addRange(r, r)
	if fold {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			s.addRange(f, f)
		}
	}
	return s
}

// rarer returns the rarer one of two sets, the second one if the first was not found.
func rarer(a byteSet, found bool, b byteSet) (byteSet, bool) {
	if found && a.frequency() <= b.frequency() {
		return a, true
	}
	return b, true
}
