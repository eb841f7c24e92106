package kernels

import (
	"slices"
	"strings"

	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Scalar{Name: "in", Signature: "x IN (a, …)", MinArgs: 2, MaxArgs: -1, Summary: "True if x equals one of the values; null if none does and x or a value is null.",
		SQL: inSQL, Bind: bindIn})
}

func inSQL(a []string) string { return "(" + a[0] + " IN (" + strings.Join(a[1:], ", ") + "))" }

func bindIn(conf *Conf, args []Arg) (*Impl, error) {
	types := make([]*vector.Type, len(args))
	nullable := false
	for i, a := range args {
		types[i] = a.Type
		nullable = nullable || a.Nullable
	}
	t := CommonType(conf, types)
	if t == nil && !slices.ContainsFunc(types, func(x *vector.Type) bool { return !sameShape(types[0], x) }) {
		t = types[0] // names of fields do not count
		for i := range types {
			t = withNulls(t, types[i])
		}
	}
	if t == nil {
		return nil, errDataDiffTypes(inSQL(sqls(args)), "in", types)
	}
	if !Orderable(t) {
		return nil, errOrdering(inSQL(sqls(args)), "in", t)
	}
	for i := range types {
		types[i] = t
	}
	eq := comparison("=", t)
	or := &logicExpr{}
	return &Impl{Args: types, Result: vector.Bool, Nullable: nullable,
		Eval: func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			if find := lookupSet(t, v); find != nil {
				if v[0].Const {
					n = 1
				}
				return find(v[0], n), nil
			}
			out := boolConst(false)
			for _, item := range v[1:] {
				same, err := eq(ctx, []vector.Vec{v[0], item}, n)
				if err != nil {
					return same, err
				}
				out = or.combine(out, same, n)
			}
			return out, nil
		}}, nil
}

// sameShape tells whether types differ in names of fields and in what may be null only.
func sameShape(a, b *vector.Type) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == vector.KindStruct:
		if len(a.Fields) != len(b.Fields) {
			return false
		}
		for i := range a.Fields {
			if !sameShape(a.Fields[i].Type, b.Fields[i].Type) {
				return false
			}
		}
		return true
	case a.Kind == vector.KindArray:
		return sameShape(a.Elem, b.Elem)
	}
	return a.Equal(b)
}

// withNulls is type a where also may be null what may be in b, which has the same shape.
func withNulls(a, b *vector.Type) *vector.Type {
	switch a.Kind {
	case vector.KindArray:
		return vector.ArrayOf(withNulls(a.Elem, b.Elem), a.ElemNullable || b.ElemNullable)
	case vector.KindStruct:
		fs := make([]vector.Field, len(a.Fields))
		for i, f := range a.Fields {
			fs[i] = vector.Field{Name: f.Name, Type: withNulls(f.Type, b.Fields[i].Type), Nullable: f.Nullable || b.Fields[i].Nullable}
		}
		return vector.StructOf(fs...)
	}
	return a
}

// setSize is the length of a list from which a lookup beats comparing in turn.
const setSize = 8

// lookupSet makes a lookup of a list of constants; nil if the list is short or
// not constant, or of a type whose equality is not that of its bytes.
func lookupSet(t *vector.Type, v []vector.Vec) func(x vector.Vec, n int) vector.Vec {
	for _, item := range v[1:] {
		if !item.Const {
			return nil
		}
	}
	switch t.Kind {
	case vector.KindInt, vector.KindDate:
		return intSet[int32](v[1:])
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ:
		return intSet[int64](v[1:])
	}
	if len(v)-1 < setSize {
		return nil
	}
	switch t.Kind {
	case vector.KindString, vector.KindBinary:
		return textSet(v[1:])
	}
	return nil
}

// setSpan bounds the distance between the least and the greatest number of a list
// that is looked up in a bitmap.
const setSpan = 1 << 16

// intSet is a bitmap of the numbers if they lie close together, or a map of many.
func intSet[T int32 | int64](items []vector.Vec) func(x vector.Vec, n int) vector.Vec {
	var values []int64
	for _, item := range items {
		if !item.IsNull(0) {
			values = append(values, int64(vector.Values[T](item.Arr)[0]))
		}
	}
	if len(values) == 0 {
		return nil
	}
	low := slices.Min(values)
	span := uint64(slices.Max(values) - low)
	if span >= setSpan {
		if len(items) < setSize {
			return nil
		}
		return valueSet[T](items)
	}
	set := make([]uint64, span/64+2) // the last word is that of all other numbers
	for _, v := range values {
		set[uint64(v-low)/64] |= 1 << (uint64(v-low) % 64)
	}
	hasNull := len(values) < len(items)
	return func(x vector.Vec, n int) vector.Vec {
		bits := vector.NewBitmap(n)
		src := vector.Values[T](x.Arr)[:n]
		for g := range bits {
			var b uint64
			for k, v := range src[g*8 : min(g*8+8, n)] {
				at := min(uint64(int64(v)-low), span+64)
				b |= set[at/64] >> (at % 64) & 1 << k
			}
			bits[g] = byte(b)
		}
		return setResult(x, n, hasNull, bits)
	}
}

func valueSet[T comparable](items []vector.Vec) func(x vector.Vec, n int) vector.Vec {
	set := make(map[T]struct{}, len(items))
	hasNull := false
	for _, item := range items {
		if item.IsNull(0) {
			hasNull = true
			continue
		}
		set[vector.Values[T](item.Arr)[0]] = struct{}{}
	}
	return func(x vector.Vec, n int) vector.Vec {
		values, m := vector.Values[T](x.Arr), x.Mask()
		return setResult(x, n, hasNull, fillBits(n, func(i int) bool {
			_, ok := set[values[i&m]]
			return ok
		}))
	}
}

func textSet(items []vector.Vec) func(x vector.Vec, n int) vector.Vec {
	set := make(map[string]struct{}, len(items))
	hasNull := false
	for _, item := range items {
		if item.IsNull(0) {
			hasNull = true
			continue
		}
		set[textAt(item, 0)] = struct{}{}
	}
	return func(x vector.Vec, n int) vector.Vec {
		off, data := vector.Strings(x.Arr)
		m := x.Mask()
		return setResult(x, n, hasNull, fillBits(n, func(i int) bool {
			_, ok := set[string(data[off[i&m]:off[i&m+1]])]
			return ok
		}))
	}
}

// setResult is true where found, else false, or null if the list has a null.
func setResult(x vector.Vec, n int, hasNull bool, found vector.Bitmap) vector.Vec {
	valid := Validity(n, x)
	if hasNull {
		valid = andBits(make(vector.Bitmap, len(found)), found, validityOf(x, n))
	}
	return vector.Vec{Arr: vector.NewBool(found, n, valid), Const: x.Const}
}
