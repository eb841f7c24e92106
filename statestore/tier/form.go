package tier

import (
	"encoding/binary"

	"github.com/vstream/vstream/statestore"
)

// Form is the layout of columns as one byte string for each row:
//
//	null bits, if there are any columns (a byte for each 8)
//	their values: those of fixed width, then the variable ones, each with its length (4 bytes) in front
type Form struct {
	fixed, variable []int // columns by kind
	width           []int // of each column
	head            int   // bytes of null bits
	offs            []int // of each fixed column, from the null bits on
	size            int   // of null bits and fixed columns
}

// NewForm is the form of columns, without the one that is skipped (-1: none is).
func NewForm(cols []statestore.Column, skip int) *Form {
	f := &Form{width: make([]int, len(cols)), offs: make([]int, len(cols)), head: (len(cols) + 7) / 8}
	if skip >= 0 && len(cols) == 1 {
		f.head = 0
	}
	f.size = f.head
	for i, c := range cols {
		f.width[i] = c.Width
		switch {
		case i == skip:
		case c.Width > 0:
			f.fixed = append(f.fixed, i)
			f.offs[i] = f.size
			f.size += c.Width
		default:
			f.variable = append(f.variable, i)
		}
	}
	return f
}

// Columns is the number of columns, the skipped one included.
func (f *Form) Columns() int { return len(f.width) }

// Lengths adds the length of each row's form to n.
func (f *Form) Lengths(cols []statestore.ColumnData, n []uint32) {
	fixed := uint32(f.size + 4*len(f.variable))
	for i := range n {
		n[i] += fixed
	}
	for _, c := range f.variable {
		off := cols[c].Off
		for i := range n {
			n[i] += off[i+1] - off[i]
		}
	}
}

// Put writes the form of each row at its place in dst, and moves the places behind it.
func (f *Form) Put(dst []byte, at []uint32, cols []statestore.ColumnData) {
	if f.head > 0 {
		for _, p := range at {
			clear(dst[p : p+uint32(f.head)])
		}
	}
	for c := range cols {
		valid := cols[c].Valid
		if valid == nil || f.head == 0 {
			continue
		}
		for i, p := range at {
			if valid[i>>3]>>(i&7)&1 == 0 {
				dst[int(p)+c>>3] |= 1 << (c & 7)
			}
		}
	}
	for _, c := range f.fixed {
		src, off := cols[c].Data, uint32(f.offs[c])
		switch w := f.width[c]; w {
		case 8:
			for i, p := range at {
				binary.LittleEndian.PutUint64(dst[p+off:], binary.LittleEndian.Uint64(src[8*i:]))
			}
		default:
			for i, p := range at {
				copy(dst[p+off:], src[i*w:(i+1)*w])
			}
		}
	}
	for i := range at {
		at[i] += uint32(f.size)
	}
	for _, c := range f.variable {
		off, src := cols[c].Off, cols[c].Data
		for i, p := range at {
			n := off[i+1] - off[i]
			binary.LittleEndian.PutUint32(dst[p:], n)
			copy(dst[p+4:], src[off[i]:off[i+1]])
			at[i] = p + 4 + n
		}
	}
}

// Get reads the columns of rows from their forms, which begin at the places; the skipped
// column is left alone.
func (f *Form) Get(src []byte, at []uint32, cols []statestore.ColumnData) {
	rows := len(at)
	for _, c := range f.fixed {
		w, off := f.width[c], f.offs[c]
		data := make([]byte, rows*w)
		if w == 8 {
			for i, p := range at {
				binary.LittleEndian.PutUint64(data[8*i:], binary.LittleEndian.Uint64(src[int(p)+off:]))
			}
			cols[c].Data = data
			continue
		}
		for i, p := range at {
			copy(data[i*w:(i+1)*w], src[int(p)+off:])
		}
		cols[c].Data = data
	}
	ends := make([]uint32, rows)
	for i, p := range at {
		ends[i] = p + uint32(f.size)
	}
	for _, c := range f.variable {
		off, total := make([]uint32, rows+1), uint32(0)
		for i, p := range ends {
			total += binary.LittleEndian.Uint32(src[p:])
			off[i+1] = total
		}
		data := make([]byte, 0, total)
		for i, p := range ends {
			n := binary.LittleEndian.Uint32(src[p:])
			data = append(data, src[p+4:p+4+n]...)
			ends[i] = p + 4 + n
		}
		cols[c].Off, cols[c].Data = off, data
	}
	f.getNulls(src, at, cols)
}

// getNulls sets the validity of the columns that have nulls.
func (f *Form) getNulls(src []byte, at []uint32, cols []statestore.ColumnData) {
	if f.head == 0 {
		return
	}
	for k := range f.head {
		var any byte
		for _, p := range at {
			any |= src[int(p)+k]
		}
		for bit := range 8 {
			if any>>bit&1 == 0 {
				continue
			}
			valid := make([]byte, (len(at)+7)/8)
			for i, p := range at {
				valid[i>>3] |= (^src[int(p)+k] >> bit & 1) << (i & 7)
			}
			cols[8*k+bit].Valid = valid
		}
	}
}
