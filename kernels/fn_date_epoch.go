package kernels

import (
	"math"
	"math/big"
	"strconv"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	longOf := func(f func(v int64) int64) Eval {
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			v := fixedOf[int64](args[0])
			return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 { return f(v.at(i)) }), nil
		}
	}
	floor := func(unit int64) Eval { return longOf(func(v int64) int64 { return text.FloorDiv(v, unit) }) }
	fromTS := Sig{Params: []Accept{AnyTimestamp}, NoCast: true, Result: vector.Long}
	now := func(name string, t *vector.Type, summary string, eval func(ctx *Ctx) vector.Vec, aliases ...string) Scalar {
		return Define(Scalar{
			Name: name, Aliases: aliases, Signature: name + "()", Summary: summary,
			Examples: []Example{{name + "() IS NOT NULL", "true"}},
		}, Sig{Result: t, Volatile: true}, func(ctx *Ctx, _ []vector.Vec, _ int) (vector.Vec, error) { return eval(ctx), nil })
	}
	micros := func(t *vector.Type, v int64) vector.Vec {
		return vector.Vec{Arr: vector.NewFixed(t, []int64{v}, nil), Const: true}
	}
	Register(
		now("current_timestamp", vector.Timestamp, "The time at which the micro-batch began.", func(ctx *Ctx) vector.Vec {
			return micros(vector.Timestamp, ctx.BatchTimeMicros)
		}),
		now("now", vector.Timestamp, "The time at which the micro-batch began.", func(ctx *Ctx) vector.Vec {
			return micros(vector.Timestamp, ctx.BatchTimeMicros)
		}),
		now("localtimestamp", vector.TimestampNTZ, "The wall-clock time in the session's zone at which the micro-batch began.", func(ctx *Ctx) vector.Vec {
			return micros(vector.TimestampNTZ, text.NewClock(ctx.Zone).Local(ctx.BatchTimeMicros))
		}),
		Scalar{
			Name: "current_time", Signature: "current_time([precision])", Summary: "The time of day in the session's zone at which the micro-batch began.",
			Examples: []Example{{"current_time() IS NOT NULL", "true"}}, MaxArgs: 1, Bind: bindCurrentTime,
			SQL: withDefaults("current_time", 0, "6"),
		},
		now("current_date", vector.Date, "The date in the session's zone at which the micro-batch began.", func(ctx *Ctx) vector.Vec {
			days := text.FloorDiv(text.NewClock(ctx.Zone).Local(ctx.BatchTimeMicros), text.MicrosPerDay)
			return vector.Vec{Arr: vector.NewFixed(vector.Date, []int32{int32(days)}, nil), Const: true}
		}, "curdate"),
		now("current_timezone", vector.String, "The session's time zone.", func(ctx *Ctx) vector.Vec {
			return NewConst(vector.String, text.NewClock(ctx.Zone).Zone().String()).Value
		}),
		Define(Scalar{
			Name: "unix_seconds", Signature: "unix_seconds(ts)", Summary: "Seconds since 1970-01-01 00:00:00 UTC, rounded down.",
			Examples: []Example{{"unix_seconds(TIMESTAMP('1970-01-01 00:00:01Z'))", "1"}},
		}, fromTS, floor(text.MicrosPerSecond)),
		Define(Scalar{
			Name: "unix_millis", Signature: "unix_millis(ts)", Summary: "Milliseconds since 1970-01-01 00:00:00 UTC, rounded down.",
			Examples: []Example{{"unix_millis(TIMESTAMP('1970-01-01 00:00:01Z'))", "1000"}},
		}, fromTS, floor(1000)),
		Define(Scalar{
			Name: "unix_micros", Signature: "unix_micros(ts)", Summary: "Microseconds since 1970-01-01 00:00:00 UTC.",
			Examples: []Example{{"unix_micros(TIMESTAMP('1970-01-01 00:00:01Z'))", "1000000"}},
		}, fromTS, floor(1)),
		Define(Scalar{
			Name: "unix_date", Signature: "unix_date(date)", Summary: "Days since 1970-01-01.",
			Examples: []Example{{"unix_date(DATE('1970-01-02'))", "1"}},
		}, Sig{Params: []Accept{Date}, NoCast: true, Result: vector.Int}, evalDateField(func(d int64) int32 { return int32(d) })),
		Define(Scalar{
			Name: "date_from_unix_date", Signature: "date_from_unix_date(days)", Summary: "The date a number of days after 1970-01-01.",
			Examples: []Example{{"date_from_unix_date(1)", "1970-01-02"}},
		}, Sig{Params: []Accept{Int}, Result: vector.Date}, evalDateToDate(func(d int64) int64 { return d })),
		DefineOn(Scalar{
			Name: "timestamp_seconds", Signature: "timestamp_seconds(seconds)", Summary: "The timestamp of a number of seconds, which may have a fraction, since 1970-01-01 00:00:00 UTC.",
			Examples: []Example{{"timestamp_seconds(1230219000)", "2008-12-25 15:30:00"}},
		}, Sig{Params: []Accept{AnyNumeric}, NoCast: true, Result: vector.Timestamp, Nullable: true}, func(_ *Conf, args []Arg) Eval {
			return evalTimestampSeconds(args[0].Type)
		}),
		timestampFrom("timestamp_millis", "milliseconds", 1000, "1230219000123", "2008-12-25 15:30:00.123"),
		timestampFrom("timestamp_micros", "microseconds", 1, "1230219000123123", "2008-12-25 15:30:00.123123"),
	)
}

func epochOverflow(v int64, unit string) error {
	return condition.New("DATETIME_OVERFLOW", "operation", "create a TIMESTAMP from "+strconv.FormatInt(v, 10)+"L "+unit+" since the epoch")
}

// timestampFrom defines a function that makes a timestamp from an integer count
// of units of the given number of microseconds.
func timestampFrom(name, unit string, micros int64, arg, want string) Scalar {
	return Define(Scalar{
		Name: name, Signature: name + "(" + unit + ")", Summary: "The timestamp of a number of " + unit + " since 1970-01-01 00:00:00 UTC.",
		Examples: []Example{{name + "(" + arg + ")", want}},
	}, Sig{Params: []Accept{AnyIntegral}, NoCast: true, Result: vector.Timestamp}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		get := smallInts(args[0])
		return fixedRowsOr(vector.Timestamp, n, args, func(i int) (int64, bool, error) {
			v, ok := mulLong(get(i), micros)
			if !ok {
				return 0, false, epochOverflow(get(i), unit)
			}
			return v, true, nil
		})
	})
}

func evalTimestampSeconds(t *vector.Type) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		switch t.Kind {
		case vector.KindDecimal:
			d := fixedOf[Dec](args[0])
			return fixedRowsOr(vector.Timestamp, n, args, func(i int) (int64, bool, error) {
				v, ok := decimal.Rescale(d.at(i), t.Scale, decimal.MaxPrecision, 6)
				back, exact := decimal.Rescale(v, 6, decimal.MaxPrecision, t.Scale)
				if !ok || !exact || t.Scale > 6 && back != d.at(i) {
					return 0, false, condition.New("INTERNAL_ERROR", "message", "Rounding necessary: seconds have at most six decimals")
				}
				b := v.BigInt()
				if !b.IsInt64() {
					return 0, false, epochOverflow(new(big.Int).Quo(b, big.NewInt(text.MicrosPerSecond)).Int64(), "seconds")
				}
				return b.Int64(), true, nil
			})
		case vector.KindFloat, vector.KindDouble:
			get := fixedOf[float64]
			if t.Kind == vector.KindFloat {
				f := fixedOf[float32](args[0])
				return secondsFromFloat(n, args, func(i int) float64 { return float64(f.at(i)) })
			}
			return secondsFromFloat(n, args, get(args[0]).at)
		}
		get := smallInts(args[0])
		return fixedRowsOr(vector.Timestamp, n, args, func(i int) (int64, bool, error) {
			v, ok := mulLong(get(i), text.MicrosPerSecond)
			if !ok {
				return 0, false, epochOverflow(get(i), "seconds")
			}
			return v, true, nil
		})
	}
}

func secondsFromFloat(n int, args []vector.Vec, get func(int) float64) (vector.Vec, error) {
	return fixedRowsOr(vector.Timestamp, n, args, func(i int) (int64, bool, error) {
		v := get(i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false, nil
		}
		return saturate[int64](v * float64(text.MicrosPerSecond)), true, nil
	})
}

// bindCurrentTime gives TIME of the precision that a constant says, 0 to 9, or else 6.
func bindCurrentTime(conf *Conf, args []Arg) (*Impl, error) {
	precision := int64(vector.Time.Precision)
	if len(args) > 0 {
		sql, a := callSQL("current_time", sqlOf(args)), args[0]
		switch {
		case !a.Type.Integral():
			return nil, UnexpectedInput(sql, 0, Int, a)
		case a.Const == nil || a.Const.IsNull(0):
			return nil, nonFoldable(sql, "precision", a)
		}
		if precision = integerAt(a.Type, a.Const.Arr, 0); precision < 0 || precision > 9 {
			return nil, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quoteSQL(sql),
				"exprName", "`precision`", "valueRange", "[0, 9]", "currentValue", precision)
		}
	}
	t := &vector.Type{Kind: vector.KindTime, Precision: int(precision)}
	unit := int64(1)
	for range 9 - precision {
		unit *= 10
	}
	return &Impl{Args: make([]*vector.Type, len(args)), Result: t, Volatile: true, Eval: func(ctx *Ctx, _ []vector.Vec, _ int) (vector.Vec, error) {
		nanos := text.FloorMod(text.NewClock(ctx.Zone).Local(ctx.BatchTimeMicros), text.MicrosPerDay) * 1000
		return vector.Vec{Arr: vector.NewFixed(t, []int64{nanos - nanos%unit}, nil), Const: true}, nil
	}}, nil
}
