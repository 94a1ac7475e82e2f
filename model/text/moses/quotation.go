package moses

import (
	"bytes"
	"strings"
)

// quoteLast moves quotation marks behind the commas and full stops that follow them.
func quoteLast(line string) string {
	if !strings.Contains(line, `",`) && !strings.Contains(line, `".`) {
		return line
	}
	b := []byte(line)
	for at := 0; at < len(b); {
		end := at + 1
		if b[at] == '"' {
			end = skip(b, end, func(c byte) bool { return c == ',' || c == '.' })
			copy(b[at:], b[at+1:end])
			b[end-1] = '"'
		}
		at = end
	}
	return string(b)
}

// quoteFirst moves quotation marks before the full stops that precede them, unless < follows.
// What Moses matches includes the white space after the mark and one more character, where
// the end of the line is one, so full stops there stay.
func quoteFirst(line string) string {
	if !strings.Contains(line, `."`) {
		return line
	}
	b := []byte(line)
	for at := 0; at < len(b); {
		stops := bytes.IndexByte(b[at:], '.')
		if stops < 0 {
			break
		}
		stops += at
		mark := skip(b, stops, func(c byte) bool { return c == '.' })
		at = mark
		if mark == len(b) || b[mark] != '"' || bytes.HasPrefix(b[mark+1:], []byte("<")) {
			continue
		}
		copy(b[stops+1:], b[stops:mark])
		b[stops] = '"'
		at = skip(b, mark+1, isASCIISpace)
		if at < len(b) && b[at] != '<' {
			at++
		}
	}
	return string(b)
}

func isASCIISpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// skip returns the index of the first byte from at on that is not of the class.
func skip(b []byte, at int, class func(byte) bool) int {
	for at < len(b) && class(b[at]) {
		at++
	}
	return at
}
