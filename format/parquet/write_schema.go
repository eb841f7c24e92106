package parquet

import (
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// rowMetadataKey is the key under which Spark keeps its own schema in a file's
// footer. Spark takes types from there that Parquet cannot tell (intervals).
const rowMetadataKey = "org.apache.spark.sql.parquet.row.metadata"

// fileSchema is the Parquet schema that Spark's ParquetWriteSupport writes for s,
// with two differences: timestamps are always INT64 microseconds, and every
// field is optional, so that a file does not depend on a plan's nullability.
func fileSchema(s *vector.Schema) (*schema.GroupNode, error) {
	fields, err := groupFields(s.Fields)
	if err != nil {
		return nil, err
	}
	return schema.NewGroupNode("spark_schema", parquet.Repetitions.Required, fields, -1)
}

func groupFields(fs []vector.Field) (schema.FieldList, error) {
	var out schema.FieldList
	for _, f := range fs {
		n, err := fileNode(f.Name, f.Type, parquet.Repetitions.Optional)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func fileNode(name string, t *vector.Type, rep parquet.Repetition) (schema.Node, error) {
	leaf := func(pt parquet.Type, lt schema.LogicalType) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(name, rep, lt, pt, 0, -1)
	}
	switch t.Kind {
	case vector.KindBool:
		return leaf(parquet.Types.Boolean, nil)
	case vector.KindByte:
		return leaf(parquet.Types.Int32, schema.NewIntLogicalType(8, true))
	case vector.KindShort:
		return leaf(parquet.Types.Int32, schema.NewIntLogicalType(16, true))
	case vector.KindInt, vector.KindYearMonthInterval:
		return leaf(parquet.Types.Int32, nil)
	case vector.KindLong, vector.KindDayTimeInterval:
		return leaf(parquet.Types.Int64, nil)
	case vector.KindFloat:
		return leaf(parquet.Types.Float, nil)
	case vector.KindDouble:
		return leaf(parquet.Types.Double, nil)
	case vector.KindDate:
		return leaf(parquet.Types.Int32, schema.DateLogicalType{})
	case vector.KindTimestamp, vector.KindTimestampNTZ:
		utc := t.Kind == vector.KindTimestamp
		return leaf(parquet.Types.Int64, schema.NewTimestampLogicalType(utc, schema.TimeUnitMicros))
	case vector.KindTime:
		return leaf(parquet.Types.Int64, schema.NewTimeLogicalType(false, schema.TimeUnitMicros))
	case vector.KindString:
		return leaf(parquet.Types.ByteArray, schema.StringLogicalType{})
	case vector.KindBinary:
		return leaf(parquet.Types.ByteArray, nil)
	case vector.KindDecimal:
		lt := schema.NewDecimalLogicalType(int32(t.Precision), int32(t.Scale))
		pt, width := decimalLayout(t.Precision)
		return schema.NewPrimitiveNodeLogical(name, rep, lt, pt, width, -1)
	case vector.KindStruct:
		fields, err := groupFields(t.Fields)
		if err != nil {
			return nil, err
		}
		return schema.NewGroupNode(name, rep, fields, -1)
	case vector.KindVariant:
		value := schema.NewByteArrayNode("value", parquet.Repetitions.Required, -1)
		metadata := schema.NewByteArrayNode("metadata", parquet.Repetitions.Required, -1)
		return schema.NewGroupNode(name, rep, schema.FieldList{value, metadata}, -1)
	case vector.KindArray:
		elem, err := fileNode("element", t.Elem, parquet.Repetitions.Optional)
		if err != nil {
			return nil, err
		}
		list, err := schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{elem}, -1)
		if err != nil {
			return nil, err
		}
		return schema.NewGroupNodeLogical(name, rep, schema.FieldList{list}, schema.NewListLogicalType(), -1)
	case vector.KindMap:
		key, err := fileNode("key", t.Key, parquet.Repetitions.Required)
		if err != nil {
			return nil, err
		}
		value, err := fileNode("value", t.Elem, parquet.Repetitions.Optional)
		if err != nil {
			return nil, err
		}
		kv, err := schema.NewGroupNode("key_value", parquet.Repetitions.Repeated, schema.FieldList{key, value}, -1)
		if err != nil {
			return nil, err
		}
		return schema.NewGroupNodeLogical(name, rep, schema.FieldList{kv}, schema.MapLogicalType{}, -1)
	}
	return nil, condition.New("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
		"columnName", vector.QuoteIfNeeded(name), "columnType", `"`+t.SQL()+`"`, "format", "Parquet")
}

// decimalLayout is the physical type and, for fixed-length byte arrays, the
// width in which Spark stores a decimal of a precision.
func decimalLayout(precision int) (parquet.Type, int) {
	switch {
	case precision <= 9:
		return parquet.Types.Int32, 0
	case precision <= 18:
		return parquet.Types.Int64, 0
	}
	return parquet.Types.FixedLenByteArray, decimalWidth[precision]
}

// decimalWidth is the least number of bytes that holds every value of a precision in two's complement.
var decimalWidth = [39]int{
	0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9,
	9, 9, 10, 10, 11, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16,
}

// schemaJSON is a schema as Spark's StructType.json prints it.
func schemaJSON(s *vector.Schema) string {
	b, err := json.Marshal(typeJSON(s.Type()))
	if err != nil {
		panic(fmt.Sprintf("parquet: schema as JSON: %v", err)) // strings, booleans and their structs only
	}
	return string(b)
}

type structJSON struct {
	Type   string      `json:"type"`
	Fields []fieldJSON `json:"fields"`
}

type fieldJSON struct {
	Name     string   `json:"name"`
	Type     any      `json:"type"`
	Nullable bool     `json:"nullable"`
	Metadata struct{} `json:"metadata"`
}

type arrayJSON struct {
	Type         string `json:"type"`
	ElementType  any    `json:"elementType"`
	ContainsNull bool   `json:"containsNull"`
}

type mapJSON struct {
	Type              string `json:"type"`
	KeyType           any    `json:"keyType"`
	ValueType         any    `json:"valueType"`
	ValueContainsNull bool   `json:"valueContainsNull"`
}

// jsonNames are the types whose name in JSON differs from the simple string.
var jsonNames = map[vector.Kind]string{
	vector.KindByte: "byte", vector.KindShort: "short", vector.KindInt: "integer", vector.KindLong: "long",
}

func typeJSON(t *vector.Type) any {
	switch t.Kind {
	case vector.KindStruct:
		out := structJSON{"struct", make([]fieldJSON, len(t.Fields))}
		for i, f := range t.Fields {
			out.Fields[i] = fieldJSON{Name: f.Name, Type: typeJSON(f.Type), Nullable: f.Nullable}
		}
		return out
	case vector.KindArray:
		return arrayJSON{"array", typeJSON(t.Elem), t.ElemNullable}
	case vector.KindMap:
		return mapJSON{"map", typeJSON(t.Key), typeJSON(t.Elem), t.ElemNullable}
	}
	if n, ok := jsonNames[t.Kind]; ok {
		return n
	}
	return t.String()
}
