package agg

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// call is a call under analysis, as Bind sees it.
type call struct {
	name string
	conf *kernels.Conf
	args []kernels.Arg
	// text, if not "", is the call as Spark prints it, with arguments that were left out.
	text string
}

// sql is the call as Spark prints it.
func (c call) sql() string {
	if c.text != "" {
		return c.text
	}
	return c.name + "(" + strings.Join(sqlsOf(c.args), ", ") + ")"
}

// cast gives the types to which the arguments are cast for the parameters
// accepts (the last stands for all that follow), or DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE.
func (c call) cast(accepts ...kernels.Accept) ([]*vector.Type, error) {
	out := make([]*vector.Type, len(c.args))
	for i, a := range c.args {
		want := accepts[min(i, len(accepts)-1)]
		t, ok := kernels.ImplicitCast(c.conf, a.Type, want)
		if !ok {
			return nil, kernels.UnexpectedInput(c.sql(), i, want, a)
		}
		if t == nil {
			t = a.Type
		}
		out[i] = t
	}
	return out, nil
}

// expect is cast for parameters that take only what they name (Spark's
// ExpectsInputTypes): nothing but NULL is cast.
func (c call) expect(accepts ...kernels.Accept) ([]*vector.Type, error) {
	for i, a := range c.args {
		want := accepts[min(i, len(accepts)-1)]
		if a.Type.Kind != vector.KindNull && !want.Accepts(a.Type) {
			return nil, kernels.UnexpectedInput(c.sql(), i, want, a)
		}
	}
	return c.cast(accepts...)
}

// numeric is the type to which the argument of sum and avg is cast: numbers and
// intervals stay, strings, timestamps and NULL become doubles.
func (c call) numeric() (*vector.Type, error) {
	a := c.args[0]
	switch a.Type.Kind {
	case vector.KindDayTimeInterval, vector.KindYearMonthInterval:
		return a.Type, nil
	case vector.KindTimestamp:
		return vector.Double, nil
	}
	if t, ok := kernels.ImplicitCast(c.conf, a.Type, kernels.AnyNumeric); ok && t != nil && t.Numeric() {
		return t, nil
	}
	return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
		"sqlExpr", quote(c.sql()), "paramIndex", kernels.Ordinal(0), "requiredType", `"NUMERIC" or "ANSI INTERVAL"`,
		"inputSql", quote(a.SQL), "inputType", quote(a.Type.SQL()))
}

// ordered checks that argument i has an order, as min, max and their kin need.
func (c call) ordered(i int) error {
	if t := c.args[i].Type; !orderable(t) {
		return condition.New("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
			"sqlExpr", quote(c.sql()), "functionName", "`"+c.name+"`", "dataType", quote(t.SQL()))
	}
	return nil
}

// orderable is Spark's RowOrdering.isOrderable.
func orderable(t *vector.Type) bool {
	switch t.Kind {
	case vector.KindMap, vector.KindCalendarInterval, vector.KindVariant:
		return false
	case vector.KindArray:
		return orderable(t.Elem)
	case vector.KindStruct:
		for _, f := range t.Fields {
			if !orderable(f.Type) {
				return false
			}
		}
	}
	return true
}

func quote(s string) string { return `"` + s + `"` }

// sqlsOf are the arguments as Spark prints them.
func sqlsOf(args []kernels.Arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.SQL
	}
	return out
}

// typesOf is an Args list that casts nothing.
func typesOf(args []kernels.Arg) []*vector.Type {
	out := make([]*vector.Type, len(args))
	for i, a := range args {
		out[i] = a.Type
	}
	return out
}

func field(name string, t *vector.Type, nullable bool) vector.Field {
	return vector.Field{Name: name, Type: t, Nullable: nullable}
}

// overflow is ARITHMETIC_OVERFLOW as Spark's aggregates raise it.
func overflow(message, try string) error {
	return condition.New("ARITHMETIC_OVERFLOW", "message", message,
		"alternative", " Use '"+try+"' to tolerate overflow and return NULL instead.",
		"config", `"spark.sql.ansi.enabled"`)
}
