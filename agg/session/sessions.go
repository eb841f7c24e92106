package session

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/vector"
)

// none ends a list of sessions.
const none = ^uint32(0)

// sessions are the open sessions of one partition in flat memory. A session has a slot,
// which is its group in states, too; slots are not used again but left behind by rebuild.
// The sessions of a key are a list in the order of their starts; they neither overlap nor
// touch.
type sessions struct {
	table  *vector.GroupTable // of keys
	head   []uint32           // first session of each key
	states *agg.States
	slots  []slot
	live   int   // slots in use
	next   int64 // number of the next session

	// of one fold
	epoch   uint32
	seen    []uint32 // epoch in which a key was last touched, by key
	ordinal []uint32 // place of a key among those touched in the epoch
}

// slot is one session. Its key is a group of the table.
type slot struct {
	start, end int64
	key, next  uint32
	live       bool
	stored     bool // the state store has it
	// The number tells which of two sessions was there first. It is in two parts, so that it takes no room.
	numberHigh uint16
	numberLow  uint32
}

func (s *slot) number() int64 { return int64(s.numberHigh)<<32 | int64(s.numberLow) }

func newSessions(keys []*vector.Type, impls []*agg.Impl) *sessions {
	return &sessions{table: vector.NewGroupTable(keys), states: agg.NewStates(impls)}
}

func (s *sessions) free() {
	s.table.Free()
	s.states.Free()
}

func (s *sessions) bytes() int {
	return s.table.Bytes() + s.states.Bytes() + 32*cap(s.slots) + 4*(cap(s.head)+cap(s.seen)+cap(s.ordinal))
}

// add makes a new session, which is in no list yet.
func (s *sessions) add(key uint32, start, end int64) uint32 {
	s.next++
	return s.put(key, start, end, s.next-1)
}

// put puts a session in that has a number.
func (s *sessions) put(key uint32, start, end, number int64) uint32 {
	s.slots = append(s.slots, slot{start: start, end: end, key: key, next: none, live: true, numberHigh: uint16(number >> 32), numberLow: uint32(number)})
	s.live++
	return uint32(len(s.slots) - 1)
}

// keysOf finds the keys of rows.
func (s *sessions) keysOf(cols []arrow.Array, n int) []uint32 {
	kid := make([]uint32, n)
	s.table.Find(cols, kid)
	for len(s.head) < s.table.Len() {
		s.head = append(s.head, none)
		s.seen = append(s.seen, 0)
		s.ordinal = append(s.ordinal, 0)
	}
	return kid
}

// end takes a session out of use; it stays in its key's list until sweep or a merge.
func (s *sessions) end(x uint32) {
	s.slots[x].live = false
	s.live--
}

// sweep takes ended sessions out of the lists of their keys.
func (s *sessions) sweep(ended []uint32) {
	s.nextEpoch()
	for _, x := range ended {
		k := s.slots[x].key
		if s.seen[k] == s.epoch {
			continue
		}
		s.seen[k] = s.epoch
		for at := &s.head[k]; *at != none; {
			if c := &s.slots[*at]; c.live {
				at = &c.next
			} else {
				*at = c.next
			}
		}
	}
}

// link puts sessions, one per row, into the lists of their keys; one with the same start
// is taken out.
func (s *sessions) link(slots, kid []uint32, start, end []int64) {
	s.perKey(kid, start, end, func(at *uint32, rows []uint32) {
		for _, r := range rows {
			at = s.seek(at, start[r])
			if old := *at; old != none && s.slots[old].start == start[r] {
				*at = s.slots[old].next
				s.end(old)
			}
			x := slots[r]
			s.slots[x].next = *at
			*at = x
		}
	})
}

// remove ends the sessions of keys that begin at start, where there are any.
func (s *sessions) remove(kid []uint32, start []int64) {
	s.perKey(kid, start, start, func(at *uint32, rows []uint32) {
		for _, r := range rows {
			at = s.seek(at, start[r])
			if old := *at; old != none && s.slots[old].start == start[r] {
				*at = s.slots[old].next
				s.end(old)
			}
		}
	})
}

// perKey calls f with the rows of each key, by start, and the head of the key's list.
func (s *sessions) perKey(kid []uint32, start, end []int64, f func(head *uint32, rows []uint32)) {
	order, keys, bounds := s.byKey(kid, byTime(start, end))
	for i, k := range keys {
		f(&s.head[k], order[bounds[i]:bounds[i+1]])
	}
}

// seek is the place in a list, from at on, of the first session that begins at or after start.
func (s *sessions) seek(at *uint32, start int64) *uint32 {
	for *at != none && s.slots[*at].start < start {
		at = &s.slots[*at].next
	}
	return at
}

// fold is the result of merging the rows of a micro-batch with the sessions there are.
type fold struct {
	changed  []change
	absorbed []uint32 // sessions that are part of another one now
	touched  int      // sessions of the keys that have rows, changed or not
	// sources are merged, in this order, into the states of the target slots: rows of the
	// input, or behind them the absorbed sessions.
	source, target []uint32
}

// change is a session that is new or has new rows; before is its end until now.
type change struct {
	slot   uint32
	before int64
	fresh  bool
}

// merge merges rows, each a session of its own, with the sessions of their keys. It
// leaves the states to the caller.
func (s *sessions) merge(kid []uint32, start, end []int64) *fold {
	f := &fold{source: make([]uint32, 0, len(kid)), target: make([]uint32, 0, len(kid))}
	s.perKey(kid, start, end, func(_ *uint32, rows []uint32) {
		s.mergeKey(f, kid[rows[0]], rows, start, end)
	})
	return f
}

// byKey brings rows of the same key together: bounds[i] to bounds[i+1] of order are
// those of keys[i], as they are in rows.
func (s *sessions) byKey(kid, rows []uint32) (order, keys []uint32, bounds []int) {
	s.nextEpoch()
	bounds = []int{0}
	for _, k := range kid {
		if s.seen[k] != s.epoch {
			s.seen[k], s.ordinal[k] = s.epoch, uint32(len(keys))
			keys = append(keys, k)
			bounds = append(bounds, 0)
		}
		bounds[s.ordinal[k]+1]++
	}
	for i := range keys {
		bounds[i+1] += bounds[i]
	}
	at := slices.Clone(bounds)
	order = make([]uint32, len(kid))
	for _, r := range rows {
		o := s.ordinal[kid[r]]
		order[at[o]] = r
		at[o]++
	}
	return order, keys, bounds
}

// nextEpoch makes all keys unseen.
func (s *sessions) nextEpoch() {
	if s.epoch++; s.epoch == 0 {
		clear(s.seen)
		s.epoch = 1
	}
}

// mergeKey merges the sorted rows of one key with its sessions. A session that begins
// when another one ends is part of it. Of the same start, the older comes first.
func (s *sessions) mergeKey(f *fold, key uint32, rows []uint32, start, end []int64) {
	old, last := s.head[key], none
	s.head[key] = none
	dirty := false // last is in changed
	for len(rows) > 0 || old != none {
		var begin, until int64
		source, x := uint32(0), none
		if len(rows) > 0 && (old == none || start[rows[0]] < s.slots[old].start) {
			source, rows = rows[0], rows[1:]
			begin, until = start[source], end[source]
		} else {
			x = old
			old = s.slots[x].next
			begin, until = s.slots[x].start, s.slots[x].end
		}
		if last != none && begin <= s.slots[last].end {
			if !dirty {
				f.changed = append(f.changed, change{slot: last, before: s.slots[last].end})
				dirty = true
			}
			s.slots[last].end = max(s.slots[last].end, until)
			if x != none {
				source = uint32(len(start) + len(f.absorbed))
				f.absorbed = append(f.absorbed, x)
				s.end(x)
			}
			f.source, f.target = append(f.source, source), append(f.target, last)
			continue
		}
		next := x
		if x == none {
			next = s.add(key, begin, until)
			f.changed = append(f.changed, change{slot: next, fresh: true})
			f.source, f.target = append(f.source, source), append(f.target, next)
		}
		dirty = x == none
		if last == none {
			s.head[key] = next
		} else {
			s.slots[last].next = next
		}
		s.slots[next].next = none
		last = next
		f.touched++
	}
}

// all are the slots in use, the oldest first.
func (s *sessions) all() []uint32 {
	out := make([]uint32, 0, s.live)
	for i := range s.slots {
		if s.slots[i].live {
			out = append(out, uint32(i))
		}
	}
	return out
}

// sparse tells that most slots are not in use any more.
func (s *sessions) sparse() bool {
	return len(s.slots) > 4096 && s.live < len(s.slots)/2
}
