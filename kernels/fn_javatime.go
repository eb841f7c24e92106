package kernels

import (
	"sync/atomic"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/javatime"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// timePatterns compiles date patterns and keeps the last one: a constant pattern
// is compiled once.
type timePatterns struct {
	parsing bool
	last    atomic.Pointer[javatime.Pattern]
}

func (c *timePatterns) get(pattern []byte) (*javatime.Pattern, error) {
	if p := c.last.Load(); p != nil && p.String() == string(pattern) {
		return p, nil
	}
	p, err := javatime.Compile(string(pattern), c.parsing)
	if err != nil {
		return nil, err
	}
	c.last.Store(p)
	return p, nil
}

// defaultTimePattern is that of unix_timestamp and from_unixtime.
var defaultTimePattern = []byte("yyyy-MM-dd HH:mm:ss")

// patternArg is the pattern argument at a position, or the default pattern.
func patternArg(args []vector.Vec, at int) func(i int) []byte {
	if len(args) > at {
		return textsOf(args[at]).at
	}
	return func(int) []byte { return defaultTimePattern }
}

// cannotParse is CANNOT_PARSE_TIMESTAMP; try is the function that gives null instead.
func cannotParse(p *javatime.Pattern, s []byte, try string) error {
	return condition.New("CANNOT_PARSE_TIMESTAMP", "message", p.Why(s), "func", "`"+try+"`")
}

func init() {
	Register(
		DefineOn(Scalar{
			Name: "date_format", Signature: "date_format(ts, fmt)", Summary: "The timestamp as text by a Java date pattern, in the session's zone.",
			Examples: []Example{{"date_format('2016-04-08', 'y')", "2016"}},
		}, Sig{Params: []Accept{Timestamp, String}, Result: vector.String}, func(*Conf, []Arg) Eval {
			pats := &timePatterns{}
			return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				return formatTimes(pats, ctx, args, n, fixedOf[int64](args[0]).at, textsOf(args[1]).at)
			}
		}),
		DefineOn(Scalar{
			Name: "from_unixtime", Signature: "from_unixtime(seconds[, fmt])", Summary: "A Unix time in seconds as text in the session's zone, by a Java date pattern.",
			Examples: []Example{{"from_unixtime(0, 'yyyy-MM-dd HH:mm:ss')", "1970-01-01 00:00:00"}},
			SQL:      withDefaults("from_unixtime", 1, "yyyy-MM-dd HH:mm:ss"),
		}, Sig{Params: []Accept{Long, String}, Optional: 1, Result: vector.String}, func(*Conf, []Arg) Eval {
			pats := &timePatterns{}
			return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				secs := fixedOf[int64](args[0])
				return formatTimes(pats, ctx, args, n, func(i int) int64 { return secs.at(i) * text.MicrosPerSecond }, patternArg(args, 1))
			}
		}),
		parseFunction("to_timestamp", vector.Timestamp, false, "The text as a timestamp by a Java date pattern; without one as a cast reads it.",
			Example{"to_timestamp('2016-12-31', 'yyyy-MM-dd')", "2016-12-31 00:00:00"}, "try_to_timestamp"),
		parseFunction("to_timestamp_ltz", vector.Timestamp, false, "The same as to_timestamp.",
			Example{"to_timestamp_ltz('2016-12-31', 'yyyy-MM-dd')", "2016-12-31 00:00:00"}, "try_to_timestamp"),
		parseFunction("to_timestamp_ntz", vector.TimestampNTZ, false, "The text as a timestamp without time zone by a Java date pattern.",
			Example{"to_timestamp_ntz('2016-12-31', 'yyyy-MM-dd')", "2016-12-31 00:00:00"}, "try_to_timestamp"),
		parseFunction("try_to_timestamp", vector.Timestamp, true, "to_timestamp, but null for a text that does not match.",
			Example{"try_to_timestamp('foo', 'yyyy-MM-dd')", "NULL"}, ""),
		parseFunction("to_date", vector.Date, false, "The text as a date by a Java date pattern; without one as a cast reads it.",
			Example{"to_date('2016-12-31', 'yyyy-MM-dd')", "2016-12-31"}, "try_to_date"),
		parseFunction("try_to_date", vector.Date, true, "to_date, but null for a text that does not match.",
			Example{"try_to_date('foo', 'yyyy-MM-dd')", "NULL"}, ""),
		unixTimestamp("unix_timestamp", 0), unixTimestamp("to_unix_timestamp", 1),
	)
}

func formatTimes(pats *timePatterns, ctx *Ctx, args []vector.Vec, n int, micros func(int) int64, pattern func(int) []byte) (vector.Vec, error) {
	zone := text.NewClock(ctx.Zone).Zone()
	return stringRowsOrIn(ctx.Temp, vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		p, err := pats.get(pattern(i))
		if err != nil {
			return nil, false, err
		}
		return p.Append(dst, micros(i), zone), true, nil
	})
}

// parseFunction defines one of to_timestamp, to_date and their kin. Without a
// pattern, and for arguments that are no text, they are casts.
func parseFunction(name string, result *vector.Type, try bool, summary string, ex Example, alternative string) Scalar {
	source := OneOf(String, Date, Timestamp, TimestampNTZ)
	if result.Kind == vector.KindTimestamp {
		source = OneOf(String, Date, Timestamp, TimestampNTZ, AnyNumeric)
	}
	return Scalar{
		Name: name, Signature: name + "(expr[, fmt])", Summary: summary, Examples: []Example{ex}, MinArgs: 1, MaxArgs: 2,
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			sig := Sig{Params: []Accept{source, String}, Optional: 1, Result: result, Nullable: try || !conf.ANSI}
			mode := ModeOf(conf.ANSI)
			if try {
				mode = CastTry
			}
			print := func(args []Arg) string { return callSQL(name, sqlOf(args)) }
			impl, err := sig.bind(conf, print, args, func(conf *Conf, args []Arg) Eval {
				return parseTimes(result, &timePatterns{parsing: true}, mode, alternative)
			})
			if err != nil {
				return nil, err
			}
			if len(args) == 1 || !isString(impl.Args[0]) {
				impl.Nullable = impl.Nullable || MayBecomeNull(impl.Args[0], result, mode)
				impl.New = func(args []Expr) Expr { return NewCast(args[0], result, mode) }
			}
			return impl, nil
		},
	}
}

func parseTimes(result *vector.Type, pats *timePatterns, mode CastMode, alternative string) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s, f := textsOf(args[0]), textsOf(args[1])
		clock := text.NewClock(ctx.Zone)
		zone := clock.Zone()
		get := func(i int) (v int64, ok bool, err error) {
			p, err := pats.get(f.at(i))
			if err != nil {
				return 0, false, err
			}
			text := s.at(i)
			if result.Kind == vector.KindTimestampNTZ {
				v, ok = p.ParseNTZ(text, true)
			} else {
				v, ok = p.ParseTimestamp(text, zone)
			}
			if !ok && mode == CastANSI {
				return 0, false, cannotParse(p, text, alternative)
			}
			return v, ok, nil
		}
		if result.Kind != vector.KindDate {
			return fixedRowsOr(result, n, args, get)
		}
		return fixedRowsOr(result, n, args, func(i int) (int32, bool, error) {
			v, ok, err := get(i)
			return int32(text.FloorDiv(clock.Local(v), text.MicrosPerDay)), ok, err
		})
	}
}

// unixTimestamp defines unix_timestamp and to_unix_timestamp.
func unixTimestamp(name string, least int) Scalar {
	source := OneOf(String, Date, Timestamp, TimestampNTZ)
	f := Scalar{
		Name: name, Signature: name + "([expr[, fmt]])", MinArgs: least, MaxArgs: 2,
		Summary:  "Seconds since 1970-01-01 00:00:00 UTC of a time, or of a text by a Java date pattern; without arguments of the batch.",
		Examples: []Example{{name + "('2016-04-08', 'yyyy-MM-dd')", "1460073600"}},
	}
	f.SQL = func(args []string) string {
		if len(args) == 0 {
			args = []string{"current_timestamp()"}
		}
		return withDefaults(name, 1, "yyyy-MM-dd HH:mm:ss")(args)
	}
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		if len(args) == 0 {
			return &Impl{Result: vector.Long, Volatile: true, Eval: func(ctx *Ctx, _ []vector.Vec, _ int) (vector.Vec, error) {
				return longConst(text.FloorDiv(ctx.BatchTimeMicros, text.MicrosPerSecond)), nil
			}}, nil
		}
		sig := Sig{Params: []Accept{source, String}, Optional: 1, NoCast: true, Result: vector.Long, Nullable: !conf.ANSI}
		return sig.bind(conf, f.print, args, func(conf *Conf, args []Arg) Eval {
			return evalUnixTimestamp(args[0].Type, &timePatterns{parsing: true}, conf.ANSI)
		})
	}
	return f
}

func longConst(v int64) vector.Vec {
	return vector.Vec{Arr: vector.NewFixed(vector.Long, []int64{v}, nil), Const: true}
}

func evalUnixTimestamp(t *vector.Type, pats *timePatterns, ansi bool) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		clock := text.NewClock(ctx.Zone)
		switch t.Kind {
		case vector.KindDate:
			d := fixedOf[int32](args[0])
			return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 {
				return text.FloorDiv(clock.Instant(int64(d.at(i))*text.MicrosPerDay), text.MicrosPerSecond)
			}), nil
		case vector.KindTimestamp, vector.KindTimestampNTZ:
			ts, out := vector.Values[int64](args[0].Arr), vector.Make[int64](ctx.Temp, n)
			for i, v := range ts[:len(out)] {
				out[i] = v / text.MicrosPerSecond
			}
			return vector.Vec{Arr: vector.NewFixed(vector.Long, out, Validity(n, args...))}, nil
		}
		s, pattern, zone := textsOf(args[0]), patternArg(args, 1), clock.Zone()
		return fixedRowsOr(vector.Long, n, args, func(i int) (int64, bool, error) {
			p, err := pats.get(pattern(i))
			if err != nil {
				return 0, false, err
			}
			v, ok := p.ParseTimestamp(s.at(i), zone)
			if !ok && ansi {
				return 0, false, cannotParse(p, s.at(i), "try_to_timestamp")
			}
			return v / text.MicrosPerSecond, ok, nil
		})
	}
}
