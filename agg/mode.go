package agg

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "mode", Signature: "mode(expr[, deterministic]) | mode() WITHIN GROUP (ORDER BY expr)",
		Summary:  "The most frequent non-null value; of equally frequent ones the least if deterministic is true.",
		Examples: []kernels.Example{{SQL: "SELECT mode(x) FROM VALUES (1), (2), (2) AS t(x)", Want: "2"}},
		MinArgs:  0, MaxArgs: 2,
		Bind: func(_ *kernels.Conf, args []kernels.Arg) (*Impl, error) {
			tie := tieAny
			if len(args) == 2 && args[1].Const != nil && args[1].Type.Kind == vector.KindBool && vector.Bools(args[1].Const.Arr).Get(0) {
				tie = tieLeast
			}
			return modeImpl(args, tie), nil
		},
		BindOrdered: func(_ *kernels.Conf, args []kernels.Arg, order []Order) (*Impl, error) {
			tie := tieLeast
			if order[0].Desc {
				tie = tieGreatest
			}
			return modeImpl(append(args[:len(args):len(args)], order[0].Arg), tie), nil
		},
	})
}

// tieRule picks among equally frequent values.
type tieRule uint8

const (
	tieAny tieRule = iota // the first seen
	tieLeast
	tieGreatest
)

func modeImpl(args []kernels.Arg, tie tieRule) *Impl {
	t := args[0].Type
	return &Impl{
		Args: typesOf(args), Result: t, Nullable: true, State: countsState(),
		New: func() Accumulator { return &mode{counts: newCounts(t), tie: tie} },
	}
}

type mode struct {
	counts
	tie tieRule
}

func (a *mode) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	a.add(g, args[0], nil)
	return nil
}

func (a *mode) Result(_ Rows, g []uint32) (arrow.Array, error) {
	off, ids := a.seen.of(g)
	values := a.seen.values(ids)[0]
	keyOff, keys := vector.Strings(vector.EncodeKey(a.t, values))
	best := make([]uint32, len(g))
	for i := range g {
		lo, hi := off[i], off[i+1]
		if lo == hi {
			best[i] = uint32(len(ids)) // the null behind the values
			continue
		}
		b := lo
		for j := lo + 1; j < hi; j++ {
			c := 0
			if a.tie != tieAny {
				c = bytes.Compare(keys[keyOff[j]:keyOff[j+1]], keys[keyOff[b]:keyOff[b+1]])
			}
			n, most := a.n[ids[j]], a.n[ids[b]]
			if n > most || n == most && (a.tie == tieLeast && c < 0 || a.tie == tieGreatest && c > 0) {
				b = j
			}
		}
		best[i] = uint32(b)
	}
	return vector.Take(vector.Concat([]arrow.Array{values, vector.NewNull(a.t, 1)}), best), nil
}
