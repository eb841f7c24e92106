package kernels

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	int3 := []Accept{Int, Int, Int}
	secs := Exactly(vector.Decimal(16, 6))
	six := append(append([]Accept{}, int3...), Int, Int, secs)
	stamp := func(name string, result *vector.Type, zone, try bool, summary, args, want string) Scalar {
		sig := Sig{Params: six, Result: result, Nullable: true}
		signature := name + "(year, month, day, hour, min, sec"
		if zone {
			sig.Params, sig.Optional = append(append([]Accept{}, six...), String), 1
			signature += "[, timezone]"
		}
		return DefineOn(Scalar{Name: name, Signature: signature + ") or " + name + dateForm[name], Summary: summary, Examples: []Example{{name + "(" + args + ")", want}}},
			sig, func(conf *Conf, _ []Arg) Eval { return evalMakeTimestamp(result, conf.ANSI && !try) }).ofDateAndTime(result)
	}
	Register(
		DefineOn(Scalar{
			Name: "make_date", Signature: "make_date(year, month, day)", Summary: "The date of the three numbers.",
			Examples: []Example{{"make_date(2013, 7, 15)", "2013-07-15"}},
		}, Sig{Params: int3, Result: vector.Date, Nullable: true}, func(conf *Conf, _ []Arg) Eval {
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				y, m, d := fixedOf[int32](args[0]), fixedOf[int32](args[1]), fixedOf[int32](args[2])
				return fixedRowsOr(vector.Date, n, args, func(i int) (int32, bool, error) {
					days, err := makeDate(int64(y.at(i)), int64(m.at(i)), int64(d.at(i)))
					if err != nil {
						return 0, false, ansiOnly(conf.ANSI, err)
					}
					return int32(days), true, nil
				})
			}
		}),
		stamp("make_timestamp", vector.Timestamp, true, false, "The timestamp of the numbers, in the session's zone or the one given.", "2014, 12, 28, 6, 30, 45.887", "2014-12-28 06:30:45.887"),
		stamp("make_timestamp_ltz", vector.Timestamp, true, false, "The same as make_timestamp.", "2014, 12, 28, 6, 30, 45.887", "2014-12-28 06:30:45.887"),
		stamp("make_timestamp_ntz", vector.TimestampNTZ, false, false, "The timestamp without time zone of the numbers.", "2014, 12, 28, 6, 30, 45.887", "2014-12-28 06:30:45.887"),
		stamp("try_make_timestamp", vector.Timestamp, true, true, "make_timestamp, but null for numbers out of range.", "2014, 13, 28, 6, 30, 45.887", "NULL"),
		stamp("try_make_timestamp_ltz", vector.Timestamp, true, true, "make_timestamp_ltz, but null for numbers out of range.", "2014, 13, 28, 6, 30, 45.887", "NULL"),
		stamp("try_make_timestamp_ntz", vector.TimestampNTZ, false, true, "make_timestamp_ntz, but null for numbers out of range.", "2014, 13, 28, 6, 30, 45.887", "NULL"),
		Define(Scalar{
			Name: "make_interval", Signature: "make_interval([years[, months[, weeks[, days[, hours[, mins[, secs]]]]]]])",
			Summary:  "A calendar interval of the numbers.",
			Examples: []Example{{"make_interval(100, 11, 1, 1, 12, 30, 01.001001)", "100 years 11 months 8 days 12 hours 30 minutes 1.001001 seconds"}},
			SQL:      withDefaults("make_interval", 0, "0", "0", "0", "0", "0", "0", "0.000000"),
		}, Sig{Params: []Accept{Int, Int, Int, Int, Int, Int, Exactly(vector.Decimal(18, 6))}, Optional: 7, Result: vector.CalendarInterval}, evalMakeInterval(false)),
		Define(Scalar{
			Name: "try_make_interval", Signature: "try_make_interval(years[, months[, weeks[, days[, hours[, mins[, secs]]]]]])",
			Summary:  "make_interval, but null for an interval that is too long.",
			Examples: []Example{{"try_make_interval(2147483647)", "NULL"}},
			SQL:      withDefaults("try_make_interval", 1, "0", "0", "0", "0", "0", "0.000000"),
		}, Sig{Params: []Accept{Int, Int, Int, Int, Int, Int, Exactly(vector.Decimal(18, 6))}, Optional: 6, Result: vector.CalendarInterval, Nullable: true}, evalMakeInterval(true)),
		Define(Scalar{
			Name: "make_dt_interval", Signature: "make_dt_interval([days[, hours[, mins[, secs]]]])", Summary: "A day-time interval of the numbers.",
			Examples: []Example{{"make_dt_interval(1, 12, 30, 01.001001)", "INTERVAL '1 12:30:01.001001' DAY TO SECOND"}},
			SQL:      withDefaults("make_dt_interval", 0, "0", "0", "0", "0.000000"),
		}, Sig{Params: []Accept{Int, Int, Int, Exactly(vector.Decimal(18, 6))}, Optional: 4, Result: vector.DayTime}, evalMakeDayTime),
		Define(Scalar{
			Name: "make_ym_interval", Signature: "make_ym_interval([years[, months]])", Summary: "A year-month interval of the numbers.",
			Examples: []Example{{"make_ym_interval(1, 2)", "INTERVAL '1-2' YEAR TO MONTH"}},
			SQL:      withDefaults("make_ym_interval", 0, "0", "0"),
		}, Sig{Params: []Accept{Int, Int}, Optional: 2, Result: vector.YearMonth}, evalMakeYearMonth),
	)
}

// ansiOnly is the error in ANSI mode; otherwise the result is null.
func ansiOnly(ansi bool, err error) error {
	if ansi {
		return err
	}
	return nil
}

func fieldOutOfBounds(message string) error {
	return condition.New("DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", "rangeMessage", message, "ansiConfig", ansiConfig)
}

func badField(name string, v, low, high int64) error {
	return fieldOutOfBounds("Invalid value for " + name + " (valid values " + strconv.FormatInt(low, 10) + " - " + strconv.FormatInt(high, 10) + "): " + strconv.FormatInt(v, 10))
}

var longMonths = [...]string{"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"}

// makeDate checks the fields as java.time.LocalDate.of does.
func makeDate(y, m, d int64) (int64, error) {
	switch {
	case y < -999999999 || y > 999999999:
		return 0, badField("Year", y, -999999999, 999999999)
	case m < 1 || m > 12:
		return 0, badField("MonthOfYear", m, 1, 12)
	case d < 1 || d > 31:
		return 0, fieldOutOfBounds("Invalid value for DayOfMonth (valid values 1 - 28/31): " + strconv.FormatInt(d, 10))
	case int(d) > text.DaysInMonth(y, int(m)):
		if d == 29 {
			return 0, fieldOutOfBounds("Invalid date 'February 29' as '" + strconv.FormatInt(y, 10) + "' is not a leap year")
		}
		return 0, fieldOutOfBounds("Invalid date '" + longMonths[m-1] + " " + strconv.FormatInt(d, 10) + "'")
	}
	days := text.DaysFromCivil(y, int(m), int(d))
	if days != int64(int32(days)) {
		return 0, condition.New("DATETIME_OVERFLOW", "operation", "create a DATE")
	}
	return days, nil
}

func evalMakeTimestamp(result *vector.Type, ansi bool) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		var f [5]fixed[int32]
		for k := range f {
			f[k] = fixedOf[int32](args[k])
		}
		sec := fixedOf[Dec](args[5])
		clocks := zoneClocks{}
		clock := clockFor(ctx, result)
		return fixedRowsOr(result, n, args, func(i int) (int64, bool, error) {
			if len(args) == 7 {
				c, err := clocks.get(textsOf(args[6]).at(i))
				if err != nil {
					return 0, false, err
				}
				clock = c
			}
			local, err := makeLocal([5]int64{int64(f[0].at(i)), int64(f[1].at(i)), int64(f[2].at(i)), int64(f[3].at(i)), int64(f[4].at(i))}, decMicros(sec.at(i)))
			if err != nil {
				return 0, false, ansiOnly(ansi, err)
			}
			return clock.Instant(local), true, nil
		})
	}
}

// decMicros is a decimal of scale 6 as an integer.
func decMicros(d Dec) int64 { return int64(d.LowBits()) }

// makeLocal joins year, month, day, hour, minute and microseconds; 60 seconds
// mean the next minute.
func makeLocal(f [5]int64, micros int64) (int64, error) {
	days, err := makeDate(f[0], f[1], f[2])
	if err != nil {
		return 0, err
	}
	switch {
	case f[3] < 0 || f[3] > 23:
		return 0, badField("HourOfDay", f[3], 0, 23)
	case f[4] < 0 || f[4] > 59:
		return 0, badField("MinuteOfHour", f[4], 0, 59)
	case micros > 60*text.MicrosPerSecond && micros < 61*text.MicrosPerSecond:
		return 0, condition.New("INVALID_FRACTION_OF_SECOND", "secAndMicros", string(decimal.Append(nil, decOfInt(micros), 6)))
	case micros < 0 || micros > 60*text.MicrosPerSecond:
		return 0, badField("SecondOfMinute", text.FloorDiv(micros, text.MicrosPerSecond), 0, 59)
	}
	base, ok := mulLong(days, text.MicrosPerDay)
	if !ok {
		return 0, condition.New("DATETIME_OVERFLOW", "operation", "create a TIMESTAMP")
	}
	return base + f[3]*text.MicrosPerHour + f[4]*text.MicrosPerMinute + micros, nil
}

// optionalInts reads the INT arguments of a function whose missing ones are 0.
func optionalInts(args []vector.Vec, count int) []func(i int) int64 {
	out := make([]func(int) int64, count)
	for k := range out {
		out[k] = func(int) int64 { return 0 }
		if k < len(args) {
			f := fixedOf[int32](args[k])
			out[k] = func(i int) int64 { return int64(f.at(i)) }
		}
	}
	return out
}

// optionalSecs reads a DECIMAL(18,6) argument as microseconds, 0 if it is missing.
func optionalSecs(args []vector.Vec, at int) func(i int) int64 {
	if at >= len(args) {
		return func(int) int64 { return 0 }
	}
	f := fixedOf[Dec](args[at])
	return func(i int) int64 { return decMicros(f.at(i)) }
}

func evalMakeInterval(try bool) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) { return makeIntervals(args, n, try) }
}

func makeIntervals(args []vector.Vec, n int, try bool) (vector.Vec, error) {
	f, secs := optionalInts(args, 6), optionalSecs(args, 6)
	return fixedRowsOr(vector.CalendarInterval, n, args, func(i int) (v arrow.MonthDayNanoInterval, ok bool, err error) {
		months, days := f[0](i)*12+f[1](i), f[2](i)*7+f[3](i)
		micros := f[4](i)*text.MicrosPerHour + f[5](i)*text.MicrosPerMinute + secs(i)
		nanos, fits := mulLong(micros, 1000)
		if months != int64(int32(months)) || days != int64(int32(days)) || !fits {
			if try {
				return v, false, nil
			}
			return v, false, condition.New("ARITHMETIC_OVERFLOW", "message", "overflow", "alternative", "", "config", ansiConfig)
		}
		return arrow.MonthDayNanoInterval{Months: int32(months), Days: int32(days), Nanoseconds: nanos}, true, nil
	})
}

func evalMakeDayTime(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	f, secs := optionalInts(args, 3), optionalSecs(args, 3)
	return fixedRowsOr(vector.DayTime, n, args, func(i int) (int64, bool, error) {
		v, ok := mulLong(f[0](i), text.MicrosPerDay)
		if ok {
			v, ok = addLong(v, f[1](i)*text.MicrosPerHour+f[2](i)*text.MicrosPerMinute)
		}
		if ok {
			v, ok = addLong(v, secs(i))
		}
		if !ok {
			return 0, false, condition.New("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
		}
		return v, true, nil
	})
}

func evalMakeYearMonth(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	f := optionalInts(args, 2)
	return fixedRowsOr(vector.YearMonth, n, args, func(i int) (int32, bool, error) {
		v := f[0](i)*12 + f[1](i)
		if v != int64(int32(v)) {
			return 0, false, condition.New("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
		}
		return int32(v), true, nil
	})
}
