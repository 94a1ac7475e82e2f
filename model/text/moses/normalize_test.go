package moses

import "testing"

func TestNormalize(t *testing.T) {
	tests := []struct{ language, line, want string }{
		// From sacremoses/test/test_normalizer.py of the public repository hplt-project/sacremoses,
		// which drops the spaces at the ends.
		{"en", "The United States in 1805 (color map)                 _Facing_     193",
			"The United States in 1805 (color map) _Facing_ 193"},
		{"en", "=Formation of the Constitution.=--(1) The plans before the convention,",
			"=Formation of the Constitution.=-- (1) The plans before the convention,"},
		{"en", "College of Surgeons, Edinburgh.)]", "College of Surgeons, Edinburgh.) ]"},
		{"en", `THIS EBOOK IS OTHERWISE PROVIDED TO YOU "AS-IS".`, `THIS EBOOK IS OTHERWISE PROVIDED TO YOU "AS-IS."`},
		{"en", "12\u00a0123", "12.123"},

		// By hand.
		{"en", "", ""},
		{"en", "(x)", " (x) "},
		{"en", "a( b ) , c (d) : e", "a (b), c (d): e"},
		{"en", "a \rb : c ; d 5 % e %", "a b: c; d 5% e %"},
		{"en", "``a'' ´b´", ` " a " 'b'`},
		{"en", "„a“ ”b‘c ‚d’ “", `"a" "b'c 'd" "`},
		{"en", "don’t rock’n’roll l’été ’90", `don't rock'n"roll l"été "90`},
		{"en", "1–2—3…", "1-2 - 3..."},
		{"en", `"a", "b"., ".`, `"a," "b.," ."`},
		{"fr", "«\u00a0oui\u00a0», \u00a0«non» ! \u00a0? \u00a0: 10\u00a0% 5\u00a0cm 20\u00a0ºC nº\u00a05,\u00a0fin",
			"\"oui\", \u00a0\"non\" ! ? : 10% 5 cm 20 ºC nº 5, fin"},
		{"fr", "12\u00a0345\u00a0678 et 1\u00a02\u00a03", "12,345,678 et 1,2\u00a03"},
		{"de", `"a," "b..." c."`, `"a", "b"... c".`},
		{"de", `a."<b ."."x ." <`, `a."<b ".."x ". <`},
		{"de", "5\u00a0000", "5,000"},
		{"it", `"a," 5` + "\u00a0000", `"a", 5.000`},
	}
	for _, test := range tests {
		if got := Normalize(test.language, test.line); got != test.want {
			t.Errorf("%s %q:\n got %q\nwant %q", test.language, test.line, got, test.want)
		}
	}
}
