package dedup

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/vector"
)

// expiring are keys that each leave at an own time, which the key does not tell: one
// table, and a calendar of what leaves when.
type expiring struct {
	table *vector.GroupTable
	// until is when a key leaves, in microseconds, by group; expired for a key that has left. Its
	// group stays in the table until compact and is used again if the key comes again.
	until    []int64
	untilMem *vector.Memory
	expired  int // number of expired groups
	calendar *exec.Calendar
	added    []uint32 // groups of the current micro-batch
	cold     coldExpiring
}

// expired marks a group whose key has left. No key leaves at this time: it would be
// evicted by any watermark.
const expired = math.MinInt64

// newExpiring makes an empty set.
func newExpiring(types []*vector.Type) *expiring {
	return &expiring{table: vector.NewGroupTable(types), calendar: exec.NewCalendar(firstSpan)}
}

// live is the number of keys, in memory and in the tier.
func (e *expiring) live() int { return e.table.Len() - e.expired + e.cold.alone() }

func (e *expiring) bytes() int {
	return e.table.Bytes() + e.untilMem.Len() + e.calendar.Bytes()
}

// grow makes room for the times of n groups.
func (e *expiring) grow(used, n int) {
	if 8*n > e.untilMem.Len() {
		e.untilMem = e.untilMem.Grow(8*used, 8*max(n, 1024))
		e.until = vector.MemorySlice[int64](e.untilMem)
	}
}

// add puts rows of keys in, which leave at until if they are not in yet, and returns
// the rows that are the first of their key, in order.
func (e *expiring) add(cols []arrow.Array, until []int64, gid []uint32) []uint32 {
	next := e.table.Len()
	e.find(cols, gid)
	return e.enter(next, until, gid)
}

// find finds the groups of rows and makes room for the times of new ones.
func (e *expiring) find(cols []arrow.Array, gid []uint32) {
	before := e.table.Len()
	e.table.Find(cols, gid)
	e.grow(before, e.table.Len())
}

// enter gives the groups of rows that are new, those from next on, or have expired their times, and returns the rows
// that are the first of their key, in order.
func (e *expiring) enter(next int, until []int64, gid []uint32) []uint32 {
	rows := make([]uint32, 0, len(gid))
	before := len(e.added)
	for i, g := range gid {
		switch {
		case int(g) == next:
			if next++; e.cold.has(g) {
				continue
			}
		case e.until[g] != expired:
			continue
		default:
			e.expired--
		}
		e.until[g] = max(until[i], expired+1)
		e.added = append(e.added, g)
		rows = append(rows, uint32(i))
	}
	added := e.added[before:]
	e.calendar.Add(added, e.times(added))
	return rows
}

// evict lets the keys go that leave at or before bound, and returns their number.
func (e *expiring) evict(bound int64) int {
	before := e.expired
	e.calendar.Due(bound, func(g uint32) (int64, bool) { return e.until[g], e.until[g] != expired }, func(g uint32) {
		e.until[g] = expired
		e.expired++
	})
	return e.expired - before
}

// kept are the added groups that have not expired since.
func (e *expiring) kept() []uint32 {
	return slices.DeleteFunc(slices.Clone(e.added), func(g uint32) bool { return e.until[g] == expired })
}

// times are when groups leave.
func (e *expiring) times(g []uint32) []int64 {
	out := make([]int64, len(g))
	for i, x := range g {
		out[i] = e.until[x]
	}
	return out
}

// compact forgets expired keys when they are most of the table. No group may have been
// added in the current micro-batch.
func (e *expiring) compact() {
	if e.expired < 4096 || e.expired < e.table.Len()/2 {
		return
	}
	g := slices.DeleteFunc(vector.AllGroups(e.table.Len()), func(g uint32) bool { return e.until[g] == expired || e.cold.has(g) })
	e.cold.forget()
	cols, until := e.table.Columns(g), e.times(g)
	// What has left makes room for what comes: the memory stays.
	e.table.Reset()
	e.calendar, e.expired = exec.NewCalendar(firstSpan), 0
	e.add(cols, until, make([]uint32, len(g)))
	e.added = e.added[:0]
}
