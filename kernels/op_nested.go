package kernels

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Scalar{Name: "named_struct", Signature: "named_struct(name, value, …)", MinArgs: 0, MaxArgs: -1,
			Summary:  "A struct of the given fields.",
			Examples: []Example{{"named_struct('a', 1)", "{1}"}}, Bind: bindNamedStruct},
		Scalar{Name: "struct", Signature: "struct(value, …)", MinArgs: 0, MaxArgs: -1,
			Summary:  "A struct of fields col1, col2, …",
			Examples: []Example{{"struct(1, 'a')", "{1, a}"}},
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				fields := make([]vector.Field, len(args))
				for i, a := range args {
					fields[i] = vector.Field{Name: "col" + strconv.Itoa(i+1), Type: a.Type, Nullable: a.Nullable}
				}
				return structImpl(vector.StructOf(fields...), len(args), func(i int) int { return i }), nil
			}},
		Scalar{Name: "$field", Signature: "struct.field", MinArgs: 2, MaxArgs: 2,
			Summary: "Field of a struct, or of each struct of an array, by its position from 0.", Bind: bindField},
		Scalar{Name: "$index", Signature: "x[key]", MinArgs: 2, MaxArgs: 2,
			Summary: "Element of an array by its position from 0, or value of a map's key.",
			SQL:     func(a []string) string { return a[0] + "[" + a[1] + "]" }, Bind: bindIndex},
	)
}

func bindNamedStruct(_ *Conf, args []Arg) (*Impl, error) {
	sql := "named_struct(" + strings.Join(sqls(args), ", ") + ")"
	if len(args)%2 != 0 {
		return nil, condition.New("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "functionName", "`named_struct`",
			"expectedNum", "2n (n > 0)", "actualNum", len(args), "docroot", "https://spark.apache.org/docs/latest")
	}
	fields := make([]vector.Field, len(args)/2)
	for i := range fields {
		name, value := args[2*i], args[2*i+1]
		if name.Const == nil || !isString(name.Type) {
			return nil, condition.New("DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING",
				"sqlExpr", quoteSQL(sql), "inputExprs", "["+quoteSQL(name.SQL)+"]")
		}
		if name.Const.IsNull(0) {
			return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_NULL", "sqlExpr", quoteSQL(sql), "exprName", "["+quoteSQL(name.SQL)+"]")
		}
		fields[i] = vector.Field{Name: textAt(*name.Const, 0), Type: value.Type, Nullable: value.Nullable}
	}
	return structImpl(vector.StructOf(fields...), len(args), func(i int) int { return 2*i + 1 }), nil
}

// structImpl builds structs; field i is argument at(i).
func structImpl(t *vector.Type, args int, at func(i int) int) *Impl {
	return &Impl{Args: make([]*vector.Type, args), Result: t, Eval: func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		fields := make([]arrow.Array, len(t.Fields))
		all := true
		for i := range fields {
			all = all && v[at(i)].Const
		}
		if all {
			n = 1
		}
		for i := range fields {
			fields[i] = v[at(i)].Dense(n)
		}
		return vector.Vec{Arr: vector.NewStruct(t, fields, n, nil), Const: all}, nil
	}}
}

func bindField(_ *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	inArray := t.Kind == vector.KindArray && t.Elem.Kind == vector.KindStruct
	s := t
	if inArray {
		s = t.Elem
	}
	if s.Kind != vector.KindStruct || args[1].Const == nil {
		return nil, condition.New("INVALID_EXTRACT_BASE_FIELD_TYPE", "base", quoteSQL(args[0].SQL), "other", quoteType(t))
	}
	at, _ := ValueAt(args[1].Type, args[1].Const.Arr, 0).(int64)
	if at < 0 || int(at) >= len(s.Fields) {
		return nil, condition.New("INVALID_EXTRACT_FIELD", "field", quoteSQL(strconv.FormatInt(at, 10)), "expr", quoteSQL(args[0].SQL))
	}
	f := s.Fields[at]
	impl := &Impl{Args: []*vector.Type{nil, nil}, Result: f.Type, NullIfAny: true, Nullable: f.Nullable,
		SQL: func(a []string) string { return a[0] + "." + f.Name }}
	if !inArray {
		impl.Eval = func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) {
			st := v[0].Arr.(*array.Struct)
			return vector.Vec{Arr: maskNulls(st.Field(int(at)), vector.Validity(st)), Const: v[0].Const}, nil
		}
		return impl, nil
	}
	impl.Result = vector.ArrayOf(f.Type, t.ElemNullable || f.Nullable)
	impl.Nullable = false
	impl.Eval = func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) {
		st := listChild(v[0].Arr).(*array.Struct)
		child := maskNulls(st.Field(int(at)), vector.Validity(st))
		out := vector.NewList(impl.Result, vector.Offsets(v[0].Arr), child, vector.Validity(v[0].Arr))
		return vector.Vec{Arr: out, Const: v[0].Const}, nil
	}
	return impl, nil
}

func bindIndex(conf *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	sql := args[0].SQL + "[" + args[1].SQL + "]"
	var eval Eval
	var key *vector.Type
	switch t.Kind {
	case vector.KindArray:
		k, ok := ImplicitCast(conf, args[1].Type, AnyIntegral)
		if !ok || isString(args[1].Type) {
			return nil, UnexpectedInput(sql, 1, AnyIntegral, args[1])
		}
		if key = k; k.Kind != vector.KindLong {
			key = vector.Int
		}
		eval = arrayElement(t, key, conf.ANSI)
	case vector.KindMap:
		k, ok := ImplicitCast(conf, args[1].Type, Exactly(t.Key))
		if !ok {
			return nil, UnexpectedInput(sql, 1, Exactly(t.Key), args[1])
		}
		if !Orderable(t.Key) {
			return nil, errOrdering(sql, "getmapvalue", t.Key)
		}
		key = k
		eval = mapValue(t)
	default:
		return nil, condition.New("INVALID_EXTRACT_BASE_FIELD_TYPE", "base", quoteSQL(args[0].SQL), "other", quoteType(t))
	}
	return &Impl{Args: []*vector.Type{nil, key}, Result: t.Elem, NullIfAny: true, Nullable: true, Eval: strict(t.Elem, eval)}, nil
}

// arrayElement gathers elements; outside the array is an error in ANSI mode.
func arrayElement(t, key *vector.Type, ansi bool) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		off, am := vector.Offsets(v[0].Arr), v[0].Mask()
		at := func(i int) int64 { return int64(vector.Values[int32](v[1].Arr)[i&v[1].Mask()]) }
		if key.Kind == vector.KindLong {
			at = func(i int) int64 { return vector.Values[int64](v[1].Arr)[i&v[1].Mask()] }
		}
		valid := Validity(n, v...)
		places := newPlaces(n)
		for i := range n {
			if !valid.Get(i) {
				continue
			}
			lo, k := off[i&am], at(i)
			size := int64(off[i&am+1] - lo)
			if k >= 0 && k < size {
				places.set(i, int(lo)+int(k))
			} else if ansi {
				return vector.Vec{}, condition.New("INVALID_ARRAY_INDEX", "indexValue", k, "arraySize", size)
			}
		}
		return vector.Vec{Arr: places.gather(t.Elem, listChild(v[0].Arr))}, nil
	}
}

// mapValue finds values by key; a missing key is null.
func mapValue(t *vector.Type) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		off, am := vector.Offsets(v[0].Arr), v[0].Mask()
		keys, values := mapChildren(v[0].Arr)
		order := valueComparator(t.Key, keys, v[1].Arr)
		bm := v[1].Mask()
		valid := Validity(n, v...)
		places := newPlaces(n)
		for i := range n {
			if !valid.Get(i) {
				continue
			}
			for j := int(off[i&am]); j < int(off[i&am+1]); j++ {
				if order(j, i&bm) == 0 {
					places.set(i, j)
					break
				}
			}
		}
		return vector.Vec{Arr: places.gather(t.Elem, values)}, nil
	}
}

// places says, for each row, which value of another array it takes; none is null.
type places struct {
	at    []uint32
	found vector.Bitmap
}

func newPlaces(n int) *places { return &places{make([]uint32, n), vector.NewBitmap(n)} }

func (p *places) set(i, at int) {
	p.at[i] = uint32(at)
	p.found.Set(i)
}

func (p *places) gather(t *vector.Type, from arrow.Array) arrow.Array {
	if from.Len() == 0 {
		return vector.NewNull(t, len(p.at))
	}
	return maskNulls(vector.Take(from, p.at), p.found)
}
