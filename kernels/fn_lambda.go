package kernels

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// higherOrder evaluates collections on the outer batch and lambdas on their elements.
type higherOrder struct {
	typ  *vector.Type
	args []Expr
	eval func(ctx *Ctx, b *vector.Batch, h *higherOrder, vals []vector.Vec) (vector.Vec, error)
}

// Type is the result type.
func (h *higherOrder) Type() *vector.Type { return h.typ }

// Eval evaluates the arguments that are no lambdas, then the function.
func (h *higherOrder) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	vals := make([]vector.Vec, len(h.args))
	for i, a := range h.args {
		if _, ok := a.(*Lambda); ok {
			continue
		}
		v, err := a.Eval(ctx, b)
		if err != nil {
			return vector.Vec{}, err
		}
		vals[i] = vector.Vec{Arr: v.Dense(b.Len())}
	}
	return h.eval(ctx, b, h, vals)
}

func (h *higherOrder) lambda(i int) *Lambda { return h.args[i].(*Lambda) }

// lambdaImpl is the Impl of a higher-order function.
func lambdaImpl(types []*vector.Type, result *vector.Type, nullable bool, eval func(ctx *Ctx, b *vector.Batch, h *higherOrder, vals []vector.Vec) (vector.Vec, error)) *Impl {
	return &Impl{Args: types, Result: result, Nullable: nullable, New: func(args []Expr) Expr {
		return &higherOrder{typ: result, args: args, eval: eval}
	}}
}

// on evaluates a lambda of the elements of a list: values, and positions from 0
// if it has two parameters.
func (h *higherOrder) on(ctx *Ctx, b *vector.Batch, arg int, kids arrow.Array, rows, idx []uint32, pos []int32) (arrow.Array, error) {
	l := h.lambda(arg)
	vars := []vector.Vec{{Arr: vector.Take(kids, idx)}}
	if l.Params == 2 {
		vars = append(vars, vector.Vec{Arr: vector.NewFixed(vector.Int, pos, nil)})
	}
	return h.call(ctx, b, arg, rows, vars)
}

func (h *higherOrder) call(ctx *Ctx, b *vector.Batch, arg int, rows []uint32, vars []vector.Vec) (arrow.Array, error) {
	l := h.lambda(arg)
	v, err := l.EvalOn(ctx, b, rows, vars[:l.Params])
	if err != nil {
		return nil, err
	}
	return v.Dense(len(rows)), nil
}

// arrayLambda gives the parameter types of a lambda over the elements of the
// first argument: the element, and with two parameters the position.
func arrayLambda(most int) func(args []Arg, i, n int) ([]*vector.Type, error) {
	return func(args []Arg, _, n int) ([]*vector.Type, error) {
		if args[0].Type.Kind != vector.KindArray {
			return nil, UnexpectedInput(args[0].SQL, 0, AnyArray, args[0])
		}
		if n < 0 {
			n = 1
		}
		return lambdaParams(n, []*vector.Type{args[0].Type.Elem, vector.Int}[:most])
	}
}

// lambdaParams takes the first n of the parameters that a function offers.
func lambdaParams(n int, types []*vector.Type) ([]*vector.Type, error) {
	if n > len(types) { // Spark then counts the element alone
		return nil, condition.New("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", "expectedNumArgs", strconv.Itoa(n), "actualNumArgs", "1")
	}
	return types[:n], nil
}

// exactParams is lambdaParams where every parameter must be there.
func exactParams(n int, types ...*vector.Type) ([]*vector.Type, error) {
	if n >= 0 && n != len(types) {
		return nil, condition.New("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", "expectedNumArgs", strconv.Itoa(n), "actualNumArgs", strconv.Itoa(len(types)))
	}
	return types, nil
}

// needBool checks that the body of a lambda is a condition.
func needBool(name string, args []Arg, i int) error {
	if k := args[i].Type.Kind; k != vector.KindBool && k != vector.KindNull {
		return UnexpectedInput(callSQL(name, sqlOf(args)), i, Bool, args[i])
	}
	return nil
}

// identityLambda and orderLambda are how Spark prints the lambdas that stand for
// those missing in aggregate and array_sort.
const (
	identityLambda = "lambdafunction(namedlambdavariable(), namedlambdavariable())"
	orderLambda    = "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, (IF((namedlambdavariable() IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, (IF((namedlambdavariable() < namedlambdavariable()), -1, (IF((namedlambdavariable() > namedlambdavariable()), 1, 0)))))))))), namedlambdavariable(), namedlambdavariable())"
)

func init() {
	Register(
		Scalar{
			Name: "transform", Signature: "transform(array, x -> expr) or transform(array, (x, i) -> expr)", Summary: "The array of the lambda's values; i is the position from 0.",
			Examples: []Example{{"transform(array(1, 2, 3), x -> x + 1)", "[2, 3, 4]"}}, MinArgs: 2, MaxArgs: 2, FirstLambda: 1, LambdaParams: arrayLambda(2),
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				t := vector.ArrayOf(args[1].Type, args[1].Nullable)
				return lambdaImpl(make([]*vector.Type, 2), t, args[0].Nullable, func(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
					rows, idx, pos := elementRows(v[0], b.Len())
					out, err := h.on(ctx, b, 1, listChild(v[0].Arr), rows, idx, pos)
					if err != nil {
						return vector.Vec{}, err
					}
					return vector.Vec{Arr: vector.NewList(t, offsetsOf(rows, b.Len()), out, vector.Validity(v[0].Arr))}, nil
				}), nil
			},
		},
		Scalar{
			Name: "filter", Signature: "filter(array, x -> cond) or filter(array, (x, i) -> cond)", Summary: "The elements for which the lambda is true; i is the position from 0.",
			Examples: []Example{{"filter(array(1, 2, 3), x -> x % 2 == 1)", "[1, 3]"}}, MinArgs: 2, MaxArgs: 2, FirstLambda: 1, LambdaParams: arrayLambda(2),
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				if err := needBool("filter", args, 1); err != nil {
					return nil, err
				}
				return lambdaImpl(make([]*vector.Type, 2), args[0].Type, args[0].Nullable, evalFilter), nil
			},
		},
		quantifier("exists", "Whether the lambda is true for an element; null if for none, but null for one.", "exists(array(1, 2, 3), x -> x % 2 == 0)", "true", true),
		quantifier("forall", "Whether the lambda is true for all elements; null if false for none, but null for one.", "forall(array(1, 2, 3), x -> x % 2 == 0)", "false", false),
		aggregateFunction("aggregate"), aggregateFunction("reduce"),
		Scalar{
			Name: "array_sort", Signature: "array_sort(array[, (left, right) -> int])",
			Summary:  "The array sorted, nulls last, by its order or by a lambda that gives a negative number, 0 or a positive one.",
			Examples: []Example{{"array_sort(array(5, 6, 1))", "[1, 5, 6]"}}, MinArgs: 1, MaxArgs: 2, FirstLambda: 1,
			LambdaParams: func(args []Arg, _, n int) ([]*vector.Type, error) {
				if args[0].Type.Kind != vector.KindArray {
					return nil, UnexpectedInput(args[0].SQL, 0, AnyArray, args[0])
				}
				return exactParams(n, args[0].Type.Elem, args[0].Type.Elem)
			},
			Bind: bindArraySortLambda, SQL: withDefaults("array_sort", 1, orderLambda),
		},
		Scalar{
			Name: "zip_with", Signature: "zip_with(left, right, (x, y) -> expr)", Summary: "The lambda's values of the elements at the same places; the shorter array is filled with nulls.",
			Examples: []Example{{"zip_with(array(1, 2, 3), array('a', 'b', 'c'), (x, y) -> concat(x, y))", "[1a, 2b, 3c]"}}, MinArgs: 3, MaxArgs: 3, FirstLambda: 2,
			LambdaParams: func(args []Arg, _, n int) ([]*vector.Type, error) {
				for i, a := range args[:2] {
					if a.Type.Kind != vector.KindArray {
						return nil, UnexpectedInput(a.SQL, i, AnyArray, a)
					}
				}
				return exactParams(n, args[0].Type.Elem, args[1].Type.Elem)
			},
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				t := vector.ArrayOf(args[2].Type, args[2].Nullable)
				lt, rt := args[0].Type.Elem, args[1].Type.Elem
				return lambdaImpl(make([]*vector.Type, 3), t, args[0].Nullable || args[1].Nullable, func(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
					return evalZipWith(ctx, b, h, v, t, lt, rt)
				}), nil
			},
		},
	)
}

// offsetsOf are the list offsets of elements that belong to ascending rows.
func offsetsOf(rows []uint32, n int) []int32 {
	off := make([]int32, n+1)
	for _, r := range rows {
		off[r+1]++
	}
	for i := range n {
		off[i+1] += off[i]
	}
	return off
}

func evalFilter(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
	rows, idx, pos := elementRows(v[0], b.Len())
	kids := listChild(v[0].Arr)
	keep, err := h.on(ctx, b, 1, kids, rows, idx, pos)
	if err != nil {
		return vector.Vec{}, err
	}
	yes := trueBits(keep)
	at := 0
	return gather(h.typ, b.Len(), vector.Validity(v[0].Arr), kids, func(out []uint32, i int) []uint32 {
		for ; at < len(rows) && int(rows[at]) == i; at++ {
			if yes(at) {
				out = append(out, idx[at])
			}
		}
		return out
	}), nil
}

// trueBits tells where a boolean (or void) column is true.
func trueBits(a arrow.Array) func(i int) bool {
	if a.DataType().ID() != arrow.BOOL {
		return func(int) bool { return false }
	}
	bits, valid := vector.Bools(a), vector.Validity(a)
	return func(i int) bool { return valid.Get(i) && bits.Get(i) }
}

// quantifier defines exists (want true) and forall (want false): the first
// element whose condition is want decides.
func quantifier(name, summary, sql, shown string, want bool) Scalar {
	return Scalar{
		Name: name, Signature: name + "(array, x -> cond)", Summary: summary, Examples: []Example{{sql, shown}}, MinArgs: 2, MaxArgs: 2, FirstLambda: 1, LambdaParams: arrayLambda(1),
		Bind: func(_ *Conf, args []Arg) (*Impl, error) {
			if err := needBool(name, args, 1); err != nil {
				return nil, err
			}
			return lambdaImpl(make([]*vector.Type, 2), vector.Bool, args[0].Nullable || args[1].Nullable, func(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
				n := b.Len()
				rows, idx, pos := elementRows(v[0], n)
				cond, err := h.on(ctx, b, 1, listChild(v[0].Arr), rows, idx, pos)
				if err != nil {
					return vector.Vec{}, err
				}
				yes, valid, bits := trueBits(cond), OwnValidity(n, v[0]), vector.NewBitmap(n)
				at := 0
				for i := range n {
					found, null := false, false
					for ; at < len(rows) && int(rows[at]) == i; at++ {
						if isNullAt(cond, at) {
							null = true
						} else if yes(at) == want {
							found = true
						}
					}
					if found == want {
						bits.Set(i)
					}
					if !found && null {
						valid.Clear(i)
					}
				}
				return vector.Vec{Arr: vector.NewBool(bits, n, valid)}, nil
			}), nil
		},
	}
}

// aggregateFunction defines aggregate and reduce.
func aggregateFunction(name string) Scalar {
	return Scalar{
		Name: name, Signature: name + "(array, start, (acc, x) -> expr[, acc -> expr])",
		Summary:  "Folds the array from the left, beginning with start; the last lambda turns the result into another value.",
		Examples: []Example{{name + "(array(1, 2, 3), 0, (acc, x) -> acc + x)", "6"}, {name + "(array(1, 2, 3), 0, (acc, x) -> acc + x, acc -> acc * 10)", "60"}},
		MinArgs:  3, MaxArgs: 4, FirstLambda: 2, SQL: withDefaults(name, 3, identityLambda),
		LambdaParams: func(args []Arg, i, n int) ([]*vector.Type, error) {
			if args[0].Type.Kind != vector.KindArray {
				return nil, UnexpectedInput(args[0].SQL, 0, AnyArray, args[0])
			}
			if i == 3 {
				return exactParams(n, args[1].Type)
			}
			return exactParams(n, args[1].Type, args[0].Type.Elem)
		},
		Bind: func(_ *Conf, args []Arg) (*Impl, error) {
			if !args[2].Type.Equal(args[1].Type) && !isNull(args[2].Type) {
				return nil, UnexpectedInput(withDefaults(name, 3, identityLambda)(sqlOf(args)), 2, Exactly(args[1].Type), args[2])
			}
			result := args[1].Type
			if len(args) == 4 {
				result = args[3].Type
			}
			acc := args[1].Type
			return lambdaImpl(make([]*vector.Type, len(args)), result, true, func(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
				return evalAggregate(ctx, b, h, v, acc)
			}), nil
		},
	}
}

// evalAggregate folds all rows at once: step k takes the k-th element of each row
// that has one.
func evalAggregate(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec, t *vector.Type) (vector.Vec, error) {
	n := b.Len()
	l := listsOf(v[0])
	acc := v[1].Arr
	var live []uint32
	for i := range n {
		if !v[0].IsNull(i) {
			live = append(live, uint32(i))
		}
	}
	all := live
	for k := 0; ; k++ {
		var rows, idx []uint32
		for _, r := range live {
			if lo, hi := l.span(int(r)); lo+k < hi {
				rows, idx = append(rows, r), append(idx, uint32(lo+k))
			}
		}
		if live = rows; len(rows) == 0 {
			break
		}
		next, err := h.call(ctx, b, 2, rows, []vector.Vec{{Arr: vector.Take(acc, rows)}, {Arr: vector.Take(l.kids, idx)}})
		if err != nil {
			return vector.Vec{}, err
		}
		if next.DataType().ID() == arrow.NULL {
			next = vector.NewNull(t, next.Len())
		}
		acc = replaceRows(acc, next, rows, n)
	}
	if len(h.args) == 4 {
		out, err := h.call(ctx, b, 3, all, []vector.Vec{{Arr: vector.Take(acc, all)}})
		if err != nil {
			return vector.Vec{}, err
		}
		return vector.Vec{Arr: replaceRows(vector.NewNull(h.typ, n), out, all, n)}, nil
	}
	return vector.Vec{Arr: replaceRows(vector.NewNull(t, n), vector.Take(acc, all), all, n)}, nil
}

// replaceRows is a with the values of some rows replaced.
func replaceRows(a, by arrow.Array, rows []uint32, n int) arrow.Array {
	if len(rows) == n {
		return by
	}
	idx := make([]uint32, n)
	for i := range idx {
		idx[i] = uint32(i)
	}
	for k, r := range rows {
		idx[r] = uint32(n + k)
	}
	return vector.Take(vector.Concat([]arrow.Array{a, by}), idx)
}

func evalZipWith(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec, t, lt, rt *vector.Type) (vector.Vec, error) {
	n := b.Len()
	valid := Validity(n, v[0], v[1])
	x, y := listsOf(v[0]), listsOf(v[1])
	var rows, xi, yi []uint32
	for i := range n {
		if !valid.Get(i) {
			continue
		}
		xlo, xhi := x.span(i)
		ylo, yhi := y.span(i)
		for k := range max(xhi-xlo, yhi-ylo) {
			rows = append(rows, uint32(i))
			xi, yi = append(xi, pickOr(xlo+k, xhi, x.kids)), append(yi, pickOr(ylo+k, yhi, y.kids))
		}
	}
	out, err := h.call(ctx, b, 2, rows, []vector.Vec{{Arr: vector.Take(withNull(lt, x.kids), xi)}, {Arr: vector.Take(withNull(rt, y.kids), yi)}})
	if err != nil {
		return vector.Vec{}, err
	}
	return vector.Vec{Arr: vector.NewList(t, offsetsOf(rows, n), out, valid)}, nil
}

// pickOr is the index j, or that of the null behind the values if j is not below hi.
func pickOr(j, hi int, kids arrow.Array) uint32 {
	if j < hi {
		return uint32(j)
	}
	return uint32(kids.Len())
}

func bindArraySortLambda(conf *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	sql := callSQL("array_sort", sqlOf(args))
	if t.Kind != vector.KindArray {
		return nil, UnexpectedInput(sql, 0, AnyArray, args[0])
	}
	if len(args) == 1 {
		if !Orderable(t.Elem) {
			return nil, invalidOrdering("array_sort", args, t.Elem)
		}
		return &Impl{Args: make([]*vector.Type, 1), Result: t, NullIfAny: true, Eval: strict(t, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			l := listsOf(args[0])
			compare := Comparator(t.Elem, l.kids, l.kids)
			return sortLists(t, l, n, Validity(n, args...), func(int) func(a, b uint32) int {
				return func(a, b uint32) int { return compareNulls(l.kids, a, b, 1, compare) }
			}), nil
		})}, nil
	}
	if args[1].Type.Kind != vector.KindInt {
		return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE", "sqlExpr", quoteSQL(sql), "functionName", "`lambdafunction`",
			"expectedType", quoteType(vector.Int), "actualType", quoteType(args[1].Type))
	}
	return lambdaImpl(make([]*vector.Type, 2), t, args[0].Nullable, evalSortBy), nil
}

// evalSortBy sorts by a lambda. It evaluates the lambda on pairs of elements one
// comparison at a time: what to compare next depends on the answer before.
func evalSortBy(ctx *Ctx, b *vector.Batch, h *higherOrder, v []vector.Vec) (vector.Vec, error) {
	l := listsOf(v[0])
	var failed error
	out := sortLists(h.typ, l, b.Len(), vector.Validity(v[0].Arr), func(i int) func(x, y uint32) int {
		rows := []uint32{uint32(i)}
		return func(x, y uint32) int {
			if failed != nil {
				return 0
			}
			r, err := h.call(ctx, b, 1, rows, []vector.Vec{{Arr: vector.Take(l.kids, []uint32{x})}, {Arr: vector.Take(l.kids, []uint32{y})}})
			switch {
			case err != nil:
				failed = err
				return 0
			case r.IsNull(0):
				failed = condition.New("COMPARATOR_RETURNS_NULL", "firstValue", l.kids.ValueStr(int(x)), "secondValue", l.kids.ValueStr(int(y)))
				return 0
			}
			return int(vector.Values[int32](r)[0])
		}
	})
	return out, failed
}
