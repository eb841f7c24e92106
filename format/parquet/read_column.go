package parquet

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/vstream/vstream/vector"
)

// levels is scratch memory that the flat columns of one read share.
type levels struct{ def []int16 }

// column is a wanted column or field with where the file keeps it.
type column struct {
	t    *vector.Type
	node *node // nil: the file has none, the values are null
	kids []*column
}

// rowSource gives a column of one row group piece by piece.
type rowSource interface {
	next(rows int) (arrow.Array, error)
}

func (c *column) open(rg *file.RowGroupReader, rows int, scratch *levels) (rowSource, error) {
	switch {
	case c.node == nil || c.node.firstLeaf() == nil:
		return nullSource{c.t}, nil
	case c.node.kind == leafNode && c.node.slotRep == 0:
		l, err := openLeaf(rg, c.node, c.t)
		return &flatSource{l: l, maxDef: c.node.def, scratch: scratch}, err
	}
	a, err := c.assemble(rg, rows)
	return &slicedSource{a: a}, err
}

func openLeaf(rg *file.RowGroupReader, n *node, t *vector.Type) (leafReader, error) {
	rd, ok, err := openPages(rg, n)
	if !ok && err == nil {
		rd, err = rg.Column(n.col)
	}
	if err != nil {
		return nil, err
	}
	return leafFor(n.leaf, t)(rd), nil
}

type nullSource struct{ t *vector.Type }

func (s nullSource) next(rows int) (arrow.Array, error) { return vector.NewNull(s.t, rows), nil }

// flatSource is a column without repetition and without a structure above it.
type flatSource struct {
	l       leafReader
	maxDef  int16
	scratch *levels
}

func (s *flatSource) next(rows int) (arrow.Array, error) {
	if s.maxDef == 0 {
		if err := fill(s.l, rows, nil, nil); err != nil {
			return nil, err
		}
		return s.l.array(rows, nil)
	}
	if len(s.scratch.def) < rows {
		s.scratch.def = make([]int16, rows)
	}
	def := s.scratch.def[:rows]
	if err := fill(s.l, rows, def, nil); err != nil {
		return nil, err
	}
	return s.l.array(rows, validAt(def, s.maxDef))
}

// validAt marks the levels that reach def; nil if all do.
func validAt(levels []int16, def int16) vector.Bitmap {
	i := 0
	for i < len(levels) && levels[i] >= def {
		i++
	}
	if i == len(levels) {
		return nil
	}
	valid := vector.NewBitmap(len(levels))
	for j, d := range levels {
		if d >= def {
			valid.Set(j)
		}
	}
	return valid
}

// slicedSource cuts a column of a whole row group into batches.
type slicedSource struct {
	a  arrow.Array
	at int
}

func (s *slicedSource) next(rows int) (arrow.Array, error) {
	a := vector.SliceArray(s.a, s.at, s.at+rows)
	s.at += rows
	return a, nil
}
