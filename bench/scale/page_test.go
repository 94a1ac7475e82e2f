//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
)

// TestPredict calculates with bytes, delays and copies in turn.
func TestPredict(t *testing.T) {
	const mb = 1_000_000
	alone := update{total: 10 * time.Second}
	for _, test := range []struct {
		pair  update
		ranks int
		link  collective.Link
		want  time.Duration // of the exchange
	}{
		{update{sent: 64 * mb}, 1, collective.Link{Bandwidth: mb}, 0},
		{update{sent: 64 * mb}, 2, collective.Link{Bandwidth: mb}, 64 * time.Second},
		{update{sent: 64 * mb}, 64, collective.Link{Bandwidth: mb}, 126 * time.Second},
		{update{sent: mb}, 8, collective.Link{Delay: time.Second, Bandwidth: 1e18}, 6 * time.Second},
		{update{sent: 4 * collective.MessageBytes}, 2, collective.Link{Delay: time.Second, Bandwidth: 1e18}, 3 * time.Second},
		{update{exchange: 4 * time.Second}, 4, collective.Link{Bandwidth: mb}, 6 * time.Second},
	} {
		got := predict(alone, test.pair, test.ranks, test.link)
		if d := got.exchange - test.want; d.Abs() > time.Microsecond || got.total != alone.total+got.exchange {
			t.Errorf("%+v: got %+v", test, got)
		}
	}
}

// TestMeasure: two ranks send the bytes of all gradients, and take the delays of their messages.
func TestMeasure(t *testing.T) {
	c := model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		SourceVocab: 30, TargetVocab: 30, Embedding: 8, Hidden: 8, Alignment: 8, Maxout: 8,
	}
	u, err := measure(c, 2, 2, 2, collective.Link{Delay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if u.sent < 4*1000 || u.exchange < 2*time.Millisecond || u.total <= u.exchange || u.share() <= 0 || u.share() >= 1 {
		t.Errorf("got %+v", u)
	}
}
