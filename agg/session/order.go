package session

import (
	"cmp"
	"slices"
)

// timed is a row with one of its times, less the least of all.
type timed struct {
	time uint64
	row  uint32
}

const (
	digitBits = 11
	digits    = 1 << digitBits
	// fewRows are sorted faster by comparison.
	fewRows = 256
)

// byTime is the rows by start, then end, then as they came.
func byTime(start, end []int64) []uint32 {
	out := make([]uint32, len(start))
	for i := range out {
		out[i] = uint32(i)
	}
	compare := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(end[a], end[b]))
	}
	if slices.IsSortedFunc(out, compare) {
		return out
	}
	if len(out) < fewRows {
		slices.SortStableFunc(out, compare)
		return out
	}
	rows, spare := make([]timed, len(out)), make([]timed, len(out))
	for i := range rows {
		rows[i].row = uint32(i)
	}
	if !sameGap(start, end) {
		rows, spare = sortBy(end, rows, spare)
	}
	rows, _ = sortBy(start, rows, spare)
	for i, r := range rows {
		out[i] = r.row
	}
	return out
}

// sameGap tells that the rows are as long as each other, so that their ends have the
// order of their starts.
func sameGap(start, end []int64) bool {
	for i := range start {
		if end[i]-start[i] != end[0]-start[0] {
			return false
		}
	}
	return true
}

// sortBy sorts rows by their times, keeping the order of equal ones: a radix sort over
// the digits in which times differ. It returns rows and spare, perhaps exchanged.
func sortBy(times []int64, rows, spare []timed) (sorted, other []timed) {
	least, most := slices.Min(times), slices.Max(times)
	for i, r := range rows {
		rows[i].time = uint64(times[r.row] - least)
	}
	for shift := 0; uint64(most-least)>>shift > 0; shift += digitBits {
		var at [digits]uint32
		for _, r := range rows {
			at[r.time>>shift%digits]++
		}
		sum := uint32(0)
		for d, n := range at {
			at[d] = sum
			sum += n
		}
		for _, r := range rows {
			d := r.time >> shift % digits
			spare[at[d]] = r
			at[d]++
		}
		rows, spare = spare, rows
	}
	return rows, spare
}
