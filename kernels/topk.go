package kernels

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/sketch"
	"github.com/vstream/vstream/vector"
)

// MaxItemsTracked is the default number of items that approx_top_k keeps, and its limit.
const (
	MaxItemsTracked      = 10000
	MaxItemsTrackedLimit = 1000000
)

// TopKType is the result of approx_top_k over items of type t.
func TopKType(t *vector.Type) *vector.Type {
	return vector.ArrayOf(vector.StructOf(
		vector.Field{Name: "item", Type: t, Nullable: true}, vector.Field{Name: "count", Type: vector.Long}), false)
}

// TopKStateType is the result of approx_top_k_accumulate over items of type t.
func TopKStateType(t *vector.Type) *vector.Type {
	return vector.StructOf(
		vector.Field{Name: "sketch", Type: vector.Binary}, vector.Field{Name: "maxItemsTracked", Type: vector.Int},
		vector.Field{Name: "itemDataType", Type: t, Nullable: true}, vector.Field{Name: "itemDataTypeDDL", Type: vector.String})
}

// ItemCodecOf is the form of a type's values in a sketch of frequent items; false
// if a sketch does not take them.
func ItemCodecOf(t *vector.Type) (sketch.ItemCodec, bool) {
	kinds := map[vector.Kind]sketch.ItemKind{
		vector.KindBool: sketch.ItemBool, vector.KindByte: sketch.ItemByte, vector.KindShort: sketch.ItemShort,
		vector.KindInt: sketch.ItemInt, vector.KindDate: sketch.ItemInt, vector.KindFloat: sketch.ItemFloat,
		vector.KindLong: sketch.ItemLong, vector.KindTimestamp: sketch.ItemLong, vector.KindTimestampNTZ: sketch.ItemLong,
		vector.KindDouble: sketch.ItemDouble, vector.KindString: sketch.ItemString,
	}
	if k, ok := kinds[t.Kind]; ok {
		return sketch.ItemCodec{Kind: k}, true
	}
	if t.Kind != vector.KindDecimal {
		return sketch.ItemCodec{}, false
	}
	c := sketch.ItemCodec{Kind: sketch.ItemDecimalBig, Scale: t.Scale}
	switch {
	case t.Precision <= 9:
		c.Kind = sketch.ItemDecimalInt
	case t.Precision <= 18:
		c.Kind = sketch.ItemDecimalLong
	}
	return c, true
}

// AppendItem is how value i of a column lies in a sketch of frequent items.
func AppendItem(t *vector.Type, a arrow.Array) func(dst []byte, i int) []byte {
	codec, _ := ItemCodecOf(t)
	tag, _ := codec.Kind.Tag()
	switch codec.Kind {
	case sketch.ItemBool:
		v := vector.Bools(a)
		return func(dst []byte, i int) []byte { return append(dst, v[i>>3]>>(i&7)&1) }
	case sketch.ItemByte:
		v := vector.Values[int8](a)
		return func(dst []byte, i int) []byte { return append(dst, tag, byte(v[i])) }
	case sketch.ItemShort:
		v := vector.Values[int16](a)
		return func(dst []byte, i int) []byte {
			return binary.LittleEndian.AppendUint16(append(dst, tag), uint16(v[i]))
		}
	case sketch.ItemInt:
		v := vector.Values[int32](a)
		return func(dst []byte, i int) []byte {
			return binary.LittleEndian.AppendUint32(append(dst, tag), uint32(v[i]))
		}
	case sketch.ItemFloat:
		v := vector.Values[float32](a)
		return func(dst []byte, i int) []byte {
			bits := math.Float32bits(v[i])
			if v[i] != v[i] {
				bits = 0x7fc00000
			}
			return binary.LittleEndian.AppendUint32(append(dst, tag), bits)
		}
	case sketch.ItemDouble:
		v := vector.Values[float64](a)
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint64(dst, doubleBits(v[i])) }
	case sketch.ItemLong:
		v := vector.Values[int64](a)
		return func(dst []byte, i int) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(v[i])) }
	case sketch.ItemString:
		s := textsOf(vector.Vec{Arr: a})
		return func(dst []byte, i int) []byte { return append(dst, s.at(i)...) }
	}
	v := vector.Values[Dec](a)
	return func(dst []byte, i int) []byte {
		switch codec.Kind {
		case sketch.ItemDecimalInt:
			return binary.LittleEndian.AppendUint32(append(dst, tag), uint32(v[i].LowBits()))
		case sketch.ItemDecimalLong:
			return binary.LittleEndian.AppendUint64(dst, v[i].LowBits())
		}
		return append(dst, twosComplement(v[i])...)
	}
}

// Items is a column of type t from values as AppendItem puts them; nil is null.
func Items(t *vector.Type, keys [][]byte) arrow.Array {
	valid := vector.NewValid(len(keys))
	for i, k := range keys {
		if k == nil {
			valid.Clear(i)
		}
	}
	codec, _ := ItemCodecOf(t)
	word := func(k []byte, size int) (v uint64) {
		if k == nil {
			return 0
		}
		for i, b := range k[len(k)-size:] {
			v |= uint64(b) << (8 * i)
		}
		return v
	}
	switch codec.Kind {
	case sketch.ItemBool:
		bits := vector.NewBitmap(len(keys))
		for i, k := range keys {
			if k != nil && k[0] != 0 {
				bits.Set(i)
			}
		}
		return vector.NewBool(bits, len(keys), valid)
	case sketch.ItemByte:
		return vector.NewFixed(t, mapItems(keys, func(k []byte) int8 { return int8(word(k, 1)) }), valid)
	case sketch.ItemShort:
		return vector.NewFixed(t, mapItems(keys, func(k []byte) int16 { return int16(word(k, 2)) }), valid)
	case sketch.ItemInt, sketch.ItemFloat:
		return vector.NewFixed(t, mapItems(keys, func(k []byte) uint32 { return uint32(word(k, 4)) }), valid)
	case sketch.ItemLong, sketch.ItemDouble:
		return vector.NewFixed(t, mapItems(keys, func(k []byte) uint64 { return word(k, 8) }), valid)
	case sketch.ItemString:
		off, data := make([]int32, len(keys)+1), []byte(nil)
		for i, k := range keys {
			data = append(data, k...)
			off[i+1] = int32(len(data))
		}
		return vector.NewString(t, off, data, valid)
	case sketch.ItemDecimalInt:
		return vector.NewFixed(t, mapItems(keys, func(k []byte) Dec { return decimal128.FromI64(int64(int32(word(k, 4)))) }), valid)
	case sketch.ItemDecimalLong:
		return vector.NewFixed(t, mapItems(keys, func(k []byte) Dec { return decimal128.FromI64(int64(word(k, 8))) }), valid)
	}
	return vector.NewFixed(t, mapItems(keys, func(k []byte) Dec { return decimal128.FromBigInt(sketch.SignedInt(k)) }), valid)
}

func mapItems[T any](keys [][]byte, f func(k []byte) T) []T {
	out := make([]T, len(keys))
	for i, k := range keys {
		if k != nil {
			out[i] = f(k)
		}
	}
	return out
}

// TopKList collects the results of approx_top_k, a list per row.
type TopKList struct {
	t      *vector.Type
	off    []int32
	keys   [][]byte
	counts []int64
}

// NewTopKList is an empty collection for items of type t.
func NewTopKList(t *vector.Type) *TopKList { return &TopKList{t: t, off: []int32{0}} }

// Add ends a row with the k most frequent items of a sketch and of nulls, of
// which nulls come after items of the same count. A nil sketch has none.
func (l *TopKList) Add(s *sketch.Items, nulls int64, k int) {
	var items []sketch.Item
	if s != nil {
		items = s.Frequent()
	}
	from := len(l.keys)
	for len(l.keys)-from < k && (len(items) > 0 || nulls > 0) {
		if len(items) == 0 || nulls > items[0].Count {
			l.keys, l.counts = append(l.keys, nil), append(l.counts, nulls)
			nulls = 0
			continue
		}
		key := items[0].Key
		if key == nil {
			key = []byte{}
		}
		l.keys, l.counts = append(l.keys, key), append(l.counts, items[0].Count)
		items = items[1:]
	}
	l.off = append(l.off, int32(len(l.keys)))
}

// Column is the rows as a column of TopKType.
func (l *TopKList) Column(valid vector.Bitmap) arrow.Array {
	list := TopKType(l.t)
	entries := vector.NewStruct(list.Elem, []arrow.Array{Items(l.t, l.keys), vector.NewFixed(vector.Long, l.counts, nil)}, len(l.keys), nil)
	return vector.NewList(list, l.off, entries, valid)
}

// TopKNumber is the value of a constant argument of approx_top_k and its kin, cast to INT.
func TopKNumber(conf *Conf, a Arg, name string) (int, error) {
	arr, err := CastArray(&Ctx{Zone: conf.Zone, ANSI: conf.ANSI}, a.Const.Arr, a.Type, vector.Int, ModeOf(conf.ANSI))
	if err != nil {
		return 0, err
	}
	if arr.IsNull(0) {
		return 0, condition.New("APPROX_TOP_K_NULL_ARG", "argName", "`"+name+"`")
	}
	v := int(vector.Values[int32](arr)[0])
	if name == "maxItemsTracked" && v > MaxItemsTrackedLimit {
		return 0, condition.New("APPROX_TOP_K_MAX_ITEMS_TRACKED_EXCEEDS_LIMIT", "maxItemsTracked", v, "limit", MaxItemsTrackedLimit)
	}
	if v <= 0 {
		return 0, condition.New("APPROX_TOP_K_NON_POSITIVE_ARG", "argName", "`"+name+"`", "argValue", v)
	}
	return v, nil
}

// lgItems is the log2 of the size of the table for a number of tracked items.
func lgItems(tracked int) int {
	return int(math.Ceil(math.Log(math.Ceil(float64(tracked)/0.75)) / math.Log(2)))
}

// NewItems is an empty sketch that tracks a number of items.
func NewItems(codec sketch.ItemCodec, tracked int) *sketch.Items {
	return sketch.NewItems(codec, lgItems(tracked))
}
