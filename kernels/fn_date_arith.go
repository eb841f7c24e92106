package kernels

import (
	"math"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		unitCall(Define(Scalar{
			Name: "date_add", Aliases: []string{"dateadd"}, Signature: "date_add(start, days) or date_add(unit, n, ts)",
			Summary:  "The date a number of days after start; with a unit the same as timestampadd.",
			Examples: []Example{{"date_add('2016-07-30', 1)", "2016-07-31"}},
		}, dateIntSig, evalDateAdd(1)).smallDays(), "timestampadd"),
		Define(Scalar{
			Name: "date_sub", Signature: "date_sub(start, days)", Summary: "The date a number of days before start.",
			Examples: []Example{{"date_sub('2016-07-30', 1)", "2016-07-29"}},
		}, dateIntSig, evalDateAdd(-1)).smallDays(),
		unitCall(Define(Scalar{
			Name: "datediff", Aliases: []string{"date_diff"}, Signature: "datediff(end, start) or datediff(unit, start, end)",
			Summary:  "The number of days from start to end; with a unit the same as timestampdiff.",
			Examples: []Example{{"datediff('2009-07-31', '2009-07-30')", "1"}},
		}, Sig{Params: []Accept{Date, Date}, Result: vector.Int}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			a, b := fixedOf[int32](args[0]), fixedOf[int32](args[1])
			return fixedRows(vector.Int, n, Validity(n, args...), func(i int) int32 { return a.at(i) - b.at(i) }), nil
		}), "timestampdiff"),
		Define(Scalar{
			Name: "add_months", Signature: "add_months(start, months)", Summary: "The date a number of months after start; a day past the end of the month becomes its last.",
			Examples: []Example{{"add_months('2016-08-31', 1)", "2016-09-30"}},
		}, Sig{Params: []Accept{Date, Int}, Result: vector.Date}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			d, m := fixedOf[int32](args[0]), fixedOf[int32](args[1])
			return fixedRows(vector.Date, n, Validity(n, args...), func(i int) int32 { return int32(text.AddMonths(int64(d.at(i)), int64(m.at(i)))) }), nil
		}),
		Define(Scalar{
			Name: "last_day", Signature: "last_day(date)", Summary: "The last day of the date's month.",
			Examples: []Example{{"last_day('2009-01-12')", "2009-01-31"}},
		}, Sig{Params: []Accept{Date}, Result: vector.Date}, evalDateToDate(func(days int64) int64 {
			y, m, d := text.CivilFromDays(days)
			return days + int64(text.DaysInMonth(y, m)-d)
		})),
		DefineOn(Scalar{
			Name: "next_day", Signature: "next_day(start, dayOfWeek)", Summary: "The first date after start that is the given day of the week.",
			Examples: []Example{{"next_day('2015-01-14', 'TU')", "2015-01-20"}},
		}, Sig{Params: []Accept{Date, String}, Result: vector.Date, Nullable: true}, pickNextDay),
		DefineOn(Scalar{
			Name: "months_between", Signature: "months_between(ts1, ts2[, roundOff])",
			Summary:  "The months from ts2 to ts1, the rest of a month in days of 31; rounded to 8 digits unless roundOff is false.",
			Examples: []Example{{"months_between('1997-02-28 10:30:00', '1996-10-30')", "3.94959677"}},
			SQL:      withDefaults("months_between", 2, "true"),
		}, Sig{Params: []Accept{Timestamp, Timestamp, Bool}, Optional: 1, Result: vector.Double}, func(*Conf, []Arg) Eval { return evalMonthsBetween }),
		Define(Scalar{
			Name: "trunc", Signature: "trunc(date, fmt)", Summary: "The first day of the date's year, quarter, month or week; null for another unit.",
			Examples: []Example{{"trunc('2019-08-04', 'week')", "2019-07-29"}, {"trunc('2009-02-12', 'MM')", "2009-02-01"}},
		}, Sig{Params: []Accept{Date, String}, Result: vector.Date, Nullable: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			d, f := fixedOf[int32](args[0]), textsOf(args[1])
			return fixedRowsOr(vector.Date, n, args, func(i int) (int32, bool, error) {
				u := truncUnit(f.at(i))
				if u < truncWeek {
					return 0, false, nil
				}
				return int32(truncDays(int64(d.at(i)), u)), true, nil
			})
		}),
		Define(Scalar{
			Name: "date_trunc", Signature: "date_trunc(fmt, ts)", Summary: "The timestamp cut to a unit in the session's zone; null for an unknown unit.",
			Examples: []Example{{"date_trunc('HOUR', '2015-03-05T09:32:05.359')", "2015-03-05 09:00:00"}},
		}, Sig{Params: []Accept{String, Timestamp}, Result: vector.Timestamp, Nullable: true}, evalDateTrunc),
		timestampAdd, timestampDiff,
	)
}

// unitCall makes a function of two arguments that with three is another one,
// which takes a unit first.
func unitCall(f Scalar, other string) Scalar {
	two := f.Bind
	f.MaxArgs = 3
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		if len(args) == 3 {
			if a := args[0]; a.Const == nil || !isString(a.Type) { // the parser makes a text of a unit
				return nil, condition.New("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "functionName", "`"+f.Name+"`",
					"expectedNum", "2", "actualNum", "3", "docroot", "https://spark.apache.org/docs/latest")
			}
			impl, err := scalars[other].Bind(conf, args)
			if err == nil {
				impl.SQL = func(args []string) string { return callSQL(other, args) }
			}
			return impl, err
		}
		return two(conf, args)
	}
	return f
}

var dateIntSig = Sig{Params: []Accept{Date, SmallIntegral}, Result: vector.Date}

// smallDays refuses a count of days of another type than INT, SMALLINT, TINYINT
// and texts: it is not cast.
func (f Scalar) smallDays() Scalar {
	bind := f.Bind
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		if t := args[1].Type; !SmallIntegral.Accepts(t) && !isString(t) && !isNull(t) {
			return nil, UnexpectedInput(callSQL(f.Name, sqlOf(args)), 1, SmallIntegral, args[1])
		}
		return bind(conf, args)
	}
	return f
}

// smallInts reads an INT, SMALLINT or TINYINT argument.
func smallInts(v vector.Vec) func(i int) int64 {
	switch v.Arr.DataType().(interface{ BitWidth() int }).BitWidth() {
	case 8:
		f := fixedOf[int8](v)
		return func(i int) int64 { return int64(f.at(i)) }
	case 16:
		f := fixedOf[int16](v)
		return func(i int) int64 { return int64(f.at(i)) }
	case 64:
		f := fixedOf[int64](v)
		return f.at
	}
	f := fixedOf[int32](v)
	return func(i int) int64 { return int64(f.at(i)) }
}

func evalDateAdd(sign int64) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		d, k := fixedOf[int32](args[0]), smallInts(args[1])
		if args[1].Const && !args[0].Const {
			shift, out := int32(sign*k(0)), vector.Make[int32](ctx.Temp, n)
			for i, day := range d.v[:len(out)] {
				out[i] = day + shift
			}
			return vector.Vec{Arr: vector.NewFixed(vector.Date, out, Validity(n, args...))}, nil
		}
		return fixedRows(vector.Date, n, Validity(n, args...), func(i int) int32 { return int32(int64(d.at(i)) + sign*k(i)) }), nil
	}
}

func evalDateToDate(f func(days int64) int64) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		d := fixedOf[int32](args[0])
		return fixedRows(vector.Date, n, Validity(n, args...), func(i int) int32 { return int32(f(int64(d.at(i)))) }), nil
	}
}

// weekdayByName is 1 for Monday to 7 for Sunday, 0 for no day.
func weekdayByName(s []byte) int64 {
	switch strings.ToUpper(string(s)) {
	case "MO", "MON", "MONDAY":
		return 1
	case "TU", "TUE", "TUESDAY":
		return 2
	case "WE", "WED", "WEDNESDAY":
		return 3
	case "TH", "THU", "THURSDAY":
		return 4
	case "FR", "FRI", "FRIDAY":
		return 5
	case "SA", "SAT", "SATURDAY":
		return 6
	case "SU", "SUN", "SUNDAY":
		return 7
	}
	return 0
}

func pickNextDay(conf *Conf, _ []Arg) Eval {
	ansi := conf.ANSI
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		d, name := fixedOf[int32](args[0]), textsOf(args[1])
		return fixedRowsOr(vector.Date, n, args, func(i int) (int32, bool, error) {
			w := weekdayByName(name.at(i))
			if w == 0 {
				if ansi {
					return 0, false, condition.New("ILLEGAL_DAY_OF_WEEK", "string", string(name.at(i)))
				}
				return 0, false, nil
			}
			days := int64(d.at(i))
			return int32(days + 1 + text.FloorMod(w-int64(isoWeekday(days))-1, 7)), true, nil
		})
	}
}

func evalMonthsBetween(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	a, b, clock := fixedOf[int64](args[0]), fixedOf[int64](args[1]), text.NewClock(ctx.Zone)
	round := func(int) bool { return true }
	if len(args) == 3 {
		bits, mask := vector.Bools(args[2].Arr), args[2].Mask()
		round = func(i int) bool { return bits.Get(i & mask) }
	}
	return fixedRows(vector.Double, n, Validity(n, args...), func(i int) float64 {
		return monthsBetween(clock.Local(a.at(i)), clock.Local(b.at(i)), round(i))
	}), nil
}

// monthsBetween counts the months from the wall-clock time b to a.
func monthsBetween(a, b int64, round bool) float64 {
	da, db := text.FloorDiv(a, text.MicrosPerDay), text.FloorDiv(b, text.MicrosPerDay)
	ya, ma, dayA := text.CivilFromDays(da)
	yb, mb, dayB := text.CivilFromDays(db)
	months := float64((ya*12 + int64(ma)) - (yb*12 + int64(mb)))
	if dayA == dayB || dayA == text.DaysInMonth(ya, ma) && dayB == text.DaysInMonth(yb, mb) {
		return months
	}
	secs := int64(dayA-dayB)*text.SecondsPerDay + (a-da*text.MicrosPerDay)/text.MicrosPerSecond - (b-db*text.MicrosPerDay)/text.MicrosPerSecond
	v := months + float64(secs)/float64(31*text.SecondsPerDay)
	if round {
		return math.Floor(v*1e8+0.5) / 1e8
	}
	return v
}

// The units to which dates and times are cut, ascending.
const (
	truncNone = iota
	truncMicrosecond
	truncMillisecond
	truncSecond
	truncMinute
	truncHour
	truncDay
	truncWeek
	truncMonth
	truncQuarter
	truncYear
)

func truncUnit(s []byte) int {
	switch strings.ToUpper(string(s)) {
	case "YEAR", "YYYY", "YY":
		return truncYear
	case "QUARTER":
		return truncQuarter
	case "MONTH", "MM", "MON":
		return truncMonth
	case "WEEK":
		return truncWeek
	case "DAY", "DD":
		return truncDay
	case "HOUR":
		return truncHour
	case "MINUTE":
		return truncMinute
	case "SECOND":
		return truncSecond
	case "MILLISECOND":
		return truncMillisecond
	case "MICROSECOND":
		return truncMicrosecond
	}
	return truncNone
}

// truncDays cuts a day number to a week or more.
func truncDays(days int64, unit int) int64 {
	if unit == truncWeek {
		return days - int64(isoWeekday(days)) + 1
	}
	y, m, _ := text.CivilFromDays(days)
	switch unit {
	case truncYear:
		m = 1
	case truncQuarter:
		m = (m-1)/3*3 + 1
	}
	return text.DaysFromCivil(y, m, 1)
}

// truncMicros are the lengths of the units up to a day.
var truncMicros = [truncYear + 1]int64{
	truncMillisecond: 1000, truncSecond: text.MicrosPerSecond, truncMinute: text.MicrosPerMinute,
	truncHour: text.MicrosPerHour, truncDay: text.MicrosPerDay,
}

// truncTimes cuts all rows, null or not.
func truncTimes(ctx *Ctx, ts []int64, unit int64) []int64 {
	d, out := unitDivisor(unit), vector.Make[int64](ctx.Temp, len(ts))
	for i, v := range ts[:len(out)] {
		out[i] = d.floorDiv(v) * unit
	}
	return out
}

func evalDateTrunc(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	f, ts, clock := textsOf(args[0]), fixedOf[int64](args[1]), text.NewClock(ctx.Zone)
	unit := truncNone
	if args[0].Const {
		unit = truncUnit(f.at(0))
	}
	if d := truncMicros[unit]; d > 1 && !args[1].Const && (unit <= truncSecond || clock.Fixed() && unit <= truncDay) {
		return vector.Vec{Arr: vector.NewFixed(vector.Timestamp, truncTimes(ctx, ts.v, d), Validity(n, args[1]))}, nil
	}
	return fixedRowsOr(vector.Timestamp, n, args, func(i int) (int64, bool, error) {
		if !args[0].Const {
			unit = truncUnit(f.at(i))
		}
		v := ts.at(i)
		switch unit {
		case truncNone:
			return 0, false, nil
		case truncMicrosecond:
			return v, true, nil
		case truncMillisecond:
			return v - text.FloorMod(v, 1000), true, nil
		case truncSecond:
			return v - text.FloorMod(v, text.MicrosPerSecond), true, nil
		}
		local := clock.Local(v)
		off := (local - v) / text.MicrosPerSecond
		switch unit {
		case truncMinute:
			return clock.InstantNear(local-text.FloorMod(local, text.MicrosPerMinute), off), true, nil
		case truncHour:
			return clock.InstantNear(local-text.FloorMod(local, text.MicrosPerHour), off), true, nil
		}
		days := text.FloorDiv(local, text.MicrosPerDay)
		if unit > truncDay {
			days = truncDays(days, unit)
		}
		return clock.Instant(days * text.MicrosPerDay), true, nil
	})
}
