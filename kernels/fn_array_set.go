package kernels

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// keyOf appends to dst a byte form of value j of an array such that equal values
// have equal forms: NaN equals NaN, -0.0 equals 0.0, null equals null.
func keyOf(t *vector.Type, a arrow.Array) func(dst []byte, j int) []byte {
	f := valueKey(t, a)
	return func(dst []byte, j int) []byte {
		if a.IsNull(j) {
			return append(dst, 0)
		}
		return f(append(dst, 1), j)
	}
}

func valueKey(t *vector.Type, a arrow.Array) func(dst []byte, j int) []byte {
	switch t.Kind {
	case vector.KindBool:
		b := vector.Bools(a)
		return func(dst []byte, j int) []byte {
			if b.Get(j) {
				return append(dst, 1)
			}
			return append(dst, 0)
		}
	case vector.KindFloat:
		x := vector.Values[float32](a)
		return func(dst []byte, j int) []byte { return binary.LittleEndian.AppendUint32(dst, floatBits(x[j])) }
	case vector.KindDouble:
		x := vector.Values[float64](a)
		return func(dst []byte, j int) []byte { return binary.LittleEndian.AppendUint64(dst, doubleBits(x[j])) }
	case vector.KindString, vector.KindBinary:
		off, data := vector.Strings(a)
		return func(dst []byte, j int) []byte {
			dst = binary.AppendUvarint(dst, uint64(off[j+1]-off[j]))
			return append(dst, data[off[j]:off[j+1]]...)
		}
	case vector.KindArray:
		off, child := vector.Offsets(a), listChild(a)
		f := keyOf(t.Elem, child)
		return func(dst []byte, j int) []byte {
			dst = binary.AppendUvarint(dst, uint64(off[j+1]-off[j]))
			for k := off[j]; k < off[j+1]; k++ {
				dst = f(dst, int(k))
			}
			return dst
		}
	case vector.KindStruct:
		s := a.(*array.Struct)
		fs := make([]func([]byte, int) []byte, s.NumField())
		for k := range fs {
			fs[k] = keyOf(t.Fields[k].Type, s.Field(k))
		}
		return func(dst []byte, j int) []byte {
			for _, f := range fs {
				dst = f(dst, j)
			}
			return dst
		}
	}
	switch t.Width() {
	case 1:
		return rawKey[[1]byte](a)
	case 2:
		return rawKey[[2]byte](a)
	case 4:
		return rawKey[[4]byte](a)
	case 8:
		return rawKey[[8]byte](a)
	case 16:
		return rawKey[[16]byte](a)
	}
	return func(dst []byte, _ int) []byte { return dst }
}

func rawKey[T [1]byte | [2]byte | [4]byte | [8]byte | [16]byte](a arrow.Array) func(dst []byte, j int) []byte {
	x := vector.Values[T](a)
	return func(dst []byte, j int) []byte {
		for k := range len(x[j]) {
			dst = append(dst, x[j][k])
		}
		return dst
	}
}

// keySet is a set of keys that is emptied for each row.
type keySet struct {
	seen map[string]bool
	buf  []byte
}

func newKeySet() *keySet { return &keySet{seen: map[string]bool{}} }

// add tells whether the key of element j was new.
func (s *keySet) add(key func([]byte, int) []byte, j int) bool {
	s.buf = key(s.buf[:0], j)
	if s.seen[string(s.buf)] {
		return false
	}
	s.seen[string(s.buf)] = true
	return true
}

func (s *keySet) has(key func([]byte, int) []byte, j int) bool {
	s.buf = key(s.buf[:0], j)
	return s.seen[string(s.buf)]
}

func init() {
	Register(
		DefineOn(Scalar{
			Name: "array_distinct", Signature: "array_distinct(array)", Summary: "The array without repeated elements.",
			Examples: []Example{{"array_distinct(array(1, 2, 3, null, 3))", "[1, 2, 3, NULL]"}},
		}, Sig{Params: []Accept{AnyArray}, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) {
			if t := args[0].Type; !Orderable(t.Elem) {
				return nil, invalidOrdering("array_distinct", args, t)
			}
			return args[0].Type, nil
		}}, func(_ *Conf, args []Arg) Eval {
			t := args[0].Type
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				l, seen := listsOf(args[0]), newKeySet()
				key := keyOf(t.Elem, l.kids)
				return positiveZeros(t, gather(t, n, Validity(n, args...), l.kids, func(idx []uint32, i int) []uint32 {
					clear(seen.seen)
					lo, hi := l.span(i)
					for j := lo; j < hi; j++ {
						if seen.add(key, j) {
							idx = append(idx, uint32(j))
						}
					}
					return idx
				})), nil
			}
		}),
		setFunction("array_union", "The elements of both arrays without repeats.", "[1, 2, 3, 5]", func(s *keySet, ka, kb func([]byte, int) []byte, a, b [2]int, emit func(second bool, j int)) {
			for j := a[0]; j < a[1]; j++ {
				if s.add(ka, j) {
					emit(false, j)
				}
			}
			for j := b[0]; j < b[1]; j++ {
				if s.add(kb, j) {
					emit(true, j)
				}
			}
		}),
		setFunction("array_intersect", "The elements that are in both arrays, without repeats.", "[1, 3]", func(s *keySet, ka, kb func([]byte, int) []byte, a, b [2]int, emit func(second bool, j int)) {
			for j := b[0]; j < b[1]; j++ {
				s.add(kb, j)
			}
			for j := a[0]; j < a[1]; j++ {
				if s.has(ka, j) {
					delete(s.seen, string(s.buf))
					emit(false, j)
				}
			}
		}),
		setFunction("array_except", "The elements of the first array that are not in the second, without repeats.", "[2]", func(s *keySet, ka, kb func([]byte, int) []byte, a, b [2]int, emit func(second bool, j int)) {
			for j := b[0]; j < b[1]; j++ {
				s.add(kb, j)
			}
			for j := a[0]; j < a[1]; j++ {
				if s.add(ka, j) {
					emit(false, j)
				}
			}
		}),
		Scalar{
			Name: "arrays_overlap", Signature: "arrays_overlap(a1, a2)",
			Summary:  "Whether the arrays have an element in common that is not null; null if not and one has a null.",
			Examples: []Example{{"arrays_overlap(array(1, 2, 3), array(3, 4, 5))", "true"}}, MinArgs: 2, MaxArgs: 2, Bind: bindArraysOverlap,
		},
	)
}

// sameArrays is the common type of two array arguments.
func sameArrays(name string, args []Arg) (*vector.Type, error) {
	var t *vector.Type
	if a, b := args[0].Type, args[1].Type; a.Kind == vector.KindArray && b.Kind == vector.KindArray {
		t = Tightest(&Conf{}, a, b) // as outside of ANSI mode
	}
	if t == nil {
		return nil, condition.New("DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES", "sqlExpr", quoteSQL(callSQL(name, sqlOf(args))),
			"functionName", "`"+name+"`", "arrayType", `"ARRAY"`, "leftType", quoteType(args[0].Type), "rightType", quoteType(args[1].Type))
	}
	return t, nil
}

// setFunction defines a function of two arrays; pick emits the elements to keep
// of the ranges a and b.
func setFunction(name, summary, want string, pick func(s *keySet, ka, kb func([]byte, int) []byte, a, b [2]int, emit func(second bool, j int))) Scalar {
	return Scalar{
		Name: name, Signature: name + "(array1, array2)", Summary: summary,
		Examples: []Example{{name + "(array(1, 2, 3), array(1, 3, 5))", want}}, MinArgs: 2, MaxArgs: 2,
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			t, err := sameArrays(name, args)
			if err != nil {
				return nil, err
			}
			return &Impl{Args: []*vector.Type{t, t}, Result: t, NullIfAny: true, Eval: strict(t, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				a, b, seen := listsOf(args[0]), listsOf(args[1]), newKeySet()
				ka, kb := keyOf(t.Elem, a.kids), keyOf(t.Elem, b.kids)
				base := a.kids.Len()
				src := vector.Concat([]arrow.Array{a.kids, b.kids})
				return positiveZeros(t, gather(t, n, Validity(n, args...), src, func(idx []uint32, i int) []uint32 {
					clear(seen.seen)
					alo, ahi := a.span(i)
					blo, bhi := b.span(i)
					pick(seen, ka, kb, [2]int{alo, ahi}, [2]int{blo, bhi}, func(second bool, j int) {
						if second {
							j += base
						}
						idx = append(idx, uint32(j))
					})
					return idx
				})), nil
			})}, nil
		},
	}
}

// positiveZeros turns -0.0 into 0.0 among the elements, as the set functions do.
func positiveZeros(t *vector.Type, v vector.Vec) vector.Vec {
	kids := listChild(v.Arr)
	switch t.Elem.Kind {
	case vector.KindFloat:
		clearSign(vector.Values[float32](kids))
	case vector.KindDouble:
		clearSign(vector.Values[float64](kids))
	}
	return v
}

func clearSign[T float](v []T) {
	for i := range v {
		if v[i] == 0 {
			v[i] = 0
		}
	}
}

func bindArraysOverlap(conf *Conf, args []Arg) (*Impl, error) {
	t, err := sameArrays("arrays_overlap", args)
	if err != nil {
		return nil, err
	}
	if !Orderable(t.Elem) {
		return nil, invalidOrdering("arrays_overlap", args, t.Elem)
	}
	return &Impl{Args: []*vector.Type{t, t}, Result: vector.Bool, Nullable: true, NullIfAny: true, Eval: strict(vector.Bool, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		a, b, seen := listsOf(args[0]), listsOf(args[1]), newKeySet()
		ka, kb := keyOf(t.Elem, a.kids), keyOf(t.Elem, b.kids)
		valid := OwnValidity(n, args...)
		bits := vector.NewBitmap(n)
		for i := range n {
			if !valid.Get(i) {
				continue
			}
			clear(seen.seen)
			alo, ahi := a.span(i)
			blo, bhi := b.span(i)
			null, found := false, false
			for j := alo; j < ahi; j++ {
				if a.kids.IsNull(j) {
					null = true
				} else {
					seen.add(ka, j)
				}
			}
			for j := blo; j < bhi && !found; j++ {
				if b.kids.IsNull(j) {
					null = true
				} else {
					found = seen.has(kb, j)
				}
			}
			switch {
			case found:
				bits.Set(i)
			case null && ahi > alo && bhi > blo:
				valid.Clear(i)
			}
		}
		return vector.Vec{Arr: vector.NewBool(bits, n, valid)}, nil
	})}, nil
}
