package terminal

import "testing"

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                         "",
		"l'été, 猫 \u00a0 <unk> \\": "l'été, 猫 \u00a0 <unk> \\",
		"a\x1b[2Jb\x07\r\n\t\x00":  `a\x1b[2Jb\a\r\n\t\x00`,
		"\x7f\u009b31m\u202eabc":   `\x7f\u009b31m\u202eabc`,
		"\xff\xc3é\ufffd":          `\xff\xc3é` + "\ufffd",
		"می\u200cخواهم \U0001f469\u200d\U0001f680": "می\u200cخواهم \U0001f469\u200d\U0001f680",
		"two\u2028lines\u200b\ufeff":               `two\u2028lines\u200b\ufeff`,
	} {
		if got := Quote(s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
