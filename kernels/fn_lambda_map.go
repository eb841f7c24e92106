package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	entry := func(args []Arg, _, n int) ([]*vector.Type, error) {
		if args[0].Type.Kind != vector.KindMap {
			return nil, UnexpectedInput(args[0].SQL, 0, AnyMap, args[0])
		}
		return exactParams(n, args[0].Type.Key, args[0].Type.Elem)
	}
	Register(
		Scalar{
			Name: "map_filter", Signature: "map_filter(map, (k, v) -> cond)", Summary: "The entries for which the lambda is true.",
			Examples: []Example{{"map_filter(map(1, 0, 2, 2, 3, -1), (k, v) -> k > v)", "{1 -> 0, 3 -> -1}"}}, MinArgs: 2, MaxArgs: 2, FirstLambda: 1, LambdaParams: entry,
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				if err := needBool("map_filter", args, 1); err != nil {
					return nil, err
				}
				return lambdaImpl(make([]*vector.Type, 2), args[0].Type, args[0].Nullable, onEntries(func(t *vector.Type, keys, vals, out arrow.Array, n int) (*mapBuilder, func(at int) bool) {
					return newMapBuilder(t, keys, vals, n, true), trueBits(out)
				})), nil
			},
		},
		Scalar{
			Name: "transform_keys", Signature: "transform_keys(map, (k, v) -> expr)", Summary: "The map with the lambda's values as keys.",
			Examples: []Example{{"transform_keys(map_from_arrays(array(1, 2, 3), array(1, 2, 3)), (k, v) -> k + 1)", "{2 -> 1, 3 -> 2, 4 -> 3}"}}, MinArgs: 2, MaxArgs: 2, FirstLambda: 1, LambdaParams: entry,
			Bind: func(conf *Conf, args []Arg) (*Impl, error) {
				t := vector.MapOf(args[1].Type, args[0].Type.Elem, args[0].Type.ElemNullable)
				last := lastWins(conf)
				return lambdaImpl(make([]*vector.Type, 2), t, args[0].Nullable, onEntries(func(t *vector.Type, _, vals, out arrow.Array, n int) (*mapBuilder, func(at int) bool) {
					return newMapBuilder(t, out, vals, n, last), nil
				})), nil
			},
		},
		Scalar{
			Name: "transform_values", Signature: "transform_values(map, (k, v) -> expr)", Summary: "The map with the lambda's values as values.",
			Examples: []Example{{"transform_values(map_from_arrays(array(1, 2, 3), array(1, 2, 3)), (k, v) -> v + 1)", "{1 -> 2, 2 -> 3, 3 -> 4}"}}, MinArgs: 2, MaxArgs: 2, FirstLambda: 1, LambdaParams: entry,
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				t := vector.MapOf(args[0].Type.Key, args[1].Type, args[1].Nullable)
				return lambdaImpl(make([]*vector.Type, 2), t, args[0].Nullable, onEntries(func(t *vector.Type, keys, _, out arrow.Array, n int) (*mapBuilder, func(at int) bool) {
					return newMapBuilder(t, keys, out, n, true), nil
				})), nil
			},
		},
		Scalar{
			Name: "map_zip_with", Signature: "map_zip_with(map1, map2, (k, v1, v2) -> expr)", Summary: "The lambda's values of all keys of both maps; a missing value is null.",
			Examples: []Example{{"map_zip_with(map(1, 'a', 2, 'b'), map(1, 'x', 2, 'y'), (k, v1, v2) -> concat(v1, v2))", "{1 -> ax, 2 -> by}"}}, MinArgs: 3, MaxArgs: 3, FirstLambda: 2,
			LambdaParams: func(args []Arg, _, n int) ([]*vector.Type, error) {
				for i, a := range args[:2] {
					if a.Type.Kind != vector.KindMap {
						return nil, UnexpectedInput(a.SQL, i, AnyMap, a)
					}
				}
				key := zipKey(args)
				if key == nil {
					return nil, condition.New("DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES", "sqlExpr", quoteSQL(callSQL("map_zip_with", sqlOf(args))),
						"functionName", "`map_zip_with`", "leftType", quoteType(args[0].Type.Key), "rightType", quoteType(args[1].Type.Key))
				}
				return exactParams(n, key, args[0].Type.Elem, args[1].Type.Elem)
			},
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				key := zipKey(args)
				t := vector.MapOf(key, args[2].Type, args[2].Nullable)
				at, bt := withKey(args[0].Type, key), withKey(args[1].Type, key)
				return lambdaImpl([]*vector.Type{at, bt, nil}, t, args[0].Nullable || args[1].Nullable, func(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
					return evalMapZip(ctx, b, h, v, t, at, bt)
				}), nil
			},
		},
	)
}

// zipKey is the type of the keys of two maps, nil if there is none. Strings meet nothing
// but strings.
func zipKey(args []Arg) *vector.Type {
	a, b := args[0].Type.Key, args[1].Type.Key
	if t := Tightest(&Conf{ANSI: true}, a, b); t != nil {
		return t
	}
	return widerDecimal(a, b)
}

// withKey is a map's type with another key.
func withKey(t, key *vector.Type) *vector.Type { return vector.MapOf(key, t.Elem, t.ElemNullable) }

// onEntries evaluates a lambda on all entries and builds a map; start tells from
// which arrays, and perhaps which entries to keep. The arrays hold the entries of
// all rows in order.
func onEntries(start func(t *vector.Type, keys, vals, out arrow.Array, n int) (b *mapBuilder, keep func(at int) bool)) func(*Ctx, *vector.Batch, *higherOrder, []vector.Vec) (vector.Vec, error) {
	return func(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
		n := b.Len()
		rows, idx, _ := elementRows(v[0], n)
		keys, vals := mapChildren(v[0].Arr)
		keys, vals = vector.Take(keys, idx), vector.Take(vals, idx)
		out, err := h.call(ctx, b, 1, rows, []vector.Vec{{Arr: keys}, {Arr: vals}})
		if err != nil {
			return vector.Vec{}, err
		}
		m, keep := start(h.typ, keys, vals, out, n)
		at := 0
		for i := range n {
			for ; at < len(rows) && int(rows[at]) == i; at++ {
				if keep != nil && !keep(at) {
					continue
				}
				if err := m.add(uint32(at), uint32(at)); err != nil {
					return vector.Vec{}, err
				}
			}
			m.endRow()
		}
		return m.finish(vector.Validity(v[0].Arr)), nil
	}
}

func evalMapZip(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec, t, at, bt *vector.Type) (vector.Vec, error) {
	n := b.Len()
	valid := Validity(n, v[0], v[1])
	ak, av := mapChildren(v[0].Arr)
	bk, bv := mapChildren(v[1].Arr)
	aoff, boff := vector.Offsets(v[0].Arr), vector.Offsets(v[1].Arr)
	keys := vector.Concat([]arrow.Array{ak, bk})
	key := keyOf(t.Key, keys)
	var rows, ki, ai, bi []uint32
	noA, noB := uint32(av.Len()), uint32(bv.Len())
	var buf []byte
	for i := range n {
		if !valid.Get(i) {
			continue
		}
		place := map[string]int{}
		for j := aoff[i]; j < aoff[i+1]; j++ {
			buf = key(buf[:0], int(j))
			place[string(buf)] = len(rows)
			rows, ki, ai, bi = append(rows, uint32(i)), append(ki, uint32(j)), append(ai, uint32(j)), append(bi, noB)
		}
		for j := boff[i]; j < boff[i+1]; j++ {
			k := uint32(ak.Len()) + uint32(j)
			buf = key(buf[:0], int(k))
			if p, ok := place[string(buf)]; ok {
				bi[p] = uint32(j)
				continue
			}
			rows, ki, ai, bi = append(rows, uint32(i)), append(ki, k), append(ai, noA), append(bi, uint32(j))
		}
	}
	all := vector.Take(keys, ki)
	out, err := h.call(ctx, b, 2, rows, []vector.Vec{{Arr: all}, {Arr: vector.Take(withNull(at.Elem, av), ai)}, {Arr: vector.Take(withNull(bt.Elem, bv), bi)}})
	if err != nil {
		return vector.Vec{}, err
	}
	return vector.Vec{Arr: vector.NewMap(t, offsetsOf(rows, n), all, out, valid)}, nil
}
