package markup

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A xliff document is read from its bytes along the elements that encoding/xml finds.
type xliff struct {
	*run
	*xml.Decoder
	whole string
	kept  int // bytes of whole that are read
}

// readXLIFF fills the empty targets of XLIFF 1.2 and 2, adds those that are missing, and keeps all others.
func (r *run) readXLIFF(in io.Reader) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	r.escapes = htmlEscapes
	x := &xliff{run: r, Decoder: xml.NewDecoder(strings.NewReader(string(data))), whole: string(data)}
	for err == nil {
		var token xml.Token
		token, err = x.Token()
		switch t, ok := token.(xml.StartElement); {
		case !ok:
		case attribute(t, "translate") == "no":
			err = x.Skip()
		case t.Name.Local == "xliff" && attribute(t, "srcLang") != "":
			x.addLanguage(t, "trgLang")
		case t.Name.Local == "file" && attribute(t, "source-language") != "":
			x.addLanguage(t, "target-language")
		case t.Name.Local == "trans-unit" || t.Name.Local == "segment":
			err = x.unit()
		}
	}
	if err != io.EOF {
		return fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	x.keep(len(x.whole))
	return nil
}

// keep keeps what stands before a byte of the document.
func (x *xliff) keep(to int) {
	x.document.keep(x.whole[x.kept:to])
	x.kept, x.end = to, int64(to)
}

func attribute(t xml.StartElement, name string) string {
	if i := slices.IndexFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Local == name }); i >= 0 {
		return t.Attr[i].Value
	}
	return ""
}

// addLanguage adds an attribute with the language of translations to a tag that lacks it.
func (x *xliff) addLanguage(t xml.StartElement, name string) {
	if attribute(t, name) == "" && x.language != "" {
		x.keep(int(x.InputOffset()) - len(">"))
		x.document.keep(` ` + name + `="` + x.language + `"`)
	}
}

// unit reads a unit to its end, and fills its target.
func (x *xliff) unit() error {
	var source, space, name string // content of the source, what stands before it, and the name of a target
	var after int                  // bytes up to where a target may stand
	for {
		from := int(x.InputOffset())
		token, err := x.Token()
		if _, ok := token.(xml.EndElement); ok || err != nil {
			if err == nil && strings.TrimSpace(source) != "" {
				x.fill(after, space+"<"+name+">", source, "</"+name+">")
			}
			return err
		}
		t, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		start := int(x.InputOffset())
		if err := x.Skip(); err != nil {
			return err
		}
		end := int(x.InputOffset())
		stop := max(start, strings.LastIndex(x.whole[:end], "</"))
		switch content := x.whole[start:stop]; t.Name.Local {
		case "source":
			source, after = content, end
			space = x.whole[len(strings.TrimRight(x.whole[:from], " \t\r\n")):from]
			name = strings.TrimSuffix(strings.FieldsFunc(x.whole[from+1:start], func(r rune) bool { return r <= ' ' || r == '>' })[0], "source") + "target"
		case "seg-source":
			after = end
		case "target":
			if strings.TrimSpace(content) == "" && strings.TrimSpace(source) != "" {
				if x.whole[start-2] == '/' { // <target/>
					x.fill(start-len("/>"), ">", source, "</"+name+">")
				} else {
					x.fill(start, "", source, "")
				}
				x.kept = stop
			}
			source = ""
		}
	}
}

// cdata is text of XML without references.
var cdata = regexp.MustCompile(`(?s)<!\[CDATA\[.*?\]\]>`)

// fill adds the content of a source between two tags, after what stands before a byte of the document.
func (x *xliff) fill(to int, begin, source, end string) {
	x.keep(to)
	x.document.keep(begin)
	source = cdata.ReplaceAllStringFunc(source, func(raw string) string {
		return html.EscapeString(raw[len("<![CDATA[") : len(raw)-len("]]>")])
	})
	x.readTags(strings.NewReader(source), x.addMessage) // without errors
	x.document.keep(end)
}
