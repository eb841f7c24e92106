package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Scalar{
		Name: "sequence", Signature: "sequence(start, stop[, step])", Summary: "The integers, dates or timestamps from start to stop, both included.",
		Examples: []Example{{"sequence(1, 5)", "[1, 2, 3, 4, 5]"}, {"sequence(to_date('2018-01-01'), to_date('2018-03-01'), interval 1 month)", "[2018-01-01, 2018-02-01, 2018-03-01]"}},
		MinArgs:  2, MaxArgs: 3, Bind: bindSequence,
	})
}

// maxSequence bounds the number of elements of one sequence, as Spark does.
const maxSequence = 1<<31 - 1 - 15

func bindSequence(conf *Conf, args []Arg) (*Impl, error) {
	sql := callSQL("sequence", sqlOf(args))
	wrong := func() error {
		return condition.New("DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`sequence`",
			"startType", `("TIMESTAMP" or "TIMESTAMP_NTZ" or "DATE")`, "stepType", `("INTERVAL" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")`, "otherStartType", `"INTEGRAL"`)
	}
	types := []*vector.Type{args[0].Type, args[1].Type}
	integral := args[0].Type.Integral() || args[1].Type.Integral()
	if integral && len(args) == 3 {
		types = append(types, args[2].Type)
	}
	t := CommonType(conf, types)
	if t == nil || !t.Integral() && !t.Datetime() {
		return nil, wrong()
	}
	impl := &Impl{Args: []*vector.Type{t, t}, Result: vector.ArrayOf(t, false), NullIfAny: true}
	step := t
	if len(args) == 3 {
		if t.Datetime() {
			if step = args[2].Type; !isInterval(step) {
				return nil, wrong()
			}
		}
		impl.Args = append(impl.Args, step)
	}
	if t.Integral() {
		impl.Eval = strict(impl.Result, evalIntSequence(t))
	} else {
		impl.Eval = strict(impl.Result, evalTimeSequence(t, step))
	}
	return impl, nil
}

func badSequence() error {
	return condition.New("INTERNAL_ERROR", "message", "Illegal sequence boundaries: the step does not lead from start to stop.")
}

// counts checks the boundaries and gives the number of elements.
func counts(start, stop, step int64) (int, error) {
	switch {
	case start == stop:
		return 1, nil
	case step == 0, step > 0 && start > stop, step < 0 && start < stop:
		return 0, badSequence()
	}
	n := uint64(stop-start)/uint64(max(step, 1)) + 1
	if step < 0 {
		n = uint64(start-stop)/uint64(-step) + 1
	}
	if n > maxSequence {
		return 0, condition.New("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", "numberOfElements", n, "maxRoundedArrayLength", maxSequence,
			"functionName", "`sequence`", "parameter", "`count`")
	}
	return int(n), nil
}

func evalIntSequence(t *vector.Type) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		from, to := smallInts(args[0]), smallInts(args[1])
		valid, off := Validity(n, args...), make([]int32, n+1)
		var out []int64
		for i := range n {
			if valid.Get(i) {
				a, b := from(i), to(i)
				step := int64(1)
				if a > b {
					step = -1
				}
				if len(args) == 3 {
					step = smallInts(args[2])(i)
				}
				k, err := counts(a, b, step)
				if err != nil {
					return vector.Vec{}, err
				}
				for j := range k {
					out = append(out, a+int64(j)*step)
				}
			}
			off[i+1] = int32(len(out))
		}
		var kids arrow.Array
		switch t.Kind {
		case vector.KindByte:
			kids = vector.NewFixed(t, convert[int64, int8](nil, out), nil)
		case vector.KindShort:
			kids = vector.NewFixed(t, convert[int64, int16](nil, out), nil)
		case vector.KindInt:
			kids = vector.NewFixed(t, convert[int64, int32](nil, out), nil)
		default:
			kids = vector.NewFixed(t, out, nil)
		}
		return vector.Vec{Arr: vector.NewList(vector.ArrayOf(t, false), off, kids, valid)}, nil
	}
}

// stride is the step of a sequence of times.
type stride struct{ months, days, micros int64 }

// strides reads the step argument; without one it is a day.
func strides(args []vector.Vec, t *vector.Type) func(i int, backward bool) stride {
	if len(args) < 3 {
		return func(_ int, backward bool) stride {
			if backward {
				return stride{days: -1}
			}
			return stride{days: 1}
		}
	}
	switch t.Kind {
	case vector.KindYearMonthInterval:
		m := fixedOf[int32](args[2])
		return func(i int, _ bool) stride { return stride{months: int64(m.at(i))} }
	case vector.KindDayTimeInterval:
		m := fixedOf[int64](args[2])
		return func(i int, _ bool) stride {
			v := m.at(i)
			return stride{days: v / text.MicrosPerDay, micros: v % text.MicrosPerDay}
		}
	}
	m := fixedOf[arrow.MonthDayNanoInterval](args[2])
	return func(i int, _ bool) stride {
		v := m.at(i)
		return stride{int64(v.Months), int64(v.Days), v.Nanoseconds / 1000}
	}
}

func evalTimeSequence(t, stepType *vector.Type) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		clock := clockFor(ctx, t)
		if t.Kind == vector.KindDate {
			clock = text.NewClock(nil)
		}
		get := func(v vector.Vec) func(int) int64 {
			if t.Kind == vector.KindDate {
				d := fixedOf[int32](v)
				return func(i int) int64 { return int64(d.at(i)) * text.MicrosPerDay }
			}
			return fixedOf[int64](v).at
		}
		from, to, step := get(args[0]), get(args[1]), strides(args, stepType)
		valid, off := Validity(n, args...), make([]int32, n+1)
		var out []int64
		for i := range n {
			if valid.Get(i) {
				a, b := from(i), to(i)
				s := step(i, a > b)
				// An estimate of the step's length, as Spark makes it, checks its direction.
				length := s.months*28*text.MicrosPerDay + s.days*text.MicrosPerDay + s.micros
				if _, err := counts(a, b, length); err != nil {
					return vector.Vec{}, err
				}
				for k := int64(0); ; k++ {
					v := clock.AddLocalMonths(a, s.months*k)
					v = clock.AddLocalDays(v, s.days*k) + s.micros*k
					if length >= 0 && v > b || length < 0 && v < b {
						break
					}
					out = append(out, v)
					if length == 0 {
						break
					}
				}
			}
			off[i+1] = int32(len(out))
		}
		kids := vector.NewFixed(t, out, nil)
		if t.Kind == vector.KindDate {
			days := make([]int32, len(out))
			for k, v := range out {
				days[k] = int32(text.FloorDiv(v, text.MicrosPerDay))
			}
			kids = vector.NewFixed(t, days, nil)
		}
		return vector.Vec{Arr: vector.NewList(vector.ArrayOf(t, false), off, kids, valid)}, nil
	}
}
