package moses

import "unicode"

// cjk holds the blocks of Chinese, Japanese and Korean characters that detokenizer.perl
// lists: Hangul, radicals, kana, ideographs, Yi, and their forms.
var cjk = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x11ff, Stride: 1}, // Hangul Jamo
		{Lo: 0x2e80, Hi: 0xa4cf, Stride: 1}, // CJK Radicals Supplement to Yi Radicals
		{Lo: 0xa840, Hi: 0xa87f, Stride: 1}, // Phags-pa
		{Lo: 0xac00, Hi: 0xd7af, Stride: 1}, // Hangul Syllables
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, // CJK Compatibility Ideographs
		{Lo: 0xfe30, Hi: 0xfe4f, Stride: 1}, // CJK Compatibility Forms
		{Lo: 0xff65, Hi: 0xffdc, Stride: 1}, // half-width kana and Hangul
	},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2ffff, Stride: 1}, // Supplementary Ideographic Plane
	},
}

func isCJK(r rune) bool { return unicode.Is(cjk, r) }
