package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	for _, f := range []struct {
		name, alias, what string
		last              bool
	}{
		{"first", "first_value", "The value of the first row", false},
		{"last", "last_value", "The value of the last row", true},
		{"any_value", "", "Some value", false},
	} {
		want := "1"
		if f.last {
			want = "2"
		}
		fn := Function{
			Name: f.name, Signature: f.name + "(expr[, ignoreNulls])",
			Summary:  f.what + ", null included unless ignoreNulls is true.",
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(x) FROM VALUES (1), (2) AS t(x)", Want: want}},
			MinArgs:  1, MaxArgs: 2,
			Bind: func(_ *kernels.Conf, args []kernels.Arg) (*Impl, error) { return bindFirst(f.name, args, f.last) },
			SQL: func(args []string, distinct bool) string {
				return plainSQL(f.name, args[:1], distinct)
			},
		}
		if f.alias != "" {
			fn.Aliases = []string{f.alias}
		}
		Register(fn)
	}
}

func bindFirst(name string, args []kernels.Arg, last bool) (*Impl, error) {
	ignore := false
	if len(args) == 2 {
		c := args[1].Const
		if args[1].Type.Kind != vector.KindBool || c == nil || c.IsNull(0) {
			return nil, condition.New("_LEGACY_ERROR_TEMP_1210", "funcName", name)
		}
		ignore = vector.Bools(c.Arr).Get(0)
	}
	t := args[0].Type
	c, kept := newCell(t), "first"
	if last {
		kept = "last"
	}
	return &Impl{
		Args: typesOf(args), Result: t, Nullable: true, Ordered: true,
		State:  []vector.Field{field(kept, c.stored(), true), field("valueSet", vector.Bool, false)},
		Buffer: []BufferField{{kept, t, 0}, {"valueSet", vector.Bool, 1}},
		New:    func() Accumulator { return &firstLast{cell: newCell(t), last: last, ignoreNulls: ignore} },
	}, nil
}

// firstLast keeps the first or last value: state {cell}. The flag byte is set for
// any value, and isNull besides for null.
type firstLast struct {
	cell
	last, ignoreNulls bool
}

const isNull uint8 = 2

func (a *firstLast) Init(r Rows, lo, hi int) { a.cell.init(r, lo, hi) }

func (a *firstLast) Update(r Rows, g []uint32, args []arrow.Array) error {
	a.fold(r, g, a.encode(args[0]), nil)
	return nil
}

// fold takes row i if has is set there; a nil has stands for all rows.
func (a *firstLast) fold(r Rows, g []uint32, values arrow.Array, has vector.Bitmap) {
	in, valid := a.read(values), validOf(values)
	for i, x := range g {
		null := !valid.Get(i)
		if !has.Get(i) || null && a.ignoreNulls {
			continue
		}
		f := r.flagOf(x)
		switch {
		case *f != 0 && !a.last:
		case null:
			*f = set | isNull
		default:
			*f = set
			a.put(r, x, in, i)
		}
	}
}

// validOf is the validity of a column, void ones included.
func validOf(a arrow.Array) vector.Bitmap {
	if a.DataType().ID() == arrow.NULL {
		return vector.NewBitmap(a.Len())
	}
	return vector.Validity(a)
}

func (a *firstLast) Merge(r Rows, g []uint32, state []arrow.Array) error {
	a.fold(r, g, state[0], vector.Bools(state[1]))
	return nil
}

func (a *firstLast) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{a.values(r, g), flagColumn(r, g, set)}
}

func (a *firstLast) values(r Rows, g []uint32) arrow.Array {
	return a.column(r, g, gatherFlag(r, g, func(f uint8) bool { return f == set }))
}

func (a *firstLast) Result(r Rows, g []uint32) (arrow.Array, error) {
	return a.decode(a.values(r, g)), nil
}
