package kernels

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		elementFunction("array_contains", "Whether the array has the element; null if not and the array has a null.", "array_contains(array(1, 2, 3), 2)", "true", vector.Bool, evalArrayContains),
		elementFunction("array_position", "The first position of the element, from 1; 0 if it is not there.", "array_position(array(312, 773, 708, 708), 708)", "3", vector.Long, evalArrayPosition),
		elementFunction("array_remove", "The array without the elements equal to the given one.", "array_remove(array(1, 2, 3, null, 3), 3)", "[1, 2, NULL]", nil, evalArrayRemove),
		extremeFunction("array_min", "The least element that is not null.", "array_min(array(1, 20, null, 3))", "1", -1),
		extremeFunction("array_max", "The greatest element that is not null.", "array_max(array(1, 20, null, 3))", "20", 1),
		Scalar{
			Name: "sort_array", Signature: "sort_array(array[, ascendingOrder])",
			Summary:  "The array sorted, nulls first; descending, with nulls last, if ascendingOrder is false.",
			Examples: []Example{{"sort_array(array('b', 'd', null, 'c', 'a'), true)", "[NULL, a, b, c, d]"}}, MinArgs: 1, MaxArgs: 2, Bind: bindSortArray,
			SQL: withDefaults("sort_array", 1, "true"),
		},
	)
}

// elementFunction defines a function of an array and an element; a nil result
// type is the array's.
func elementFunction(name, summary, sql, want string, result *vector.Type, eval func(t *vector.Type) Eval) Scalar {
	return Scalar{
		Name: name, Signature: name + "(array, value)", Summary: summary, Examples: []Example{{sql, want}}, MinArgs: 2, MaxArgs: 2,
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			elem := args[0].Type
			if elem.Kind == vector.KindArray {
				elem = elem.Elem
			}
			// array_position casts a NULL to the type of the elements, if they have one.
			if isNull(args[0].Type) && name != "array_remove" || isNull(args[1].Type) && (name == "array_contains" || name == "array_position" && isNull(elem)) {
				return nil, condition.New("DATATYPE_MISMATCH.NULL_TYPE", "sqlExpr", quoteSQL(callSQL(name, sqlOf(args))), "functionName", "`"+name+"`")
			}
			t, err := withElement(conf, name, args, 1)
			if err != nil {
				return nil, err
			}
			if !Orderable(t.Elem) {
				return nil, invalidOrdering(name, args, t.Elem)
			}
			r := result
			if r == nil {
				r = t
			}
			return &Impl{Args: []*vector.Type{t, t.Elem}, Result: r, Nullable: name == "array_contains" && t.ElemNullable, NullIfAny: true,
				Eval: strict(r, eval(t))}, nil
		},
	}
}

func invalidOrdering(name string, args []Arg, t *vector.Type) error {
	return condition.New("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "sqlExpr", quoteSQL(callSQL(name, sqlOf(args))),
		"functionName", "`"+name+"`", "dataType", quoteType(t))
}

func evalArrayContains(t *vector.Type) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		l, mask := listsOf(args[0]), args[1].Mask()
		compare := Comparator(t.Elem, l.kids, args[1].Arr)
		valid, bits := OwnValidity(n, args...), vector.NewBitmap(n)
		for i := range n {
			if !valid.Get(i) {
				continue
			}
			lo, hi := l.span(i)
			null := false
			for j := lo; j < hi; j++ {
				if l.kids.IsNull(j) {
					null = true
				} else if compare(j, i&mask) == 0 {
					bits.Set(i)
					null = false
					break
				}
			}
			if null {
				valid.Clear(i)
			}
		}
		return vector.Vec{Arr: vector.NewBool(bits, n, valid)}, nil
	}
}

func evalArrayPosition(t *vector.Type) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		l, mask := listsOf(args[0]), args[1].Mask()
		compare := Comparator(t.Elem, l.kids, args[1].Arr)
		return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 {
			lo, hi := l.span(i)
			for j := lo; j < hi; j++ {
				if l.kids.IsValid(j) && compare(j, i&mask) == 0 {
					return int64(j - lo + 1)
				}
			}
			return 0
		}), nil
	}
}

func evalArrayRemove(t *vector.Type) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		l, mask := listsOf(args[0]), args[1].Mask()
		compare := Comparator(t.Elem, l.kids, args[1].Arr)
		return gather(t, n, Validity(n, args...), l.kids, func(idx []uint32, i int) []uint32 {
			lo, hi := l.span(i)
			for j := lo; j < hi; j++ {
				if l.kids.IsNull(j) || compare(j, i&mask) != 0 {
					idx = append(idx, uint32(j))
				}
			}
			return idx
		}), nil
	}
}

// extremeFunction defines array_min (sign -1) or array_max (1).
func extremeFunction(name, summary, sql, want string, sign int) Scalar {
	return Scalar{
		Name: name, Signature: name + "(array)", Summary: summary, Examples: []Example{{sql, want}}, MinArgs: 1, MaxArgs: 1,
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			t, ok := ImplicitCast(conf, args[0].Type, AnyArray)
			if !ok {
				return nil, UnexpectedInput(callSQL(name, sqlOf(args)), 0, AnyArray, args[0])
			}
			if !Orderable(t.Elem) {
				return nil, invalidOrdering(name, args, t)
			}
			return &Impl{Args: []*vector.Type{t}, Result: t.Elem, Nullable: true, NullIfAny: true, Eval: strict(t.Elem, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				l := listsOf(args[0])
				compare := Comparator(t.Elem, l.kids, l.kids)
				none := l.kids.Len()
				idx, valid := make([]uint32, n), Validity(n, args...)
				for i := range n {
					best := none
					lo, hi := l.span(i)
					for j := lo; j < hi && valid.Get(i); j++ {
						if l.kids.IsValid(j) && (best == none || compare(j, best)*sign > 0) {
							best = j
						}
					}
					idx[i] = uint32(best)
				}
				return vector.Vec{Arr: vector.Take(withNull(t.Elem, l.kids), idx)}, nil
			})}, nil
		},
	}
}

func bindSortArray(conf *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	print := callSQL("sort_array", sqlOf(args))
	if len(args) == 1 {
		print = callSQL("sort_array", append(sqlOf(args), "true"))
	}
	if isNull(t) {
		t = vector.ArrayOf(vector.Null, true)
	}
	if t.Kind != vector.KindArray {
		return nil, UnexpectedInput(print, 0, AnyArray, args[0])
	}
	if !Orderable(t.Elem) {
		return nil, condition.New("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "sqlExpr", quoteSQL(print), "functionName", "`sort_array`", "dataType", quoteType(t))
	}
	impl := &Impl{Args: []*vector.Type{t}, Result: t, NullIfAny: true}
	if len(args) == 2 {
		b, ok := ImplicitCast(conf, args[1].Type, Bool)
		if !ok {
			return nil, UnexpectedInput(print, 1, Bool, args[1])
		}
		impl.Args = append(impl.Args, b)
	}
	impl.Eval = strict(t, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		up := func(int) bool { return true }
		if len(args) == 2 {
			bits, mask := vector.Bools(args[1].Arr), args[1].Mask()
			up = func(i int) bool { return bits.Get(i & mask) }
		}
		l := listsOf(args[0])
		compare := Comparator(t.Elem, l.kids, l.kids)
		return sortLists(t, l, n, Validity(n, args...), func(i int) func(a, b uint32) int {
			sign := 1
			if !up(i) {
				sign = -1
			}
			return func(a, b uint32) int {
				return sign * compareNulls(l.kids, a, b, -1, compare)
			}
		}), nil
	})
	return impl, nil
}

// compareNulls compares two elements of which each may be null; null is the
// sign by which a null differs from a value: -1 comes first.
func compareNulls(kids arrow.Array, a, b uint32, null int, compare func(i, j int) int) int {
	an, bn := kids.IsNull(int(a)), kids.IsNull(int(b))
	switch {
	case an && bn:
		return 0
	case an:
		return null
	case bn:
		return -null
	}
	return compare(int(a), int(b))
}

// sortLists sorts the elements of each row; order gives the row's comparison of
// two elements by their index.
func sortLists(t *vector.Type, l lists, n int, valid vector.Bitmap, order func(i int) func(a, b uint32) int) vector.Vec {
	return gather(t, n, valid, l.kids, func(idx []uint32, i int) []uint32 {
		lo, hi := l.span(i)
		start := len(idx)
		for j := lo; j < hi; j++ {
			idx = append(idx, uint32(j))
		}
		slices.SortStableFunc(idx[start:], order(i))
		return idx
	})
}
