package parquet

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/vstream/vstream/vector"
)

var errStructure = errors.New("the levels of a nested column's leaves disagree")

// shape is the levels of a leaf in a whole row group: they tell the nulls and
// lengths of everything above it.
type shape struct{ def, rep []int16 }

// assembly builds a nested column of one row group. Row groups, not batches, are
// the unit, because the levels of a batch's rows have no fixed number.
type assembly struct{ rg *file.RowGroupReader }

func (c *column) assemble(rg *file.RowGroupReader, rows int) (arrow.Array, error) {
	a := assembly{rg}
	arr, _, err := a.build(c)
	if err == nil && arr.Len() != rows {
		err = errStructure
	}
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.node.name, err)
	}
	return arr, nil
}

// build makes a column with one value for each of c's slots and gives a shape
// that c's ancestors can be built by.
func (a assembly) build(c *column) (arrow.Array, shape, error) {
	switch c.node.kind {
	case leafNode:
		l, s, err := a.read(c.node, c.t)
		if err != nil {
			return nil, s, err
		}
		valid, slots := s.slots(c.node)
		arr, err := l.array(slots, valid)
		return arr, s, err
	case structNode:
		return a.structure(c)
	}
	return a.list(c)
}

// read decodes all levels and values of a leaf.
func (a assembly) read(n *node, t *vector.Type) (leafReader, shape, error) {
	total := int(a.rg.MetaData().NumRows())
	if n.slotRep > 0 {
		chunk, err := a.rg.MetaData().ColumnChunk(n.col)
		if err != nil {
			return nil, shape{}, err
		}
		total = int(chunk.NumValues())
	}
	l, err := openLeaf(a.rg, n, t)
	if err != nil {
		return nil, shape{}, err
	}
	var s shape
	for len(s.def) < total {
		k := min(batchRows, total-len(s.def))
		def := make([]int16, k)
		var rep []int16
		if n.slotRep > 0 {
			rep = make([]int16, k)
		}
		if n.leaf.MaxDefinitionLevel() == 0 {
			err = fill(l, k, nil, nil)
		} else {
			err = fill(l, k, def, rep)
		}
		if err != nil {
			return nil, s, err
		}
		s.def = append(s.def, def...)
		s.rep = append(s.rep, rep...)
	}
	return l, s, nil
}

// slots counts n's slots and marks those with a value.
func (s shape) slots(n *node) (vector.Bitmap, int) {
	valid, k, all := vector.NewBitmap(len(s.def)), 0, true
	for i, d := range s.def {
		if d < n.slotDef || s.rep != nil && s.rep[i] > n.slotRep {
			continue
		}
		if d >= n.def {
			valid.Set(k)
		} else {
			all = false
		}
		k++
	}
	if all {
		return nil, k
	}
	return valid[:(k+7)/8], k
}

func (a assembly) structure(c *column) (arrow.Array, shape, error) {
	var s shape
	fields := make([]arrow.Array, len(c.kids))
	built := false
	for i, k := range c.kids {
		if k.node == nil || k.node.firstLeaf() == nil {
			continue
		}
		arr, ks, err := a.build(k)
		if err != nil {
			return nil, s, err
		}
		fields[i], s, built = arr, ks, true
	}
	if !built {
		// No wanted field is in the file: any leaf tells where the struct is null.
		leaf := c.node.firstLeaf()
		t := leafType(leaf.leaf)
		if t == nil {
			return nil, s, errors.New("no readable column below it")
		}
		var err error
		if _, s, err = a.read(leaf, t); err != nil {
			return nil, s, err
		}
	}
	valid, slots := s.slots(c.node)
	for i, k := range c.kids {
		if fields[i] == nil {
			fields[i] = vector.NewNull(k.t, slots)
		} else if fields[i].Len() != slots {
			return nil, s, errStructure
		}
	}
	return vector.NewStruct(c.t, fields, slots, valid), s, nil
}

// list builds a list or a map.
func (a assembly) list(c *column) (arrow.Array, shape, error) {
	var s shape
	kids := make([]arrow.Array, len(c.kids))
	for i, k := range c.kids {
		if k.node.firstLeaf() == nil {
			return nil, s, errors.New("elements without a column")
		}
		var err error
		if kids[i], s, err = a.build(k); err != nil {
			return nil, s, err
		}
	}
	valid, slots := s.slots(c.node)
	off, ok := s.offsets(c.node, slots)
	for _, k := range kids {
		if !ok || k.Len() != int(off[slots]) {
			return nil, s, errStructure
		}
	}
	if c.node.kind == mapNode {
		return vector.NewMap(c.t, off, kids[0], kids[1], valid), s, nil
	}
	return vector.NewList(c.t, off, kids[0], valid), s, nil
}

// offsets are the n+1 offsets of a list's slots into its elements; not ok if
// the levels begin in the middle of a slot.
func (s shape) offsets(n *node, slots int) (off []int32, ok bool) {
	off = make([]int32, slots+1)
	slot, elems := -1, int32(0)
	for i, d := range s.def {
		rep := s.rep[i]
		if d < n.slotDef || rep > n.elemRep {
			continue
		}
		if rep <= n.slotRep {
			slot++
		}
		if slot < 0 {
			return nil, false
		}
		if d >= n.elemDef {
			elems++
		}
		off[slot+1] = elems
	}
	return off, true
}
