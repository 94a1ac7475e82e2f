package score

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
)

func TestByLength(t *testing.T) {
	for _, test := range []struct {
		lengths      []int
		width, limit int
		want         []Bucket
	}{
		{nil, 10, 60, []Bucket{}},
		{[]int{61, 1, 10, 11, 60, 200}, 10, 60, []Bucket{
			{1, 10, 5.5, []int{1, 2}}, {11, 20, 11, []int{3}}, {51, 60, 60, []int{4}}, {61, math.MaxInt, 130.5, []int{0, 5}},
		}},
		{[]int{0, 1}, 10, 60, []Bucket{{1, 10, 0.5, []int{0, 1}}}},
		{[]int{21, 25, 26}, 10, 25, []Bucket{{21, 25, 23, []int{0, 1}}, {26, math.MaxInt, 26, []int{2}}}},
		{[]int{3, 0, 2}, 10, 0, []Bucket{{1, math.MaxInt, 5.0 / 3, []int{0, 1, 2}}}},
		{[]int{2, 1, 2}, 1, 2, []Bucket{{1, 1, 1, []int{1}}, {2, 2, 2, []int{0, 2}}}},
	} {
		if got := ByLength(test.lengths, test.width, test.limit); !reflect.DeepEqual(got, test.want) {
			t.Errorf("ByLength(%v, %d, %d) = %v, want %v", test.lengths, test.width, test.limit, got, test.want)
		}
	}
}

// TestByLengthPartition checks that each sentence is in exactly one bucket, whose range holds
// its length.
func TestByLengthPartition(t *testing.T) {
	lengths := make([]int, 100)
	for i := range lengths {
		lengths[i] = 1 + i*37%100
	}
	for _, width := range []int{1, 3, 10, 99, 1000} {
		for _, limit := range []int{0, 1, 50, 99, 100, 1000} {
			var all []int
			last := 0
			for _, b := range ByLength(lengths, width, limit) {
				if b.Min <= last || !slices.IsSorted(b.Sentences) {
					t.Errorf("width %d, limit %d: bucket %v after length %d, sentences %v", width, limit, b, last, b.Sentences)
				}
				last = b.Max
				for _, i := range b.Sentences {
					if lengths[i] < b.Min || lengths[i] > b.Max {
						t.Errorf("width %d, limit %d: length %d in bucket %v", width, limit, lengths[i], b)
					}
				}
				all = append(all, b.Sentences...)
			}
			slices.Sort(all)
			if len(slices.Compact(slices.Clone(all))) != len(lengths) || len(all) != len(lengths) {
				t.Errorf("width %d, limit %d: sentences %v", width, limit, all)
			}
		}
	}
}

func TestBucketString(t *testing.T) {
	got := fmt.Sprint(Bucket{Min: 11, Max: 20}, Bucket{Min: 61, Max: math.MaxInt})
	if want := "11-20 61+"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestByLengthPanics(t *testing.T) {
	for _, arguments := range [][2]int{{0, 60}, {-1, 60}, {10, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("width %d, limit %d: no panic", arguments[0], arguments[1])
				}
			}()
			ByLength(nil, arguments[0], arguments[1])
		}()
	}
}
