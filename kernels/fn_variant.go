package kernels

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/variant"
	"github.com/vstream/vstream/vector"
)

// AnyVariant accepts a VARIANT.
var AnyVariant = Exactly(vector.Variant)

func init() {
	parse := func(name, summary string, try bool, ex Example) Scalar {
		return Define(Scalar{
			Name: name, Signature: name + "(jsonStr)", Summary: summary, Examples: []Example{ex},
		}, Sig{Params: []Accept{String}, NoCast: true, Result: vector.Variant, Nullable: try}, func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			return parseVariants(args[0], n, try)
		})
	}
	get := func(name, summary string, try bool) Scalar {
		return Scalar{
			Name: name, Signature: name + "(v, path[, type])", Summary: summary,
			Examples: []Example{{name + `(parse_json('{"a": 1}'), '$.a', 'int')`, "1"}}, MinArgs: 2, MaxArgs: 3,
			SQL:  func(args []string) string { return callSQL(name, args[:2]) },
			Bind: func(conf *Conf, args []Arg) (*Impl, error) { return bindVariantGet(conf, name, args, try) },
		}
	}
	Register(
		parse("parse_json", "A JSON text as a variant.", false, Example{`parse_json('{"a":1,"b":0.8}')`, `{"a":1,"b":0.8}`}),
		parse("try_parse_json", "A JSON text as a variant; null for a text that is none.", true, Example{"try_parse_json('{a:1}')", "NULL"}),
		get("variant_get", "The value at a path of a variant, cast to a type; a variant without one.", false),
		get("try_variant_get", "variant_get, but null for a value that does not cast to the type.", true),
		Define(Scalar{
			Name: "is_variant_null", Signature: "is_variant_null(expr)", Summary: "Whether the variant is a variant null; false for null.",
			Examples: []Example{{"is_variant_null(parse_json('null'))", "true"}, {"is_variant_null(parse_json('13'))", "false"}},
		}, Sig{Params: []Accept{AnyVariant}, Result: vector.Bool, TakesNulls: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			at, mask := render.Variants(args[0].Arr), args[0].Mask()
			out := boolRows(rowsOf(args[0], n), nil, func(i int) bool {
				return !args[0].IsNull(i) && at(i&mask).Kind() == variant.Null
			})
			out.Const = args[0].Const
			return out, nil
		}),
		Define(Scalar{
			Name: "schema_of_variant", Signature: "schema_of_variant(v)", Summary: "The type of a variant in DDL.",
			Examples: []Example{{`schema_of_variant(parse_json('[{"b":true,"a":0}]'))`, "ARRAY<OBJECT<a: BIGINT, b: BOOLEAN>>"}},
		}, Sig{Params: []Accept{AnyVariant}, Result: vector.String}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			at, mask := render.Variants(args[0].Arr), args[0].Mask()
			return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
				return append(dst, variantTypeSQL(variantType(at(i&mask)))...)
			}), nil
		}),
		Scalar{
			Name: "to_variant_object", Signature: "to_variant_object(expr)", Summary: "A struct, map or array as a variant of objects and arrays.",
			Examples: []Example{{"to_variant_object(named_struct('a', 1, 'b', 2))", `{"a":1,"b":2}`}}, MinArgs: 1, MaxArgs: 1, Bind: bindToVariantObject,
		},
	)
}

// rowsOf is 1 for a constant, else n.
func rowsOf(v vector.Vec, n int) int {
	if v.Const {
		return 1
	}
	return n
}

func parseVariants(v vector.Vec, n int, try bool) (vector.Vec, error) {
	s, r := textsOf(v), json.NewVariantReader()
	out := newVariantColumn(n, OwnValidity(n, v))
	for i := range n {
		if v.IsNull(i) {
			out.add(nil)
			continue
		}
		b, twice, ok := r.Read(s.at(i))
		switch {
		case ok:
			out.add(b)
		case try:
			out.add(nil)
		default:
			err := condition.New("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "badRecord", string(s.at(i)), "failFastMode", "FAILFAST")
			if twice != "" {
				err = err.WithCause(condition.New("VARIANT_DUPLICATE_KEY", "key", twice))
			}
			return vector.Vec{}, err
		}
	}
	return out.finish(), nil
}

func bindVariantGet(conf *Conf, name string, args []Arg, try bool) (*Impl, error) {
	target := vector.Variant
	if len(args) == 3 {
		a := args[2]
		if a.Const == nil {
			return nil, nonFoldable(callSQL(name, sqlOf(args)), "type", a)
		}
		if !isString(a.Type) || a.Const.IsNull(0) {
			return nil, condition.New("INVALID_SCHEMA.NON_STRING_LITERAL", "inputSchema", quoteSQL(a.SQL))
		}
		t, err := ParseSchema(string(textsOf(*a.Const).at(0)))
		if err != nil {
			return nil, err
		}
		target = nullable(t)
	}
	print := func(args []Arg) string { return callSQL(name, sqlOf(args[:2])) }
	if target.Kind != vector.KindVariant && !castsFromVariant(target) {
		return nil, condition.New("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "sqlExpr", quoteSQL(print(args)), "srcType", `"VARIANT"`, "targetType", quoteType(target))
	}
	if a := args[1]; a.Const != nil && isString(a.Type) && !a.Const.IsNull(0) {
		if _, err := variantPath(name, textsOf(*a.Const).at(0)); err != nil {
			return nil, err
		}
	}
	mode := CastANSI
	if try {
		mode = CastTry
	}
	sig := Sig{Params: []Accept{AnyVariant, String, String}, Optional: 1, NoCast: true, Result: target, Nullable: true}
	return sig.bind(conf, print, args, func(*Conf, []Arg) Eval {
		return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			found, err := variantsAt(name, args, n)
			if err != nil {
				return vector.Vec{}, err
			}
			c := variantCast{ctx: ctx, strict: mode != CastTry}
			a, err := c.values(found, target)
			return vector.Vec{Arr: a}, err
		}
	})
}

func variantPath(function string, path []byte) (variant.Path, error) {
	p, ok := variant.ParsePath(string(path))
	if !ok {
		return nil, condition.New("INVALID_VARIANT_GET_PATH", "path", string(path), "functionName", "`"+function+"`")
	}
	return p, nil
}

// variantsAt finds the values at the paths; there is none where the result is null.
func variantsAt(function string, args []vector.Vec, n int) ([]variant.Value, error) {
	at, mask, paths := render.Variants(args[0].Arr), args[0].Mask(), textsOf(args[1])
	valid := Validity(n, args[0], args[1])
	found := make([]variant.Value, n)
	var path variant.Path
	var last []byte
	for i := range found {
		if !valid.Get(i) {
			continue
		}
		if s := paths.at(i); path == nil || string(s) != string(last) {
			var err error
			if path, err = variantPath(function, s); err != nil {
				return nil, err
			}
			last = s
		}
		found[i], _ = path.Get(at(i & mask))
	}
	return found, nil
}

func bindToVariantObject(_ *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	switch t.Kind {
	case vector.KindArray, vector.KindMap, vector.KindStruct:
		if fitsVariant(t, true) {
			cast := castToVariant(t)
			return &Impl{Args: make([]*vector.Type, 1), Result: vector.Variant, NullIfAny: true,
				Eval: func(ctx *Ctx, args []vector.Vec, _ int) (vector.Vec, error) {
					a, err := cast(ctx, args[0].Arr)
					return vector.Vec{Arr: a, Const: args[0].Const}, err
				}}, nil
		}
	}
	return nil, condition.New("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
		"sqlExpr", quoteSQL(callSQL("to_variant_object", sqlOf(args))), "srcType", quoteType(t), "targetType", `"VARIANT"`)
}
