package exec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/exec"
)

func TestCalendar(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := exec.NewCalendar(rapid.Int64Range(1, 50).Draw(rt, "span"))
		times := map[uint32]int64{}
		next := uint32(0)
		for id := range uint32(rapid.IntRange(1, 40).Draw(rt, "steps")) {
			switch rapid.SampledFrom([]string{"add", "move", "drop", "due"}).Draw(rt, "step") {
			case "add":
				at := rapid.SliceOfN(rapid.Int64Range(-300, 300), 0, 60).Draw(rt, "at")
				ids := make([]uint32, len(at))
				for i := range at {
					ids[i], times[next] = next, at[i]
					next++
				}
				c.Add(ids, at)
			case "move":
				for x, at := range times {
					times[x] = at + int64(x)
					c.Move(x, at, times[x])
				}
			case "drop":
				delete(times, id/2)
			case "due":
				bound := rapid.Int64Range(-300, 300).Draw(rt, "bound")
				var want, got []uint32
				for x, at := range times {
					if at <= bound {
						want = append(want, x)
					}
				}
				c.Due(bound, func(x uint32) (int64, bool) { at, ok := times[x]; return at, ok }, func(x uint32) {
					got = append(got, x)
					delete(times, x)
				})
				slices.Sort(want)
				slices.Sort(got)
				if d := cmp.Diff(want, got); d != "" {
					rt.Fatalf("due at %d (-want +got):\n%s", bound, d)
				}
			}
		}
	})
}

// TestCalendarLengthensPages: ids far apart stay findable when pages become longer.
func TestCalendarLengthensPages(t *testing.T) {
	c := exec.NewCalendar(1)
	const n = 100_000
	times := make([]int64, n)
	left := n
	for i := range times {
		times[i] = int64(i) * 7
		c.Add([]uint32{uint32(i)}, times[i:i+1])
	}
	gone := make([]bool, n)
	for bound := int64(-1); bound < 7*n; bound += 7 * n / 10 {
		c.Due(bound, func(x uint32) (int64, bool) { return times[x], !gone[x] }, func(x uint32) {
			if times[x] > bound {
				t.Fatalf("%d is due at %d", times[x], bound)
			}
			gone[x] = true
			left--
		})
		if want := n - int((bound+7)/7); left != want {
			t.Fatalf("at %d %d are left, want %d", bound, left, want)
		}
	}
	if c.Bytes() > 1<<20 {
		t.Errorf("%d bytes for what is left", c.Bytes())
	}
}
