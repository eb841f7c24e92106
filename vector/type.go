// Package vector is the data model: Spark SQL types on Arrow memory, schemas,
// batches with a selection, single columns (Vec) and the group table.
package vector

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// Kind says which Spark SQL type a Type is.
type Kind uint8

// The kinds, with the Arrow layout that carries their values.
const (
	KindNull              Kind = iota // arrow.Null: the type of a bare NULL
	KindBool                          // arrow.Boolean (bit-packed)
	KindByte                          // int8
	KindShort                         // int16
	KindInt                           // int32
	KindLong                          // int64
	KindFloat                         // float32
	KindDouble                        // float64
	KindDecimal                       // decimal128, Precision 1..38, Scale 0..38
	KindString                        // UTF-8, int32 offsets
	KindBinary                        // bytes, int32 offsets
	KindDate                          // date32: days since 1970-01-01
	KindTimestamp                     // int64 microseconds since 1970-01-01T00:00:00Z (an instant)
	KindTimestampNTZ                  // int64 microseconds, wall clock without a zone
	KindDayTimeInterval               // arrow duration[us]: int64 microseconds; fields Start..End
	KindYearMonthInterval             // arrow month interval: int32 months; fields Start..End
	KindCalendarInterval              // arrow month_day_nano interval
	KindTime                          // time64[ns]: nanoseconds of the day
	KindArray                         // arrow list
	KindMap                           // arrow map
	KindStruct                        // arrow struct
	KindVariant                       // arrow struct<value: binary, metadata: binary>
)

// Interval fields, for Type.Start and Type.End.
const (
	FieldYear uint8 = iota
	FieldMonth
	FieldDay
	FieldHour
	FieldMinute
	FieldSecond
)

// Type is a Spark SQL type. Types are immutable; compare them with Equal.
type Type struct {
	Kind             Kind
	Precision, Scale int     // decimal
	Start, End       uint8   // intervals: the leading and trailing field
	Elem             *Type   // array element, map value
	ElemNullable     bool    // array containsNull, map valueContainsNull
	Key              *Type   // map key
	Fields           []Field // struct
}

// The types without parameters.
var (
	Null             = &Type{Kind: KindNull}
	Bool             = &Type{Kind: KindBool}
	Byte             = &Type{Kind: KindByte}
	Short            = &Type{Kind: KindShort}
	Int              = &Type{Kind: KindInt}
	Long             = &Type{Kind: KindLong}
	Float            = &Type{Kind: KindFloat}
	Double           = &Type{Kind: KindDouble}
	String           = &Type{Kind: KindString}
	Binary           = &Type{Kind: KindBinary}
	Date             = &Type{Kind: KindDate}
	Timestamp        = &Type{Kind: KindTimestamp}
	TimestampNTZ     = &Type{Kind: KindTimestampNTZ}
	CalendarInterval = &Type{Kind: KindCalendarInterval}
	Time             = &Type{Kind: KindTime, Precision: 6}
	Variant          = &Type{Kind: KindVariant}
	DayTime          = &Type{Kind: KindDayTimeInterval, Start: FieldDay, End: FieldSecond}
	YearMonth        = &Type{Kind: KindYearMonthInterval, Start: FieldYear, End: FieldMonth}
)

// Decimal is decimal(precision,scale).
func Decimal(precision, scale int) *Type {
	return &Type{Kind: KindDecimal, Precision: precision, Scale: scale}
}

// DayTimeOf and YearMonthOf are interval types with given leading and trailing fields.
func DayTimeOf(start, end uint8) *Type {
	return &Type{Kind: KindDayTimeInterval, Start: start, End: end}
}

// YearMonthOf is a year-month interval type.
func YearMonthOf(start, end uint8) *Type {
	return &Type{Kind: KindYearMonthInterval, Start: start, End: end}
}

// ArrayOf is array<elem>.
func ArrayOf(elem *Type, containsNull bool) *Type {
	return &Type{Kind: KindArray, Elem: elem, ElemNullable: containsNull}
}

// MapOf is map<key,value>.
func MapOf(key, value *Type, valueContainsNull bool) *Type {
	return &Type{Kind: KindMap, Key: key, Elem: value, ElemNullable: valueContainsNull}
}

// StructOf is struct<fields>.
func StructOf(fields ...Field) *Type { return &Type{Kind: KindStruct, Fields: fields} }

// Field is a named column of a Schema or a field of a struct.
type Field struct {
	Name     string
	Type     *Type
	Nullable bool
}

var kindNames = map[Kind]string{
	KindNull: "void", KindBool: "boolean", KindByte: "tinyint", KindShort: "smallint", KindInt: "int",
	KindLong: "bigint", KindFloat: "float", KindDouble: "double", KindString: "string", KindBinary: "binary",
	KindDate: "date", KindTimestamp: "timestamp", KindTimestampNTZ: "timestamp_ntz",
	KindCalendarInterval: "interval", KindVariant: "variant",
}

var fieldNames = []string{"year", "month", "day", "hour", "minute", "second"}

// String is Spark's simpleString / catalogString: "bigint", "decimal(10,2)",
// "struct<a:int,b:array<string>>".
func (t *Type) String() string {
	switch t.Kind {
	case KindDecimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case KindTime:
		return fmt.Sprintf("time(%d)", t.Precision)
	case KindDayTimeInterval, KindYearMonthInterval:
		if t.Start == t.End {
			return "interval " + fieldNames[t.Start]
		}
		return "interval " + fieldNames[t.Start] + " to " + fieldNames[t.End]
	case KindArray:
		return "array<" + t.Elem.String() + ">"
	case KindMap:
		return "map<" + t.Key.String() + "," + t.Elem.String() + ">"
	case KindStruct:
		var b strings.Builder
		b.WriteString("struct<")
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(f.Name)
			b.WriteByte(':')
			b.WriteString(f.Type.String())
		}
		b.WriteByte('>')
		return b.String()
	}
	return kindNames[t.Kind]
}

// SQL is Spark's sql form, as error messages quote it: "BIGINT", "DECIMAL(10,2)",
// "STRUCT<a: INT NOT NULL>".
func (t *Type) SQL() string {
	switch t.Kind {
	case KindArray:
		return "ARRAY<" + t.Elem.SQL() + ">"
	case KindMap:
		return "MAP<" + t.Key.SQL() + ", " + t.Elem.SQL() + ">"
	case KindStruct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = QuoteIfNeeded(f.Name) + ": " + f.Type.SQL()
			if !f.Nullable {
				parts[i] += " NOT NULL"
			}
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	}
	return strings.ToUpper(t.String())
}

// QuoteIfNeeded puts backticks around a name that is not a plain identifier.
func QuoteIfNeeded(name string) string {
	plain := name != ""
	digits := true
	for _, c := range name {
		if !(c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			plain = false
		}
		if c < '0' || c > '9' {
			digits = false
		}
	}
	if plain && !digits {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// Equal compares types; struct field names count, nullability does not.
func (t *Type) Equal(o *Type) bool {
	if t == o {
		return true
	}
	if t == nil || o == nil || t.Kind != o.Kind {
		return false
	}
	switch t.Kind {
	case KindDecimal:
		return t.Precision == o.Precision && t.Scale == o.Scale
	case KindTime:
		return t.Precision == o.Precision
	case KindDayTimeInterval, KindYearMonthInterval:
		return t.Start == o.Start && t.End == o.End
	case KindArray:
		return t.Elem.Equal(o.Elem)
	case KindMap:
		return t.Key.Equal(o.Key) && t.Elem.Equal(o.Elem)
	case KindStruct:
		if len(t.Fields) != len(o.Fields) {
			return false
		}
		for i := range t.Fields {
			if t.Fields[i].Name != o.Fields[i].Name || !t.Fields[i].Type.Equal(o.Fields[i].Type) {
				return false
			}
		}
	}
	return true
}

// Integral, Numeric and the like group kinds as Spark's AbstractDataTypes do.
func (t *Type) Integral() bool { return t.Kind >= KindByte && t.Kind <= KindLong }

// Numeric is true for the integers, float, double and decimal.
func (t *Type) Numeric() bool { return t.Kind >= KindByte && t.Kind <= KindDecimal }

// Fractional is true for float, double and decimal.
func (t *Type) Fractional() bool { return t.Kind >= KindFloat && t.Kind <= KindDecimal }

// Datetime is true for date, timestamp and timestamp_ntz.
func (t *Type) Datetime() bool { return t.Kind >= KindDate && t.Kind <= KindTimestampNTZ }

// Atomic is true for types without inner types.
func (t *Type) Atomic() bool { return t.Kind < KindArray }

// Width is the number of bytes of a fixed-width value; 0 for booleans
// (bit-packed), null and variable-width or nested types.
func (t *Type) Width() int {
	switch t.Kind {
	case KindByte:
		return 1
	case KindShort:
		return 2
	case KindInt, KindFloat, KindDate, KindYearMonthInterval:
		return 4
	case KindLong, KindDouble, KindTimestamp, KindTimestampNTZ, KindDayTimeInterval, KindTime:
		return 8
	case KindDecimal, KindCalendarInterval:
		return 16
	}
	return 0
}

// Arrow is the memory layout of a column of this type.
func (t *Type) Arrow() arrow.DataType {
	switch t.Kind {
	case KindNull:
		return arrow.Null
	case KindBool:
		return arrow.FixedWidthTypes.Boolean
	case KindByte:
		return arrow.PrimitiveTypes.Int8
	case KindShort:
		return arrow.PrimitiveTypes.Int16
	case KindInt:
		return arrow.PrimitiveTypes.Int32
	case KindLong:
		return arrow.PrimitiveTypes.Int64
	case KindFloat:
		return arrow.PrimitiveTypes.Float32
	case KindDouble:
		return arrow.PrimitiveTypes.Float64
	case KindDecimal:
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	case KindString:
		return arrow.BinaryTypes.String
	case KindBinary:
		return arrow.BinaryTypes.Binary
	case KindDate:
		return arrow.FixedWidthTypes.Date32
	case KindTimestamp:
		return timestampUTC
	case KindTimestampNTZ:
		return timestampNTZ
	case KindDayTimeInterval:
		return arrow.FixedWidthTypes.Duration_us
	case KindYearMonthInterval:
		return arrow.FixedWidthTypes.MonthInterval
	case KindCalendarInterval:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	case KindTime:
		return arrow.FixedWidthTypes.Time64ns
	case KindArray:
		return arrow.ListOfField(arrow.Field{Name: "element", Type: t.Elem.Arrow(), Nullable: true})
	case KindMap:
		return arrow.MapOf(t.Key.Arrow(), t.Elem.Arrow())
	case KindStruct:
		fs := make([]arrow.Field, len(t.Fields))
		for i, f := range t.Fields {
			fs[i] = arrow.Field{Name: f.Name, Type: f.Type.Arrow(), Nullable: true}
		}
		return arrow.StructOf(fs...)
	case KindVariant:
		return arrow.StructOf(arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary}, arrow.Field{Name: "metadata", Type: arrow.BinaryTypes.Binary})
	}
	panic("vector: type without a layout: " + t.String())
}

var (
	timestampUTC = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	timestampNTZ = &arrow.TimestampType{Unit: arrow.Microsecond}
)
