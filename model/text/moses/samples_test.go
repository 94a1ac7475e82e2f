package moses

// samples are sentences of natural text.
var samples = map[string][]string{
	"en": {
		"Dr. Smith doesn't live at 221B, Baker St. anymore; he moved to the U.S. in 1998 (with his wife).",
		"“It's the neighbors' dog,” she said, “and it costs $1,250.50 a year!”",
		"The children play in the garden while their father reads a newspaper under the old tree.",
	},
	"fr": {
		"L’homme qu'on a vu près de l'église n'est pas d'ici, mais il parle très bien français.",
		"« C'est la voiture de M. Dupont », dit-elle, « et elle coûte 12 500 € ! »",
		"Les enfants jouent dans le jardin pendant que leur père lit le journal sous le vieil arbre.",
	},
	"de": {
		"Am 17. Dezember kam Herr Dr. Müller, z.B. mit dem Zug um 8.30 Uhr, aus Köln zurück.",
		"„Das ist der Hund der Nachbarn“, sagte sie, „und er kostet 1.250,50 € im Jahr!“",
		"Die Kinder spielen im Garten, während ihr Vater unter dem alten Baum die Zeitung liest.",
	},
}
