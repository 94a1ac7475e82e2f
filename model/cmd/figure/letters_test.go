package figure

import (
	"slices"
	"testing"
)

// outlined returns the points of text.
func outlined(s string) []point {
	var o outline
	newLetters().outline(&o, s, func(p point) point { return p })
	var points []point
	for _, s := range o.segments {
		points = append(points, s.points...)
	}
	return points
}

// TestLetters: letters of the three scripts differ from the box for those that the font lacks.
func TestLetters(t *testing.T) {
	box := outlined("猫")
	if len(box) == 0 {
		t.Fatal("nothing for a letter that the font lacks")
	}
	for _, r := range "aéçœŻłЖйщΩγάß.,'’«»<>&" {
		if points := outlined(string(r)); len(points) == 0 || slices.Equal(points, box) {
			t.Errorf("%c is not in the font", r)
		}
	}
}

// TestComposed: an accent of its own gives the letter that has it, or the one without.
func TestComposed(t *testing.T) {
	if !slices.Equal(outlined("e\u0301"), outlined("é")) {
		t.Error("e with an accent is not é")
	}
	for _, s := range []string{"x\u0325", "ẋ"} {
		if !slices.Equal(outlined(s), outlined("x")) {
			t.Errorf("%s, which the font lacks, is not x", s)
		}
	}
}

// TestWidth holds widths to the advance widths of the font: those of the letters of a word add up.
func TestWidth(t *testing.T) {
	l := newLetters()
	if got, want := l.width("www"), 3*l.width("w"); got < want-1e-9 || got > want+1e-9 || got <= 0 {
		t.Errorf("got %v, want %v", got, want)
	}
	if l.width("猫") != 1 || l.width("") != 0 || l.width("i") >= l.width("w") {
		t.Errorf("widths %v, %v, %v", l.width("猫"), l.width(""), l.width("i"))
	}
}
