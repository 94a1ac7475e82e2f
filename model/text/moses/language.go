package moses

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// none takes the place of the character before the first and after the last one of a line.
const none rune = -1

// isAlpha is Perl's \p{IsAlpha}, the Unicode property Alphabetic.
func isAlpha(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_Alphabetic)
}

// isAlnum is Perl's \p{IsAlnum}: Alphabetic or a decimal digit.
func isAlnum(r rune) bool { return isAlpha(r) || unicode.IsDigit(r) }

// isNumber reports whether r is in Perl's \p{IsN} and part of a word. Other numbers, such as ²,
// are isolated, so their neighbors see the space beside them.
func isNumber(r rune) bool { return unicode.IsNumber(r) && isAlnum(r) }

// isLower is Perl's \p{IsLower}, the Unicode property Lowercase.
func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

// firstRune returns the first character of text, none if text is empty.
func firstRune(text string) rune {
	if text == "" {
		return none
	}
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// lastRune returns the last character of text, none if text is empty.
func lastRune(text string) rune {
	if text == "" {
		return none
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// toValidUTF8 returns text with each run of bytes that are not UTF-8 replaced by one U+FFFD.
func toValidUTF8(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }

// rules are what differs between languages.
type rules struct {
	prefixes    prefixes
	apostrophes apostrophes
}

// rulesOf returns the rules of Moses for a language.
func rulesOf(language string) rules {
	switch language {
	case "en":
		return rules{englishPrefixes, forward}
	case "fr":
		return rules{frenchPrefixes, back}
	case "de":
		return rules{germanPrefixes, apart}
	}
	return rules{englishPrefixes, apart}
}

// apostrophes says what an apostrophe inside a word belongs to.
type apostrophes int

const (
	apart   apostrophes = iota // nothing: this and every other apostrophe is a word
	forward                    // the word after it
	back                       // the word before it
)

// prefixes holds the nonbreaking prefixes: words that keep a full stop, which does not end a
// sentence after them. Those mapped to true keep it before a digit only.
//
// They are the entries of Moses (scripts/share/nonbreaking_prefixes). Those that contain a full stop
// matter to Sentences only, because such words always keep their last one; initials need no entry there.
type prefixes map[string]bool

const upper = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"

// titles are the titles and similar words that Moses lists for both English and German.
const titles = `Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Ens Gen Gov Hon
	Hosp Insp Lt MM MR MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt
	Sen Sens Sfc Sgt Sr St Supt Surg`

var englishPrefixes = newPrefixes("Art No pp",
	upper, titles,
	"Drs Hr Nos Nr Rs rev v vs e.g i.e",
	"Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec")

// The lowercase letters lack a, which is a French word.
var frenchPrefixes = newPrefixes("",
	upper, strings.ToLower(strings.TrimPrefix(upper, "A ")),
	`MM SS al ann apr art auj av boul ca cf chap contr dir env etc ex fasc fig fr fém hab ibid id inf lib masc
	ms pl pp sec sect sing sq sqq suiv sup suppl tél vb vol vs éd`,
	`LL.AA LL.AA.II LL.AA.RR LL.AA.SS LL.EE LL.MM LL.MM.II.RR NN.SS c.-à-d ch.-l e.g i.e loc.cit p.c.c p.ex p.j`)

// German ordinal numbers end with a full stop.
var germanPrefixes = newPrefixes("",
	upper, strings.ToLower(upper), titles,
	ordinals(99), romans, strings.ToLower(romans),
	`Art BSE Buchst Ca Chr Co Corp Dkr Ltd Mio Mrd MwSt No Nos Nr SA Std Zt bzgl bzw ca dergl dgl etc evtl ff
	ggf jun pp sen sog sogen spp usf usw vgl vs zzt`,
	`D.h I.F b.A c.-à-d d.J d.h g.U g.g.A i.H.v k.o m.E o.ä s.p.a u.E u.U u.a u.s.w u.ä z.B z.T z.Zt`)

const romans = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX"

// ordinals returns the numbers from 1 to last, separated by spaces.
func ordinals(last int) string {
	var b strings.Builder
	for n := 1; n <= last; n++ {
		b.WriteString(strconv.Itoa(n) + " ")
	}
	return b.String()
}

// newPrefixes returns the words of lists, and the words of numeric as prefixes before digits only.
func newPrefixes(numeric string, lists ...string) prefixes {
	p := make(prefixes)
	for _, list := range lists {
		for word := range strings.FieldsSeq(list) {
			p[word] = false
		}
	}
	for word := range strings.FieldsSeq(numeric) {
		p[word] = true
	}
	return p
}

// An idiom is what Sentences knows of a language beyond its nonbreaking prefixes.
type idiom struct {
	prefixes     prefixes        // further ones
	last         map[string]bool // prefixes that a sentence may end with
	openers      map[string]bool // words that begin sentences more often than they follow an abbreviation
	dates, verbs map[string]bool // what a time of day goes on with, and what follows a date that does not
}

var idioms = map[string]idiom{
	"en": {
		prefixes: newPrefixes("Fig fig Ch ch Vol vol p pp Nos nos no approx ca c", "Ft Mt Pres cf viz"),
		last:     newPrefixes(upper + " Adv Bros Co Corp Esq Ph Sr St Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec"),
		openers: newPrefixes(`A After All Although An And Are As At Because Before But By Can Could Did Do Does Don During For From Have
			He Her Here His How However I If In Is It Its Let Many Most My No Not Now On One Or Our Please She Should Since So
			Some That The Their Then There These They This Those To Was We What When Where Which While Who Why Will With You Your`),
		dates: newPrefixes(`Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
			October November December Eastern Central Mountain Pacific GMT UTC BST CET ET EST EDT CT CST CDT MT MST MDT PT PST PDT`),
		verbs: newPrefixes("I he is had has it may she they was we were will would you"),
	},
	"fr": {
		prefixes: newPrefixes("Art Chap Fig No Vol no", "Dr Me Mgr Mlle Mme Mmes Mr Pr St Ste"),
		last:     newPrefixes(strings.Replace(upper, "M ", "", 1) + " J.-C art etc h s sec suiv vol"),
		openers: newPrefixes(`A Ainsi Alors Après Au Aujourd Aussi Aux Avec Avant C Car Ce Cela Ces Cet Cette Chaque Comme Comment D Dans
			Depuis Des Deux Donc Elle Elles En Enfin Ensuite Est Et Il Ils J Je L La Le Les Leur Leurs Lors Lorsqu Lorsque Ma Mais
			Malgré Mes Mon N Ne Nos Notre Nous On Or Ou Où Par Pendant Plus Plusieurs Pour Pourquoi Puis Qu Quand Que Quel Quelle Qui
			S Sa Sans Selon Ses Si Son Sous Sur Tous Tout Toute Toutes Tu Un Une Vos Votre Vous À Ça`),
	},
	"de": {
		prefixes: newPrefixes("Abb Abs Bd Kap Tab", "Fr Hr"),
		last:     newPrefixes(upper + " " + ordinals(99) + romans + " BSE Chr Co Corp Ltd Mio Mrd Sr Std dgl etc ff sen jun s usf usw"),
		openers: newPrefixes(`Aber Als Also Am An Auch Auf Aus Bei Bis Da Dabei Damit Danach Dann Daher Das Dass Dem Den Denn Der Deshalb Die
			Dies Diese Diesem Diesen Dieser Dieses Doch Dort Du Durch Ein Eine Einem Einen Einer Er Es Für Gegen Hier Ich Ihr
			Ihre Im In Ist Jede Jeder Jetzt Kein Keine Man Mein Meine Mit Nach Nachdem Nein Nicht Noch Nun Nur Ob Obwohl Oder
			Ohne Sein Seine Seit Sie Sind So Um Und Unter Viele Vom Von Vor Wann Warum Was Weil Wenn Wer Wie Wir Wo Zu Zum Zur Über`),
	},
}
