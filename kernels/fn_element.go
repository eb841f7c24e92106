package kernels

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		elementAt("element_at", "The element of an array at a position from 1, from the end if negative, or the value of a map's key; null for a key that is not there.",
			Example{"element_at(array(1, 2, 3), 2)", "2"}, false),
		elementAt("try_element_at", "element_at, but null for a position beyond the array.", Example{"try_element_at(array(1, 2, 3), 9)", "NULL"}, true),
	)
	if _, ok := Lookup("get"); !ok {
		Register(DefineOn(Scalar{
			Name: "get", Signature: "get(array, index)", Summary: "The element at an index from 0; null beyond the array.",
			Examples: []Example{{"get(array(1, 2, 3), 0)", "1"}},
		}, Sig{Params: []Accept{ArrayNotNull, OneOf(AnyIntegral, Int)}, Nullable: true, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) {
			if isNull(args[0].Type) {
				return nil, UnexpectedInput(callSQL("get", sqlOf(args)), 0, AnyArray, args[0])
			}
			return args[0].Type.Elem, nil
		}}, func(_ *Conf, args []Arg) Eval {
			t := args[0].Type.Elem
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				k := smallInts(args[1])
				return pickElements(t, args[0], n, Validity(n, args...), func(i, size int) (int, error) {
					if j := k(i); j >= 0 && j < int64(size) {
						return int(j), nil
					}
					return -1, nil
				})
			}
		}))
	}
}

// pickElements takes one element of each row's array: at gives its place from 0,
// or -1 for a null.
func pickElements(t *vector.Type, arr vector.Vec, n int, valid vector.Bitmap, at func(i, size int) (int, error)) (vector.Vec, error) {
	l := listsOf(arr)
	idx, null := make([]uint32, n), uint32(l.kids.Len())
	for i := range n {
		idx[i] = null
		if !valid.Get(i) {
			continue
		}
		lo, hi := l.span(i)
		j, err := at(i, hi-lo)
		if err != nil {
			return vector.Vec{}, err
		}
		if j >= 0 {
			idx[i] = uint32(lo + j)
		}
	}
	return vector.Vec{Arr: vector.Take(withNull(t, l.kids), idx)}, nil
}

func elementAt(name, summary string, ex Example, try bool) Scalar {
	return Scalar{
		Name: name, Signature: name + "(array, index) or " + name + "(map, key)", Summary: summary, Examples: []Example{ex}, MinArgs: 2, MaxArgs: 2,
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			sql := callSQL("element_at", sqlOf(args))
			t := args[0].Type
			switch t.Kind {
			case vector.KindArray:
				it, ok := ImplicitCast(conf, args[1].Type, Int)
				if !ok || !args[1].Type.Integral() && !isNull(args[1].Type) || args[1].Type.Kind == vector.KindLong {
					return nil, UnexpectedInput(sql, 1, Int, args[1])
				}
				return &Impl{Args: []*vector.Type{t, it}, Result: t.Elem, Nullable: true, NullIfAny: true,
					Eval: strict(t.Elem, evalElementAt(t.Elem, conf.ANSI && !try))}, nil
			case vector.KindMap:
				key := Tightest(conf, t.Key, args[1].Type)
				if key == nil || !key.Equal(t.Key) {
					if key, ok := ImplicitCast(conf, args[1].Type, Exactly(t.Key)); ok && Tightest(conf, t.Key, args[1].Type) != nil {
						return mapLookup(t, key), nil
					}
					if key == nil {
						return nil, condition.New("DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`element_at`",
							"dataType", `"MAP"`, "leftType", quoteType(t), "rightType", quoteType(args[1].Type))
					}
					return mapLookup(vector.MapOf(key, t.Elem, t.ElemNullable), key), nil
				}
				return mapLookup(t, key), nil
			}
			return nil, UnexpectedInput(sql, 0, OneOf(AnyArray, AnyMap), args[0])
		},
	}
}

func evalElementAt(elem *vector.Type, raise bool) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		k := smallInts(args[1])
		return pickElements(elem, args[0], n, Validity(n, args...), func(i, size int) (int, error) {
			j := int(k(i))
			switch {
			case j == 0:
				return 0, condition.New("INVALID_INDEX_OF_ZERO")
			case j > 0 && j <= size:
				return j - 1, nil
			case j < 0 && -j <= size:
				return size + j, nil
			case raise:
				return 0, condition.New("INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "indexValue", j, "arraySize", size, "ansiConfig", ansiConfig)
			}
			return -1, nil
		})
	}
}

// mapLookup is the value of a key in a map; null if it is not there.
func mapLookup(t, key *vector.Type) *Impl {
	return &Impl{Args: []*vector.Type{t, key}, Result: t.Elem, Nullable: true, NullIfAny: true, Eval: strict(t.Elem, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		off, mask := vector.Offsets(args[0].Arr), args[0].Mask()
		keys, vals := mapChildren(args[0].Arr)
		kmask := args[1].Mask()
		compare := Comparator(t.Key, keys, args[1].Arr)
		valid := Validity(n, args...)
		idx, null := make([]uint32, n), uint32(vals.Len())
		for i := range n {
			idx[i] = null
			if !valid.Get(i) {
				continue
			}
			for j := off[i&mask]; j < off[i&mask+1]; j++ {
				if compare(int(j), i&kmask) == 0 {
					idx[i] = uint32(j)
					break
				}
			}
		}
		return vector.Vec{Arr: vector.Take(withNull(t.Elem, vals), idx)}, nil
	})}
}
