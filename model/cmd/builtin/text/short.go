package main

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// often is how many times words and phrases stand in the text.
const often = 128

// short adds what people type first and few sentences of corpora are: words alone, greetings, amounts, short sentences
// without capitals and full stops, and headlines.
func short(sources, targets []string, languages [2]string, add func(s, t string)) {
	words := dictionary(sources, targets)
	random := rand.New(rand.NewPCG(3, 4))
	for range often {
		for _, e := range words {
			add(e.source, e.target)
		}
		for _, p := range phrases {
			s, t := ordered(p, languages)
			add(s, t)
			add(lowered(s, t))
			for _, lower := range []bool{false, true} {
				if s, t, ok := typed(s, t, lower); ok {
					add(s, t)
				}
			}
		}
		for range 8 {
			for _, a := range amounts {
				add(ordered(filled(random, a), languages))
			}
		}
	}
	for i, source := range sources {
		n := len(strings.Fields(source))
		if n <= 4 {
			for _, lower := range []bool{false, true} {
				if s, t, ok := typed(source, targets[i], lower); ok {
					add(s, t)
				}
			}
		}
		if s, t, ok := typed(source, targets[i], false); ok && n >= 3 && i%16 == 0 && languages[0] == "en" {
			add(headline(s), t)
		}
	}
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// headline returns a title, in which all words but small ones have a capital.
func headline(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if i == 0 || !small[w] {
			words[i] = capital(w)
		}
	}
	return strings.Join(words, " ")
}

var small = map[string]bool{"a": true, "an": true, "and": true, "at": true, "by": true, "for": true, "in": true, "of": true, "on": true, "or": true, "the": true, "to": true, "with": true}

// amounts are templates like those of sentences.
var amounts = [][2]string{
	{"€2", "2 €"},
	{"€2.3", "2,3 €"},
	{"$3", "3 $"},
	{"$3,000", "3 000 $"},
	{"2%", "2 %"},
	{"2 %", "2 %"},
	{"1,000", "1 000"},
	{"3,000", "3 000"},
	{"1,000,000", "1 000 000"},
	{"Price: €2", "Prix : 2 €"},
	{"Price: $2", "Prix : 2 $"},
	{"Total: €3", "Total : 3 €"},
	{"It costs €2.", "Cela coûte 2 €."},
	{"That's $3.", "Cela fait 3 $."},
	{"T", "T"},
	{"at T", "à T"},
	{"2 kg", "2 kg"},
	{"2 km", "2 km"},
	{"3 metres", "3 mètres"},
	{"2 minutes", "2 minutes"},
	{"2 hours", "2 heures"},
	{"2 days", "2 jours"},
	{"2 euros", "2 euros"},
	{"3 dollars", "3 dollars"},
	{"Page 3", "Page 3"},
	{"Chapter 1", "Chapitre 1"},
	{"Y", "Y"},
	{"in Y", "en Y"},
	{"N", "N"},
	{"N P", "N P"},
}

// phrases are greetings and other words that people say alone.
var phrases = [][2]string{
	{"Hello!", "Bonjour !"},
	{"Hello.", "Bonjour."},
	{"Hello world!", "Bonjour le monde !"},
	{"Hello, world!", "Bonjour, le monde !"},
	{"Hello everyone!", "Bonjour à tous !"},
	{"Hello, how are you?", "Bonjour, comment vas-tu ?"},
	{"Hi!", "Salut !"},
	{"Hi there!", "Salut !"},
	{"Hi, how are you?", "Salut, comment vas-tu ?"},
	{"Hey!", "Hé !"},
	{"Good morning!", "Bonjour !"},
	{"Good afternoon!", "Bon après-midi !"},
	{"Good evening!", "Bonsoir !"},
	{"Good night!", "Bonne nuit !"},
	{"Goodbye!", "Au revoir !"},
	{"Goodbye.", "Au revoir."},
	{"Bye!", "Au revoir !"},
	{"See you soon!", "À bientôt !"},
	{"See you later!", "À plus tard !"},
	{"See you tomorrow!", "À demain !"},
	{"Welcome!", "Bienvenue !"},
	{"Nice to meet you.", "Enchanté."},
	{"How are you?", "Comment vas-tu ?"},
	{"How's it going?", "Comment ça va ?"},
	{"I'm fine, thank you.", "Je vais bien, merci."},
	{"What's up?", "Quoi de neuf ?"},
	{"What's your name?", "Comment t'appelles-tu ?"},
	{"Yes.", "Oui."},
	{"No.", "Non."},
	{"Yes, please.", "Oui, s'il vous plaît."},
	{"No, thank you.", "Non, merci."},
	{"Please.", "S'il vous plaît."},
	{"Thanks!", "Merci !"},
	{"Thank you!", "Merci !"},
	{"Thank you very much!", "Merci beaucoup !"},
	{"Thanks a lot!", "Merci beaucoup !"},
	{"You're welcome.", "De rien."},
	{"Sorry!", "Désolé !"},
	{"I'm sorry.", "Je suis désolé."},
	{"Excuse me.", "Excusez-moi."},
	{"No problem.", "Pas de problème."},
	{"Of course!", "Bien sûr !"},
	{"Maybe.", "Peut-être."},
	{"OK.", "D'accord."},
	{"Congratulations!", "Félicitations !"},
	{"Happy birthday!", "Joyeux anniversaire !"},
	{"Merry Christmas!", "Joyeux Noël !"},
	{"Happy New Year!", "Bonne année !"},
	{"Good luck!", "Bonne chance !"},
	{"Have a nice day!", "Bonne journée !"},
	{"Enjoy your meal!", "Bon appétit !"},
	{"Cheers!", "Santé !"},
	{"Help!", "À l'aide !"},
	{"Be careful!", "Fais attention !"},
	{"I love you.", "Je t'aime."},
	{"I miss you.", "Tu me manques."},
	{"I don't know.", "Je ne sais pas."},
	{"I don't understand.", "Je ne comprends pas."},
	{"Do you speak English?", "Parlez-vous anglais ?"},
	{"Where is the bathroom?", "Où sont les toilettes ?"},
	{"How much is it?", "Combien ça coûte ?"},
	{"The bill, please.", "L'addition, s'il vous plaît."},
	{"Open.", "Ouvert."},
	{"Closed.", "Fermé."},
	{"Cancel", "Annuler"},
	{"Settings", "Paramètres"},
	{"Search", "Rechercher"},
	{"Save", "Enregistrer"},
	{"Delete", "Supprimer"},
	{"Next", "Suivant"},
	{"Back", "Retour"},
	{"Home", "Accueil"},
	{"Login", "Connexion"},
	{"Password", "Mot de passe"},
}
