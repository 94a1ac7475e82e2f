package moses

import (
	"strconv"
	"strings"
)

// prefixes holds the words after which a full stop ends no sentence and stays a part of the
// word. Those that are mapped to true are such words before a digit only.
//
// They are the entries of Moses (scripts/share/nonbreaking_prefixes) without those that
// contain a full stop themselves, like z.B.: every such word keeps its last one, too.
type prefixes map[string]bool

const upper = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"

// titles are the titles and the like that Moses lists for English and German alike.
const titles = `Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Ens Gen Gov Hon
	Hosp Insp Lt MM MR MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt
	Sen Sens Sfc Sgt Sr St Supt Surg`

var englishPrefixes = newPrefixes("Art No pp",
	upper, titles,
	"Drs Hr Nos Nr Rs rev v vs",
	"Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec")

// French has the word a and no other of one small letter.
var frenchPrefixes = newPrefixes("",
	upper, strings.ToLower(strings.TrimPrefix(upper, "A ")),
	`MM SS al ann apr art auj av boul ca cf chap contr dir env etc ex fasc fig fr fém hab ibid id inf lib masc
	ms pl pp sec sect sing sq sqq suiv sup suppl tél vb vol vs éd`)

// German writes ordinal numbers with a full stop.
var germanPrefixes = newPrefixes("",
	upper, strings.ToLower(upper), titles,
	ordinals(99), romans, strings.ToLower(romans),
	`Art BSE Buchst Ca Chr Co Corp Dkr Ltd Mio Mrd MwSt No Nos Nr SA Std Zt bzgl bzw ca dergl dgl etc evtl ff
	ggf jun pp sen sog sogen spp usf usw vgl vs zzt`)

const romans = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX"

// ordinals returns the numbers from 1 to last.
func ordinals(last int) string {
	var b strings.Builder
	for n := 1; n <= last; n++ {
		b.WriteString(strconv.Itoa(n) + " ")
	}
	return b.String()
}

// newPrefixes returns the words of lists, and those of numeric as prefixes of digits only.
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
