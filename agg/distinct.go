package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// Distinct is the aggregate over distinct argument rows. Its state is the set of
// them, so that states merge.
func Distinct(im *Impl) *Impl {
	out := *im
	out.State = []vector.Field{field("distinct", vector.Binary, false)}
	out.New = func() Accumulator {
		return &distinct{inner: im.New(), seen: newEntries(im.Args)}
	}
	return &out
}

// distinct passes each argument row on once per group.
type distinct struct {
	inner Accumulator
	seen  *entries
}

func (d *distinct) Width() int { return d.inner.Width() }
func (d *distinct) Bytes() int { return d.inner.Bytes() + d.seen.bytes() }

func (d *distinct) Init(r Rows, lo, hi int) {
	d.seen.init(lo, hi)
	d.inner.Init(r, lo, hi)
}

func (d *distinct) Update(r Rows, g []uint32, args []arrow.Array) error {
	_, fresh := d.seen.add(g, args)
	if len(fresh) < len(g) {
		g = pick(g, fresh)
		kept := make([]arrow.Array, len(args))
		for i, a := range args {
			kept[i] = vector.Take(a, fresh)
		}
		args = kept
	}
	return d.inner.Update(r, g, args)
}

func (d *distinct) Merge(r Rows, g []uint32, state []arrow.Array) error {
	g, args, err := decodeLists(d.seen.types, g, state[0])
	if err != nil {
		return err
	}
	return d.Update(r, g, args)
}

func (d *distinct) Export(_ Rows, g []uint32) []arrow.Array {
	off, ids := d.seen.of(g)
	return []arrow.Array{encodeLists(d.seen.types, off, d.seen.values(ids))}
}

func (d *distinct) Result(r Rows, g []uint32) (arrow.Array, error) { return d.inner.Result(r, g) }
