package kernels

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// zoneClocks are the clocks of the zones that a column names.
type zoneClocks map[string]*text.Clock

func (z zoneClocks) get(name []byte) (*text.Clock, error) {
	if c := z[string(name)]; c != nil {
		return c, nil
	}
	loc, ok := text.ParseZone(string(name))
	if !ok {
		return nil, condition.New("INVALID_TIMEZONE", "timeZone", string(name))
	}
	c := text.NewClock(loc)
	z[string(name)] = c
	return c, nil
}

func init() {
	zoned := func(name, summary, want string, f func(c *text.Clock, v int64) int64) Scalar {
		return Define(Scalar{
			Name: name, Signature: name + "(ts, timezone)", Summary: summary,
			Examples: []Example{{name + "('2016-08-31', 'Asia/Seoul')", want}},
		}, Sig{Params: []Accept{Timestamp, String}, Result: vector.Timestamp}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			ts, zone, clocks := fixedOf[int64](args[0]), textsOf(args[1]), zoneClocks{}
			return fixedRowsOr(vector.Timestamp, n, args, func(i int) (int64, bool, error) {
				c, err := clocks.get(zone.at(i))
				if err != nil {
					return 0, false, err
				}
				return f(c, ts.at(i)), true, nil
			})
		})
	}
	Register(
		zoned("from_utc_timestamp", "The time that a UTC time is in the zone, as if it were a UTC time again.", "2016-08-31 09:00:00", (*text.Clock).Local),
		zoned("to_utc_timestamp", "The UTC time that the wall-clock time of the zone is.", "2016-08-30 15:00:00", (*text.Clock).Instant),
		Define(Scalar{
			Name: "convert_timezone", Signature: "convert_timezone([sourceTz, ]targetTz, sourceTs)",
			Summary:  "The wall-clock time in the target zone of a wall-clock time in the source zone, the session's without one.",
			Examples: []Example{{"convert_timezone('Europe/Brussels', 'America/Los_Angeles', timestamp_ntz'2021-12-06 00:00:00')", "2021-12-05 15:00:00"}},
			SQL: func(args []string) string {
				if len(args) == 2 {
					args = append([]string{"current_timezone()"}, args...)
				}
				return callSQL("convert_timezone", args)
			},
		}, Sig{}, nil).convertTimezone(),
		Scalar{
			Name: "window_time", Signature: "window_time(window)", Summary: "The event time of a window: its end less one microsecond.",
			Examples: []Example{{"SELECT window_time(w) FROM (SELECT window(ts, '5 seconds') AS w FROM VALUES (TIMESTAMP '2024-01-01 00:00:07') AS t(ts))", "2024-01-01 00:00:09.999999"}}, MinArgs: 1, MaxArgs: 1, Bind: bindWindowTime,
		},
	)
}

// convertTimezone binds two or three arguments: the optional one comes first.
func (f Scalar) convertTimezone() Scalar {
	f.MinArgs, f.MaxArgs = 2, 3
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		sig := Sig{Params: []Accept{String, String, TimestampNTZ}[3-len(args):], Result: vector.TimestampNTZ}
		return sig.bind(conf, f.print, args, func(*Conf, []Arg) Eval { return evalConvertTimezone })
	}
	return f
}

func evalConvertTimezone(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	clocks := zoneClocks{}
	k := len(args)
	target, ts := textsOf(args[k-2]), fixedOf[int64](args[k-1])
	source := text.NewClock(ctx.Zone)
	return fixedRowsOr(vector.TimestampNTZ, n, args, func(i int) (int64, bool, error) {
		if k == 3 {
			c, err := clocks.get(textsOf(args[0]).at(i))
			if err != nil {
				return 0, false, err
			}
			source = c
		}
		to, err := clocks.get(target.at(i))
		if err != nil {
			return 0, false, err
		}
		return to.Local(source.Instant(ts.at(i))), true, nil
	})
}

func bindWindowTime(_ *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	if t.Kind != vector.KindStruct || len(t.Fields) != 2 || !isTimestamp(t.Fields[1].Type) {
		return nil, UnexpectedInput(callSQL("window_time", sqlOf(args)), 0, Exactly(vector.StructOf(
			vector.Field{Name: "start", Type: vector.Timestamp, Nullable: true}, vector.Field{Name: "end", Type: vector.Timestamp, Nullable: true})), args[0])
	}
	result := t.Fields[1].Type
	return &Impl{Args: []*vector.Type{t}, Result: result, NullIfAny: true, Eval: strict(result, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		end := vector.Vec{Arr: structField(args[0].Arr, 1), Const: args[0].Const}
		ts := fixedOf[int64](end)
		return fixedRows(result, n, Validity(n, args[0], end), func(i int) int64 { return ts.at(i) - 1 }), nil
	})}, nil
}
