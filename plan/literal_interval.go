package plan

import (
	"strings"

	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// microsPerDay counts the microseconds of a day of 24 hours.
const microsPerDay = 24 * 3600 * 1_000_000

// interval reads an interval literal. Its type spans the units that it names:
// year-month for years and months, day-time for the others.
func (a *Analyser) interval(iv *sql.Interval) (*Literal, error) {
	if iv.To != "" {
		return a.rangeInterval(iv)
	}
	s := iv.Text
	var units []string
	if iv.Units == nil {
		for _, w := range strings.Fields(strings.ToLower(s)) {
			if w != "interval" && isWord(w) {
				units = append(units, strings.TrimSuffix(w, "s"))
			}
		}
	} else {
		parts := make([]string, len(iv.Units))
		for i, u := range iv.Units {
			unit := strings.ToLower(u.Unit)
			units = append(units, unit)
			parts[i] = signed(u) + " " + unit
		}
		s = strings.Join(parts, " ")
	}
	months, days, micros, ok := text.ParseInterval([]byte(s))
	switch {
	case !ok && iv.Units == nil:
		return nil, a.errorAt(iv.Span, "INVALID_TYPED_LITERAL", "valueType", `"INTERVAL"`, "value", "'"+s+"'")
	case !ok:
		return nil, a.badUnits(iv, s)
	}
	return a.multiUnit(iv, units, months, int64(days)*microsPerDay+micros)
}

// badUnits is the error for value-unit pairs that make no interval.
func (a *Analyser) badUnits(iv *sql.Interval, s string) error {
	for _, u := range iv.Units {
		if u.Unit != "SECOND" && strings.Contains(signed(u), ".") {
			return a.errorAt(iv.Span, "INVALID_INTERVAL_FORMAT.INVALID_FRACTION", "input", " "+sql.Text(u.Span, a.Text), "unit", strings.ToLower(u.Unit)+"s")
		}
	}
	for _, u := range iv.Units {
		input := " " + sql.Text(u.Span, a.Text)
		words := strings.Fields(signed(u))
		switch {
		case len(words) == 0:
			return a.errorAt(iv.Span, "INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", "input", input, "number", strings.ToLower(u.Unit))
		case len(words) > 1:
			return a.errorAt(iv.Span, "INVALID_INTERVAL_FORMAT.INVALID_UNIT", "input", input, "unit", words[1])
		}
		number := strings.TrimLeft(words[0], "+-")
		if number == "" || number[0] != '.' && number[0]-'0' > 9 {
			return a.errorAt(iv.Span, "INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER", "input", input, "number", words[0])
		}
	}
	if len(iv.Units) == 1 && strings.Trim(signed(iv.Units[0]), "+-0123456789 ") == "" {
		return a.errorAt(iv.Span, "INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION", "input", " "+sql.Text(iv.Units[0].Span, a.Text))
	}
	return a.errorAt(iv.Span, "CANNOT_PARSE_INTERVAL", "intervalString", "'"+s+"'")
}

func isWord(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// signed is the value of a unit with the sign before it.
func signed(u sql.IntervalUnit) string {
	s := u.Value.(*sql.Literal).Text
	if !u.Neg {
		return s
	}
	if strings.HasPrefix(s, "-") {
		return s[1:]
	}
	return "-" + s
}

func (a *Analyser) multiUnit(iv *sql.Interval, units []string, months int32, micros int64) (*Literal, error) {
	var yearMonth, dayTime []uint8
	for _, u := range units {
		f, ok := intervalFields[u]
		switch {
		case u == "week":
			f = vector.FieldDay
		case !ok: // milliseconds and less
			f = vector.FieldSecond
		}
		if f <= vector.FieldMonth {
			yearMonth = append(yearMonth, f)
		} else {
			dayTime = append(dayTime, f)
		}
	}
	switch {
	case len(yearMonth) > 0 && len(dayTime) > 0:
		return nil, a.errorAt(iv.Span, "_LEGACY_ERROR_TEMP_0029", "literal", sql.Text(iv, a.Text))
	case len(yearMonth) > 0:
		return yearMonthLiteral(vector.YearMonthOf(minMax(yearMonth)), months), nil
	}
	return dayTimeLiteral(vector.DayTimeOf(minMax(dayTime)), micros), nil
}

func minMax(fields []uint8) (lo, hi uint8) {
	lo, hi = fields[0], fields[0]
	for _, f := range fields {
		lo, hi = min(lo, f), max(hi, f)
	}
	return lo, hi
}

func yearMonthLiteral(t *vector.Type, months int32) *Literal {
	return fixedLiteral(t, months, string(text.AppendYearMonth(nil, t, months)))
}

func dayTimeLiteral(t *vector.Type, micros int64) *Literal {
	return fixedLiteral(t, micros, string(text.AppendDayTime(nil, t, micros)))
}

// rangeInterval reads INTERVAL '1-2' YEAR TO MONTH and INTERVAL '1 2:3' DAY TO MINUTE.
func (a *Analyser) rangeInterval(iv *sql.Interval) (*Literal, error) {
	u := iv.Units[0]
	span := sql.Span{Start: u.Span.Start, End: iv.Span.End}
	from, to := intervalFields[strings.ToLower(u.Unit)], intervalFields[strings.ToLower(iv.To)]
	s := strings.TrimSpace(signed(u))
	if from <= vector.FieldMonth {
		t := vector.YearMonthOf(from, to)
		months, ok := text.ParseYearMonth([]byte(s), t)
		if !ok {
			return nil, a.errorAt(span, "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING", "input", s, "interval", "year-month")
		}
		return yearMonthLiteral(t, months), nil
	}
	t := vector.DayTimeOf(from, to)
	micros, ok := text.ParseDayTime([]byte(s), t)
	if !ok {
		return nil, a.badDayTime(s, t, span)
	}
	return dayTimeLiteral(t, micros), nil
}

// badDayTime is the error for a string that is not in the format of its units.
func (a *Analyser) badDayTime(s string, t *vector.Type, span sql.Span) error {
	letters := [...]string{vector.FieldDay: "d", vector.FieldHour: "h", vector.FieldMinute: "m", vector.FieldSecond: "s.n"}
	format := letters[t.Start]
	for f := t.Start + 1; f <= t.End; f++ {
		if f == vector.FieldHour {
			format += " " + letters[f]
		} else {
			format += ":" + letters[f]
		}
	}
	units := strings.ToUpper(strings.TrimPrefix(t.String(), "interval "))
	return a.errorAt(span, "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE", "intervalStr", "day-time",
		"supportedFormat", "`[+|-]"+format+"`, `INTERVAL [+|-]'[+|-]"+format+"' "+units+"`", "typeName", t.String(), "input", s)
}
