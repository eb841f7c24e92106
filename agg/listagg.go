package agg

import (
	"bytes"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "listagg", Aliases: []string{"string_agg"}, Signature: "listagg(expr[, delimiter]) [WITHIN GROUP (ORDER BY key, …)]",
		Summary:  "The non-null values joined by the delimiter, in the order given or that of the rows; null if there is none.",
		Examples: []kernels.Example{{SQL: "SELECT listagg(x, '-') FROM VALUES ('a'), ('b') AS t(x)", Want: "a-b"}},
		MinArgs:  1, MaxArgs: 2,
		Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
			return bindListagg(conf, args, nil)
		},
		BindOrdered: bindListagg,
		SQL: func(args []string, distinct bool) string {
			if len(args) == 1 {
				args = append(args[:1:1], "NULL")
			}
			return plainSQL("listagg", args, distinct)
		},
	})
}

func bindListagg(conf *kernels.Conf, args []kernels.Arg, order []Order) (*Impl, error) {
	c := call{name: "listagg", conf: conf, args: args}
	if len(args) == 1 {
		c.args = append(args[:1:1], kernels.Arg{SQL: "NULL"})
	}
	t, ok := kernels.ImplicitCast(conf, args[0].Type, kernels.StringOrBinary)
	if !ok {
		return nil, kernels.UnexpectedInput(c.sql(), 0, kernels.StringOrBinary, args[0])
	}
	if t == nil || t.Kind == vector.KindNull {
		t = vector.String
	}
	a := &listagg{typ: t}
	types := []*vector.Type{t}
	if len(args) == 2 {
		d := args[1]
		switch {
		case d.Const == nil:
			return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quote(c.sql()),
				"inputName", "`delimiter`", "inputType", quote(d.Type.SQL()), "inputExpr", quote(d.SQL))
		case d.Type.Kind == vector.KindNull || d.Const.IsNull(0):
		default:
			if d.Type.Kind == vector.KindBinary && t.Kind != vector.KindBinary {
				return nil, condition.New("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "sqlExpr", quote(c.sql()), "functionName", "`listagg`",
					"dataType", "("+quote(t.SQL())+" or "+quote(d.Type.SQL())+")")
			}
			if _, ok := kernels.ImplicitCast(conf, d.Type, kernels.Exactly(t)); !ok {
				return nil, kernels.UnexpectedInput(c.sql(), 1, kernels.Exactly(t), d)
			}
			text, err := kernels.CastArray(&kernels.Ctx{ANSI: conf.ANSI, Zone: conf.Zone}, d.Const.Arr, d.Type, t, kernels.ModeOf(conf.ANSI))
			if err != nil {
				return nil, err
			}
			off, data := vector.Strings(text)
			a.delimiter = data[off[0]:off[1]]
		}
		types = append(types, d.Type)
	}
	a.args = []int{0}
	row := []*vector.Type{t}
	for _, o := range order {
		a.args = append(a.args, len(types))
		types, row = append(types, o.Arg.Type), append(row, o.Arg.Type)
	}
	a.order = order
	a.row = exchanged(row)
	a.list = vector.ArrayOf(a.row, false)
	return &Impl{
		Args: types, Result: t, Nullable: true, Ordered: true,
		State: []vector.Field{field("buf", vector.Binary, false)},
		New: func() Accumulator {
			acc := *a
			return &acc
		},
	}, nil
}

// listagg collects rows of a value and its sort keys.
type listagg struct {
	collectList
	typ, row  *vector.Type
	args      []int // the arguments that make a row
	order     []Order
	delimiter []byte
}

func (a *listagg) Update(r Rows, g []uint32, args []arrow.Array) error {
	cols := make([]arrow.Array, len(a.args))
	for i, k := range a.args {
		cols[i] = args[k]
	}
	if v := validOf(cols[0]); v != nil {
		var rows []uint32
		for i := range g {
			if v.Get(i) {
				rows = append(rows, uint32(i))
			}
		}
		for i, c := range cols {
			cols[i] = vector.Take(c, rows)
		}
		g = pick(g, rows)
	}
	return a.collectList.Update(r, g, []arrow.Array{vector.NewStruct(a.row, cols, len(g), nil)})
}

func (a *listagg) Result(r Rows, g []uint32) (arrow.Array, error) {
	list, err := a.collectList.Result(r, g)
	if err != nil {
		return nil, err
	}
	rows := vector.ListChild(list)
	off, data := vector.Strings(vector.StructField(rows, 0))
	less := a.comparer(rows)
	lists := vector.Offsets(list)
	outOff, out, ok := make([]int32, len(g)+1), []byte(nil), vector.NewValid(len(g))
	for i := range g {
		lo, hi := lists[i], lists[i+1]
		if lo == hi {
			ok.Clear(i)
		}
		at := make([]int32, hi-lo)
		for k := range at {
			at[k] = lo + int32(k)
		}
		if less != nil {
			slices.SortStableFunc(at, less)
		}
		for k, j := range at {
			if k > 0 {
				out = append(out, a.delimiter...)
			}
			out = append(out, data[off[j]:off[j+1]]...)
		}
		outOff[i+1] = int32(len(out))
	}
	return vector.NewString(a.typ, outOff, out, ok), nil
}

// comparer orders rows by the sort keys; nil if there are none.
func (a *listagg) comparer(rows arrow.Array) func(x, y int32) int {
	if len(a.order) == 0 {
		return nil
	}
	type key struct {
		off   []int32
		data  []byte
		valid vector.Bitmap
	}
	keys := make([]key, len(a.order))
	for i, o := range a.order {
		col := vector.StructField(rows, i+1)
		keys[i].valid = validOf(col)
		keys[i].off, keys[i].data = vector.Strings(vector.EncodeKey(o.Arg.Type, col))
	}
	return func(x, y int32) int {
		for i, o := range a.order {
			k := &keys[i]
			vx, vy := k.valid.Get(int(x)), k.valid.Get(int(y))
			switch {
			case !vx && !vy:
				continue
			case !vx || !vy:
				if vx == o.NullsLast {
					return -1
				}
				return 1
			}
			c := bytes.Compare(k.data[k.off[x]:k.off[x+1]], k.data[k.off[y]:k.off[y+1]])
			if o.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
}
