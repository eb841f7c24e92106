package plan

import (
	"time"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// StateBound tells up to which event time the rows of one side of a join can be
// forgotten, given a watermark: Spark's state value watermark.
type StateBound struct{ limits []timeLimit }

// timeLimit is what one comparison says: time > factor*watermark + offset, or >= if inclusive.
type timeLimit struct {
	factor    float64 // 0: the comparison is with a constant
	micros    float64
	inclusive bool
	eventTime bool // the limited column is the side's event time
}

// At is the state watermark in milliseconds for a watermark in milliseconds: rows at or
// before it match nothing later.
func (b *StateBound) At(watermarkMs int64) int64 {
	out := b.limits[0].at(watermarkMs)
	for _, l := range b.limits[1:] {
		out = min(out, l.at(watermarkMs))
	}
	return out
}

func (l timeLimit) at(watermarkMs int64) int64 {
	ms := int64((l.factor*float64(watermarkMs)*1000 + l.micros) / 1000)
	if l.inclusive {
		ms--
	}
	return ms
}

// String describes the bound in seconds: "watermark - 5.001 s".
func (b *StateBound) String() string {
	var lag int64
	lowest := int64(1<<63 - 1)
	for _, l := range b.limits {
		if l.factor != 1 {
			continue
		}
		if v := l.at(0); v < lowest {
			lowest, lag = v, v
		}
	}
	sign, d := "+", time.Duration(lag)*time.Millisecond
	if lag < 0 {
		sign, d = "-", -d
	}
	return "watermark " + sign + " " + d.String()
}

// JoinStateBound derives, from the comparisons of times in a join's condition, when rows of
// one side (left or right) can be forgotten, following Spark's
// StreamingJoinHelper.getStateValueWatermark: the other side's times are beyond the
// watermark, so that time > other - c means time > watermark - c. Nil: the condition does not tell.
func JoinStateBound(n *Join, left bool) *StateBound {
	side, other := n.Left, n.Right
	if !left {
		side, other = other, side
	}
	if n.Cond == nil || EventTime(other) == nil {
		return nil
	}
	s := &boundSolver{side: attrsByID(side), other: attrsByID(other)}
	b := &StateBound{}
	for _, c := range conjuncts(n.Cond) {
		call, ok := c.(*Call)
		if !ok || len(call.Args) != 2 {
			continue
		}
		l, r := call.Args[0], call.Args[1]
		inclusive := false
		switch call.Fn.Name {
		case "<":
		case "<=":
			inclusive = true
		case ">":
			l, r = r, l
		case ">=":
			l, r = r, l
			inclusive = true
		default:
			continue
		}
		if limit, ok := s.solve(l, r); ok {
			limit.inclusive = inclusive
			b.limits = append(b.limits, limit)
		}
	}
	if len(b.limits) == 0 {
		return nil
	}
	return b
}

// OnEventTime tells whether a comparison with the other side's watermark limits the
// event-time column itself. Spark also takes limits of other columns for limits of the
// event time and then forgets rows that still have matches; such a bound is not used here.
func (b *StateBound) OnEventTime() bool {
	for _, l := range b.limits {
		if l.factor == 1 && l.eventTime {
			return true
		}
	}
	return false
}

func attrsByID(n Node) map[ID]*Attr {
	out := map[ID]*Attr{}
	for _, a := range n.Output() {
		out[a.ID] = a
	}
	return out
}

// boundSolver solves comparisons for the time of a side.
type boundSolver struct {
	side, other map[ID]*Attr
	terms       []linearTerm
	constant    float64 // microseconds
	invalid     bool
}

// linearTerm is a column or its negative.
type linearTerm struct {
	column  *Attr
	negated bool
}

// solve brings l < r into the form watermark + constant < time.
func (s *boundSolver) solve(l, r Expr) (timeLimit, bool) {
	s.terms, s.constant, s.invalid = nil, 0, false
	s.collect(l, false)
	s.collect(r, true)
	if s.invalid {
		return timeLimit{}, false
	}
	limit := timeLimit{micros: s.constant}
	found, ids := 0, map[ID]bool{}
	for _, t := range s.terms {
		ids[t.column.ID] = true
		if a := s.side[t.column.ID]; a != nil {
			found++
			limit.eventTime = a.Delay != nil
			if !t.negated {
				return timeLimit{}, false
			}
			continue
		}
		a := s.other[t.column.ID]
		if a == nil || a.Delay == nil {
			return timeLimit{}, false
		}
		if t.negated {
			limit.factor--
		} else {
			limit.factor++
		}
	}
	return limit, found == 1 && len(ids) <= 2
}

// collect splits an expression into the terms of a sum.
func (s *boundSolver) collect(e Expr, negate bool) {
	switch x := e.(type) {
	case *Attr:
		s.terms = append(s.terms, linearTerm{x, negate})
		return
	case *Alias:
		s.collect(x.Child, negate)
		return
	case *Cast:
		if Foldable(e) {
			break
		}
		if !x.To.Numeric() && x.To.Kind != vector.KindTimestamp {
			s.invalid = true
		}
		s.collect(x.Child, negate)
		return
	case *Call:
		if Foldable(e) {
			break
		}
		switch {
		case x.Fn.Name == "+" && len(x.Args) == 2:
			s.collect(x.Args[0], negate)
			s.collect(x.Args[1], negate)
			return
		case x.Fn.Name == "-" && len(x.Args) == 2 && x.Args[1].Type().Datetime():
			// Spark does not look into the difference of two times.
		case x.Fn.Name == "-" && len(x.Args) == 2:
			s.collect(x.Args[0], negate)
			s.collect(x.Args[1], !negate)
			return
		case len(x.Args) == 1 && (x.Fn.Name == "-" || x.Fn.Name == "negative"):
			s.collect(x.Args[0], !negate)
			return
		}
	}
	micros, ok := constantMicros(e)
	if !ok {
		s.invalid = true
	}
	if negate {
		micros = -micros
	}
	s.constant += micros
}

// constantMicros is a constant interval, or a number of seconds, in microseconds. Intervals with
// months have no fixed length.
func constantMicros(e Expr) (float64, bool) {
	if !Foldable(e) {
		return 0, false
	}
	v, err := evaluate(&kernels.Ctx{Zone: time.UTC, ANSI: true}, e)
	if err != nil || v.IsNull(0) {
		return 0, false
	}
	switch t := e.Type(); {
	case t.Kind == vector.KindDayTimeInterval:
		return float64(vector.Values[int64](v.Arr)[0]), true
	case t.Kind == vector.KindCalendarInterval:
		i := calendarOf(v)
		return float64(i.days)*microsPerDay + float64(i.nanos)/1000, i.months == 0
	case t.Numeric():
		a, err := kernels.CastArray(&kernels.Ctx{Zone: time.UTC, ANSI: true}, v.Arr, t, vector.Double, kernels.CastANSI)
		if err != nil {
			return 0, false
		}
		return vector.Values[float64](a)[0] * 1e6, true
	}
	return 0, false
}

// calendarInterval is the layout of a CALENDAR INTERVAL value.
type calendarInterval struct {
	months, days int32
	nanos        int64
}

func calendarOf(v vector.Vec) calendarInterval { return vector.Values[calendarInterval](v.Arr)[0] }
