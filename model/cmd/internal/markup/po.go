package markup

import (
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
	keyword, lines, text string
	open                 int // bytes of lines up to the content of the first string
}

// readPO fills empty translations of the messages of gettext, plural forms too, and keeps all others.
func (r *run) readPO(in io.Reader) error {
	whole, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var field poField
	var message, plural, header string
	finish := func() {
		switch text := message; field.keyword {
		case "msgid":
			message, plural = field.text, ""
		case "msgid_plural":
			plural = field.text
		case "msgctxt", "":
		default:
			if message == "" {
				header += field.text
			}
			if plural != "" && (field.keyword != "msgstr[0]" || strings.Contains(header, "nplurals=1;")) {
				text = plural
			}
			if field.text == "" && text != "" {
				r.document.keep(field.lines[:field.open])
				r.addInner(inner{raw: poString.Replace(text), text: text, spell: poString.Replace}, (*run).readMessage)
				field.lines = field.lines[field.open:]
			}
		}
		r.document.keep(field.lines)
		r.end += int64(len(field.lines))
		r.flush()
		field = poField{}
	}
	number := 0
	for line := range strings.Lines(string(whole)) {
		number++
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
			field = poField{keyword: line[m[2]:m[3]], open: m[4] + 1}
		case field.keyword == "":
			return fmt.Errorf("%w: line %d: string without msgid or msgstr", ErrSyntax, number)
		}
		field.lines, field.text = field.lines+line, field.text+text
	}
	finish()
	return nil
}
