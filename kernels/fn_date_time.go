package kernels

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// dateForm are the parameters of make_timestamp and its kin in the form that
// takes a date.
var dateForm = map[string]string{
	"make_timestamp": "(date[, time[, timezone]])", "try_make_timestamp": "(date[, time[, timezone]])",
	"make_timestamp_ltz": "(date, time[, timezone])", "try_make_timestamp_ltz": "(date, time[, timezone])",
	"make_timestamp_ntz": "(date, time)", "try_make_timestamp_ntz": "(date, time)",
}

// ofDateAndTime lets a function of six numbers take a date and a time of day instead.
func (f Scalar) ofDateAndTime(result *vector.Type) Scalar {
	numbers, most := f.Bind, f.MaxArgs
	least, dates, counts := 1, 3, "[1, 2, 3, 6, 7]" // the numbers of arguments that messages name
	switch dateForm[f.Name] {
	case "(date, time[, timezone])":
		least, counts = 2, "[2, 6]"
	case "(date, time)":
		least, dates, counts = 2, 2, "[2, 6]"
	}
	if strings.HasPrefix(f.Name, "try_") && least == 2 {
		counts = "6"
	}
	f.MinArgs, f.MaxArgs = 0, -1
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		switch n := len(args); {
		case n >= 6 && n <= most:
			return numbers(conf, args)
		case n < least || n > dates:
			return nil, condition.New("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "functionName", "`"+f.Name+"`",
				"expectedNum", counts, "actualNum", n, "docroot", "https://spark.apache.org/docs/latest")
		}
		name := f.Name
		if least == 2 && dates == 3 {
			name = "make_timestamp" // which is how Spark prints it
		}
		print := func(args []string) string {
			if f.Name == "try_make_timestamp_ntz" {
				return callSQL(f.Name, []string{callSQL("make_timestamp_ntz", args)})
			}
			return callSQL(name, args)
		}
		sig := Sig{Params: []Accept{Date, AnyTime, String}[:dates], Optional: dates - 1, NoCast: true, Result: result}
		impl, err := sig.bind(conf, func(args []Arg) string { return print(sqlOf(args)) }, args, func(*Conf, []Arg) Eval {
			return evalDateAndTime(result)
		})
		if err == nil {
			impl.SQL = print
		}
		return impl, err
	}
	return f
}

func evalDateAndTime(result *vector.Type) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		date := fixedOf[int32](args[0])
		nanos := func(int) int64 { return 0 }
		if len(args) > 1 {
			nanos = fixedOf[int64](args[1]).at
		}
		clocks, clock := zoneClocks{}, clockFor(ctx, result)
		return fixedRowsOr(result, n, args, func(i int) (int64, bool, error) {
			if len(args) == 3 {
				c, err := clocks.get(textsOf(args[2]).at(i))
				if err != nil {
					return 0, false, err
				}
				clock = c
			}
			local, ok := mulLong(int64(date.at(i)), text.MicrosPerDay)
			if !ok {
				return 0, false, condition.New("DATETIME_OVERFLOW", "operation", "create a TIMESTAMP")
			}
			return clock.Instant(local + nanos(i)/1000), true, nil
		})
	}
}
