package grammar

// A noun has a singular and a plural in both languages.
type noun struct {
	english, englishPlural string
	french, frenchPlural   string
	feminine               bool
}

// An adjective agrees with its noun only in French. beforeVowel is the masculine singular before a
// vowel, if it differs.
type adjective struct {
	english               string
	masculine, feminine   string
	masculines, feminines string
	beforeVowel           string
}

// A word has the same form in every context. It may be several words long.
type word struct{ english, french string }

// A verb is transitive, in the third person present.
type verb struct{ singular, plural word }

// A class is a group of nouns with the adjectives that French puts after them. Of two such
// adjectives, English puts the quality before the sort.
type class struct {
	nouns            []noun
	qualities, sorts []adjective
}

var beings = &class{
	nouns: []noun{
		{"man", "men", "homme", "hommes", false},
		{"woman", "women", "femme", "femmes", true},
		{"child", "children", "enfant", "enfants", false},
		{"king", "kings", "roi", "rois", false},
		{"queen", "queens", "reine", "reines", true},
		{"sister", "sisters", "sœur", "sœurs", true},
		{"friend", "friends", "ami", "amis", false},
		{"doctor", "doctors", "médecin", "médecins", false},
		{"actress", "actresses", "actrice", "actrices", true},
		{"cat", "cats", "chat", "chats", false},
		{"horse", "horses", "cheval", "chevaux", false},
		{"bird", "birds", "oiseau", "oiseaux", false},
	},
	qualities: []adjective{
		{"strange", "étrange", "étrange", "étranges", "étranges", ""},
		{"famous", "célèbre", "célèbre", "célèbres", "célèbres", ""},
		{"tired", "fatigué", "fatiguée", "fatigués", "fatiguées", ""},
		{"happy", "heureux", "heureuse", "heureux", "heureuses", ""},
	},
	sorts: []adjective{
		{"french", "français", "française", "français", "françaises", ""},
		{"english", "anglais", "anglaise", "anglais", "anglaises", ""},
	},
}

var things = &class{
	nouns: []noun{
		{"car", "cars", "voiture", "voitures", true},
		{"house", "houses", "maison", "maisons", true},
		{"table", "tables", "table", "tables", true},
		{"orange", "oranges", "orange", "oranges", true},
		{"tree", "trees", "arbre", "arbres", false},
		{"book", "books", "livre", "livres", false},
		{"letter", "letters", "lettre", "lettres", true},
		{"boat", "boats", "bateau", "bateaux", false},
		{"garden", "gardens", "jardin", "jardins", false},
		{"church", "churches", "église", "églises", true},
		{"castle", "castles", "château", "châteaux", false},
		{"island", "islands", "île", "îles", true},
	},
	qualities: []adjective{
		{"strange", "étrange", "étrange", "étranges", "étranges", ""},
		{"heavy", "lourd", "lourde", "lourds", "lourdes", ""},
	},
	sorts: []adjective{
		{"red", "rouge", "rouge", "rouges", "rouges", ""},
		{"black", "noir", "noire", "noirs", "noires", ""},
		{"white", "blanc", "blanche", "blancs", "blanches", ""},
		{"green", "vert", "verte", "verts", "vertes", ""},
		{"blue", "bleu", "bleue", "bleus", "bleues", ""},
	},
}

// French puts these before the noun, as English does.
var adjectivesBefore = []adjective{
	{"small", "petit", "petite", "petits", "petites", ""},
	{"large", "grand", "grande", "grands", "grandes", ""},
	{"old", "vieux", "vieille", "vieux", "vieilles", "vieil"},
	{"new", "nouveau", "nouvelle", "nouveaux", "nouvelles", "nouvel"},
	{"beautiful", "beau", "belle", "beaux", "belles", "bel"},
}

// verbs take any object.
var verbs = []verb{
	{word{"sees", "voit"}, word{"see", "voient"}},
	{word{"finds", "trouve"}, word{"find", "trouvent"}},
	{word{"loves", "aime"}, word{"love", "aiment"}},
	{word{"draws", "dessine"}, word{"draw", "dessinent"}},
	{word{"follows", "suit"}, word{"follow", "suivent"}},
	{word{"watches", "regarde"}, word{"watch", "regardent"}},
	{word{"knows", "connaît"}, word{"know", "connaissent"}},
	{word{"paints", "peint"}, word{"paint", "peignent"}},
	{word{"looks for", "cherche"}, word{"look for", "cherchent"}},
}

// dealings take things as objects.
var dealings = []verb{
	{word{"wants", "veut"}, word{"want", "veulent"}},
	{word{"buys", "achète"}, word{"buy", "achètent"}},
	{word{"sells", "vend"}, word{"sell", "vendent"}},
}

// prepositions go with every noun.
var prepositions = []word{
	{"behind", "derrière"},
	{"with", "avec"},
	{"near", "près de"},
	{"in front of", "devant"},
}

// placements go with things.
var placements = []word{
	{"in", "dans"},
	{"on", "sur"},
	{"under", "sous"},
}

var conjunctions = []word{
	{"and", "et"},
	{"but", "mais"},
	{"because", "parce que"},
	{"while", "pendant que"},
}

var weekdays = []word{
	{"monday", "lundi"},
	{"tuesday", "mardi"},
	{"wednesday", "mercredi"},
	{"thursday", "jeudi"},
	{"friday", "vendredi"},
	{"saturday", "samedi"},
	{"sunday", "dimanche"},
}

var months = []word{
	{"january", "janvier"},
	{"february", "février"},
	{"march", "mars"},
	{"april", "avril"},
	{"may", "mai"},
	{"june", "juin"},
	{"july", "juillet"},
	{"august", "août"},
	{"september", "septembre"},
	{"october", "octobre"},
	{"november", "novembre"},
	{"december", "décembre"},
}
