package markup

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var (
	poLine   = regexp.MustCompile(`^\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[[0-9]+\])?)?\s*(".*")\s*$`)
	poString = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
)

// A poField is a keyword and its strings.
type poField struct {
	keyword        string
	text           []byte
	from, open, to int // the bytes of its lines, and the content of the first string
}

// readPO fills empty translations of the messages of gettext, plural forms too, and keeps all others.
func (r *run) readPO(in io.Reader) error {
	read, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	whole := string(read)
	var field poField
	var message, plural string
	hasOneForm := false
	finish := func() {
		switch text := message; field.keyword {
		case "msgid":
			message, plural = string(field.text), ""
		case "msgid_plural":
			plural = string(field.text)
		case "msgctxt", "":
		default:
			hasOneForm = hasOneForm || message == "" && bytes.Contains(field.text, []byte("nplurals=1;"))
			if plural != "" && (field.keyword != "msgstr[0]" || hasOneForm) {
				text = plural
			}
			if len(field.text) == 0 && text != "" {
				r.document.keep(whole[field.from:field.open])
				r.addInner(inner{raw: poString.Replace(text), text: text, spell: poString.Replace}, (*run).readMessage)
				field.from = field.open
			}
		}
		r.document.keep(whole[field.from:field.to])
		r.end += int64(field.to - field.from)
		r.flush()
		field = poField{}
	}
	number, to := 0, 0
	for line := range strings.Lines(whole) {
		number++
		from := to
		to += len(line)
		m := poLine.FindStringSubmatchIndex(line)
		if start := strings.TrimSpace(line); m == nil && start != "" && start[0] != '#' {
			return fmt.Errorf("%w: line %d: %.80q, expected msgid, msgstr or a string", ErrSyntax, number, start)
		}
		if m == nil || m[2] >= 0 {
			finish()
		}
		if m == nil {
			r.document.keep(line)
			continue
		}
		text, err := strconv.Unquote(line[m[4]:m[5]])
		switch {
		case err != nil:
			return fmt.Errorf("%w: line %d: string %.80s", ErrSyntax, number, line[m[4]:m[5]])
		case m[2] >= 0:
			field = poField{keyword: line[m[2]:m[3]], from: from, open: from + m[4] + 1}
		case field.keyword == "":
			return fmt.Errorf("%w: line %d: string without msgid or msgstr", ErrSyntax, number)
		}
		field.text, field.to = append(field.text, text...), to
	}
	finish()
	return nil
}
