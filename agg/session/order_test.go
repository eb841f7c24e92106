package session

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestByTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, 2, fewRows - 1, fewRows, 5000} {
		for _, span := range []int64{1, 3, 1000, 1 << 26, 1 << 40, math.MaxInt64} {
			for _, gaps := range []int64{1, 4} {
				start, end := make([]int64, rows), make([]int64, rows)
				for i := range start {
					start[i] = r.Int64N(span) - span/2
					if span == math.MaxInt64 {
						start[i] = int64(r.Uint64())
					}
					end[i] = start[i] + 10*r.Int64N(gaps)
				}
				want := make([]uint32, rows)
				for i := range want {
					want[i] = uint32(i)
				}
				slices.SortStableFunc(want, func(a, b uint32) int {
					return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(end[a], end[b]))
				})
				if got := byTime(start, end); !slices.Equal(got, want) {
					t.Errorf("%d rows over %d µs, %d gaps: another order", rows, span, gaps)
				}
			}
		}
	}
}
