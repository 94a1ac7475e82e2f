package main

import "testing"

func TestBLEU(t *testing.T) {
	reference := write(t, "reference", "the cat sat on the mat", "a dog", "a b c d e")
	for _, test := range []struct{ name, stdin, want string }{
		{"equal", "the cat sat on the mat\na dog\na b c d e\n",
			"BLEU = 100.00, 100.0/100.0/100.0/100.0 (BP=1.000, ratio=1.000, hyp_len=13, ref_len=13)\n"},
		{"CRLF, no end of line", "the cat sat on the mat\r\na dog\r\na b c d e",
			"BLEU = 100.00, 100.0/100.0/100.0/100.0 (BP=1.000, ratio=1.000, hyp_len=13, ref_len=13)\n"},
		// All n-grams match; exp(1-13/11) = 0.83377.
		{"empty line", "the cat sat on the mat\n\na b c d e\n",
			"BLEU = 83.38, 100.0/100.0/100.0/100.0 (BP=0.834, ratio=0.846, hyp_len=11, ref_len=13)\n"},
		// exp(1-13/3) = 0.03567.
		{"nothing right", "x\ny\nz\n",
			"BLEU = 0.00, 0.0/0.0/0.0/0.0 (BP=0.036, ratio=0.231, hyp_len=3, ref_len=13)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, stderr, code := execute(test.stdin, "bleu", "--reference", reference)
			if got != test.want || code != 0 {
				t.Errorf("got  %swant %sexit code %d %s", got, test.want, code, stderr)
			}
		})
	}
}
