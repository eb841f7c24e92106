package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

func init() {
	Register(DefineOn(Scalar{Name: "$session_end", Signature: "$session_end(ts, gap)",
		Summary: "The end of the session of one row: its time and an interval, months and days on the session's wall clock."},
		Sig{Params: []Accept{AnyTimestamp, AnyCalendar},
			ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) { return args[0].Type, nil }},
		func(_ *Conf, args []Arg) Eval { return evalSessionEnd(args[0].Type) }))
}

func evalSessionEnd(t *vector.Type) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		ts, gap, clock := fixedOf[int64](args[0]), fixedOf[arrow.MonthDayNanoInterval](args[1]), clockFor(ctx, t)
		return fixedRowsOr(t, n, args, func(i int) (int64, bool, error) {
			v, g := ts.at(i), gap.at(i)
			if g.Months != 0 {
				v = clock.AddLocalMonths(v, int64(g.Months))
			}
			if g.Days != 0 {
				v = clock.AddLocalDays(v, int64(g.Days))
			}
			end := v + g.Nanoseconds/1000
			if g.Nanoseconds >= 0 != (end >= v) {
				return 0, false, errOverflow("long overflow", "")
			}
			return end, true, nil
		})
	}
}
