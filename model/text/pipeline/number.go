package pipeline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A numeral says how a language writes numbers.
type numeral struct {
	group, point string    // between groups of three digits, and before a fraction
	signsBehind  bool      // currency signs
	percent      string    // before %
	clock        string    // between hours and minutes
	halves       [3]string // of the day, the second one until six
	ordinal      string    // behind the digits of numbers above one
}

var numerals = map[string]numeral{
	"en": {",", ".", false, "", ":", [3]string{"a.m.", "p.m.", "p.m."}, "th"},
	"fr": {" ", ",", true, "\u00a0", "h", [3]string{"du matin", "de l'après-midi", "du soir"}, "e"},
	"de": {".", ",", true, "\u00a0", ":", [3]string{"Uhr morgens", "Uhr nachmittags", "Uhr abends"}, "."},
}

// space is one between digits, no-break or not.
const space = `[\s\x{a0}\x{202f}]`

var (
	plainNumber = map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^([^0-9]*?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?([^0-9]*)$`),
		"fr": regexp.MustCompile(`^([^0-9]*?)([0-9]{1,3}(?:(?:\.|` + space + `)[0-9]{3})+|[0-9]+)(,[0-9]+)?([^0-9]*)$`),
		"de": regexp.MustCompile(`^([^0-9]*?)([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(,[0-9]+)?([^0-9]*)$`),
	}
	clockTime = map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^([0-9]{1,2})(?::([0-9]{2}))? ?([AaPp])\.?[Mm]\.?$`),
		"fr": regexp.MustCompile(`^([0-9]{1,2})` + space + `?h(?:` + space + `?([0-9]{2}))?()$`),
	}
	englishOrdinal = regexp.MustCompile(`^([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:st|nd|rd|th)$`)
	decade         = regexp.MustCompile(`^[0-9]{3}0s$`)
	frenchOrdinal  = regexp.MustCompile(`^([0-9]+|[0-9]{1,3}(?:` + space + `[0-9]{3})+)(?:er|re|ère|e|ème|ième)$`)
	separators     = regexp.MustCompile(`[,.]|` + space)
)

// converted returns a number of one language as another one writes it. Digits stay, and so does what is no plain
// number, amount, time or ordinal.
func converted(number, from, to string) string {
	a, known := numerals[from]
	b, wanted := numerals[to]
	if from == to || !known || !wanted {
		return number
	}
	if clock := clockTime[from]; clock != nil {
		if m := clock.FindStringSubmatch(number); m != nil {
			return b.time(m[1], m[2], strings.ToLower(m[3]))
		}
	}
	if m := englishOrdinal.FindStringSubmatch(number); m != nil && from == "en" {
		if to == "fr" && m[1] == "1" {
			return "1er"
		}
		return separators.ReplaceAllString(m[1], b.group) + b.ordinal
	}
	if from == "en" && to == "fr" && decade.MatchString(number) { // the French word for it is before the number
		return number[:4]
	}
	if m := frenchOrdinal.FindStringSubmatch(number); m != nil && from == "fr" {
		return separators.ReplaceAllString(m[1], b.group) + ending(m[1], b.ordinal)
	}
	m := plainNumber[from].FindStringSubmatch(number)
	if m == nil {
		return number
	}
	before, whole, fraction, after := m[1], m[2], m[3], m[4]
	if len(whole) > 3 && separators.MatchString(whole) {
		whole = separators.ReplaceAllString(whole, b.group)
	}
	if fraction != "" {
		fraction = b.point + fraction[len(a.point):]
	}
	sign, unit := strings.TrimSpace(before), strings.TrimSpace(after)
	money := strings.TrimLeft(sign, "-−+±")
	minus := strings.TrimSuffix(sign, money)
	switch {
	case unit == "%":
		return sign + whole + fraction + b.percent + unit
	case b.signsBehind && isCurrency(money):
		return minus + whole + fraction + after + "\u00a0" + money
	case !b.signsBehind && isCurrency(unit):
		return minus + unit + money + whole + fraction
	case unit != "" && fraction != "" && after == unit: // 802.11n
		return number
	}
	return before + whole + fraction + after
}

func isCurrency(sign string) bool { return slices.Contains([]string{"$", "€", "£", "¥"}, sign) }

// time returns a time of a day, of which half is "a", "p" or unknown.
func (n numeral) time(hours, minutes, half string) string {
	third := strings.Index("ap", half)
	if hour, _ := strconv.Atoi(hours); third == 1 && 6 <= hour && hour < 12 {
		third = 2
	}
	switch {
	case minutes != "":
		hours += n.clock + minutes
	case half == "":
		return hours + "\u00a0h"
	case n.clock != ":":
		hours += "\u00a0" + n.clock
	}
	if half != "" {
		hours += " " + n.halves[third]
	}
	return hours
}

// ending returns what stands behind the digits of an ordinal number.
func ending(digits, ordinal string) string {
	if ordinal != "th" || strings.HasSuffix("0"+digits, "11") || strings.HasSuffix("0"+digits, "12") || strings.HasSuffix("0"+digits, "13") {
		return ordinal
	}
	switch digits[len(digits)-1] {
	case '1':
		return "st"
	case '2':
		return "nd"
	case '3':
		return "rd"
	}
	return ordinal
}

// sameNumber returns what is the same in a number of each language: its digits, and the signs of currencies and shares.
func sameNumber(number string) string {
	var digits, signs []rune
	for _, r := range number {
		switch {
		case '0' <= r && r <= '9':
			digits = append(digits, r)
		case strings.ContainsRune("$€£¥%‰+", r):
			signs = append(signs, r)
		}
	}
	slices.Sort(signs)
	return string(digits) + string(signs)
}
