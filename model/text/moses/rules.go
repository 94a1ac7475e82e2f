package moses

// rules is what differs between languages.
type rules struct {
	prefixes    prefixes
	apostrophes apostrophes
}

// apostrophes says where an apostrophe between letters belongs.
type apostrophes int

const (
	apart   apostrophes = iota // it is a word, as is every other apostrophe
	forward                    // to the word that it begins
	back                       // to the word that it ends
)

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
