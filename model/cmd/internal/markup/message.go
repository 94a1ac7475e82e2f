package markup

import (
	"io"
	"regexp"

	"golang.org/x/net/html"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// special is what addMessage finds in text: placeholders, tags that XML writes with references, what divides plural forms,
// and what addHTML finds.
var special = regexp.MustCompile(`(` + pipeline.Placeholder + `|%[-+#0]*[0-9]*(?:\.[0-9]+)?(?:[jt][diuxX]|[FGq])\b|%%|%L?[0-9]+\b|%n\b|%[A-Za-z_]+%)` +
	`|(&lt;/?[A-Za-z](?:[^&<]|&(?:quot|apos|amp|#3[49]);)*?&gt;)|(\|)|` + reference.String())

// readMessage divides a message of a program, by lines and plural forms, with tags as in HTML. Placeholders stay.
func (r *run) readMessage(in io.Reader) error { return r.readTags(in, r.addMessage) }

func (r *run) addMessage(raw string) {
	at := 0
	for _, m := range special.FindAllStringSubmatchIndex(raw, -1) {
		found := raw[m[0]:m[1]]
		if m[2] < 0 && m[4] < 0 && m[6] < 0 {
			continue
		}
		r.addHTML(raw[at:m[0]])
		switch at = m[1]; {
		case m[2] >= 0:
			r.addKept(found, found)
		case m[4] >= 0:
			r.addTag(tokenOf(html.UnescapeString(found)), found)
		default:
			r.addBlock(found)
		}
	}
	r.addHTML(raw[at:])
}
