package json

// absent notes which records lack a value for a field: it does not occur, or did not convert.
type absent struct {
	rows  []int32 // ascending
	masks []int64 // of the row: bit i for field i; fields beyond the 64th are not noted
}

func (a *absent) add(row, field int) {
	last := len(a.rows) - 1
	if last < 0 || a.rows[last] != int32(row) {
		a.rows, a.masks = append(a.rows, int32(row)), append(a.masks, 0)
		last++
	}
	a.masks[last] |= 1 << field
}

// lacks notes that a record has no value for a field.
func (c *column) lacks(row, field int) {
	if c.absent != nil {
		c.absent.add(row, field)
	}
}

// truncate forgets the rows from n on.
func (a *absent) truncate(n int) {
	k := len(a.rows)
	for k > 0 && int(a.rows[k-1]) >= n {
		k--
	}
	a.rows, a.masks = a.rows[:k], a.masks[:k]
}

// NoteAbsent makes the reader note which records lack fields.
func (r *Reader) NoteAbsent() { r.root.absent = &absent{} }

// Absent is, for each row since the last Flush, a mask of the columns that its record has no value
// for; nil if it has one for all. Flush clears it.
func (r *Reader) Absent() []int64 {
	a := r.root.absent
	if a == nil || len(a.rows) == 0 {
		return nil
	}
	out := make([]int64, r.root.n)
	for i, row := range a.rows {
		for field, slot := range r.slots {
			if field < 64 && slot < 64 {
				out[row] |= a.masks[i] >> field & 1 << slot
			}
		}
	}
	return out
}
