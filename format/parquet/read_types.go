package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

const microsPerDay = 86_400_000_000

// Schema is the file's schema in Spark's types, as its schema inference gives
// it. A column of a type that Spark does not read gives PARQUET_TYPE_ILLEGAL.
func (f *Footer) Schema() (*vector.Schema, error) {
	t, err := sparkType(f.root)
	if err != nil {
		return nil, err
	}
	return &vector.Schema{Fields: t.Fields}, nil
}

func sparkType(n *node) (*vector.Type, error) {
	if n.kind == leafNode {
		if t := leafType(n.leaf); t != nil {
			return t, nil
		}
		return nil, condition.New("PARQUET_TYPE_ILLEGAL", "parquetType", n.leaf.PhysicalType().String()+" ("+n.leaf.LogicalType().String()+")")
	}
	kids := make([]*vector.Type, len(n.kids))
	for i, k := range n.kids {
		t, err := sparkType(k)
		if err != nil {
			return nil, err
		}
		kids[i] = t
	}
	switch n.kind {
	case listNode:
		return vector.ArrayOf(kids[0], true), nil
	case mapNode:
		return vector.MapOf(kids[0], kids[1], true), nil
	}
	t := &vector.Type{Kind: vector.KindStruct}
	for i, k := range n.kids {
		t.Fields = append(t.Fields, vector.Field{Name: k.name, Type: kids[i], Nullable: true})
	}
	return t, nil
}

// leafType is Spark's type of a column; nil if it reads none of that kind.
func leafType(c *schema.Column) *vector.Type {
	if d, ok := c.LogicalType().(schema.DecimalLogicalType); ok {
		return vector.Decimal(int(d.Precision()), int(d.Scale()))
	}
	switch c.PhysicalType() {
	case parquet.Types.Boolean:
		return vector.Bool
	case parquet.Types.Float:
		return vector.Float
	case parquet.Types.Double:
		return vector.Double
	case parquet.Types.Int96:
		return vector.Timestamp
	case parquet.Types.Int32:
		switch l := c.LogicalType().(type) {
		case schema.DateLogicalType:
			return vector.Date
		case schema.TimeLogicalType:
			return nil
		case schema.IntLogicalType:
			switch width := l.BitWidth(); {
			case width == 8 && l.IsSigned():
				return vector.Byte
			case width == 8 || width == 16 && l.IsSigned():
				return vector.Short
			case width == 32 && !l.IsSigned():
				return vector.Long
			}
		}
		return vector.Int
	case parquet.Types.Int64:
		switch l := c.LogicalType().(type) {
		case schema.TimestampLogicalType:
			switch {
			case l.TimeUnit() == schema.TimeUnitNanos:
				return nil
			case l.IsAdjustedToUTC():
				return vector.Timestamp
			}
			return vector.TimestampNTZ
		case schema.TimeLogicalType:
			if l.TimeUnit() != schema.TimeUnitMicros {
				return nil
			}
			return vector.Time
		case schema.IntLogicalType:
			if !l.IsSigned() {
				return vector.Decimal(20, 0)
			}
		}
		return vector.Long
	case parquet.Types.ByteArray:
		switch c.LogicalType().(type) {
		case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
			return vector.String
		}
		return vector.Binary
	case parquet.Types.FixedLenByteArray:
		return vector.Binary
	}
	return nil
}

// convertible tells whether Spark reads a column as type t.
func convertible(c *schema.Column, t *vector.Type) bool { return leafFor(c, t) != nil }

// opener makes a column's reader over a batcher or a pager.
type opener func(rd any) leafReader

// leafFor is how a column is read as type t, after the rules of Spark's
// ParquetVectorUpdaterFactory; nil where it refuses.
func leafFor(c *schema.Column, t *vector.Type) opener {
	switch c.PhysicalType() {
	case parquet.Types.Boolean:
		if t.Kind == vector.KindBool {
			return func(rd any) leafReader {
				return &boolLeaf{rd: rd.(*file.BooleanColumnChunkReader)}
			}
		}
	case parquet.Types.Int32:
		return int32Leaf(c, t)
	case parquet.Types.Int64:
		return int64Leaf(c, t)
	case parquet.Types.Int96:
		if t.Kind == vector.KindTimestamp {
			return fixed(t, int96Micros)
		}
	case parquet.Types.Float:
		switch t.Kind {
		case vector.KindFloat:
			return fixed[float32, float32](t, nil)
		case vector.KindDouble:
			return fixed(t, cast[float32, float64])
		}
	case parquet.Types.Double:
		if t.Kind == vector.KindDouble {
			return fixed[float64, float64](t, nil)
		}
	case parquet.Types.ByteArray:
		return bytesLeafFor[parquet.ByteArray](c, t, t.Kind == vector.KindString || t.Kind == vector.KindBinary)
	case parquet.Types.FixedLenByteArray:
		return bytesLeafFor[parquet.FixedLenByteArray](c, t, t.Kind == vector.KindBinary)
	}
	return nil
}

func fixed[P, T any](t *vector.Type, conv func([]T, []P)) opener {
	return func(rd any) leafReader {
		return &fixedLeaf[P, T]{t: t, rd: rd.(batcher[P]), conv: conv}
	}
}

func bytesLeafFor[P ~[]byte](c *schema.Column, t *vector.Type, plain bool) opener {
	if plain {
		return func(rd any) leafReader { return &bytesLeaf[P]{t: t, rd: rd.(pager[P])} }
	}
	if d, ok := c.LogicalType().(schema.DecimalLogicalType); ok && t.Kind == vector.KindDecimal {
		if s, ok := rescale(t, int(d.Precision()), int(d.Scale())); ok {
			return func(rd any) leafReader {
				return &decimalBytesLeaf[P]{t: t, rd: rd.(pager[P]), scale: s}
			}
		}
	}
	return nil
}

func int32Leaf(c *schema.Column, t *vector.Type) opener {
	il, isInt := c.LogicalType().(schema.IntLogicalType)
	unsigned := isInt && !il.IsSigned() && il.BitWidth() == 32
	_, isDate := c.LogicalType().(schema.DateLogicalType)
	switch t.Kind {
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		return fixed[int32, int32](t, nil)
	case vector.KindByte:
		return fixed(t, cast[int32, int8])
	case vector.KindShort:
		return fixed(t, cast[int32, int16])
	case vector.KindLong:
		if unsigned {
			return fixed(t, func(dst []int64, src []int32) {
				for i, v := range src {
					dst[i] = int64(uint32(v))
				}
			})
		}
		return fixed(t, cast[int32, int64])
	case vector.KindDouble:
		return fixed(t, cast[int32, float64])
	case vector.KindTimestampNTZ:
		if isDate {
			return fixed(t, func(dst []int64, src []int32) {
				for i, v := range src {
					dst[i] = int64(v) * microsPerDay
				}
			})
		}
	case vector.KindDecimal:
		return intDecimal[int32](c, t, 10)
	}
	return nil
}

func int64Leaf(c *schema.Column, t *vector.Type) opener {
	ts, isTS := c.LogicalType().(schema.TimestampLogicalType)
	tm, isTime := c.LogicalType().(schema.TimeLogicalType)
	il, isInt := c.LogicalType().(schema.IntLogicalType)
	switch t.Kind {
	case vector.KindLong, vector.KindDayTimeInterval:
		return fixed[int64, int64](t, nil)
	case vector.KindTimestamp, vector.KindTimestampNTZ:
		if !isTS || t.Kind == vector.KindTimestampNTZ && ts.IsAdjustedToUTC() {
			return nil
		}
		switch ts.TimeUnit() {
		case schema.TimeUnitMicros:
			return fixed[int64, int64](t, nil)
		case schema.TimeUnitMillis:
			return fixed(t, times1000)
		}
	case vector.KindTime:
		if isTime && tm.TimeUnit() == schema.TimeUnitMicros {
			return fixed(t, times1000)
		}
	case vector.KindDecimal:
		if isInt && !il.IsSigned() && t.Scale == 0 && t.Precision >= 20 {
			return fixed(t, func(dst [][2]uint64, src []int64) {
				for i, v := range src {
					dst[i] = [2]uint64{uint64(v), 0}
				}
			})
		}
		return intDecimal[int64](c, t, 20)
	}
	return nil
}

func times1000(dst, src []int64) {
	for i, v := range src {
		dst[i] = v * 1000
	}
}

// int96Micros converts Impala's timestamps: nanoseconds of the day and Julian day.
func int96Micros(dst []int64, src []parquet.Int96) {
	const epochJulianDay = 2440588
	for i := range src {
		nanos := int64(binary.LittleEndian.Uint64(src[i][:8]))
		day := int64(binary.LittleEndian.Uint32(src[i][8:]))
		dst[i] = (day-epochJulianDay)*microsPerDay + nanos/1000
	}
}

func cast[P int32 | float32, T int8 | int16 | int64 | float64](dst []T, src []P) {
	for i, v := range src {
		dst[i] = T(v)
	}
}

// intDecimal reads integers as decimals; digits is what an integer without a
// decimal annotation needs.
func intDecimal[P int32 | int64](c *schema.Column, t *vector.Type, digits int) opener {
	precision, scale := digits, 0
	if d, ok := c.LogicalType().(schema.DecimalLogicalType); ok {
		precision, scale = int(d.Precision()), int(d.Scale())
	}
	s, ok := rescale(t, precision, scale)
	if !ok {
		return nil
	}
	return fixed(t, func(dst [][2]uint64, src []P) {
		for i, v := range src {
			dst[i] = s.up([2]uint64{uint64(v), uint64(int64(v) >> 63)})
		}
	})
}

// decimalScale is the power of ten, low and high word, by which values are multiplied.
type decimalScale [2]uint64

// rescale is the factor from a stored decimal to type t, if t holds all its values.
func rescale(t *vector.Type, precision, scale int) (decimalScale, bool) {
	up := t.Scale - scale
	if up < 0 || t.Precision-precision < up {
		return decimalScale{}, false
	}
	s := decimalScale{1, 0}
	for range up {
		s = s.up([2]uint64{10, 0})
	}
	return s, true
}

// up multiplies a decimal's words; values that fit t's precision do not overflow.
func (s decimalScale) up(d [2]uint64) [2]uint64 {
	if s == (decimalScale{1, 0}) {
		return d
	}
	hi, lo := bits.Mul64(d[0], s[0])
	return [2]uint64{lo, hi + d[0]*s[1] + d[1]*s[0]}
}

// decimalOf reads a big-endian two's complement number.
func decimalOf(b []byte) (d [2]uint64, ok bool) {
	var fill byte
	if len(b) > 0 && b[0] >= 0x80 {
		fill = 0xff
	}
	for len(b) > 16 {
		if b[0] != fill || b[1]&0x80 != fill&0x80 {
			return d, false
		}
		b = b[1:]
	}
	var w [16]byte
	for i := range w {
		w[i] = fill
	}
	copy(w[16-len(b):], b)
	return [2]uint64{binary.BigEndian.Uint64(w[8:]), binary.BigEndian.Uint64(w[:8])}, true
}
