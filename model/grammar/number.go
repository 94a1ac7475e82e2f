package grammar

// maxNumber is the largest number that the grammar can spell.
const maxNumber = 999_999

var englishSmall = [20]string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
	"ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
	"eighteen", "nineteen",
}

var englishTens = [10]string{
	2: "twenty", 3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy", 8: "eighty", 9: "ninety",
}

var englishOrdinals = [20]string{
	1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh",
	8: "eighth", 9: "ninth", 10: "tenth", 11: "eleventh", 12: "twelfth", 13: "thirteenth",
	14: "fourteenth", 15: "fifteenth", 16: "sixteenth", 17: "seventeenth", 18: "eighteenth",
	19: "nineteenth",
}

var frenchSmall = [17]string{
	"zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf",
	"dix", "onze", "douze", "treize", "quatorze", "quinze", "seize",
}

var frenchTens = [7]string{
	2: "vingt", 3: "trente", 4: "quarante", 5: "cinquante", 6: "soixante",
}

// englishNumber spells n, from 0 to maxNumber: "two hundred one", without "and".
func englishNumber(n int) []string {
	if n >= 1000 {
		words := append(englishNumber(n/1000), "thousand")
		return append(words, englishRest(n%1000)...)
	}
	if n >= 100 {
		return append([]string{englishSmall[n/100], "hundred"}, englishRest(n%100)...)
	}
	if n >= 20 {
		return append([]string{englishTens[n/10]}, englishRest(n%10)...)
	}
	return []string{englishSmall[n]}
}

// englishRest spells the rest after a larger unit, nothing for 0.
func englishRest(n int) []string {
	if n == 0 {
		return nil
	}
	return englishNumber(n)
}

// englishDay spells the number of a day of a month, from 1 to 31, as an ordinal.
func englishDay(n int) []string {
	switch {
	case n < 20:
		return []string{englishOrdinals[n]}
	case n == 20:
		return []string{"twentieth"}
	case n == 30:
		return []string{"thirtieth"}
	}
	return []string{englishTens[n/10], englishOrdinals[n%10]}
}

// frenchNumber spells n, from 0 to maxNumber, before a noun of that gender: "vingt et une". Compounds
// are separate words without hyphens.
func frenchNumber(n int, feminine bool) []string {
	var words []string
	if thousands := n / 1000; thousands > 0 {
		if thousands > 1 {
			words = frenchHundreds(thousands, false, false)
		}
		words = append(words, "mille")
		if n %= 1000; n == 0 {
			return words
		}
	}
	return append(words, frenchHundreds(n, feminine, true)...)
}

// frenchHundreds spells n, from 0 to 999. last means that no number word follows: only then do cent
// and quatre vingt take a plural s, and only if they end the number.
func frenchHundreds(n int, feminine, last bool) []string {
	hundreds, rest := n/100, n%100
	if hundreds == 0 {
		return frenchTwoDigits(rest, feminine, last)
	}
	var words []string
	if hundreds > 1 {
		words = append(words, frenchSmall[hundreds])
	}
	if rest > 0 {
		return append(append(words, "cent"), frenchTwoDigits(rest, feminine, last)...)
	}
	if hundreds > 1 && last {
		return append(words, "cents")
	}
	return append(words, "cent")
}

// frenchTwoDigits spells n, from 0 to 99.
func frenchTwoDigits(n int, feminine, last bool) []string {
	switch {
	case n == 1 && feminine:
		return []string{"une"}
	case n < len(frenchSmall):
		return []string{frenchSmall[n]}
	case n < 20:
		return []string{"dix", frenchSmall[n-10]}
	case n == 80 && last:
		return []string{"quatre", "vingts"}
	case n == 80:
		return []string{"quatre", "vingt"}
	case n > 80:
		return append([]string{"quatre", "vingt"}, frenchTwoDigits(n-80, feminine, last)...)
	}
	tens := min(n/10, 6)
	words, rest := []string{frenchTens[tens]}, n-10*tens
	switch rest {
	case 0:
		return words
	case 1, 11:
		words = append(words, "et")
	}
	return append(words, frenchTwoDigits(rest, feminine, last)...)
}

// frenchDay spells the number of a day of a month, an ordinal only for the first.
func frenchDay(n int) []string {
	if n == 1 {
		return []string{"premier"}
	}
	return frenchNumber(n, false)
}
