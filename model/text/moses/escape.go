package moses

import "strings"

// escapes replaces what has a meaning in the files of Moses: the separator of factors, XML,
// and the brackets of non-terminals.
var escapes = strings.NewReplacer(
	"&", "&amp;", "|", "&#124;",
	"<", "&lt;", ">", "&gt;", "'", "&apos;", `"`, "&quot;",
	"[", "&#91;", "]", "&#93;")

// unescapes reverses escapes and older forms of it.
var unescapes = strings.NewReplacer(
	"&amp;", "&", "&#124;", "|", "&bar;", "|",
	"&lt;", "<", "&gt;", ">", "&apos;", "'", "&quot;", `"`,
	"&#91;", "[", "&bra;", "[", "&#93;", "]", "&ket;", "]")
