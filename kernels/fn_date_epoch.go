package kernels

import (
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// zone is the clock's time zone, never nil.
func (c *Clock) zone() *time.Location {
	if c.loc == nil {
		return time.UTC
	}
	return c.loc
}

func init() {
	longOf := func(f func(v int64) int64) Eval {
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			v := fixedOf[int64](args[0])
			return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 { return f(v.at(i)) }), nil
		}
	}
	floor := func(unit int64) Eval { return longOf(func(v int64) int64 { return FloorDiv(v, unit) }) }
	fromTS := Sig{Params: []Accept{Timestamp}, Result: vector.Long}
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
			return micros(vector.TimestampNTZ, NewClock(ctx.Zone).Local(ctx.BatchTimeMicros))
		}),
		now("current_date", vector.Date, "The date in the session's zone at which the micro-batch began.", func(ctx *Ctx) vector.Vec {
			days := FloorDiv(NewClock(ctx.Zone).Local(ctx.BatchTimeMicros), microsPerDay)
			return vector.Vec{Arr: vector.NewFixed(vector.Date, []int32{int32(days)}, nil), Const: true}
		}, "curdate"),
		now("current_timezone", vector.String, "The session's time zone.", func(ctx *Ctx) vector.Vec {
			return NewConst(vector.String, NewClock(ctx.Zone).zone().String()).Value
		}),
		Define(Scalar{
			Name: "unix_seconds", Signature: "unix_seconds(ts)", Summary: "Seconds since 1970-01-01 00:00:00 UTC, rounded down.",
			Examples: []Example{{"unix_seconds(TIMESTAMP('1970-01-01 00:00:01Z'))", "1"}},
		}, fromTS, floor(microsPerSecond)),
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
		}, Sig{Params: []Accept{Date}, Result: vector.Int}, evalDateField(func(d int64) int32 { return int32(d) })),
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
				v, ok := Rescale(d.at(i), t.Scale, maxDecimalPrecision, 6)
				back, exact := Rescale(v, 6, maxDecimalPrecision, t.Scale)
				if !ok || !exact || t.Scale > 6 && back != d.at(i) {
					return 0, false, condition.New("INTERNAL_ERROR", "message", "Rounding necessary: seconds have at most six decimals")
				}
				b := v.BigInt()
				if !b.IsInt64() {
					return 0, false, epochOverflow(new(big.Int).Quo(b, big.NewInt(microsPerSecond)).Int64(), "seconds")
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
			v, ok := mulLong(get(i), microsPerSecond)
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
		return saturate[int64](v * float64(microsPerSecond)), true, nil
	})
}
