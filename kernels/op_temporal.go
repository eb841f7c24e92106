package kernels

import (
	"math"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// bindTemporal binds + - * / where an operand is a date, timestamp or
// interval; ok is false if none is, and then the operator is numeric.
func (o arithOp) bindTemporal(conf *Conf, print func([]Arg) string, args []Arg) (impl *Impl, err error, ok bool) {
	l, r := args[0].Type, args[1].Type
	if isNull(l) && isInterval(r) {
		l = r
	} else if isNull(r) && isInterval(l) {
		r = l
	}
	switch o.symbol {
	case "+":
		if isInterval(l) && r.Kind != l.Kind && (!isInterval(r) || l.Kind == vector.KindDayTimeInterval) {
			l, r = r, l
			impl, err, ok = o.bindPlus(conf, []Arg{args[1], args[0]}, l, r)
			return swapped(impl), err, ok
		}
		if r.Kind == vector.KindDate && !isString(l) && l.Kind != vector.KindDate {
			impl, err, ok = o.bindPlus(conf, []Arg{args[1], args[0]}, r, l)
			return swapped(impl), err, ok
		}
		return o.bindPlus(conf, args, l, r)
	case "-":
		return o.bindPlus(conf, args, l, r)
	case "*":
		switch {
		case isInterval(l):
			impl, err = o.bindScale(args, l, 0)
			return impl, err, true
		case isInterval(r):
			impl, err = o.bindScale(args, r, 1)
			return impl, err, true
		}
	case "/":
		if isInterval(l) {
			impl, err = o.bindScale(args, l, 0)
			return impl, err, true
		}
	case "div":
		if t := Tightest(conf, l, r); isInterval(l) && isInterval(r) && t != nil {
			return o.divideIntervals(t), nil, true
		}
	}
	return nil, nil, false
}

// someTimestamp is AnyTimestamp as the messages of Spark's newer functions have it.
var someTimestamp = OneOf(AnyTimestamp, kindAccept("(TIMESTAMP_LTZ(P) OR TIMESTAMP_NTZ(P) WITH P IN [7, 9])", acceptOther, nil, isTimestamp))

// swapped exchanges the two operands of a bound operator.
func swapped(impl *Impl) *Impl {
	if impl == nil {
		return nil
	}
	inner, print := impl.Eval, impl.SQL
	impl.Args = []*vector.Type{impl.Args[1], impl.Args[0]}
	impl.Eval = func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		return inner(ctx, []vector.Vec{v[1], v[0]}, n)
	}
	if print != nil {
		impl.SQL = func(a []string) string { return print([]string{a[1], a[0]}) }
	}
	return impl
}

// bindPlus binds l + r and l - r with the temporal operand on the left.
func (o arithOp) bindPlus(conf *Conf, args []Arg, l, r *vector.Type) (*Impl, error, bool) {
	spaced := func(a []string) string { return a[0] + " " + o.symbol + " " + a[1] }
	made := func(a, b, result *vector.Type, print func([]string) string, eval Eval) (*Impl, error, bool) {
		if o.inTry {
			print = nil
		}
		return &Impl{Args: []*vector.Type{a, b}, Result: result, NullIfAny: true, Nullable: o.mode == CastTry,
			SQL: print, Eval: strict(result, eval)}, nil, true
	}
	minus := o.symbol == "-"
	switch {
	case l.Kind == vector.KindDate && r.Kind == vector.KindDayTimeInterval && r.End == vector.FieldDay:
		name := "extractansiintervaldays("
		return made(l, r, vector.Date, func(a []string) string {
			if minus {
				return "date_add(" + a[0] + ", (- " + name + a[1] + ")))"
			}
			return "date_add(" + a[0] + ", " + name + a[1] + "))"
		}, func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			return o.shift32(v, n, vector.Date, func(d int32, us int64) (int64, bool) {
				return int64(d) + o.sign(us/text.MicrosPerDay), true
			})
		})
	case l.Kind == vector.KindDate && r.Kind == vector.KindDayTimeInterval:
		return made(vector.Timestamp, r, vector.Timestamp, spaced, o.addDayTime(vector.Timestamp))
	case l.Kind == vector.KindDate && r.Kind == vector.KindYearMonthInterval:
		return made(l, r, vector.Date, spaced, func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			return o.shiftMonths(v, n)
		})
	case isTimestamp(l) && r.Kind == vector.KindYearMonthInterval:
		return made(l, r, l, spaced, o.addYearMonth(l))
	case isTimestamp(l) && r.Kind == vector.KindDayTimeInterval:
		return made(l, r, l, spaced, o.addDayTime(l))
	case isString(l) && r.Kind == vector.KindDayTimeInterval:
		impl, err, ok := made(vector.Timestamp, r, vector.String, spaced, o.addDayTime(vector.Timestamp))
		inner := impl.Eval
		impl.Eval = func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			out, err := inner(ctx, v, n)
			if err != nil {
				return out, err
			}
			out.Arr, err = CastArray(ctx, out.Arr, vector.Timestamp, vector.String, CastANSI)
			return out, err
		}
		return impl, err, ok
	case isInterval(l) && l.Kind == r.Kind:
		t := Tightest(conf, l, r)
		return made(t, t, t, nil, o.addIntervals(t))
	case minus && (isTimestamp(l) && (r.Datetime() || isString(r)) || isTimestamp(r) && (l.Datetime() || isString(l))):
		t := l
		if r.Kind == vector.KindTimestamp || !isTimestamp(l) {
			t = r
		}
		return made(t, t, vector.DayTime, nil, o.subtractTimestamps(t))
	case minus && r.Kind == vector.KindDate && (l.Kind == vector.KindDate || isString(l) || isNull(l)),
		minus && l.Kind == vector.KindDate && (isString(r) && conf.ANSI || isNull(r)):
		return made(vector.Date, vector.Date, vector.DayTimeOf(vector.FieldDay, vector.FieldDay), nil, subtractDates)
	case minus && (isTimestamp(l) || isTimestamp(r)) && !isInterval(l) && !isInterval(r) && !isNull(l) && !isNull(r):
		at := 1
		if isTimestamp(r) {
			at = 0
		}
		return nil, UnexpectedInput("("+spaced(sqls(args))+")", at, someTimestamp, args[at]), true
	case minus && r.Kind == vector.KindDate && !isInterval(l):
		return nil, UnexpectedInput("("+spaced(sqls(args))+")", 0, Date, args[0]), true
	case !minus && (l.Kind == vector.KindDate && r.Datetime() || isString(l) && r.Kind == vector.KindDate && conf.ANSI):
		call := "date_add(" + args[0].SQL + ", " + args[1].SQL + ")"
		return nil, UnexpectedInput(call, 1, SmallIntegral, args[1]), true
	case l.Kind == vector.KindDate && isString(r):
		// The string becomes a DATE, or without ANSI mode a DOUBLE, before Spark
		// takes the operator for date_add.
		promoted := vector.Date
		if !conf.ANSI {
			promoted = vector.Double
		}
		print := dateShift(minus) + "(" + args[0].SQL + ", " + args[1].SQL + ")"
		return nil, UnexpectedInput(print, 1, SmallIntegral, Arg{Type: promoted, SQL: args[1].SQL}), true
	case l.Kind == vector.KindDate && !isString(r) && !r.Datetime() && !isInterval(r):
		print := func(a []string) string { return dateShift(minus) + "(" + a[0] + ", " + a[1] + ")" }
		if !SmallIntegral.Accepts(r) && !isNull(r) {
			return nil, UnexpectedInput(print(sqls(args)), 1, SmallIntegral, args[1]), true
		}
		return made(vector.Date, vector.Int, vector.Date, print, func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			x, am := vector.Values[int32](v[0].Arr), v[0].Mask()
			y, bm := vector.Values[int32](v[1].Arr), v[1].Mask()
			out := make([]int32, n)
			for i := range out {
				out[i] = x[i&am] + int32(o.sign(int64(y[i&bm])))
			}
			return vector.Vec{Arr: vector.NewFixed(vector.Date, out, Validity(n, v...))}, nil
		})
	case r.Kind == vector.KindDayTimeInterval && !isNull(l):
		return nil, UnexpectedInput(spaced(sqls(args)), 0, someTimestamp, args[0]), true
	}
	return nil, nil, false
}

// dateShift is the function that a date plus or minus a number stands for.
func dateShift(minus bool) string {
	if minus {
		return "date_sub"
	}
	return "date_add"
}

// sign is v for + and -v for -.
func (o arithOp) sign(v int64) int64 {
	if o.symbol == "-" {
		return -v
	}
	return v
}

// rows2 runs f over the rows of two columns of different types; where f refuses,
// the row is null or fail raises.
func rows2[A, B, R any](t *vector.Type, v []vector.Vec, n int, mode CastMode, f func(A, B) (R, bool), fail func() error) (vector.Vec, error) {
	x, am := vector.Values[A](v[0].Arr), v[0].Mask()
	y, bm := vector.Values[B](v[1].Arr), v[1].Mask()
	valid := Validity(n, v...)
	var own vector.Bitmap
	out := make([]R, n)
	for i := range out {
		if valid != nil && !valid.Get(i) {
			continue
		}
		r, ok := f(x[i&am], y[i&bm])
		if ok {
			out[i] = r
			continue
		}
		if mode != CastTry {
			return vector.Vec{}, fail()
		}
		own = clearRow(own, valid, n, i)
	}
	if own != nil {
		valid = own
	}
	return vector.Vec{Arr: vector.NewFixed(t, out, valid)}, nil
}

func (o arithOp) shift32(v []vector.Vec, n int, t *vector.Type, f func(d int32, us int64) (int64, bool)) (vector.Vec, error) {
	return rows2(t, v, n, o.mode, func(d int32, us int64) (int32, bool) {
		r, ok := f(d, us)
		return int32(r), ok && int64(int32(r)) == r
	}, o.timeOverflow)
}

func (o arithOp) shiftMonths(v []vector.Vec, n int) (vector.Vec, error) {
	return rows2(vector.Date, v, n, o.mode, func(d, m int32) (int32, bool) {
		r := text.AddMonths(int64(d), o.sign(int64(m)))
		return int32(r), int64(int32(r)) == r
	}, o.timeOverflow)
}

func (o arithOp) timeOverflow() error {
	return condition.New("DATETIME_OVERFLOW", "operation", "add an interval to a date or timestamp")
}

// zoneClock is the clock in which a timestamp type counts days.
func zoneClock(ctx *Ctx, t *vector.Type) *text.Clock {
	if t.Kind == vector.KindTimestamp {
		return text.NewClock(ctx.Zone)
	}
	return text.NewClock(nil)
}

// addDayTime moves timestamps by whole days on the wall clock and then by the rest.
func (o arithOp) addDayTime(t *vector.Type) Eval {
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		clock := zoneClock(ctx, t)
		return rows2(t, v, n, o.mode, func(ts, us int64) (int64, bool) {
			us = o.sign(us)
			r, over := text.AddInt64(ts, us)
			if days := us / text.MicrosPerDay; days != 0 && !clock.Fixed() && !over {
				r = clock.AddLocalDays(ts, days) + us - days*text.MicrosPerDay
			}
			return r, !over
		}, o.timeOverflow)
	}
}

// The days of which every moment is a timestamp in every zone.
const (
	maxTimestampDay = math.MaxInt64/text.MicrosPerDay - 2
	minTimestampDay = -maxTimestampDay
)

func (o arithOp) addYearMonth(t *vector.Type) Eval {
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		clock := zoneClock(ctx, t)
		return rows2(t, v, n, o.mode, func(ts int64, m int32) (int64, bool) {
			months := o.sign(int64(m))
			if d := text.AddMonths(text.FloorDiv(ts, text.MicrosPerDay), months); d < minTimestampDay || d > maxTimestampDay {
				return 0, false
			}
			return clock.AddLocalMonths(ts, months), true
		}, o.timeOverflow)
	}
}

func (o arithOp) intervalOverflow() error {
	if o.mode == CastTry || o.try == "" {
		return condition.New("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
	}
	return condition.New("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "functionName", "`"+o.try+"`")
}

func (o arithOp) addIntervals(t *vector.Type) Eval {
	if t.Kind == vector.KindYearMonthInterval {
		return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			return rows2(t, v, n, o.mode, func(a, b int32) (int32, bool) {
				r := int64(a) + o.sign(int64(b))
				return int32(r), int64(int32(r)) == r
			}, o.intervalOverflow)
		}
	}
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		return rows2(t, v, n, o.mode, func(a, b int64) (int64, bool) {
			if o.symbol == "-" {
				r := a - b
				return r, (r^a)&(a^b) >= 0
			}
			r, over := text.AddInt64(a, b)
			return r, !over
		}, o.intervalOverflow)
	}
}

// subtractTimestamps is the difference of the wall clocks.
func (o arithOp) subtractTimestamps(t *vector.Type) Eval {
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		clock := zoneClock(ctx, t)
		return rows2(vector.DayTime, v, n, o.mode, func(a, b int64) (int64, bool) {
			return clock.Local(a) - clock.Local(b), true
		}, o.intervalOverflow)
	}
}

func subtractDates(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	return rows2(vector.DayTimeOf(vector.FieldDay, vector.FieldDay), v, n, CastANSI, func(a, b int32) (int64, bool) {
		return text.MulInt64(int64(a)-int64(b), text.MicrosPerDay)
	}, func() error { return condition.New("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION") })
}
