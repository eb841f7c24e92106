package kernels

import (
	"math/bits"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// timeUnit is a unit of timestampadd and timestampdiff.
type timeUnit struct {
	months int64 // of a calendar unit
	days   int64
	micros int64
}

var timeUnits = map[string]timeUnit{
	"YEAR": {months: 12}, "QUARTER": {months: 3}, "MONTH": {months: 1},
	"WEEK": {days: 7}, "DAY": {days: 1}, "DAYOFYEAR": {days: 1},
	"HOUR": {micros: text.MicrosPerHour}, "MINUTE": {micros: text.MicrosPerMinute}, "SECOND": {micros: text.MicrosPerSecond},
	"MILLISECOND": {micros: 1000}, "MICROSECOND": {micros: 1},
}

var timestampAdd = Scalar{
	Name: "timestampadd", Signature: "timestampadd(unit, n, ts)", Summary: "The timestamp n units later; days and longer on the session zone's wall clock.",
	Examples: []Example{{"timestampadd(MONTH, 1, TIMESTAMP'2024-01-31 10:00:00')", "2024-02-29 10:00:00"}},
	MinArgs:  3, MaxArgs: 3,
	Bind: func(conf *Conf, args []Arg) (*Impl, error) {
		return bindUnit(conf, "timestampadd", args, Sig{Params: []Accept{String, Long, AnyTimestamp}, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) {
			return args[2].Type, nil
		}}, evalTimestampAdd)
	},
}

var timestampDiff = Scalar{
	Name: "timestampdiff", Signature: "timestampdiff(unit, start, end)", Summary: "The number of whole units from start to end on the session zone's wall clock.",
	Examples: []Example{{"timestampdiff(HOUR, TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP'2024-01-01 05:59:00')", "5"}},
	Aliases:  []string{"timediff"},
	MinArgs:  3, MaxArgs: 3,
	Bind: func(conf *Conf, args []Arg) (*Impl, error) {
		return bindUnit(conf, "timestampdiff", args, Sig{Params: []Accept{String, Timestamp, Timestamp}, Result: vector.Long}, evalTimestampDiff)
	},
}

func bindUnit(conf *Conf, name string, args []Arg, sig Sig, eval func(t *vector.Type, u timeUnit) Eval) (*Impl, error) {
	if args[0].Const == nil || args[0].Type.Kind != vector.KindString || args[0].Const.IsNull(0) {
		return nil, condition.New("INVALID_PARAMETER_VALUE.DATETIME_UNIT", "functionName", "`"+name+"`", "parameter", "`unit`", "invalidValue", "'"+args[0].SQL+"'")
	}
	unit, ok := timeUnits[strings.ToUpper(string(textsOf(*args[0].Const).at(0)))]
	if !ok {
		return nil, condition.New("INVALID_PARAMETER_VALUE.DATETIME_UNIT", "functionName", "`"+name+"`", "parameter", "`unit`", "invalidValue", "'"+args[0].SQL+"'")
	}
	if name == "timestampdiff" && args[1].Type.Kind == vector.KindTimestampNTZ && args[2].Type.Kind == vector.KindTimestampNTZ {
		sig.Params = []Accept{String, TimestampNTZ, TimestampNTZ}
	}
	print := func(args []Arg) string { return callSQL(name, sqlOf(args)) }
	return sig.bind(conf, print, args, func(_ *Conf, args []Arg) Eval { return eval(args[2].Type, unit) })
}

// mulLong and addLong report overflow.
func mulLong(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	return int64(lo), int64(hi) == int64(lo)>>63
}

func addLong(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

func evalTimestampAdd(t *vector.Type, u timeUnit) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		k, ts, clock := fixedOf[int64](args[1]), fixedOf[int64](args[2]), clockFor(ctx, t)
		return fixedRowsOr(t, n, args, func(i int) (int64, bool, error) {
			v, ok := int64(0), false
			count, from := k.at(i), ts.at(i)
			switch {
			case u.months > 0:
				if m, fits := mulLong(count, u.months); fits && m == int64(int32(m)) && timestampDay(text.AddMonths(text.FloorDiv(from, text.MicrosPerDay), m)) {
					v, ok = clock.AddLocalMonths(from, m), true
				}
			case u.days > 0:
				if d, fits := mulLong(count, u.days); fits && d == int64(int32(d)) && timestampDay(text.FloorDiv(from, text.MicrosPerDay)+d) {
					v, ok = clock.AddLocalDays(from, d), true
				}
			default:
				if d, fits := mulLong(count, u.micros); fits {
					v, ok = addLong(from, d)
				}
			}
			if !ok {
				return 0, false, condition.New("DATETIME_OVERFLOW", "operation", "add to a timestamp")
			}
			return v, true, nil
		})
	}
}

// timestampDay tells whether a timestamp can be on a day.
func timestampDay(day int64) bool { return day >= minTimestampDay && day <= maxTimestampDay }

func evalTimestampDiff(t *vector.Type, u timeUnit) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		a, b, clock := fixedOf[int64](args[1]), fixedOf[int64](args[2]), clockFor(ctx, t)
		return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 {
			return unitsBetween(clock.Local(a.at(i)), clock.Local(b.at(i)), u)
		}), nil
	}
}

// unitsBetween counts whole units as java.time's ChronoUnit.between does.
func unitsBetween(a, b int64, u timeUnit) int64 {
	if u.micros > 0 {
		if d, ok := addLong(b, -a); ok {
			return d / u.micros
		}
		return int64((float64(b) - float64(a)) / float64(u.micros))
	}
	da, db := text.FloorDiv(a, text.MicrosPerDay), text.FloorDiv(b, text.MicrosPerDay)
	ta, tb := a-da*text.MicrosPerDay, b-db*text.MicrosPerDay
	switch {
	case db > da && tb < ta:
		db--
	case db < da && tb > ta:
		db++
	}
	if u.days > 0 {
		return (db - da) / u.days
	}
	ya, ma, dayA := text.CivilFromDays(da)
	yb, mb, dayB := text.CivilFromDays(db)
	packed := ((yb*12+int64(mb))*32 + int64(dayB)) - ((ya*12+int64(ma))*32 + int64(dayA))
	return packed / 32 / u.months
}
