package kernels

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// lists reads an array argument row by row, constant or not.
type lists struct {
	off  []int32
	kids arrow.Array
	mask int
}

func listsOf(v vector.Vec) lists {
	return lists{vector.Offsets(v.Arr), listChild(v.Arr), v.Mask()}
}

// span is the range of the elements of row i within kids.
func (l lists) span(i int) (lo, hi int) {
	i &= l.mask
	return int(l.off[i]), int(l.off[i+1])
}

// structField is field k of a struct array.
func structField(a arrow.Array, k int) arrow.Array { return a.(*array.Struct).Field(k) }

// gather makes an array column whose elements are picked from src by index; f
// appends the indexes of a row that is valid.
func gather(t *vector.Type, n int, valid vector.Bitmap, src arrow.Array, f func(idx []uint32, i int) []uint32) vector.Vec {
	off := make([]int32, n+1)
	var idx []uint32
	for i := range n {
		if valid.Get(i) {
			idx = f(idx, i)
		}
		off[i+1] = int32(len(idx))
	}
	return vector.Vec{Arr: vector.NewList(t, off, vector.Take(src, idx), valid)}
}

// withNull is an array with a null behind its values: index a.Len() picks it.
func withNull(t *vector.Type, a arrow.Array) arrow.Array {
	return vector.Concat([]arrow.Array{a, vector.NewNull(t, 1)})
}

// elementsOf are the values of a column as one array with a value per row, or
// one for all rows if it is constant, and the mask to index it with.
func elementsOf(v vector.Vec) (arrow.Array, int) { return v.Arr, v.Mask() }

func reverseArrays(t *vector.Type) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		l := listsOf(args[0])
		return gather(t, n, Validity(n, args...), l.kids, func(idx []uint32, i int) []uint32 {
			lo, hi := l.span(i)
			for j := hi - 1; j >= lo; j-- {
				idx = append(idx, uint32(j))
			}
			return idx
		}), nil
	}
}

func concatArrays(t *vector.Type) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		ls, kids, base := make([]lists, len(args)), make([]arrow.Array, len(args)), make([]int, len(args))
		at := 0
		for k, a := range args {
			ls[k] = listsOf(a)
			kids[k], base[k] = ls[k].kids, at
			at += ls[k].kids.Len()
		}
		return gather(t, n, Validity(n, args...), vector.Concat(kids), func(idx []uint32, i int) []uint32 {
			for k, l := range ls {
				lo, hi := l.span(i)
				for j := lo; j < hi; j++ {
					idx = append(idx, uint32(base[k]+j))
				}
			}
			return idx
		}), nil
	}
}

func init() {
	arrayOfFirst := func(_ *Conf, args []Arg) (*vector.Type, error) { return args[0].Type, nil }
	Register(
		Scalar{
			Name: "array", Signature: "array(expr, …)", Summary: "An array of the arguments.",
			Examples: []Example{{"array(1, 2, 3)", "[1, 2, 3]"}}, MaxArgs: -1, Bind: bindArray,
		},
		sizeFunction("size", "cardinality"),
		Define(Scalar{
			Name: "array_size", Signature: "array_size(expr)", Summary: "The number of elements; null for null.",
			Examples: []Example{{"array_size(array('b', 'd', 'c', 'a'))", "4"}},
		}, Sig{Params: []Accept{AnyArray}, Result: vector.Int}, evalSize),
		DefineOn(Scalar{
			Name: "slice", Signature: "slice(x, start, length)", Summary: "length elements from start on, counted from 1, from the end if negative.",
			Examples: []Example{{"slice(array(1, 2, 3, 4), 2, 2)", "[2, 3]"}, {"slice(array(1, 2, 3, 4), -2, 2)", "[3, 4]"}},
		}, Sig{Params: []Accept{AnyArray, Int, Int}, ResultOf: arrayOfFirst}, pickSlice),
		Scalar{
			Name: "flatten", Signature: "flatten(arrayOfArrays)", Summary: "The elements of the arrays in one array; null if one of them is null.",
			Examples: []Example{{"flatten(array(array(1, 2), array(3, 4)))", "[1, 2, 3, 4]"}}, MinArgs: 1, MaxArgs: 1, Bind: bindFlatten,
		},
		DefineOn(Scalar{
			Name: "array_compact", Signature: "array_compact(array)", Summary: "The array without its nulls.",
			Examples: []Example{{"array_compact(array(1, 2, 3, null))", "[1, 2, 3]"}},
		}, Sig{Params: []Accept{AnyArray}, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) {
			return vector.ArrayOf(args[0].Type.Elem, false), nil
		}}, func(_ *Conf, args []Arg) Eval {
			t := vector.ArrayOf(args[0].Type.Elem, false)
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				l := listsOf(args[0])
				return gather(t, n, Validity(n, args...), l.kids, func(idx []uint32, i int) []uint32 {
					lo, hi := l.span(i)
					for j := lo; j < hi; j++ {
						if l.kids.IsValid(j) && l.kids.DataType().ID() != arrow.NULL {
							idx = append(idx, uint32(j))
						}
					}
					return idx
				}), nil
			}
		}),
		DefineOn(Scalar{
			Name: "array_repeat", Signature: "array_repeat(element, count)", Summary: "An array of count times the element.",
			Examples: []Example{{"array_repeat('123', 2)", "[123, 123]"}},
		}, Sig{Params: []Accept{Any, Int}, NoCast: true, TakesNulls: true, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) {
			return vector.ArrayOf(args[0].Type, args[0].Nullable), nil
		}}, func(_ *Conf, args []Arg) Eval {
			t := vector.ArrayOf(args[0].Type, true)
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				src, mask := elementsOf(args[0])
				c := fixedOf[int32](args[1])
				return gather(t, n, Validity(n, args[1]), src, func(idx []uint32, i int) []uint32 {
					for range c.at(i) {
						idx = append(idx, uint32(i&mask))
					}
					return idx
				}), nil
			}
		}),
		DefineOn(Scalar{
			Name: "array_join", Signature: "array_join(array, delimiter[, nullReplacement])",
			Summary:  "The elements as text, joined; nulls are left out or replaced.",
			Examples: []Example{{"array_join(array('hello', null, 'world'), ' ', ',')", "hello , world"}},
		}, Sig{Params: []Accept{ArrayOf(vector.String), String, String}, Optional: 1, Result: vector.String}, func(*Conf, []Arg) Eval { return evalArrayJoin }).exactTexts(),
		Scalar{
			Name: "arrays_zip", Signature: "arrays_zip(a1, a2, …)", Summary: "The structs of the elements at the same places; shorter arrays are filled with nulls.",
			Examples: []Example{{"arrays_zip(array(1, 2, 3), array(2, 3, 4))", "[{1, 2}, {2, 3}, {3, 4}]"}}, MaxArgs: -1, Bind: bindArraysZip,
		},
		Scalar{
			Name: "array_insert", Signature: "array_insert(x, pos, val)", Summary: "The array with val at position pos, counted from 1, from the end if negative.",
			Examples: []Example{{"array_insert(array(1, 2, 3, 4), 5, 5)", "[1, 2, 3, 4, 5]"}}, MinArgs: 3, MaxArgs: 3, Bind: bindArrayInsert,
		},
		appendFunction("array_append", "The array with the element behind.", "array_append(array('b', 'd'), 'e')", "[b, d, e]", -1),
		appendFunction("array_prepend", "The array with the element in front.", "array_prepend(array('b', 'd'), 'e')", "[e, b, d]", 1),
	)
}

func bindArray(conf *Conf, args []Arg) (*Impl, error) {
	types := make([]*vector.Type, len(args))
	nullable := false
	for i, a := range args {
		types[i] = a.Type
		nullable = nullable || a.Nullable || isNull(a.Type)
	}
	elem := CommonType(conf, types)
	if elem == nil {
		return nil, diffTypes("array", callSQL("array", sqlOf(args)), typeList(args))
	}
	t := vector.ArrayOf(elem, nullable)
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: t}
	for i := range args {
		impl.Args[i] = elem
	}
	impl.Eval = func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		if len(args) == 0 {
			return vector.Vec{Arr: vector.NewList(t, []int32{0, 0}, vector.NewNull(elem, 0), nil), Const: true}, nil
		}
		src, at := joined(args)
		return gather(t, n, nil, src, func(idx []uint32, i int) []uint32 {
			for k := range args {
				idx = append(idx, at(k, i))
			}
			return idx
		}), nil
	}
	return impl, nil
}

// joined puts columns of one type into one array; at is the index of row i of column k.
func joined(args []vector.Vec) (src arrow.Array, at func(k, i int) uint32) {
	arrs, base, mask := make([]arrow.Array, len(args)), make([]int, len(args)), make([]int, len(args))
	n := 0
	for k, a := range args {
		arrs[k], base[k], mask[k] = a.Arr, n, a.Mask()
		n += a.Arr.Len()
	}
	return vector.Concat(arrs), func(k, i int) uint32 { return uint32(base[k] + i&mask[k]) }
}

func sizeFunction(name string, aliases ...string) Scalar {
	return Scalar{
		Name: name, Aliases: aliases, Signature: name + "(expr)",
		Summary:  "The number of elements of an array or map; null for null (-1 with spark.sql.ansi.enabled=false).",
		Examples: []Example{{name + "(array('b', 'd', 'c', 'a'))", "4"}, {name + "(map('a', 1, 'b', 2))", "2"}},
		MinArgs:  1, MaxArgs: 1,
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			k := args[0].Type.Kind
			if k != vector.KindArray && k != vector.KindMap && k != vector.KindNull {
				return nil, UnexpectedInput(callSQL(name, sqlOf(args)), 0, OneOf(AnyArray, AnyMap), args[0])
			}
			legacy := !conf.ANSI && conf.Conf["spark.sql.legacy.sizeOfNull"] != "false"
			impl := &Impl{Args: make([]*vector.Type, 1), Result: vector.Int, NullIfAny: !legacy, Eval: strict(vector.Int, evalSize)}
			if legacy {
				impl.Eval = evalSizeOfNull
			}
			return impl, nil
		},
	}
}

func evalSize(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	off, mask := vector.Offsets(args[0].Arr), args[0].Mask()
	return fixedRows(vector.Int, n, Validity(n, args...), func(i int) int32 { return off[i&mask+1] - off[i&mask] }), nil
}

func evalSizeOfNull(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	v := args[0]
	if v.Arr.DataType().ID() == arrow.NULL {
		return vector.Vec{Arr: vector.NewFixed(vector.Int, []int32{-1}, nil), Const: true}, nil
	}
	off, mask := vector.Offsets(v.Arr), v.Mask()
	return fixedRows(vector.Int, n, nil, func(i int) int32 {
		if v.IsNull(i) {
			return -1
		}
		return off[i&mask+1] - off[i&mask]
	}), nil
}

func pickSlice(_ *Conf, args []Arg) Eval {
	t := args[0].Type
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		l, start, length := listsOf(args[0]), fixedOf[int32](args[1]), fixedOf[int32](args[2])
		var err error
		out := gather(t, n, Validity(n, args...), l.kids, func(idx []uint32, i int) []uint32 {
			lo, hi := l.span(i)
			s, k := int(start.at(i)), int(length.at(i))
			switch {
			case s == 0:
				err = condition.New("INVALID_PARAMETER_VALUE.START", "parameter", "`start`", "functionName", "`slice`")
				return idx
			case k < 0:
				err = condition.New("INVALID_PARAMETER_VALUE.LENGTH", "parameter", "`length`", "length", k, "functionName", "`slice`")
				return idx
			case s < 0:
				s += hi
			default:
				s += lo - 1
			}
			if s < lo {
				return idx
			}
			for j := s; j < min(s+k, hi); j++ {
				idx = append(idx, uint32(j))
			}
			return idx
		})
		return out, err
	}
}

func bindFlatten(_ *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	if t.Kind != vector.KindArray || t.Elem.Kind != vector.KindArray {
		return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "sqlExpr", quoteSQL(callSQL("flatten", sqlOf(args))),
			"paramIndex", "first", "requiredType", `"ARRAY" of "ARRAY"`, "inputSql", quoteSQL(args[0].SQL), "inputType", quoteType(args[0].Type))
	}
	return &Impl{Args: []*vector.Type{t}, Result: t.Elem, Nullable: t.ElemNullable, NullIfAny: true, Eval: strict(t.Elem, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		l := listsOf(args[0])
		off, kids := vector.Offsets(l.kids), listChild(l.kids)
		valid := OwnValidity(n, args...)
		for i := range n {
			lo, hi := l.span(i)
			for j := lo; j < hi && valid.Get(i); j++ {
				if l.kids.IsNull(j) {
					valid.Clear(i)
				}
			}
		}
		return gather(t.Elem, n, valid, kids, func(idx []uint32, i int) []uint32 {
			lo, hi := l.span(i)
			for j := off[lo]; j < off[hi]; j++ {
				idx = append(idx, uint32(j))
			}
			return idx
		}), nil
	})}, nil
}

func evalArrayJoin(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	l, sep := listsOf(args[0]), textsOf(args[1])
	kids := textsOf(vector.Vec{Arr: l.kids})
	return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
		lo, hi := l.span(i)
		first := true
		for j := lo; j < hi; j++ {
			null := l.kids.IsNull(j)
			if null && len(args) < 3 {
				continue
			}
			if !first {
				dst = append(dst, sep.at(i)...)
			}
			first = false
			if null {
				dst = append(dst, textsOf(args[2]).at(i)...)
			} else {
				dst = append(dst, kids.at(j)...)
			}
		}
		return dst
	}), nil
}

func bindArraysZip(_ *Conf, args []Arg) (*Impl, error) {
	fields := make([]vector.Field, len(args))
	for i, a := range args {
		if a.Type.Kind != vector.KindArray {
			return nil, UnexpectedInput(callSQL("arrays_zip", sqlOf(args)), i, AnyArray, a)
		}
		fields[i] = vector.Field{Name: zipName(a, i), Type: a.Type.Elem, Nullable: true}
	}
	elem := vector.StructOf(fields...)
	t := vector.ArrayOf(elem, false)
	return &Impl{Args: make([]*vector.Type, len(args)), Result: t, NullIfAny: true, Eval: strict(t, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		valid := Validity(n, args...)
		ls, idx := make([]lists, len(args)), make([][]uint32, len(args))
		for k, a := range args {
			ls[k] = listsOf(a)
		}
		off := make([]int32, n+1)
		for i := range n {
			longest := 0
			for _, l := range ls {
				lo, hi := l.span(i)
				longest = max(longest, hi-lo)
			}
			if !valid.Get(i) {
				longest = 0
			}
			for k, l := range ls {
				lo, hi := l.span(i)
				for j := range longest {
					if lo+j < hi {
						idx[k] = append(idx[k], uint32(lo+j))
					} else {
						idx[k] = append(idx[k], uint32(l.kids.Len()))
					}
				}
			}
			off[i+1] = off[i] + int32(longest)
		}
		cols := make([]arrow.Array, len(args))
		for k, l := range ls {
			cols[k] = vector.Take(withNull(fields[k].Type, l.kids), idx[k])
		}
		return vector.Vec{Arr: vector.NewList(t, off, vector.NewStruct(elem, cols, int(off[n]), nil), valid)}, nil
	})}, nil
}

// zipName is the name of a field of arrays_zip: the column's, else its place.
func zipName(a Arg, i int) string {
	for k, c := range []byte(a.SQL) {
		if c != '_' && c|0x20 < 'a' || c|0x20 > 'z' && c != '_' {
			if k == 0 || c-'0' > 9 && c != '.' {
				return strconv.Itoa(i)
			}
		}
	}
	name := a.SQL
	for k := len(name) - 1; k >= 0; k-- {
		if name[k] == '.' {
			return name[k+1:]
		}
	}
	return name
}

// withElement casts an array argument and an element argument to go together.
func withElement(conf *Conf, name string, args []Arg, at int) (*vector.Type, error) {
	mismatch := condition.New("DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES", "sqlExpr", quoteSQL(callSQL(name, sqlOf(args))),
		"functionName", "`"+name+"`", "dataType", `"ARRAY"`, "leftType", quoteType(args[0].Type), "rightType", quoteType(args[at].Type))
	if args[0].Type.Kind != vector.KindArray {
		if name == "array_insert" || isNull(args[0].Type) && name == "array_remove" {
			return nil, mismatch
		}
		return nil, UnexpectedInput(callSQL(name, sqlOf(args)), 0, AnyArray, args[0])
	}
	t := Tightest(&Conf{}, args[0].Type.Elem, args[at].Type) // as outside of ANSI mode
	if t == nil && name == "array_contains" {
		t = widerDecimal(args[0].Type.Elem, args[at].Type)
	}
	if t == nil {
		return nil, mismatch
	}
	return vector.ArrayOf(t, args[0].Type.ElemNullable || args[at].Nullable), nil
}

func appendFunction(name, summary, sql, want string, pos int32) Scalar {
	return Scalar{
		Name: name, Signature: name + "(array, element)", Summary: summary, Examples: []Example{{sql, want}}, MinArgs: 2, MaxArgs: 2,
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			t, err := withElement(conf, name, args, 1)
			if err != nil {
				return nil, err
			}
			return &Impl{Args: []*vector.Type{t, t.Elem}, Result: t, Nullable: args[0].Nullable, Eval: func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				return insertAt(t, args[0], args[1], n, Validity(n, args[0]), func(int) int { return int(pos) })
			}}, nil
		},
	}
}

func bindArrayInsert(conf *Conf, args []Arg) (*Impl, error) {
	t, err := withElement(conf, "array_insert", args, 2)
	if err != nil {
		return nil, err
	}
	pos, ok := ImplicitCast(conf, args[1].Type, Int)
	if !ok {
		return nil, UnexpectedInput(callSQL("array_insert", sqlOf(args)), 1, Int, args[1])
	}
	t = vector.ArrayOf(t.Elem, true)
	return &Impl{Args: []*vector.Type{t, pos, t.Elem}, Result: t, Nullable: args[0].Nullable || args[1].Nullable, Eval: func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		at, valid := fixedOf[int32](args[1]), Validity(n, args[0], args[1])
		for i := range n {
			if valid.Get(i) && at.at(i) == 0 {
				return vector.Vec{}, condition.New("INVALID_INDEX_OF_ZERO")
			}
		}
		return insertAt(t, args[0], args[2], n, valid, func(i int) int { return int(at.at(i)) })
	}}, nil
}

// insertAt puts an element at a position from 1, or from the end if negative;
// gaps are filled with nulls.
func insertAt(t *vector.Type, arr, val vector.Vec, n int, valid vector.Bitmap, pos func(i int) int) (vector.Vec, error) {
	l := listsOf(arr)
	base := l.kids.Len()
	src := withNull(t.Elem, vector.Concat([]arrow.Array{l.kids, val.Arr}))
	null := uint32(src.Len() - 1)
	return gather(t, n, valid, src, func(idx []uint32, i int) []uint32 {
		lo, hi := l.span(i)
		size, p := hi-lo, pos(i)
		elem := uint32(base + i&val.Mask())
		if p < 0 {
			p = size + p + 2 // the place among the old elements, from 1
		}
		if p < 1 {
			idx = append(idx, elem)
			for ; p < 1; p++ {
				idx = append(idx, null)
			}
			p = 0
		}
		for k := 1; k <= size; k++ {
			if k == p {
				idx = append(idx, elem)
			}
			idx = append(idx, uint32(lo+k-1))
		}
		if p > size {
			for k := size + 1; k < p; k++ {
				idx = append(idx, null)
			}
			idx = append(idx, elem)
		}
		return idx
	}), nil
}
