package dedup

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// keyset is a set of keys that grows and is dropped as a whole. It holds the keys
// whose time lies from lo to hi.
type keyset struct {
	lo, hi int64
	table  *vector.GroupTable
	// added are the keys of the current micro-batch.
	added []uint32
	// gone are the keys that the watermark has passed although the set is still there,
	// counted when it had size keys. No row can have such a key again: it would be late.
	gone, size int
	bound      int64 // of the count
	// batch and part are the number of the last input batch that has rows of the set,
	// and its place among that batch's parts.
	batch uint64
	part  int
	cold  cold
}

func newKeyset(lo, hi int64, types []*vector.Type) *keyset {
	return &keyset{lo: lo, hi: hi, table: vector.NewGroupTable(types), bound: math.MinInt64}
}

// add puts len(gid) rows of keys in and appends to first the rows that are the first of
// their key, in order.
func (s *keyset) add(cols []arrow.Array, gid, first []uint32) []uint32 {
	known := s.table.Len()
	s.table.Find(cols, gid)
	fresh := s.table.Len() - known
	s.added, first = slices.Grow(s.added, fresh), slices.Grow(first, fresh)
	// Ids are dense and in the order of first appearance: the first row of a new key
	// has the next one.
	next := uint32(known)
	for i, g := range gid {
		if g == next {
			next++
			s.added = append(s.added, g)
			first = append(first, uint32(i))
		}
	}
	return first
}

// live is the number of keys, in memory and in the tier, that the watermark has not passed.
func (s *keyset) live() int { return s.table.Len() - s.gone + s.cold.alone }

func (s *keyset) bytes() int { return s.table.Bytes() }

// pass counts the keys whose time, key column c, is at or before bound, and returns how
// many of them were not counted before.
func (s *keyset) pass(c int, bound int64) int {
	n := s.table.Len()
	if n == s.size && bound == s.bound {
		return 0
	}
	before := s.gone
	s.bound = bound
	s.recount(c)
	return s.gone - before
}

// recount counts the keys in memory that the watermark has passed.
func (s *keyset) recount(c int) {
	s.size = s.table.Len()
	s.gone = len(s.passed(c))
}

// passed are the groups whose keys the watermark has passed.
func (s *keyset) passed(c int) (groups []uint32) {
	n := s.table.Len()
	if c < 0 || s.lo > s.bound || n == 0 {
		return nil
	}
	for g, v := range vector.Values[int64](s.table.Column(c, vector.AllGroups(n))) {
		if v <= s.bound {
			groups = append(groups, uint32(g))
		}
	}
	return groups
}

// kept are those of the added keys that the watermark has not passed.
func (s *keyset) kept(c int) []uint32 {
	if s.lo > s.bound {
		return s.added
	}
	var out []uint32
	for i, v := range vector.Values[int64](s.table.Column(c, s.added)) {
		if v > s.bound {
			out = append(out, s.added[i])
		}
	}
	return out
}
