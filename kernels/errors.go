package kernels

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

const ansiConfig = `"spark.sql.ansi.enabled"`

func errDivideByZero() error {
	return condition.New("DIVIDE_BY_ZERO", "config", ansiConfig)
}

func errRemainderByZero() error {
	return condition.New("REMAINDER_BY_ZERO", "config", ansiConfig)
}

// errOverflow is ARITHMETIC_OVERFLOW; try is the function that gives null instead, or "".
func errOverflow(message, try string) error {
	alternative := ""
	if try != "" {
		alternative = " Use '" + try + "' to tolerate overflow and return NULL instead."
	}
	return condition.New("ARITHMETIC_OVERFLOW", "message", message, "alternative", alternative, "config", ansiConfig)
}

// errSmallOverflow is the overflow of tinyint and smallint.
func errSmallOverflow(symbol, try string, a, b int64) error {
	return condition.New("BINARY_ARITHMETIC_OVERFLOW", "value1", strconv.FormatInt(a, 10)+"S", "symbol", symbol,
		"value2", strconv.FormatInt(b, 10)+"S", "functionName", "`"+try+"`")
}

// errDecimalRange is a value that decimal(precision, scale) cannot hold.
func errDecimalRange(value string, precision, scale int) error {
	return condition.New("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "value", value,
		"precision", precision, "scale", scale, "config", ansiConfig)
}

func errCastInput(value string, from, to *vector.Type) error {
	return condition.New("CAST_INVALID_INPUT", "expression", value,
		"sourceType", quoteType(from), "targetType", quoteType(to), "ansiConfig", ansiConfig)
}

func errCastOverflow(value string, from, to *vector.Type) error {
	return condition.New("CAST_OVERFLOW", "value", value,
		"sourceType", quoteType(from), "targetType", quoteType(to), "ansiConfig", ansiConfig)
}

// sqlValue is value i of a as an SQL literal, as messages quote values: 'a', 5L, 1.5D.
func sqlValue(t *vector.Type, a arrow.Array, i int) string {
	if isNullAt(a, i) {
		return "NULL"
	}
	shown := printed(t, a, i)
	switch t.Kind {
	case vector.KindString:
		return quoteString(shown)
	case vector.KindBinary:
		return "X'" + strings.ToUpper(hexOf(a, i)) + "'"
	case vector.KindByte:
		return shown + "Y"
	case vector.KindShort:
		return shown + "S"
	case vector.KindLong:
		return shown + "L"
	case vector.KindFloat, vector.KindDouble:
		s := shown
		switch {
		case s == "NaN" || strings.HasSuffix(s, "Infinity"):
			return s
		case t.Kind == vector.KindFloat:
			return "CAST(" + s + " AS FLOAT)"
		}
		return s + "D"
	case vector.KindDecimal:
		return shown + "BD"
	case vector.KindDate, vector.KindTimestamp, vector.KindTimestampNTZ:
		return t.SQL() + " '" + shown + "'"
	}
	return shown
}

func quoteString(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
}

func hexOf(a arrow.Array, i int) string {
	const digits = "0123456789abcdef"
	off, data := vector.Strings(a)
	var b strings.Builder
	for _, c := range data[off[i]:off[i+1]] {
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}
