package watermark_test

import (
	"errors"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/watermark"
)

func TestTracker(t *testing.T) {
	type step struct {
		tops map[int]int64
		want int64
	}
	for _, c := range []struct {
		name   string
		policy watermark.Policy
		delays []int64
		start  int64
		steps  []step
	}{
		{"one input", watermark.Min, []int64{10}, 0, []step{{map[int]int64{0: 100}, 90}, {map[int]int64{0: 50}, 90}, {nil, 90}, {map[int]int64{0: 120}, 110}}},
		{"below the epoch it stays at the epoch", watermark.Min, []int64{10}, 0, []step{{map[int]int64{0: 5}, 0}, {map[int]int64{0: 11}, 1}}},
		{"min waits for the slowest", watermark.Min, []int64{10, 20}, 0, []step{{map[int]int64{0: 100}, 0}, {map[int]int64{1: 50}, 30}, {map[int]int64{1: 500}, 90}}},
		{"max follows the fastest", watermark.Max, []int64{10, 20}, 0, []step{{map[int]int64{0: 100}, 90}, {map[int]int64{1: 50}, 90}, {map[int]int64{1: 500}, 480}}},
		{"a restart goes on from the logged watermark", watermark.Min, []int64{10, 20}, 70, []step{{map[int]int64{0: 100}, 70}, {map[int]int64{1: 200}, 90}}},
		{"without watermarks nothing moves", watermark.Min, nil, 0, []step{{map[int]int64{0: 100}, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := watermark.NewTracker(c.policy, c.delays, c.start)
			if tr.Defined() != (len(c.delays) > 0) || tr.Current() != c.start {
				t.Errorf("starts defined %v at %d", tr.Defined(), tr.Current())
			}
			for i, s := range c.steps {
				if got := tr.Advance(s.tops); got != s.want || tr.Current() != s.want {
					t.Errorf("step %d: %d, want %d", i, got, s.want)
				}
			}
		})
	}
}

func TestParsePolicy(t *testing.T) {
	for text, want := range map[string]watermark.Policy{"": watermark.Min, "min": watermark.Min, "MAX": watermark.Max} {
		if got, err := watermark.ParsePolicy(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := watermark.ParsePolicy("median"); !errors.Is(err, condition.Name("INVALID_CONF_VALUE")) {
		t.Errorf("median: %v", err)
	}
}
