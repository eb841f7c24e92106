package plan

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// literal reads a literal as Spark's AstBuilder does.
func (a *Analyser) literal(l *sql.Literal) (*Literal, error) {
	switch l.Kind {
	case "null":
		return NullLiteral(vector.Null), nil
	case "true", "false":
		return BoolLiteral(l.Kind == "true"), nil
	case "string":
		return StringLiteral(l.Text), nil
	case "integer":
		return integerLiteral(l), nil
	case "tinyint":
		v, _ := strconv.ParseInt(l.Text, 10, 8)
		return fixedLiteral(vector.Byte, int8(v), strconv.FormatInt(v, 10)), nil
	case "smallint":
		v, _ := strconv.ParseInt(l.Text, 10, 16)
		return fixedLiteral(vector.Short, int16(v), strconv.FormatInt(v, 10)), nil
	case "bigint":
		v, _ := strconv.ParseInt(l.Text, 10, 64)
		return LongLiteral(v), nil
	case "decimal", "bigdecimal":
		return decimalLiteral(l.Text), nil
	case "double", "doubleSuffix":
		v, _ := strconv.ParseFloat(l.Text, 64)
		return fixedLiteral(vector.Double, v, string(text.AppendDouble(nil, v))), nil
	case "float":
		v, _ := strconv.ParseFloat(l.Text, 32)
		return fixedLiteral(vector.Float, float32(v), string(text.AppendFloat(nil, float32(v)))), nil
	case "x":
		return binaryLiteral(l.Text), nil
	}
	return a.typedLiteral(l)
}

// integerLiteral is an INT, or the smallest of BIGINT and DECIMAL that holds it.
func integerLiteral(l *sql.Literal) *Literal {
	if v, err := strconv.ParseInt(l.Text, 10, 32); err == nil {
		return fixedLiteral(vector.Int, int32(v), strconv.FormatInt(v, 10))
	}
	if v, err := strconv.ParseInt(l.Text, 10, 64); err == nil {
		return LongLiteral(v)
	}
	return decimalLiteral(l.Text)
}

// decimalLiteral has the precision and scale of the digits as written; an
// exponent shifts them as in Java's BigDecimal.
func decimalLiteral(s string) *Literal {
	d, digits, scale, _ := decimal.ParseExact([]byte(s))
	if scale < 0 {
		digits -= scale
		d, _ = decimal.Rescale(d, scale, decimal.MaxPrecision, 0)
		scale = 0
	}
	return fixedLiteral(vector.Decimal(max(digits, scale), scale), d, string(decimal.AppendJava(nil, d, scale)))
}

func binaryLiteral(digits string) *Literal {
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	b, _ := hex.DecodeString(digits)
	arr := vector.NewString(vector.Binary, []int32{0, int32(len(b))}, b, nil)
	return &Literal{Typ: vector.Binary, Value: vector.Vec{Arr: arr, Const: true}, Text: "X'" + strings.ToUpper(digits) + "'"}
}

// typedLiteral reads DATE '…', TIMESTAMP '…' and the like.
func (a *Analyser) typedLiteral(l *sql.Literal) (*Literal, error) {
	s := []byte(l.Text)
	switch l.Kind {
	case "date":
		if v, ok := text.ParseDate(s); ok {
			return fixedLiteral(vector.Date, v, "DATE '"+string(text.AppendDate(nil, int64(v)))+"'"), nil
		}
	case "timestamp":
		// The type of TIMESTAMP '…' is spark.sql.timestampType.
		if a.Conf.Conf["spark.sql.timestampType"] == "TIMESTAMP_NTZ" && !hasZone(s) {
			return a.ntzLiteral(l)
		}
		return a.instantLiteral(l)
	case "timestamp_ltz":
		return a.instantLiteral(l)
	case "timestamp_ntz":
		return a.ntzLiteral(l)
	case "time":
		if v, digits, ok := parseTime(l.Text); ok {
			t := &vector.Type{Kind: vector.KindTime, Precision: digits}
			return fixedLiteral(t, v, "TIME '"+formatTime(v)+"'"), nil
		}
	}
	return nil, a.invalidTyped(l)
}

func (a *Analyser) invalidTyped(l *sql.Literal) error {
	return a.errorAt(l.Span, "INVALID_TYPED_LITERAL", "valueType", `"`+strings.ToUpper(l.Kind)+`"`, "value", "'"+l.Text+"'")
}

func (a *Analyser) instantLiteral(l *sql.Literal) (*Literal, error) {
	v, ok := text.ParseTimestamp([]byte(l.Text), a.Conf.Zone)
	if !ok {
		return nil, a.invalidTyped(l)
	}
	local := text.LocalMicros(v, a.Conf.Zone)
	return fixedLiteral(vector.Timestamp, v, "TIMESTAMP '"+string(text.AppendTimestamp(nil, local))+"'"), nil
}

func (a *Analyser) ntzLiteral(l *sql.Literal) (*Literal, error) {
	v, ok := text.ParseTimestampNTZ([]byte(l.Text), true)
	if !ok {
		return nil, a.invalidTyped(l)
	}
	return fixedLiteral(vector.TimestampNTZ, v, "TIMESTAMP_NTZ '"+string(text.AppendTimestamp(nil, v))+"'"), nil
}

// hasZone tells whether a timestamp names a zone: then it is an instant.
func hasZone(s []byte) bool {
	_, any := text.ParseTimestampNTZ(s, true)
	_, plain := text.ParseTimestampNTZ(s, false)
	return any && !plain
}

func fixedLiteral[T any](t *vector.Type, v T, sqlText string) *Literal {
	return &Literal{Typ: t, Value: vector.Vec{Arr: vector.NewFixed(t, []T{v}, nil), Const: true}, Text: sqlText}
}

// NullLiteral is a null of type t.
func NullLiteral(t *vector.Type) *Literal {
	return &Literal{Typ: t, Value: vector.ConstNull(t), Text: "NULL"}
}

// BoolLiteral is a BOOLEAN constant.
func BoolLiteral(v bool) *Literal {
	bits := vector.NewBitmap(1)
	if v {
		bits.Set(0)
	}
	return &Literal{Typ: vector.Bool, Value: vector.Vec{Arr: vector.NewBool(bits, 1, nil), Const: true}, Text: strconv.FormatBool(v)}
}

// StringLiteral is a STRING constant.
func StringLiteral(s string) *Literal {
	arr := vector.NewString(vector.String, []int32{0, int32(len(s))}, []byte(s), nil)
	return &Literal{Typ: vector.String, Value: vector.Vec{Arr: arr, Const: true}, Text: s}
}

// IntLiteral is an INT constant.
func IntLiteral(v int32) *Literal {
	return fixedLiteral(vector.Int, v, strconv.FormatInt(int64(v), 10))
}

// LongLiteral is a BIGINT constant.
func LongLiteral(v int64) *Literal { return fixedLiteral(vector.Long, v, strconv.FormatInt(v, 10)) }

// nanosPerSecond counts the nanoseconds of a second.
const nanosPerSecond = 1_000_000_000

// parseTime reads h[h]:m[m][:s[s][.fraction]] as nanoseconds of the day; digits
// is the precision of the literal, at least 6 as in Spark.
func parseTime(s string) (nanos int64, digits int, ok bool) {
	parts := strings.Split(strings.TrimSpace(s), ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, 0, false
	}
	fraction := ""
	if len(parts) == 3 {
		parts[2], fraction, _ = strings.Cut(parts[2], ".")
	}
	limits := [...]int64{24, 60, 60}
	var secs int64
	for i, limit := range limits {
		var v int64
		if i < len(parts) {
			u, err := strconv.ParseUint(parts[i], 10, 8)
			if err != nil || len(parts[i]) > 2 {
				return 0, 0, false
			}
			v = int64(u)
		}
		if v >= limit {
			return 0, 0, false
		}
		secs = secs*60 + v
	}
	if len(fraction) > maxTimePrecision {
		return 0, 0, false
	}
	frac, err := strconv.ParseUint(fraction+strings.Repeat("0", maxTimePrecision-len(fraction)), 10, 64)
	if err != nil {
		return 0, 0, false
	}
	return secs*nanosPerSecond + int64(frac), max(len(fraction), vector.Time.Precision), true
}

// formatTime prints a time of day without trailing zeros in its fraction.
func formatTime(nanos int64) string {
	two := func(v int64) string { return strconv.FormatInt(100+v, 10)[1:] }
	secs := nanos / nanosPerSecond
	out := two(secs/3600) + ":" + two(secs/60%60) + ":" + two(secs%60)
	if frac := nanos % nanosPerSecond; frac != 0 {
		out += "." + strings.TrimRight(strconv.FormatInt(nanosPerSecond+frac, 10)[1:], "0")
	}
	return out
}
