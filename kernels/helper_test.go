package kernels_test

import (
	"errors"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// operand is an argument of a call under test.
type operand struct {
	typ    *vector.Type
	values []any // one: a constant; else a column
	sql    string
}

func lit(t *vector.Type, v any, sql string) operand { return operand{t, []any{v}, sql} }

func col(t *vector.Type, values ...any) operand { return operand{t, values, "c"} }

func (o operand) array() arrow.Array {
	parts := make([]arrow.Array, len(o.values))
	for i, v := range o.values {
		parts[i] = kernels.NewConst(o.typ, v).Value.Arr
	}
	return vector.Concat(parts)
}

var (
	ansi   = &kernels.Conf{ANSI: true, Zone: time.UTC}
	legacy = &kernels.Conf{ANSI: false, Zone: time.UTC}
)

// call binds a function, casts its arguments and evaluates it on all rows.
func call(conf *kernels.Conf, name string, args ...operand) (*vector.Type, []any, error) {
	f, ok := kernels.Lookup(name)
	if !ok {
		return nil, nil, errors.New("no function " + name)
	}
	n := 1
	in := make([]kernels.Arg, len(args))
	exprs := make([]kernels.Expr, len(args))
	var cols []arrow.Array
	var fields []vector.Field
	for i, a := range args {
		in[i] = kernels.Arg{Type: a.typ, Nullable: true, SQL: a.sql}
		if len(a.values) == 1 {
			c := kernels.NewConst(a.typ, a.values[0])
			in[i].Const, exprs[i] = &c.Value, c
			continue
		}
		n = len(a.values)
		exprs[i] = &kernels.Column{Index: len(cols), Typ: a.typ}
		cols = append(cols, a.array())
		fields = append(fields, vector.Field{Name: "c", Type: a.typ, Nullable: true})
	}
	impl, err := f.Bind(conf, in)
	if err != nil {
		return nil, nil, err
	}
	for i, t := range impl.Args {
		if t != nil {
			exprs[i] = kernels.NewCast(exprs[i], t, kernels.ModeOf(conf.ANSI))
		}
	}
	e := kernels.NewCall(impl, exprs)
	b := vector.NewBatch(vector.NewSchema(fields...), cols, n)
	v, err := e.Eval(&kernels.Ctx{Zone: conf.Zone, ANSI: conf.ANSI}, b)
	if err != nil {
		return e.Type(), nil, err
	}
	a := v.Dense(n)
	out := make([]any, n)
	for i := range out {
		out[i] = kernels.ValueAt(e.Type(), a, i)
	}
	return e.Type(), out, nil
}

// conditionOf is the condition name of an error.
func conditionOf(err error) string {
	var e *condition.Error
	if errors.As(err, &e) {
		return e.Name
	}
	return ""
}

// castTo casts one value.
func castTo(t *testing.T, from *vector.Type, value any, to *vector.Type, mode kernels.CastMode, zone *time.Location) (any, error) {
	t.Helper()
	e := kernels.NewCast(kernels.NewConst(from, value), to, mode)
	v, err := kernels.Fold(&kernels.Ctx{Zone: zone, ANSI: mode == kernels.CastANSI}, e)
	if err != nil {
		return nil, err
	}
	return kernels.ValueAt(to, v.Arr, 0), nil
}
