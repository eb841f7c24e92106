package parquet

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// slots are the places of a column on the way from the rows down to a leaf: for
// each place its repetition and definition level so far, and the index of its
// value in the array at hand, or -1 where a null or an empty list ends the path.
//
// The common case needs no slices: idx nil means that place i holds value i;
// def nil means that every place has the level depth; rep nil means that no
// list has been crossed.
type slots struct {
	n     int
	idx   []int32
	def   []int16
	rep   []int16
	depth int16
}

// optional descends into an optional node whose values are a: a place goes one
// level deeper unless its value is null.
func (s slots) optional(a arrow.Array) slots {
	valid := vector.Validity(a)
	out := s
	out.depth++
	if valid == nil && s.idx == nil {
		return out
	}
	out.idx, out.def = make([]int32, s.n), make([]int16, s.n)
	for i := range out.idx {
		j, d := int32(i), s.depth
		if s.idx != nil {
			j, d = s.idx[i], s.def[i]
		}
		if j >= 0 && valid.Get(int(j)) {
			d++
		} else {
			j = -1
		}
		out.idx[i], out.def[i] = j, d
	}
	return out
}

// repeated descends into the elements of a list or map whose offsets are off;
// level is the repetition level of those elements.
func (s slots) repeated(off []int32, level int16) slots {
	total := 0
	for i := range s.n {
		j := s.at(i)
		total += 1
		if j >= 0 {
			total += int(max(off[j+1]-off[j]-1, 0))
		}
	}
	out := slots{n: total, idx: make([]int32, 0, total), def: make([]int16, 0, total), rep: make([]int16, 0, total), depth: s.depth + 1}
	for i := range s.n {
		j, d, r := s.at(i), s.depth, int16(0)
		if s.def != nil {
			d = s.def[i]
		}
		if s.rep != nil {
			r = s.rep[i]
		}
		if j < 0 || off[j] == off[j+1] {
			out.idx, out.def, out.rep = append(out.idx, -1), append(out.def, d), append(out.rep, r)
			continue
		}
		for k := off[j]; k < off[j+1]; k++ {
			out.idx, out.def, out.rep = append(out.idx, k), append(out.def, d+1), append(out.rep, r)
			r = level
		}
	}
	return out
}

// at is the index of the value of place i, -1 if the path has ended.
func (s slots) at(i int) int32 {
	if s.idx == nil {
		return int32(i)
	}
	return s.idx[i]
}

// present are the values of vals at the places that reach the leaf, in scratch
// unless all of vals is meant.
func present[T any](s slots, vals, scratch []T) []T {
	if s.idx == nil {
		return vals
	}
	out := scratch[:0]
	for _, j := range s.idx {
		if j >= 0 {
			out = append(out, vals[j])
		}
	}
	return out
}
