package kernels

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// dateField computes a number from a day number.
type dateField func(days int64) int32

func yearOf(days int64) int32 {
	y, _, _ := text.CivilFromDays(days)
	return int32(y)
}

func monthOf(days int64) int32 {
	_, m, _ := text.CivilFromDays(days)
	return int32(m)
}

func dayOf(days int64) int32 {
	_, _, d := text.CivilFromDays(days)
	return int32(d)
}

func quarterOf(days int64) int32 { return (monthOf(days)-1)/3 + 1 }

func dayOfYear(days int64) int32 {
	y, _, _ := text.CivilFromDays(days)
	return int32(days-text.DaysFromCivil(y, 1, 1)) + 1
}

// isoWeekday is 1 for Monday to 7 for Sunday.
func isoWeekday(days int64) int32 { return int32(text.FloorMod(days+3, 7)) + 1 }

// sundayWeekday is 1 for Sunday to 7 for Saturday.
func sundayWeekday(days int64) int32 { return isoWeekday(days)%7 + 1 }

// isoWeek is the ISO 8601 week: that of the week's Thursday.
func isoWeek(days int64) int32 { return (dayOfYear(thursday(days))-1)/7 + 1 }

func weekYear(days int64) int32 { return yearOf(thursday(days)) }

func thursday(days int64) int64 { return days - int64(isoWeekday(days)) + 4 }

var monthNames = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

var dayNames = [...]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

func init() {
	for _, f := range []struct {
		name, alias, summary, want string
		get                        dateField
	}{
		{"year", "", "The year.", "2016", yearOf},
		{"quarter", "", "The quarter of the year, 1 to 4.", "3", quarterOf},
		{"month", "", "The month, 1 to 12.", "7", monthOf},
		{"day", "dayofmonth", "The day of the month.", "30", dayOf},
		{"dayofyear", "", "The day of the year, 1 to 366.", "212", dayOfYear},
		{"dayofweek", "", "The day of the week, 1 for Sunday to 7 for Saturday.", "7", sundayWeekday},
		{"weekday", "", "The day of the week, 0 for Monday to 6 for Sunday.", "5", func(d int64) int32 { return isoWeekday(d) - 1 }},
		{"weekofyear", "", "The ISO 8601 week of the year.", "30", isoWeek},
	} {
		s := Scalar{Name: f.name, Signature: f.name + "(date)", Summary: f.summary, Examples: []Example{{f.name + "('2016-07-30')", f.want}}}
		if f.alias != "" {
			s.Aliases = []string{f.alias}
		}
		eval := evalDateField(f.get)
		if f.name == "year" {
			eval = evalDateLoop(yearLoop)
		}
		Register(Define(s, Sig{Params: []Accept{Date}, Result: vector.Int, Fresh: true}, eval))
	}
	names := func(name, summary, want string, table []string, get dateField) Scalar {
		return Define(Scalar{Name: name, Signature: name + "(date)", Summary: summary, Examples: []Example{{name + "(DATE'2008-02-20')", want}}},
			Sig{Params: []Accept{Date}, Result: vector.String}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				d := fixedOf[int32](args[0])
				return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
					return append(dst, table[get(int64(d.at(i)))-1]...)
				}), nil
			})
	}
	Register(
		names("monthname", "The short name of the month.", "Feb", monthNames[:], monthOf),
		names("dayname", "The short name of the day of the week.", "Wed", dayNames[:], isoWeekday),
	)
	for _, f := range []struct {
		name, summary, want string
		unit, count         int64
	}{
		{"hour", "The hour of a time in the session's zone.", "12", text.MicrosPerHour, 24},
		{"minute", "The minute of a time in the session's zone.", "58", text.MicrosPerMinute, 60},
		{"second", "The second of a time, without its fraction.", "59", text.MicrosPerSecond, 60},
	} {
		Register(DefineOn(Scalar{
			Name: f.name, Signature: f.name + "(timestamp)", Summary: f.summary,
			Examples: []Example{{f.name + "('2009-07-30 12:58:59')", f.want}},
		}, Sig{Params: []Accept{AnyTimestamp}, Result: vector.Int, Fresh: true}, func(_ *Conf, args []Arg) Eval {
			return evalTimeField(args[0].Type, f.unit, f.count)
		}))
	}
	Register(
		Scalar{
			Name: "extract", Signature: "extract(field FROM source)", Summary: "A field of a date, timestamp or interval.",
			Examples: []Example{{"extract(YEAR FROM TIMESTAMP '2019-08-12 01:00:00.123456')", "2019"}, {"extract(SECONDS FROM TIMESTAMP'2019-10-01 00:00:01.000001')", "1.000001"}},
			MinArgs:  2, MaxArgs: 2, Bind: bindExtract,
			SQL: func(args []string) string { return "extract(" + args[0] + " FROM " + args[1] + ")" },
		},
		Scalar{
			Name: "datepart", Signature: "datepart(field, source)", Summary: "The same as date_part.",
			Examples: []Example{{"datepart('doy', DATE'2019-08-12')", "224"}},
			MinArgs:  2, MaxArgs: 2, Bind: bindExtract,
			SQL: func(args []string) string { return "datepart(" + args[0] + " FROM " + args[1] + ")" },
		},
		Scalar{
			Name: "date_part", Signature: "date_part(field, source)", Summary: "The same as extract, with the field as a text.",
			Examples: []Example{{"date_part('doy', DATE'2019-08-12')", "224"}},
			MinArgs:  2, MaxArgs: 2, Bind: bindExtract,
		},
	)
}

func evalDateField(get dateField) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		d := fixedOf[int32](args[0])
		return fixedRows(vector.Int, n, Validity(n, args...), func(i int) int32 { return get(int64(d.at(i))) }), nil
	}
}

// evalDateLoop is evalDateField by a loop over all days, null or not.
func evalDateLoop(loop func(out, days []int32)) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		out := vector.Make[int32](ctx.Temp, n)
		loop(out, vector.Values[int32](args[0].Arr))
		return vector.Vec{Arr: vector.NewFixed(vector.Int, out, Validity(n, args...))}, nil
	}
}

// yearLoop takes the days of 1901 to 2099, which have a leap year in four, by one
// division, and if there are others all of them by the full calendar.
func yearLoop(out, days []int32) {
	const from, span = -25202, 199*365 + 49
	var beyond int32
	for i, d := range days[:len(out)] {
		d -= from
		beyond |= d | (span - 1 - d)
		out[i] = 1901 + int32((4*uint32(d)+3)/(4*365+1))
	}
	if beyond >= 0 {
		return
	}
	for i, d := range days[:len(out)] {
		out[i] = text.YearOfDay(d)
	}
}

// clockFor is the clock that turns values of a timestamp type into wall-clock time.
func clockFor(ctx *Ctx, t *vector.Type) *text.Clock {
	if t.Kind == vector.KindTimestampNTZ {
		return text.NewClock(nil)
	}
	return text.NewClock(ctx.Zone)
}

// localTimes are the wall-clock times of n rows, null or not, which must not be changed.
func localTimes(ctx *Ctx, clock *text.Clock, v vector.Vec, n int) []int64 {
	ts := vector.Values[int64](v.Arr)
	if clock.Fixed() {
		return ts
	}
	out := vector.Make[int64](ctx.Temp, n)
	for i, t := range ts[:len(out)] {
		out[i] = clock.Local(t)
	}
	return out
}

func evalTimeField(t *vector.Type, unit, count int64) Eval {
	units, cycle := unitDivisor(unit), unitDivisor(count)
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		ts, out := localTimes(ctx, clockFor(ctx, t), args[0], n), vector.Make[int32](ctx.Temp, n)
		for i, v := range ts[:len(out)] {
			out[i] = int32(cycle.floorMod(units.floorDiv(v)))
		}
		return vector.Vec{Arr: vector.NewFixed(vector.Int, out, Validity(n, args...))}, nil
	}
}

// extractFields maps the names of fields to the one that bindExtract knows.
var extractFields = func() map[string]string {
	m := map[string]string{}
	for _, names := range []string{
		"YEAR Y YEARS YR YRS", "YEAROFWEEK", "QUARTER QTR", "MONTH MON MONS MONTHS", "WEEK W WEEKS", "DAY D DAYS",
		"DAYOFWEEK DOW", "DAYOFWEEK_ISO DOW_ISO", "DOY", "HOUR H HOURS HR HRS", "MINUTE M MIN MINS MINUTES", "SECOND S SEC SECONDS SECS",
	} {
		list := strings.Fields(names)
		for _, n := range list {
			m[n] = list[0]
		}
	}
	return m
}()

// extractCalls are the functions that Spark puts for the fields.
var extractCalls = map[string]string{
	"YEAR": "year", "YEAROFWEEK": "yearofweek", "QUARTER": "quarter", "MONTH": "month", "WEEK": "weekofyear", "DAY": "dayofmonth",
	"DAYOFWEEK": "dayofweek", "DAYOFWEEK_ISO": "(weekday", "DOY": "dayofyear", "HOUR": "hour", "MINUTE": "minute", "SECOND": "secondwithfraction",
}

var extractDate = map[string]dateField{
	"YEAR": yearOf, "YEAROFWEEK": weekYear, "QUARTER": quarterOf, "MONTH": monthOf, "WEEK": isoWeek, "DAY": dayOf,
	"DAYOFWEEK": sundayWeekday, "DAYOFWEEK_ISO": isoWeekday, "DOY": dayOfYear,
}

func bindExtract(conf *Conf, args []Arg) (*Impl, error) {
	if args[0].Const == nil || args[0].Type.Kind != vector.KindString {
		return nil, condition.New("NON_FOLDABLE_ARGUMENT", "funcName", "`date_part`", "paramName", "`field`", "paramType", `"STRING"`)
	}
	if args[0].Const.IsNull(0) {
		return &Impl{Args: make([]*vector.Type, 2), Result: vector.Double, Nullable: true, Eval: func(*Ctx, []vector.Vec, int) (vector.Vec, error) {
			return vector.ConstNull(vector.Double), nil
		}}, nil
	}
	name := string(textsOf(*args[0].Const).at(0))
	field := extractFields[strings.ToUpper(name)]
	impl := &Impl{Args: make([]*vector.Type, 2), NullIfAny: true}
	src := args[1].Type
	var eval Eval
	switch src.Kind {
	case vector.KindYearMonthInterval, vector.KindDayTimeInterval, vector.KindCalendarInterval:
		impl.Result, eval = extractInterval(src, field)
	default:
		want := AnyTimestamp
		if extractDate[field] != nil {
			want = Date
		}
		if src.Kind == vector.KindString || isNull(src) {
			want = Timestamp
		}
		t, ok := ImplicitCast(conf, src, want)
		if !ok {
			if field == "" {
				break
			}
			call := extractCalls[field] + "(" + args[1].SQL + ")"
			if field == "SECOND" {
				want = AnyTimestamp
			}
			return nil, UnexpectedInput(call, 0, want, args[1])
		}
		impl.Args[1] = t
		impl.Result, eval = extractTime(t, field)
	}
	if eval == nil {
		return nil, condition.New("INVALID_EXTRACT_FIELD", "field", "`"+name+"`", "expr", quoteSQL(args[1].SQL))
	}
	impl.Eval = strict(impl.Result, func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) { return eval(ctx, args[1:], n) })
	return impl, nil
}

var secondsType = vector.Decimal(8, 6)

// extractTime is the kernel for a field of a date or timestamp; nil if there is no such field.
func extractTime(t *vector.Type, field string) (*vector.Type, Eval) {
	if get := extractDate[field]; get != nil {
		if t.Kind == vector.KindDate {
			return vector.Int, evalDateField(get)
		}
		return vector.Int, func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			ts, clock := fixedOf[int64](args[0]), clockFor(ctx, t)
			return fixedRows(vector.Int, n, Validity(n, args...), func(i int) int32 {
				return get(text.FloorDiv(clock.Local(ts.at(i)), text.MicrosPerDay))
			}), nil
		}
	}
	switch field {
	case "HOUR":
		return vector.Int, evalTimeField(t, text.MicrosPerHour, 24)
	case "MINUTE":
		return vector.Int, evalTimeField(t, text.MicrosPerMinute, 60)
	case "SECOND":
		return secondsType, func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			ts, clock := fixedOf[int64](args[0]), clockFor(ctx, t)
			return fixedRows(secondsType, n, Validity(n, args...), func(i int) Dec {
				return decOfInt(text.FloorMod(clock.Local(ts.at(i)), text.MicrosPerMinute))
			}), nil
		}
	}
	return nil, nil
}

// decOfInt is the unscaled decimal of an integer.
func decOfInt(v int64) Dec {
	if v < 0 {
		return decimal.FromMagnitude(true, decimal.Uint128{Lo: uint64(-v)})
	}
	return decimal.FromMagnitude(false, decimal.Uint128{Lo: uint64(v)})
}

// extractInterval is the kernel for a field of an interval; nil if it has no such field.
func extractInterval(t *vector.Type, field string) (*vector.Type, Eval) {
	if t.Kind == vector.KindYearMonthInterval {
		months := func(result *vector.Type, div, mod int32) (*vector.Type, Eval) {
			return result, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				m, valid := fixedOf[int32](args[0]), Validity(n, args...)
				if result == vector.Byte {
					return fixedRows(result, n, valid, func(i int) int8 { return int8(m.at(i) / div % mod) }), nil
				}
				return fixedRows(result, n, valid, func(i int) int32 { return m.at(i) / div % mod }), nil
			}
		}
		switch field {
		case "YEAR":
			return months(vector.Int, 12, 1<<30)
		case "MONTH":
			return months(vector.Byte, 1, 12)
		}
		return nil, nil
	}
	if t.Kind == vector.KindCalendarInterval {
		return nil, nil
	}
	micros := func(result *vector.Type, unit, mod int64) (*vector.Type, Eval) {
		return result, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			v, valid := fixedOf[int64](args[0]), Validity(n, args...)
			get := func(i int) int64 { return v.at(i) / unit % mod }
			switch result {
			case vector.Byte:
				return fixedRows(result, n, valid, func(i int) int8 { return int8(get(i)) }), nil
			case vector.Int:
				return fixedRows(result, n, valid, func(i int) int32 { return int32(get(i)) }), nil
			}
			return fixedRows(result, n, valid, func(i int) Dec { return decOfInt(get(i)) }), nil
		}
	}
	switch field {
	case "DAY":
		return micros(vector.Int, text.MicrosPerDay, 1<<62)
	case "HOUR":
		return micros(vector.Byte, text.MicrosPerHour, 24)
	case "MINUTE":
		return micros(vector.Byte, text.MicrosPerMinute, 60)
	case "SECOND":
		return micros(secondsType, 1, text.MicrosPerMinute)
	}
	return nil, nil
}
