package plan

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

var simpleTypes = map[string]*vector.Type{
	"boolean": vector.Bool, "tinyint": vector.Byte, "smallint": vector.Short, "int": vector.Int, "bigint": vector.Long,
	"float": vector.Float, "double": vector.Double, "date": vector.Date, "timestamp": vector.Timestamp,
	"timestamp_ltz": vector.Timestamp, "timestamp_ntz": vector.TimestampNTZ, "string": vector.String,
	// CHAR and VARCHAR are strings except in a table's columns, which vstream does not define.
	"char": vector.String, "varchar": vector.String,
	"binary": vector.Binary, "void": vector.Null, "variant": vector.Variant,
}

var intervalFields = map[string]uint8{
	"year": vector.FieldYear, "month": vector.FieldMonth, "day": vector.FieldDay,
	"hour": vector.FieldHour, "minute": vector.FieldMinute, "second": vector.FieldSecond,
}

// Type is the type that a type name means.
func (a *Analyser) Type(t *sql.TypeName) (*vector.Type, error) {
	out, err := typeOf(t)
	return out, a.place(err, t.Span)
}

// ParseSchema reads the columns of a DDL string: "a INT NOT NULL, b ARRAY<STRING>".
func ParseSchema(ddl string) (*vector.Schema, error) {
	cols, err := sql.ParseSchema(ddl)
	if err != nil {
		return nil, err
	}
	fields, err := structFields(cols)
	if err != nil {
		return nil, err
	}
	return &vector.Schema{Fields: fields}, nil
}

func init() { kernels.ParseSchema = parseTypeOrSchema }

// parseTypeOrSchema reads a schema argument as Spark's DataType.fromDDL does: as a
// type, else as columns. If it is neither the error is that of the type, without
// its position in the argument.
func parseTypeOrSchema(ddl string) (*vector.Type, error) {
	t, err := sql.ParseType(ddl)
	if err == nil {
		return typeOf(t)
	}
	if s, err := ParseSchema(ddl); err == nil {
		return s.Type(), nil
	}
	e := *condition.As(err)
	e.Pos = nil
	return nil, &e
}

func structFields(cols []*sql.TypeField) ([]vector.Field, error) {
	out := make([]vector.Field, len(cols))
	for i, c := range cols {
		t, err := typeOf(c.Type)
		if err != nil {
			return nil, err
		}
		out[i] = vector.Field{Name: c.Name.Name, Type: t, Nullable: !c.NotNull}
	}
	return out, nil
}

func typeOf(t *sql.TypeName) (*vector.Type, error) {
	if s, ok := simpleTypes[t.Name]; ok {
		return s, nil
	}
	switch t.Name {
	case "decimal":
		return decimalType(t)
	case "time":
		return timeType(t)
	case "interval":
		return intervalType(t), nil
	case "array":
		e, err := typeOf(t.Args[0])
		if err != nil {
			return nil, err
		}
		return vector.ArrayOf(e, true), nil
	case "map":
		k, err := typeOf(t.Args[0])
		if err != nil {
			return nil, err
		}
		v, err := typeOf(t.Args[1])
		if err != nil {
			return nil, err
		}
		return vector.MapOf(k, v, true), nil
	case "struct":
		fs, err := structFields(t.Fields)
		if err != nil {
			return nil, err
		}
		return vector.StructOf(fs...), nil
	}
	return nil, condition.New("UNSUPPORTED_DATATYPE", "typeName", `"`+strings.ToUpper(t.Name)+`"`)
}

func decimalType(t *sql.TypeName) (*vector.Type, error) {
	precision, scale := 10, 0
	if len(t.Params) > 0 {
		precision = t.Params[0]
	}
	if len(t.Params) > 1 {
		scale = t.Params[1]
	}
	if scale > precision {
		return nil, condition.New("DECIMAL_SCALE_EXCEEDS_PRECISION", "scale", scale, "precision", precision)
	}
	return vector.Decimal(precision, scale), nil
}

// maxTimePrecision is the largest number of fraction digits of a TIME.
const maxTimePrecision = 9

func timeType(t *sql.TypeName) (*vector.Type, error) {
	if len(t.Params) == 0 {
		return vector.Time, nil
	}
	if t.Params[0] > maxTimePrecision {
		return nil, condition.New("UNSUPPORTED_TIME_PRECISION", "precision", t.Params[0])
	}
	return &vector.Type{Kind: vector.KindTime, Precision: t.Params[0]}, nil
}

// intervalType is INTERVAL, or an interval of one or of a range of units.
func intervalType(t *sql.TypeName) *vector.Type {
	if t.From == "" {
		return vector.CalendarInterval
	}
	from, to := intervalFields[t.From], intervalFields[t.To]
	if from <= vector.FieldMonth {
		return vector.YearMonthOf(from, to)
	}
	return vector.DayTimeOf(from, to)
}
