package join_test

import (
	"fmt"
	"sort"

	"github.com/vstream/vstream/join"
)

// row is a row of either side; nil pointers are nulls.
type row struct {
	k    *string
	time *int64 // seconds
	v    int64
}

// modelRow is a kept row.
type modelRow struct {
	row
	matched bool
}

// model is the join a row at a time, as Spark's documentation and source describe it.
type model struct {
	kind    join.Kind
	span    int64 // right.time in [left.time, left.time+span]
	minV    int64 // rows of the left side with v below it fail its own condition
	kept    [2][]*modelRow
	dropped int64
	updated int64
	removed int64
}

func (m *model) joins(l, r row) bool {
	return l.k != nil && r.k != nil && *l.k == *r.k && l.time != nil && r.time != nil && *r.time >= *l.time && *r.time <= *l.time+m.span
}

func (m *model) preserves(side int) bool {
	return m.kind == join.FullOuter || m.kind == join.LeftOuter && side == join.Left || m.kind == join.RightOuter && side == join.Right
}

// bounds are the state watermarks in milliseconds.
func (m *model) bounds(evict int64) [2]int64 {
	return [2]int64{evict - m.span*1000 - 1, evict - 1}
}

// batch runs a micro-batch and gives the rows that come out, as text, sorted.
func (m *model) batch(in [2][]row, late, evict int64) []string {
	var out []string
	emit := func(l, r *row) {
		if m.kind == join.LeftSemi {
			r = nil
		}
		out = append(out, show(l)+"|"+show(r))
	}
	bounds := m.bounds(evict)
	for n := range 2 {
		side := n ^ m.kind.FirstSide()
		for _, x := range in[side] {
			if x.time != nil && *x.time*1000 <= late {
				m.dropped++
				continue
			}
			if side == join.Left && x.v < m.minV {
				if m.preserves(side) {
					emit(&x, nil)
				}
				continue
			}
			n := &modelRow{row: x}
			for _, o := range m.kept[1-side] {
				l, r := x, o.row
				if side == join.Right {
					l, r = r, l
				}
				if !m.joins(l, r) {
					continue
				}
				if m.kind == join.LeftSemi {
					if side == join.Left && !n.matched || side == join.Right && !o.matched {
						emit(&l, nil)
					}
				} else {
					emit(&l, &r)
				}
				n.matched, o.matched = true, true
			}
			if m.kind == join.LeftSemi && side == join.Right {
				m.dropMatched()
			}
			gone := x.time != nil && *x.time*1000 <= bounds[side]
			switch {
			case m.kind == join.LeftSemi && side == join.Left && n.matched:
			case side != m.kind.FirstSide() && gone && (n.matched || !m.preserves(side)):
			default:
				m.kept[side] = append(m.kept[side], n)
				m.updated++
			}
		}
	}
	for side := range 2 {
		stay := m.kept[side][:0:0]
		for _, x := range m.kept[side] {
			if x.time == nil || *x.time*1000 > bounds[side] {
				stay = append(stay, x)
				continue
			}
			m.removed++
			if m.preserves(side) && !x.matched {
				if side == join.Left {
					emit(&x.row, nil)
				} else {
					emit(nil, &x.row)
				}
			}
		}
		m.kept[side] = stay
	}
	sort.Strings(out)
	return out
}

// dropMatched removes the left rows of a semi join that have a match.
func (m *model) dropMatched() {
	stay := m.kept[join.Left][:0:0]
	for _, x := range m.kept[join.Left] {
		if x.matched {
			m.removed++
			continue
		}
		stay = append(stay, x)
	}
	m.kept[join.Left] = stay
}

func show(r *row) string {
	if r == nil {
		return "-"
	}
	k, t := "null", "null"
	if r.k != nil {
		k = *r.k
	}
	if r.time != nil {
		t = fmt.Sprint(*r.time)
	}
	return fmt.Sprintf("%s %s %d", k, t, r.v)
}
