package models

import (
	"testing"
)

func TestLimits(t *testing.T) {
	for _, l := range limits() {
		if l.used == 0 || l.bytes == 0 || l.used > l.bytes {
			t.Errorf("%s: %d bytes of %d in use", l.of, l.used, l.bytes)
		}
	}
}
