package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// castFn casts a whole array; the session comes from ctx.
type castFn func(ctx *Ctx, a arrow.Array) (arrow.Array, error)

// castExpr is a compiled CAST.
type castExpr struct {
	child Expr
	to    *vector.Type
	fn    castFn
	mem   *vector.Buffers // holds the child's column, if the kernel shares nothing with it
}

// NewCast casts child to a type; the pair must satisfy CanCast (see CheckCast).
// Where the types differ only in inner nullability or field names nothing is copied.
func NewCast(child Expr, to *vector.Type, mode CastMode) Expr {
	from := child.Type()
	if from.Equal(to) {
		return child
	}
	c := &castExpr{child: child, to: to, fn: castKernel(from, to, mode)}
	if from.Numeric() && (to.Numeric() || isString(to)) && !(isDecimal(from) && isDecimal(to)) {
		c.mem = argumentMemory(child)
	}
	return c
}

// Type is the target type.
func (c *castExpr) Type() *vector.Type { return c.to }

// Eval casts the child's column; a constant stays a constant.
func (c *castExpr) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	var v vector.Vec
	err := within(ctx, c.mem, func() (err error) {
		v, err = c.child.Eval(ctx, b)
		return err
	})
	if err != nil {
		return vector.Vec{}, err
	}
	out, err := c.fn(ctx, v.Arr)
	if err != nil {
		return vector.Vec{}, err
	}
	return vector.Vec{Arr: out, Const: v.Const}, nil
}

// CastArray casts an array as NewCast does, for callers that hold no expression.
func CastArray(ctx *Ctx, a arrow.Array, from, to *vector.Type, mode CastMode) (arrow.Array, error) {
	if from.Equal(to) {
		return a, nil
	}
	return castKernel(from, to, mode)(ctx, a)
}

// castKernel picks the kernel for a pair of types that differ.
func castKernel(from, to *vector.Type, mode CastMode) castFn {
	if isNull(from) {
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) { return vector.NewNull(to, a.Len()), nil }
	}
	if from.Kind == vector.KindVariant {
		return castFromVariant(to, mode)
	}
	switch to.Kind {
	case vector.KindVariant:
		return castToVariant(from)
	case vector.KindString:
		return castToString(from, mode)
	case vector.KindBool:
		return castToBool(from, to, mode)
	case vector.KindByte:
		return castToInt[int8](from, to, mode)
	case vector.KindShort:
		return castToInt[int16](from, to, mode)
	case vector.KindInt:
		return castToInt[int32](from, to, mode)
	case vector.KindLong:
		return castToInt[int64](from, to, mode)
	case vector.KindFloat:
		return castToFloat[float32](from, to, mode)
	case vector.KindDouble:
		return castToFloat[float64](from, to, mode)
	case vector.KindDecimal:
		return castToDecimal(from, to, mode)
	case vector.KindBinary:
		return castToBinary(from)
	case vector.KindDate:
		return castToDate(from, to, mode)
	case vector.KindTimestamp:
		return castToTimestamp(from, to, mode)
	case vector.KindTimestampNTZ:
		return castToTimestampNTZ(from, to, mode)
	case vector.KindDayTimeInterval:
		return castToDayTime(from, to, mode)
	case vector.KindYearMonthInterval:
		return castToYearMonth(from, to, mode)
	case vector.KindCalendarInterval:
		return castToCalendar(from, to, mode)
	}
	return castNested(from, to, mode)
}

// CheckCast is nil if a cast is defined, or the error that Spark reports for
// it; sql is the whole CAST expression as printed.
func CheckCast(from, to *vector.Type, mode CastMode, sql string) error {
	if CanCast(from, to, mode) {
		return nil
	}
	params := []any{"sqlExpr", quoteSQL(sql), "srcType", quoteType(from), "targetType", quoteType(to)}
	if mode != CastLegacy {
		if f := castFunction(from, to); f != "" {
			return condition.New("DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", append(params, "functionNames", f)...)
		}
		if mode == CastANSI && CanCast(from, to, CastLegacy) {
			return condition.New("DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION",
				append(params, "config", ansiConfig, "configVal", "'false'")...)
		}
	}
	return condition.New("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", params...)
}

// CastSQL is a cast as Spark prints it; one to an array, map or struct prints
// its child only.
func CastSQL(child string, to *vector.Type, mode CastMode) string {
	if !to.Atomic() && to.Kind != vector.KindVariant {
		return child
	}
	if mode == CastTry {
		return "TRY_CAST(" + child + " AS " + to.SQL() + ")"
	}
	return "CAST(" + child + " AS " + to.SQL() + ")"
}

// castFunction names the functions that do what a refused cast may have meant.
func castFunction(from, to *vector.Type) string {
	switch {
	case to.Kind == vector.KindDate && from.Numeric():
		return "`DATE_FROM_UNIX_DATE`"
	case from.Kind == vector.KindDate && to.Numeric():
		return "`UNIX_DATE`"
	case to.Kind == vector.KindTimestamp && from.Numeric():
		return "`TIMESTAMP_SECONDS`/`TIMESTAMP_MILLIS`/`TIMESTAMP_MICROS`"
	case from.Kind == vector.KindTimestamp && to.Numeric():
		return "`UNIX_SECONDS`/`UNIX_MILLIS`/`UNIX_MICROS`"
	}
	return ""
}

// mapValues applies f to every valid value; where f refuses, the row becomes
// null or, in ANSI mode, fail makes the error.
func mapValues[S, D any](a arrow.Array, to *vector.Type, mode CastMode, f func(S) (D, bool), fail func(i int) error) (arrow.Array, error) {
	src := vector.Values[S](a)
	out := make([]D, len(src))
	valid := vector.Validity(a)
	var own vector.Bitmap
	for i, v := range src {
		if valid != nil && !valid.Get(i) {
			continue
		}
		d, ok := f(v)
		if ok {
			out[i] = d
			continue
		}
		if mode == CastANSI {
			return nil, fail(i)
		}
		own = clearRow(own, valid, len(src), i)
	}
	if own != nil {
		valid = own
	}
	return vector.NewFixed(to, out, valid), nil
}

// parseStrings is mapValues for a string or binary array.
func parseStrings[D any](ctx *Ctx, a arrow.Array, to *vector.Type, mode CastMode, f func([]byte) (D, bool), fail func(i int) error) (arrow.Array, error) {
	off, data := vector.Strings(a)
	n := a.Len()
	out := vector.Make[D](ctx.Temp, n)
	valid := vector.Validity(a)
	var own vector.Bitmap
	for i := range out {
		var d D
		if valid != nil && !valid.Get(i) {
			out[i] = d
			continue
		}
		d, ok := f(data[off[i]:off[i+1]])
		out[i] = d
		if ok {
			continue
		}
		if mode == CastANSI {
			return nil, fail(i)
		}
		own = clearRow(own, valid, n, i)
	}
	if own != nil {
		valid = own
	}
	return vector.NewFixed(to, out, valid), nil
}

// clearRow clears bit i of own, a copy of valid that is made on first use.
func clearRow(own, valid vector.Bitmap, n, i int) vector.Bitmap {
	if own == nil {
		if valid == nil {
			own = vector.NewValid(n)
		} else {
			own = append(vector.Bitmap(nil), valid...)
		}
	}
	own.Clear(i)
	return own
}

// invalidInput and castOverflow make the error of a row.
func invalidInput(from, to *vector.Type, a arrow.Array) func(int) error {
	return func(i int) error { return errCastInput(sqlValue(from, a, i), from, to) }
}

func castOverflow(from, to *vector.Type, a arrow.Array) func(int) error {
	return func(i int) error { return errCastOverflow(sqlValue(from, a, i), from, to) }
}
