package kernels

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Scalar{
		Name: "time_bucket", Signature: "time_bucket(bucketSize, ts[, origin])",
		Summary:  "The start of the bucket of a timestamp: buckets of an interval's length that begin at an origin, by default 1970-01-01 00:00:00; days and months on the session zone's wall clock.",
		Examples: []Example{{"time_bucket(INTERVAL '15' MINUTE, TIMESTAMP_NTZ'2024-01-01 11:27:00')", "2024-01-01 11:15:00"}},
		MinArgs:  2, MaxArgs: 3, Bind: bindTimeBucket,
	})
}

func bindTimeBucket(conf *Conf, args []Arg) (*Impl, error) {
	t := vector.Timestamp
	if args[1].Type.Kind == vector.KindTimestampNTZ {
		t = vector.TimestampNTZ
	}
	print := func(args []string) string {
		return withDefaults("time_bucket", 2, t.SQL()+" '1970-01-01 00:00:00'")(args)
	}
	sql := print(sqlOf(args))
	size := args[0]
	for i, name := range []string{"bucketSize", "", "origin"} {
		if i < len(args) && name != "" && args[i].Const == nil {
			return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quoteSQL(sql),
				"inputName", "`"+name+"`", "inputType", quoteType(args[i].Type), "inputExpr", quoteSQL(args[i].SQL))
		}
	}
	months := int64(0)
	if size.Type.Kind == vector.KindYearMonthInterval {
		months = int64(vector.Values[int32](size.Const.Arr)[0])
	}
	if k := size.Type.Kind; (k == vector.KindYearMonthInterval && months <= 0 ||
		k == vector.KindDayTimeInterval && vector.Values[int64](size.Const.Arr)[0] <= 0) && !size.Const.IsNull(0) {
		return nil, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quoteSQL(sql),
			"exprName", "`bucketSize`", "valueRange", "(0, inf)", "currentValue", size.SQL)
	}
	sig := Sig{Params: []Accept{OneOf(AnyDayTime, AnyYearMonth), AnyTimestamp, Exactly(t)}, Optional: 1, NoCast: true, Result: t}
	impl, err := sig.bind(conf, func(args []Arg) string { return print(sqlOf(args)) }, args, func(_ *Conf, args []Arg) Eval {
		return evalTimeBucket(t, args[0].Type.Kind == vector.KindYearMonthInterval, months)
	})
	if err == nil {
		impl.SQL = print
	}
	return impl, err
}

func evalTimeBucket(t *vector.Type, monthly bool, months int64) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		clock := clockFor(ctx, t)
		ts := fixedOf[int64](args[1])
		local := int64(0) // of the origin
		if len(args) == 3 {
			local = clock.Local(vector.Values[int64](args[2].Arr)[0])
		}
		if monthly {
			return fixedRows(t, n, Validity(n, args...), func(i int) int64 {
				return clock.Instant(monthBucket(clock.Local(ts.at(i)), local, months))
			}), nil
		}
		size := vector.Values[int64](args[0].Arr)[0]
		if size%text.MicrosPerDay != 0 && size < text.MicrosPerDay { // hours and less do not follow the wall clock
			origin := clock.Instant(local)
			return fixedRows(t, n, Validity(n, args...), func(i int) int64 {
				return origin + text.FloorDiv(ts.at(i)-origin, size)*size
			}), nil
		}
		return fixedRows(t, n, Validity(n, args...), func(i int) int64 {
			return clock.Instant(local + text.FloorDiv(clock.Local(ts.at(i))-local, size)*size)
		}), nil
	}
}

// monthBucket is the last of the times origin + k·months that is not after ts.
func monthBucket(ts, origin, months int64) int64 {
	day := text.FloorDiv(origin, text.MicrosPerDay)
	start := func(k int64) int64 {
		return text.AddMonths(day, k*months)*text.MicrosPerDay + (origin - day*text.MicrosPerDay)
	}
	y, m, _ := text.CivilFromDays(text.FloorDiv(ts, text.MicrosPerDay))
	oy, om, _ := text.CivilFromDays(day)
	k := text.FloorDiv((int64(y)-int64(oy))*12+int64(m)-int64(om), months)
	if start(k) > ts {
		k--
	}
	return start(k)
}
