package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/internal/variant"
	"github.com/vstream/vstream/vector"
)

// castsFromVariant tells whether a variant can be read as a type.
func castsFromVariant(t *vector.Type) bool { return fitsVariant(t, true) }

// castFromVariant reads variants as values of a type. A variant null is null; a
// value that does not convert is INVALID_VARIANT_CAST or, with CastTry, null.
func castFromVariant(to *vector.Type, mode CastMode) castFn {
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		at := render.Variants(a)
		values := make([]variant.Value, a.Len())
		for i := range values {
			if !a.IsNull(i) {
				values[i] = at(i)
			}
		}
		c := variantCast{ctx: ctx, strict: mode != CastTry}
		return c.values(values, to)
	}
}

// variantCast casts variants column by column. The zero Value stands for a null.
type variantCast struct {
	ctx    *Ctx
	strict bool
}

func (c variantCast) invalid(v variant.Value, to *vector.Type) error {
	if !c.strict {
		return nil
	}
	return condition.New("INVALID_VARIANT_CAST", "value", string(render.AppendVariant(nil, v, zoneOr(c.ctx.Zone))), "dataType", quoteType(to))
}

func isVariantNull(v variant.Value) bool {
	k := v.Kind()
	return k == variant.Null || k == variant.Malformed
}

func (c variantCast) values(values []variant.Value, to *vector.Type) (arrow.Array, error) {
	switch to.Kind {
	case vector.KindVariant:
		return c.variants(values), nil
	case vector.KindString:
		clock := text.NewClock(c.ctx.Zone)
		valid := vector.NewValid(len(values))
		return stringRows(to, len(values), c.notNull(values, valid), func(dst []byte, i int) []byte {
			return variantText(dst, values[i], clock)
		}).Arr, nil
	case vector.KindArray:
		return c.arrays(values, to)
	case vector.KindMap:
		return c.maps(values, to)
	case vector.KindStruct:
		return c.structs(values, to)
	}
	return c.scalars(values, to)
}

func (c variantCast) notNull(values []variant.Value, valid vector.Bitmap) vector.Bitmap {
	for i, v := range values {
		if isVariantNull(v) {
			valid.Clear(i)
		}
	}
	return valid
}

// variants are the values themselves; what is nested keeps its metadata only in part.
func (c variantCast) variants(values []variant.Value) arrow.Array {
	out := newVariantColumn(len(values), vector.NewValid(len(values)))
	var b variant.Builder
	for _, v := range values {
		if v.Kind() == variant.Malformed {
			out.add(nil)
			continue
		}
		b.Reset()
		b.Value(v)
		out.add(&b)
	}
	return out.finish().Arr
}

// scalars casts the values of each kind, and of decimals of each scale, at once.
func (c variantCast) scalars(values []variant.Value, to *vector.Type) (arrow.Array, error) {
	type group struct {
		typ  *vector.Type
		rows []int
	}
	var groups []group
	index := map[[2]int]int{}
	place := make([]uint32, len(values))
	for i, v := range values {
		k := v.Kind()
		t := variantScalars[k]
		key := [2]int{int(k)}
		switch {
		case isVariantNull(v):
			continue
		case k == variant.Decimal:
			_, scale := v.Decimal()
			t, key[1] = vector.Decimal(38, scale), scale
		}
		if t == nil || !t.Equal(to) && !CanCast(t, to, CastANSI) {
			if err := c.invalid(v, to); err != nil {
				return nil, err
			}
			continue
		}
		g, ok := index[key]
		if !ok {
			g = len(groups)
			index[key] = g
			groups = append(groups, group{typ: t})
		}
		groups[g].rows = append(groups[g].rows, i)
	}
	parts := []arrow.Array{vector.NewNull(to, 1)}
	base := uint32(1)
	for _, g := range groups {
		a, err := CastArray(c.ctx, variantArray(g.typ, values, g.rows), g.typ, to, CastTry)
		if err != nil {
			return nil, err
		}
		for k, i := range g.rows {
			if a.IsNull(k) {
				if err := c.invalid(values[i], to); err != nil {
					return nil, err
				}
				continue
			}
			place[i] = base + uint32(k)
		}
		parts = append(parts, a)
		base += uint32(len(g.rows))
	}
	return vector.Take(vector.Concat(parts), place), nil
}

// variantScalars are the types of the scalar kinds.
var variantScalars = map[variant.Kind]*vector.Type{
	variant.Bool: vector.Bool, variant.Long: vector.Long, variant.Float: vector.Float, variant.Double: vector.Double,
	variant.Date: vector.Date, variant.Timestamp: vector.Timestamp, variant.TimestampNTZ: vector.TimestampNTZ,
	variant.Binary: vector.Binary, variant.String: vector.String,
}

// variantArray holds the values of rows, which are all of type t.
func variantArray(t *vector.Type, values []variant.Value, rows []int) arrow.Array {
	n := len(rows)
	switch t.Kind {
	case vector.KindBool:
		return boolRows(n, nil, func(k int) bool { return values[rows[k]].Bool() }).Arr
	case vector.KindFloat:
		return fixedRows(t, n, nil, func(k int) float32 { return float32(values[rows[k]].Double()) }).Arr
	case vector.KindDouble:
		return fixedRows(t, n, nil, func(k int) float64 { return values[rows[k]].Double() }).Arr
	case vector.KindDate:
		return fixedRows(t, n, nil, func(k int) int32 { return int32(values[rows[k]].Int()) }).Arr
	case vector.KindString, vector.KindBinary:
		return stringRows(t, n, nil, func(dst []byte, k int) []byte { return append(dst, values[rows[k]].Bytes()...) }).Arr
	case vector.KindDecimal:
		return fixedRows(t, n, nil, func(k int) Dec {
			d, _ := values[rows[k]].Decimal()
			return d
		}).Arr
	}
	return fixedRows(t, n, nil, func(k int) int64 { return values[rows[k]].Int() }).Arr
}

// nested walks the values of one kind of container; the others are null or invalid.
func (c variantCast) nested(values []variant.Value, to *vector.Type, kind variant.Kind, each func(i int, v variant.Value)) (vector.Bitmap, error) {
	valid := vector.NewValid(len(values))
	for i, v := range values {
		k := v.Kind()
		if k != kind {
			if !isVariantNull(v) {
				if err := c.invalid(v, to); err != nil {
					return nil, err
				}
			}
			valid.Clear(i)
			v = variant.Value{}
		}
		each(i, v)
	}
	return valid, nil
}

func (c variantCast) arrays(values []variant.Value, to *vector.Type) (arrow.Array, error) {
	off := make([]int32, len(values)+1)
	var elems []variant.Value
	valid, err := c.nested(values, to, variant.Array, func(i int, v variant.Value) {
		if v.Data != nil {
			for j := range v.Len() {
				elems = append(elems, v.Elem(j))
			}
		}
		off[i+1] = int32(len(elems))
	})
	if err != nil {
		return nil, err
	}
	child, err := c.values(elems, to.Elem)
	if err != nil {
		return nil, err
	}
	return vector.NewList(to, off, child, valid), nil
}

func (c variantCast) maps(values []variant.Value, to *vector.Type) (arrow.Array, error) {
	off := make([]int32, len(values)+1)
	var vals []variant.Value
	var names [][]byte
	valid, err := c.nested(values, to, variant.Object, func(i int, v variant.Value) {
		if v.Data != nil {
			for j := range v.Len() {
				name, value := v.Field(j)
				names, vals = append(names, name), append(vals, value)
			}
		}
		off[i+1] = int32(len(vals))
	})
	if err != nil {
		return nil, err
	}
	child, err := c.values(vals, to.Elem)
	if err != nil {
		return nil, err
	}
	keys := stringRows(to.Key, len(names), nil, func(dst []byte, k int) []byte { return append(dst, names[k]...) }).Arr
	return vector.NewMap(to, off, keys, child, valid), nil
}

func (c variantCast) structs(values []variant.Value, to *vector.Type) (arrow.Array, error) {
	kids := make([][]variant.Value, len(to.Fields))
	for j := range kids {
		kids[j] = make([]variant.Value, len(values))
	}
	valid, err := c.nested(values, to, variant.Object, func(i int, v variant.Value) {
		if v.Data != nil {
			for j, f := range to.Fields {
				kids[j][i], _ = v.Get([]byte(f.Name))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	fields := make([]arrow.Array, len(kids))
	for j, f := range to.Fields {
		if fields[j], err = c.values(kids[j], f.Type); err != nil {
			return nil, err
		}
	}
	return vector.NewStruct(to, fields, len(values), valid), nil
}
