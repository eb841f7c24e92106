package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	for _, f := range []struct {
		name, word string
		greatest   bool
	}{{"min", "least", false}, {"max", "greatest", true}} {
		want := "1"
		if f.greatest {
			want = "2"
		}
		Register(Function{
			Name: f.name, Signature: f.name + "(expr)",
			Summary:  "The " + f.word + " non-null value; NaN is greater than every number.",
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(x) FROM VALUES (1), (2), (NULL) AS t(x)", Want: want}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				c := call{name: f.name, conf: conf, args: args}
				if err := c.ordered(0); err != nil {
					return nil, err
				}
				return extremeImpl(typesOf(args), args[0].Type, f.greatest), nil
			},
		})
	}
	for _, f := range []struct {
		name    string
		aliases []string
		any     bool
	}{{"bool_and", []string{"every"}, false}, {"bool_or", []string{"some", "any"}, true}} {
		what, want := "all non-null values are", "false"
		if f.any {
			what, want = "any non-null value is", "true"
		}
		Register(Function{
			Name: f.name, Aliases: f.aliases, Signature: f.name + "(condition)",
			Summary:  "Whether " + what + " true; null if there is none.",
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(x) FROM VALUES (true), (false) AS t(x)", Want: want}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				types, err := call{name: f.name, conf: conf, args: args}.cast(kernels.Bool)
				if err != nil {
					return nil, err
				}
				return extremeImpl(types, vector.Bool, f.any), nil
			},
		})
	}
}

// extremeImpl is min or max over a type that has an order.
func extremeImpl(args []*vector.Type, t *vector.Type, greatest bool) *Impl {
	c, name := newCell(t), "min"
	if greatest {
		name = "max"
	}
	return &Impl{
		Args: args, Result: t, Nullable: true,
		State:  []vector.Field{field(name, c.stored(), true)},
		Buffer: []BufferField{{name, t, 0}},
		New:    func() Accumulator { return newExtreme(t, greatest) },
	}
}

func newExtreme(t *vector.Type, greatest bool) Accumulator {
	switch t.Kind {
	case vector.KindByte:
		return extremeInt[int8]{t, greatest}
	case vector.KindShort:
		return extremeInt[int16]{t, greatest}
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		return extremeInt[int32]{t, greatest}
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		return extremeInt[int64]{t, greatest}
	case vector.KindFloat:
		return extremeFloat[float32]{t, greatest}
	case vector.KindDouble:
		return extremeFloat[float64]{t, greatest}
	}
	return &extremeAny{cell: newCell(t), greatest: greatest}
}

// extremeInt is min or max of integers: state {value T}.
type extremeInt[T int8 | int16 | int32 | int64] struct {
	t        *vector.Type
	greatest bool
}

func (extremeInt[T]) Width() int { return 8 }
func (extremeInt[T]) Bytes() int { return 0 }

func (extremeInt[T]) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

func (a extremeInt[T]) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	v := vector.Values[T](args[0])[:len(g)]
	if a.greatest {
		for i, x := range g {
			p, f := at[T](r, x, 0), r.flagOf(x)
			if v[i] > *p || *f == 0 {
				*p, *f = v[i], set
			}
		}
		return nil
	}
	for i, x := range g {
		p, f := at[T](r, x, 0), r.flagOf(x)
		if v[i] < *p || *f == 0 {
			*p, *f = v[i], set
		}
	}
	return nil
}

func (a extremeInt[T]) Merge(r Rows, g []uint32, state []arrow.Array) error {
	return a.Update(r, g, state)
}

func (a extremeInt[T]) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{export[T](a.t, r, g)}
}

func (a extremeInt[T]) Result(r Rows, g []uint32) (arrow.Array, error) {
	return export[T](a.t, r, g), nil
}

// extremeFloat is min or max of floats, NaN above all: state {value T}.
type extremeFloat[T float32 | float64] struct {
	t        *vector.Type
	greatest bool
}

func (extremeFloat[T]) Width() int { return 8 }
func (extremeFloat[T]) Bytes() int { return 0 }

func (extremeFloat[T]) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

func (a extremeFloat[T]) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	v := vector.Values[T](args[0])[:len(g)]
	for i, x := range g {
		p, f := at[T](r, x, 0), r.flagOf(x)
		y := v[i]
		better := y < *p || *p != *p && y == y
		if a.greatest {
			better = y > *p || y != y && *p == *p
		}
		if better || *f == 0 {
			*p, *f = y, set
		}
	}
	return nil
}

func (a extremeFloat[T]) Merge(r Rows, g []uint32, state []arrow.Array) error {
	return a.Update(r, g, state)
}

func (a extremeFloat[T]) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{export[T](a.t, r, g)}
}

func (a extremeFloat[T]) Result(r Rows, g []uint32) (arrow.Array, error) {
	return export[T](a.t, r, g), nil
}

// extremeAny is min or max of any other type with an order: state {cell}.
type extremeAny struct {
	cell
	greatest bool
}

func (a *extremeAny) Init(r Rows, lo, hi int) { a.cell.init(r, lo, hi) }

func (a *extremeAny) Update(r Rows, g []uint32, args []arrow.Array) error {
	return a.Merge(r, g, []arrow.Array{a.encode(args[0])})
}

func (a *extremeAny) Merge(r Rows, g []uint32, state []arrow.Array) error {
	g, state = valid(g, state[0])
	in := a.read(state[0])
	for i, x := range g {
		if *r.flagOf(x) == 0 {
			*r.flagOf(x) = set
			a.put(r, x, in, i)
			continue
		}
		if c := a.compare(r, x, in, i); c < 0 && a.greatest || c > 0 && !a.greatest {
			a.put(r, x, in, i)
		}
	}
	return nil
}

func (a *extremeAny) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{a.column(r, g, gatherSet(r, g))}
}

func (a *extremeAny) Result(r Rows, g []uint32) (arrow.Array, error) {
	return a.decode(a.Export(r, g)[0]), nil
}
