package main

import (
	"context"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// A countdown is a context that is done once it has been asked so often.
type countdown struct {
	context.Context
	left atomic.Int64
}

// askedAfter returns a context that is done when it is asked once more than n times.
func askedAfter(n int64) context.Context {
	c := &countdown{Context: context.Background()}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupt ends a training at each of the places that look for it, those in validation among
// them. The same command goes on to the same bits.
func TestInterrupt(t *testing.T) {
	short := shortValidation(t)
	twice := interrupted(t, short)
	// 5 updates an epoch: the validation comes after 5 and 10.
	if len(twice) != 11 || twice["5"] < 3 || twice["10"] < 2 || twice["7"] != 1 {
		t.Errorf("interruptions by number of updates: %v", twice)
	}
	twice = interrupted(t, append(short, "--updates", "7"))
	if len(twice) != 8 || twice["5"] < 3 || twice["7"] < 2 || twice["6"] != 1 {
		t.Errorf("interruptions by number of updates, up to 7 of them: %v", twice)
	}
}

// shortValidation returns the flags for one sentence to validate with.
func shortValidation(t *testing.T) []string {
	t.Helper()
	return []string{"--valid-source", write(t, "en", "the cat sleeps ."), "--valid-target", write(t, "fr", "le chat dort .")}
}

// interrupted interrupts trainings at one place after the other, goes on, and returns how often
// that was after each number of updates.
func interrupted(t *testing.T, more []string) map[string]int {
	t.Helper()
	whole := t.TempDir()
	trained(t, trainArgs(t, whole, more...))
	message := regexp.MustCompile(`^rnnsearch: interrupted after update (\d+): run the same command to resume from .*/m\.checkpoint\n$`)
	twice := map[string]int{}
	for n := int64(0); ; n++ {
		dir := t.TempDir()
		args := trainArgs(t, dir, more...)
		_, stderr, code := executeContext(askedAfter(n), "", args...)
		if code == 0 {
			return twice
		}
		match := message.FindStringSubmatch(stderr)
		if code != interruptedCode || match == nil {
			t.Fatalf("exit code %d, standard error %s", code, stderr)
		}
		twice[match[1]]++
		out := trained(t, args)
		if !strings.Contains(out, " "+match[1]+" updates, ") {
			t.Errorf("interrupted after update %s, then\n%s", match[1], out)
		}
		sameResult(t, dir, whole)
	}
}
