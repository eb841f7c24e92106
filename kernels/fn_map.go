package kernels

import (
	"bytes"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// mapBuilder makes a map column from entries picked out of arrays of keys and
// values by index, with Spark's rules: no null keys, and a repeated key is an
// error, or the last value wins under spark.sql.mapKeyDedupPolicy=LAST_WIN.
type mapBuilder struct {
	t          *vector.Type
	keys, vals arrow.Array
	key        func(dst []byte, j int) []byte
	lastWins   bool
	off        []int32
	ki, vi     []uint32
	seen       map[string]int
	buf        []byte
}

func newMapBuilder(t *vector.Type, keys, vals arrow.Array, n int, lastWins bool) *mapBuilder {
	return &mapBuilder{t: t, keys: keys, vals: vals, key: keyOf(t.Key, keys), lastWins: lastWins,
		off: make([]int32, 1, n+1), seen: map[string]int{}}
}

// lastWins reads the policy for repeated keys.
func lastWins(conf *Conf) bool { return conf.Conf["spark.sql.mapKeyDedupPolicy"] == "LAST_WIN" }

// add puts an entry into the current row.
func (b *mapBuilder) add(k, v uint32) error {
	if b.keys.IsNull(int(k)) || b.keys.DataType().ID() == arrow.NULL {
		return condition.New("NULL_MAP_KEY")
	}
	b.buf = b.key(b.buf[:0], int(k))
	if at, ok := b.seen[string(b.buf)]; ok {
		if !b.lastWins {
			return condition.New("DUPLICATED_MAP_KEY", "key", printed(b.t.Key, b.keys, int(k)),
				"mapKeyDedupPolicy", `"spark.sql.mapKeyDedupPolicy"`)
		}
		b.vi[at] = v
		return nil
	}
	b.seen[string(b.buf)] = len(b.ki)
	b.ki, b.vi = append(b.ki, k), append(b.vi, v)
	return nil
}

func (b *mapBuilder) endRow() {
	clear(b.seen)
	b.off = append(b.off, int32(len(b.ki)))
}

func (b *mapBuilder) finish(valid vector.Bitmap) vector.Vec {
	return vector.Vec{Arr: vector.NewMap(b.t, b.off, vector.Take(b.keys, b.ki), vector.Take(b.vals, b.vi), valid)}
}

func init() {
	anyMapTo := func(result func(t *vector.Type) *vector.Type) Sig {
		return Sig{Params: []Accept{AnyMap}, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) { return result(args[0].Type), nil }}
	}
	Register(
		Scalar{
			Name: "map", Signature: "map(key0, value0, key1, value1, …)", Summary: "A map of the keys and values.",
			Examples: []Example{{"map(1.0, '2', 3.0, '4')", "{1.0 -> 2, 3.0 -> 4}"}}, MaxArgs: -1, Bind: bindMap,
		},
		DefineOn(Scalar{
			Name: "map_keys", Signature: "map_keys(map)", Summary: "The keys as an array.", Examples: []Example{{"map_keys(map(1, 'a', 2, 'b'))", "[1, 2]"}},
		}, anyMapTo(func(t *vector.Type) *vector.Type { return vector.ArrayOf(t.Key, false) }), mapPart(0)),
		DefineOn(Scalar{
			Name: "map_values", Signature: "map_values(map)", Summary: "The values as an array.", Examples: []Example{{"map_values(map(1, 'a', 2, 'b'))", "[a, b]"}},
		}, anyMapTo(func(t *vector.Type) *vector.Type { return vector.ArrayOf(t.Elem, t.ElemNullable) }), mapPart(1)),
		DefineOn(Scalar{
			Name: "map_entries", Signature: "map_entries(map)", Summary: "The entries as an array of structs.", Examples: []Example{{"map_entries(map(1, 'a', 2, 'b'))", "[{1, a}, {2, b}]"}},
		}, anyMapTo(entriesType), func(_ *Conf, args []Arg) Eval {
			t := entriesType(args[0].Type)
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				keys, vals := mapChildren(args[0].Arr)
				kids := vector.NewStruct(t.Elem, []arrow.Array{keys, vals}, keys.Len(), nil)
				out := vector.NewList(t, vector.Offsets(args[0].Arr), kids, vector.Validity(args[0].Arr))
				return vector.Vec{Arr: out, Const: args[0].Const}, nil
			}
		}),
		Scalar{
			Name: "map_contains_key", Signature: "map_contains_key(map, key)", Summary: "Whether the map has the key.",
			Examples: []Example{{"map_contains_key(map(1, 'a', 2, 'b'), 1)", "true"}}, MinArgs: 2, MaxArgs: 2, Bind: bindMapContainsKey,
		},
		Scalar{
			Name: "map_from_arrays", Signature: "map_from_arrays(keys, values)", Summary: "A map of two arrays.",
			Examples: []Example{{"map_from_arrays(array(1.0, 3.0), array('2', '4'))", "{1.0 -> 2, 3.0 -> 4}"}}, MinArgs: 2, MaxArgs: 2, Bind: bindMapFromArrays,
		},
		Scalar{
			Name: "map_from_entries", Signature: "map_from_entries(arrayOfEntries)", Summary: "A map of an array of structs of two fields.",
			Examples: []Example{{"map_from_entries(array(struct(1, 'a'), struct(2, 'b')))", "{1 -> a, 2 -> b}"}}, MinArgs: 1, MaxArgs: 1, Bind: bindMapFromEntries,
		},
		Scalar{
			Name: "map_concat", Signature: "map_concat(map, …)", Summary: "The entries of all maps in one.",
			Examples: []Example{{"map_concat(map(1, 'a', 2, 'b'), map(3, 'c'))", "{1 -> a, 2 -> b, 3 -> c}"}}, MaxArgs: -1, Bind: bindMapConcat,
		},
		DefineOn(Scalar{
			Name: "str_to_map", Signature: "str_to_map(text[, pairDelim[, keyValueDelim]])", Summary: "A map of the pairs of a text; the delimiters are patterns, by default a comma and a colon.",
			Examples: []Example{{"str_to_map('a:1,b:2,c:3', ',', ':')", "{a -> 1, b -> 2, c -> 3}"}},
			SQL:      withDefaults("str_to_map", 1, ",", ":"),
		}, Sig{Params: []Accept{String, String, String}, Optional: 2, NoCast: true, Result: strMap}, pickStrToMap),
	)
}

var strMap = vector.MapOf(vector.String, vector.String, true)

func entriesType(t *vector.Type) *vector.Type {
	return vector.ArrayOf(vector.StructOf(vector.Field{Name: "key", Type: t.Key}, vector.Field{Name: "value", Type: t.Elem, Nullable: t.ElemNullable}), false)
}

// mapPart is the kernel of map_keys (0) and map_values (1): no value is copied.
func mapPart(k int) func(*Conf, []Arg) Eval {
	return func(_ *Conf, args []Arg) Eval {
		t := vector.ArrayOf(args[0].Type.Key, false)
		if k == 1 {
			t = vector.ArrayOf(args[0].Type.Elem, true)
		}
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			keys, vals := mapChildren(args[0].Arr)
			kids := []arrow.Array{keys, vals}[k]
			return vector.Vec{Arr: vector.NewList(t, vector.Offsets(args[0].Arr), kids, vector.Validity(args[0].Arr)), Const: args[0].Const}, nil
		}
	}
}

func bindMap(conf *Conf, args []Arg) (*Impl, error) {
	sql := callSQL("map", sqlOf(args))
	if len(args)%2 != 0 {
		return nil, wrongArgs("map", "2n (n > 0)", len(args))
	}
	var kt, vt []*vector.Type
	nulls := false
	for i, a := range args {
		if i%2 == 0 {
			kt = append(kt, a.Type)
		} else {
			vt = append(vt, a.Type)
			nulls = nulls || a.Nullable || isNull(a.Type)
		}
	}
	key, val := CommonType(conf, kt), CommonType(conf, vt)
	switch {
	case key == nil:
		return nil, condition.New("DATATYPE_MISMATCH.CREATE_MAP_KEY_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`map`", "dataType", typesOf(kt))
	case val == nil:
		return nil, condition.New("DATATYPE_MISMATCH.CREATE_MAP_VALUE_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`map`", "dataType", typesOf(vt))
	case holdsMap(key):
		return nil, condition.New("DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", "sqlExpr", quoteSQL(sql), "keyType", quoteType(key))
	}
	t := vector.MapOf(key, val, nulls)
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: t}
	for i := range args {
		impl.Args[i] = []*vector.Type{key, val}[i%2]
	}
	last := lastWins(conf)
	impl.Eval = func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		if len(args) == 0 {
			return vector.Vec{Arr: vector.NewMap(t, []int32{0, 0}, vector.NewNull(key, 0), vector.NewNull(val, 0), nil), Const: true}, nil
		}
		var ks, vs []vector.Vec
		for i, a := range args {
			if i%2 == 0 {
				ks = append(ks, a)
			} else {
				vs = append(vs, a)
			}
		}
		keys, kat := joined(ks)
		vals, vat := joined(vs)
		b := newMapBuilder(t, keys, vals, n, last)
		for i := range n {
			for k := range ks {
				if err := b.add(kat(k, i), vat(k, i)); err != nil {
					return vector.Vec{}, err
				}
			}
			b.endRow()
		}
		return b.finish(nil), nil
	}
	return impl, nil
}

func typesOf(ts []*vector.Type) string {
	s := "["
	for i, t := range ts {
		if i > 0 {
			s += ", "
		}
		s += quoteType(t)
	}
	return s + "]"
}

// wrongArgs is WRONG_NUM_ARGS for a count that MinArgs and MaxArgs cannot say.
func wrongArgs(name, want string, got int) error {
	return condition.New("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "functionName", "`"+name+"`", "expectedNum", want, "actualNum", got,
		"docroot", "https://spark.apache.org/docs/latest")
}

func bindMapContainsKey(conf *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	sql := callSQL("map_contains_key", sqlOf(args))
	switch {
	case isNull(args[1].Type):
		return nil, condition.New("DATATYPE_MISMATCH.NULL_TYPE", "sqlExpr", quoteSQL(sql), "functionName", "`map_contains_key`")
	case isNull(t):
		return nil, condition.New("DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`map_contains_key`",
			"dataType", `"MAP"`, "leftType", quoteType(t), "rightType", quoteType(args[1].Type))
	case t.Kind != vector.KindMap:
		return nil, UnexpectedInput(sql, 0, AnyMap, args[0])
	}
	key := Tightest(&Conf{}, t.Key, args[1].Type) // as outside of ANSI mode
	if key == nil {
		key = widerDecimal(t.Key, args[1].Type)
	}
	if key == nil {
		return nil, condition.New("DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`map_contains_key`",
			"dataType", `"MAP"`, "leftType", quoteType(t), "rightType", quoteType(args[1].Type))
	}
	t = vector.MapOf(key, t.Elem, t.ElemNullable)
	return &Impl{Args: []*vector.Type{t, key}, Result: vector.Bool, NullIfAny: true, Eval: strict(vector.Bool, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		off, mask := vector.Offsets(args[0].Arr), args[0].Mask()
		keys, _ := mapChildren(args[0].Arr)
		kmask, compare := args[1].Mask(), Comparator(key, keys, args[1].Arr)
		return boolRows(n, Validity(n, args...), func(i int) bool {
			for j := off[i&mask]; j < off[i&mask+1]; j++ {
				if compare(int(j), i&kmask) == 0 {
					return true
				}
			}
			return false
		}), nil
	})}, nil
}

func bindMapFromArrays(conf *Conf, args []Arg) (*Impl, error) {
	for i, a := range args {
		if a.Type.Kind != vector.KindArray {
			return nil, UnexpectedInput(callSQL("map_from_arrays", sqlOf(args)), i, AnyArray, a)
		}
	}
	t := vector.MapOf(args[0].Type.Elem, args[1].Type.Elem, args[1].Type.ElemNullable)
	if holdsMap(t.Key) {
		return nil, condition.New("DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", "sqlExpr", quoteSQL(callSQL("map_from_arrays", sqlOf(args))), "keyType", quoteType(t.Key))
	}
	last := lastWins(conf)
	return &Impl{Args: make([]*vector.Type, 2), Result: t, NullIfAny: true, Eval: strict(t, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		k, v, valid := listsOf(args[0]), listsOf(args[1]), Validity(n, args...)
		b := newMapBuilder(t, k.kids, v.kids, n, last)
		for i := range n {
			if valid.Get(i) {
				klo, khi := k.span(i)
				vlo, vhi := v.span(i)
				if khi-klo != vhi-vlo {
					return vector.Vec{}, condition.New("INTERNAL_ERROR", "message", "The key array and value array of MapData must have the same length.")
				}
				for j := range khi - klo {
					if err := b.add(uint32(klo+j), uint32(vlo+j)); err != nil {
						return vector.Vec{}, err
					}
				}
			}
			b.endRow()
		}
		return b.finish(valid), nil
	})}, nil
}

func bindMapFromEntries(conf *Conf, args []Arg) (*Impl, error) {
	a := args[0].Type
	if a.Kind != vector.KindArray || a.Elem.Kind != vector.KindStruct || len(a.Elem.Fields) != 2 {
		return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "sqlExpr", quoteSQL(callSQL("map_from_entries", sqlOf(args))),
			"paramIndex", Ordinal(0), "requiredType", `"ARRAY" of pair "STRUCT"`, "inputSql", quoteSQL(args[0].SQL), "inputType", quoteType(a))
	}
	t := vector.MapOf(a.Elem.Fields[0].Type, a.Elem.Fields[1].Type, a.Elem.Fields[1].Nullable)
	last := lastWins(conf)
	return &Impl{Args: make([]*vector.Type, 1), Result: t, Nullable: a.ElemNullable, NullIfAny: true, Eval: strict(t, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		l, valid := listsOf(args[0]), OwnValidity(n, args...)
		b := newMapBuilder(t, structField(l.kids, 0), structField(l.kids, 1), n, last)
		for i := range n {
			lo, hi := l.span(i)
			for j := lo; j < hi && valid.Get(i); j++ {
				if l.kids.IsNull(j) {
					valid.Clear(i)
				}
			}
			for j := lo; j < hi && valid.Get(i); j++ {
				if err := b.add(uint32(j), uint32(j)); err != nil {
					return vector.Vec{}, err
				}
			}
			b.endRow()
		}
		return b.finish(valid), nil
	})}, nil
}

func bindMapConcat(conf *Conf, args []Arg) (*Impl, error) {
	sql := callSQL("map_concat", sqlOf(args))
	types := make([]*vector.Type, len(args))
	for i, a := range args {
		if a.Type.Kind != vector.KindMap {
			return nil, condition.New("DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`map_concat`", "dataType", typeListBracket(args))
		}
		types[i] = a.Type
	}
	t := vector.MapOf(vector.String, vector.String, false)
	if typed := slices.DeleteFunc(slices.Clone(types), func(t *vector.Type) bool { return isNull(t.Key) }); len(typed) > 0 {
		types = typed // map() goes with every type
	}
	if len(args) > 0 {
		if t = CommonType(conf, types); t == nil {
			return nil, condition.New("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "functionName", "`map_concat`", "dataType", typeList(args))
		}
	}
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: t, NullIfAny: true}
	for i := range args {
		impl.Args[i] = t
	}
	last := lastWins(conf)
	impl.Eval = strict(t, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		ks, vs, base := make([]arrow.Array, len(args)), make([]arrow.Array, len(args)), make([]int, len(args))
		at := 0
		for k, a := range args {
			ks[k], vs[k] = mapChildren(a.Arr)
			base[k], at = at, at+ks[k].Len()
		}
		if len(args) == 0 {
			return vector.Vec{Arr: vector.NewMap(t, []int32{0, 0}, vector.NewNull(t.Key, 0), vector.NewNull(t.Elem, 0), nil), Const: true}, nil
		}
		valid := Validity(n, args...)
		b := newMapBuilder(t, vector.Concat(ks), vector.Concat(vs), n, last)
		for i := range n {
			for k, a := range args {
				off, r := vector.Offsets(a.Arr), i&a.Mask()
				for j := off[r]; j < off[r+1] && valid.Get(i); j++ {
					if err := b.add(uint32(base[k]+int(j)), uint32(base[k]+int(j))); err != nil {
						return vector.Vec{}, err
					}
				}
			}
			b.endRow()
		}
		return b.finish(valid), nil
	})
	return impl, nil
}

func typeListBracket(args []Arg) string {
	ts := make([]*vector.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type
	}
	return typesOf(ts)
}

func pickStrToMap(conf *Conf, _ []Arg) Eval {
	last := lastWins(conf)
	pairs, kvs := &regexCache{}, &regexCache{}
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s := textsOf(args[0])
		delim := func(k int, missing string) func(int) []byte {
			if k < len(args) {
				return textsOf(args[k]).at
			}
			return func(int) []byte { return []byte(missing) }
		}
		pd, kd := delim(1, ","), delim(2, ":")
		valid := Validity(n, args...)
		keys, vals := newTextLists(0), newTextLists(0)
		nulls := vector.Bitmap{}
		ends := make([]int, n)
		for i := range n {
			if valid.Get(i) {
				parts := newTextLists(1)
				if err := splitAny(parts, pairs, s.at(i), pd(i), -1); err != nil {
					return vector.Vec{}, err
				}
				for k := 1; k < len(parts.inner); k++ {
					kv := newTextLists(1)
					if err := splitAny(kv, kvs, parts.data[parts.inner[k-1]:parts.inner[k]], kd(i), 2); err != nil {
						return vector.Vec{}, err
					}
					keys.add(kv.data[:kv.inner[1]])
					at := len(vals.inner) - 1
					if at>>3 == len(nulls) {
						nulls = append(nulls, 0)
					}
					if len(kv.inner) > 2 {
						vals.add(kv.data[kv.inner[1]:kv.inner[2]])
						nulls.Set(at)
					} else {
						vals.add(nil)
					}
				}
			}
			ends[i] = len(keys.inner) - 1
		}
		b := newMapBuilder(strMap, vector.NewString(vector.String, keys.inner, keys.data, nil), vector.NewString(vector.String, vals.inner, vals.data, nulls), n, last)
		j := 0
		for i := range n {
			for ; j < ends[i]; j++ {
				if err := b.add(uint32(j), uint32(j)); err != nil {
					return vector.Vec{}, err
				}
			}
			b.endRow()
		}
		return b.finish(valid), nil
	}
}

// splitAny splits as the function split does.
func splitAny(out *textLists, c *regexCache, v, pattern []byte, most int) error {
	lit, ok := literalPattern(pattern)
	switch {
	case len(v) == 0:
		out.add(nil)
	case len(pattern) == 0:
		splitChars(out, v, most)
	case ok:
		splitLiteral(out, v, bytes.Clone(lit), most)
	default:
		return splitRegex(out, c, v, pattern, most)
	}
	return nil
}
