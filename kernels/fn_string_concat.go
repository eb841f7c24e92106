package kernels

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Scalar{
			Name: "concat", Signature: "concat(col1, col2, …)", Summary: "The texts, binary values or arrays joined; null if one is null.",
			Examples: []Example{{"concat('Spark', 'SQL')", "SparkSQL"}, {"concat(array(1, 2), array(3))", "[1, 2, 3]"}},
			MaxArgs:  -1, Bind: bindConcat,
		},
		Scalar{
			Name: "concat_ws", Signature: "concat_ws(sep[, str | array(str)]…)",
			Summary:  "The texts, and the elements of arrays of texts, that are not null, joined by the separator.",
			Examples: []Example{{"concat_ws(' ', 'Spark', 'SQL')", "Spark SQL"}, {"concat_ws('/', 'foo', NULL, array('a', 'b'))", "foo/a/b"}},
			MinArgs:  1, MaxArgs: -1, Bind: bindConcatWS,
		},
	)
}

func bindConcat(conf *Conf, args []Arg) (*Impl, error) {
	if len(args) == 0 {
		return &Impl{Result: vector.String, NullIfAny: true, Eval: func(*Ctx, []vector.Vec, int) (vector.Vec, error) {
			return vector.Vec{Arr: vector.NewString(vector.String, []int32{0, 0}, nil, nil), Const: true}, nil
		}}, nil
	}
	sql := callSQL("concat", sqlOf(args))
	result := vector.String
	arrays, binary := 0, 0
	if slices.ContainsFunc(args, func(a Arg) bool { return a.Type.Kind == vector.KindArray }) {
		for i, a := range args {
			if a.Type.Kind == vector.KindMap || a.Type.Kind == vector.KindStruct || a.Type.Kind == vector.KindVariant {
				return nil, UnexpectedInput(sql, i, OneOf(String, Binary, AnyArray), a)
			}
		}
	}
	for _, a := range args {
		switch a.Type.Kind {
		case vector.KindArray:
			arrays++
		case vector.KindBinary:
			binary++
		case vector.KindMap, vector.KindStruct, vector.KindVariant:
			return nil, diffTypes("concat", sql, `"STRING" or "ARRAY"`)
		}
	}
	eval := evalConcat
	switch {
	case arrays > 0:
		types := make([]*vector.Type, len(args))
		for i, a := range args {
			types[i] = a.Type
		}
		t := CommonType(conf, types)
		if t == nil || t.Kind != vector.KindArray {
			return nil, diffTypes("concat", sql, typeList(args))
		}
		result, eval = t, concatArrays(t)
	case binary == len(args):
		result = vector.Binary
	}
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: result, NullIfAny: true, Eval: strict(result, eval)}
	for i := range args {
		impl.Args[i] = result
	}
	return impl, nil
}

// diffTypes is DATATYPE_MISMATCH.DATA_DIFF_TYPES.
func diffTypes(name, sql, types string) error {
	return condition.New("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`"+name+"`", "dataType", "("+types+")")
}

// typeList quotes the arguments' types as DATA_DIFF_TYPES lists them.
func typeList(args []Arg) string {
	s := ""
	for i, a := range args {
		if i > 0 {
			s += " or "
		}
		s += quoteType(a.Type)
	}
	return s
}

func sqlOf(args []Arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.SQL
	}
	return out
}

func evalConcat(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	in := make([]texts, len(args))
	total := 0
	for i, a := range args {
		in[i] = textsOf(a)
		if a.Const {
			total += n * len(in[i].at(0))
		} else {
			total += int(in[i].off[n] - in[i].off[0])
		}
	}
	if total > math.MaxInt32 {
		return vector.Vec{}, textTooLong(total)
	}
	t := vector.String
	if args[0].Arr.DataType().ID() == arrow.BINARY {
		t = vector.Binary
	}
	valid := Validity(n, args...)
	off, data := vector.Make[int32](ctx.Temp, n+1), vector.Make[byte](ctx.Temp, total+32)[:0]
	off[0] = 0
	for i := range n {
		if valid.Get(i) {
			for k := range in {
				data = appendText(data, in[k].at(i))
			}
		}
		off[i+1] = int32(len(data))
	}
	return vector.Vec{Arr: vector.NewString(t, off, data, valid)}, nil
}

func bindConcatWS(conf *Conf, args []Arg) (*Impl, error) {
	types := make([]*vector.Type, len(args))
	either := OneOf(ArrayOf(vector.String), String)
	for i, a := range args {
		want := either
		if i == 0 {
			want = String
		}
		t, ok := ImplicitCast(conf, a.Type, want)
		if isNull(a.Type) {
			t, ok = vector.String, true
		}
		if !ok {
			return nil, UnexpectedInput(callSQL("concat_ws", sqlOf(args)), i, want, a)
		}
		types[i] = t
	}
	return &Impl{Args: types, Result: vector.String, Nullable: args[0].Nullable, Eval: evalConcatWS}, nil
}

// piece is one argument of concat_ws: a text, or the elements of an array of texts.
type piece struct {
	vec  vector.Vec
	text texts
	off  []int32 // of an array
	kids vector.Bitmap
}

func evalConcatWS(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	pieces := make([]piece, len(args)-1)
	for k, a := range args[1:] {
		p := piece{vec: a}
		if a.Arr.DataType().ID() == arrow.LIST {
			child := listChild(a.Arr)
			p.off, p.kids, p.text = vector.Offsets(a.Arr), vector.Validity(child), textsOf(vector.Vec{Arr: child})
		} else {
			p.text = textsOf(a)
		}
		pieces[k] = p
	}
	sep := textsOf(args[0])
	return stringRows(vector.String, n, Validity(n, args[0]), func(dst []byte, i int) []byte {
		first := true
		add := func(s []byte) {
			if !first {
				dst = append(dst, sep.at(i)...)
			}
			first = false
			dst = append(dst, s...)
		}
		for k := range pieces {
			p := &pieces[k]
			if p.vec.IsNull(i) {
				continue
			}
			if p.off == nil {
				add(p.text.at(i))
				continue
			}
			r := i & p.vec.Mask()
			for j := p.off[r]; j < p.off[r+1]; j++ {
				if p.kids.Get(int(j)) {
					add(p.text.at(int(j)))
				}
			}
		}
		return dst
	}), nil
}
