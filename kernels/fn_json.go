package kernels

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/vector"
)

// ParseSchema reads a schema or type in Spark's DDL. The SQL front end sets it:
// from_json and from_csv take such texts, and this package does not parse SQL.
var ParseSchema func(ddl string) (*vector.Type, error)

func init() {
	str := []Accept{String}
	Register(
		Scalar{
			Name: "from_json", Signature: "from_json(jsonStr, schema[, options])", Summary: "The value of a JSON text by a schema.",
			Examples: []Example{{`from_json('{"a":1, "b":0.8}', 'a INT, b DOUBLE')`, "{1, 0.8}"}},
			MinArgs:  2, MaxArgs: 3, Bind: bindFromJSON,
			SQL: func(args []string) string { return callSQL("from_json", args[:1]) },
		},
		Scalar{
			Name: "to_json", Signature: "to_json(expr[, options])", Summary: "A struct, array, map or variant as JSON text.",
			Examples: []Example{{"to_json(named_struct('a', 1, 'b', 2))", `{"a":1,"b":2}`}},
			MinArgs:  1, MaxArgs: 2, Bind: bindToJSON,
			SQL: func(args []string) string { return callSQL("to_json", args[:1]) },
		},
		DefineOn(Scalar{
			Name: "get_json_object", Signature: "get_json_object(jsonTxt, path)", Summary: "The value at a JSON path as text; null if there is none.",
			Examples: []Example{{`get_json_object('{"a":"b"}', '$.a')`, "b"}},
		}, Sig{Params: []Accept{String, String}, NoCast: true, Result: vector.String, Nullable: true}, func(*Conf, []Arg) Eval {
			return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				s, path := textsOf(args[0]), textsOf(args[1])
				paths := json.NewPaths()
				return stringRowsOrIn(ctx.Temp, vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
					dst, ok := paths.AppendObject(dst, s.at(i), path.at(i))
					return dst, ok, nil
				})
			}
		}),
		Define(Scalar{
			Name: "json_array_length", Signature: "json_array_length(jsonArray)", Summary: "The number of elements of a JSON array; null for another text.",
			Examples: []Example{{`json_array_length('[1,2,3,{"f1":1,"f2":[5,6]},4]')`, "5"}},
		}, Sig{Params: str, NoCast: true, Result: vector.Int, Nullable: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s := textsOf(args[0])
			return fixedRowsOr(vector.Int, n, args, func(i int) (int32, bool, error) {
				k, ok := json.ArrayLength(s.at(i))
				return int32(k), ok, nil
			})
		}),
		Define(Scalar{
			Name: "json_object_keys", Signature: "json_object_keys(jsonObject)", Summary: "The keys of a JSON object; null for another text.",
			Examples: []Example{{`json_object_keys('{"key": "value", "b": {}}')`, "[key, b]"}},
		}, Sig{Params: str, NoCast: true, Result: vector.ArrayOf(vector.String, true), Nullable: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, out, valid := textsOf(args[0]), newTextLists(n), OwnValidity(n, args...)
			for i := range n {
				if valid.Get(i) {
					keys, ok := json.ObjectKeys(s.at(i))
					if ok {
						for _, k := range keys {
							out.add(k)
						}
					} else {
						valid.Clear(i)
					}
				}
				out.endRow()
			}
			return vector.Vec{Arr: out.finish(vector.ArrayOf(vector.String, true), valid)}, nil
		}),
		Scalar{
			Name: "schema_of_json", Signature: "schema_of_json(json[, options])", Summary: "The schema of a JSON text in DDL.",
			Examples: []Example{{`schema_of_json('[{"col":0}]')`, "ARRAY<STRUCT<col: BIGINT>>"}},
			MinArgs:  1, MaxArgs: 2, Bind: bindSchemaOfJSON,
			SQL: func(args []string) string { return callSQL("schema_of_json", args[:1]) },
		},
	)
}

// optionsArg reads a constant map<string,string> of options.
func optionsArg(args []Arg, at int) (map[string]string, error) {
	if at >= len(args) {
		return nil, nil
	}
	a := args[at]
	if a.Const == nil || a.Type.Kind != vector.KindMap {
		return nil, condition.New("INVALID_OPTIONS.NON_MAP_FUNCTION")
	}
	if a.Type.Key.Kind != vector.KindString || a.Type.Elem.Kind != vector.KindString {
		return nil, condition.New("INVALID_OPTIONS.NON_STRING_TYPE", "mapType", quoteType(a.Type))
	}
	keys, vals := mapChildren(a.Const.Arr)
	off := vector.Offsets(a.Const.Arr)
	k, v := textsOf(vector.Vec{Arr: keys}), textsOf(vector.Vec{Arr: vals})
	out := map[string]string{}
	for j := int(off[0]); j < int(off[1]); j++ {
		if vals.IsValid(j) {
			out[string(k.at(j))] = string(v.at(j))
		}
	}
	return out, nil
}

// schemaArg reads the constant schema argument of from_json and from_csv.
func schemaArg(a Arg) (*vector.Type, error) {
	if a.Const == nil || a.Type.Kind != vector.KindString || a.Const.IsNull(0) {
		return nil, condition.New("INVALID_SCHEMA.NON_STRING_LITERAL", "inputSchema", quoteSQL(a.SQL))
	}
	ddl := string(textsOf(*a.Const).at(0))
	t, err := ParseSchema(ddl)
	if err != nil {
		return nil, err
	}
	return nullable(t), nil
}

// nullable is a type in which everything may be null, as parsed text may be.
func nullable(t *vector.Type) *vector.Type {
	switch t.Kind {
	case vector.KindArray:
		return vector.ArrayOf(nullable(t.Elem), true)
	case vector.KindMap:
		return vector.MapOf(nullable(t.Key), nullable(t.Elem), true)
	case vector.KindStruct:
		fs := make([]vector.Field, len(t.Fields))
		for i, f := range t.Fields {
			fs[i] = vector.Field{Name: f.Name, Type: nullable(f.Type), Nullable: true}
		}
		return vector.StructOf(fs...)
	}
	return t
}

func bindFromJSON(conf *Conf, args []Arg) (*Impl, error) {
	sql := callSQL("from_json", sqlOf(args))
	t, err := schemaArg(args[1])
	if err != nil {
		return nil, err
	}
	in, ok := ImplicitCast(conf, args[0].Type, String)
	if !ok || !isString(args[0].Type) && !isNull(args[0].Type) {
		return nil, UnexpectedInput(sql, 0, String, args[0])
	}
	if k := t.Kind; k != vector.KindStruct && k != vector.KindArray && k != vector.KindMap && k != vector.KindVariant {
		return nil, condition.New("DATATYPE_MISMATCH.INVALID_JSON_SCHEMA", "schema", quoteType(t), "sqlExpr", quoteSQL(sql))
	}
	m, err := optionsArg(args, 2)
	if err != nil {
		return nil, err
	}
	o, err := json.ParseOptions(m, conf.Zone, conf.Conf["spark.sql.columnNameOfCorruptRecord"])
	if err != nil {
		return nil, err
	}
	if o.Mode == json.DropMalformed {
		return nil, condition.New("PARSE_MODE_UNSUPPORTED", "funcName", "`from_json`", "mode", "DROPMALFORMED")
	}
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: t, Nullable: true, NullIfAny: false}
	impl.Args[0] = in
	if t.Kind == vector.KindMap {
		impl.SQL = func([]string) string { return "entries" } // Spark's name for such a column
	}
	impl.Eval = func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		opts := o
		if opts.Zone == nil {
			opts.Zone = ctx.Zone
		}
		v := args[0]
		if v.Const {
			n = 1
		}
		out, err := parseJSON(json.NewValueReader(t, opts), v, n)
		return vector.Vec{Arr: out, Const: v.Const}, err
	}
	return impl, nil
}

func parseJSON(r *json.ValueReader, v vector.Vec, n int) (arrow.Array, error) {
	if v.Arr.DataType().ID() == arrow.NULL {
		for range n {
			r.AppendNull()
		}
		return r.Flush(), nil
	}
	s := textsOf(v)
	for i := range n {
		if v.IsNull(i) {
			r.AppendNull()
		} else if err := r.Append(s.at(i)); err != nil {
			return nil, err
		}
	}
	return r.Flush(), nil
}

func bindToJSON(conf *Conf, args []Arg) (*Impl, error) {
	sql := callSQL("to_json", sqlOf(args[:1]))
	t := args[0].Type
	m, err := optionsArg(args, 1)
	if err != nil {
		return nil, err
	}
	switch t.Kind {
	case vector.KindStruct, vector.KindArray, vector.KindMap, vector.KindVariant, vector.KindNull:
	default:
		return nil, condition.New("DATATYPE_MISMATCH.INVALID_JSON_SCHEMA", "schema", quoteType(t), "sqlExpr", quoteSQL(sql))
	}
	o, err := json.ParseWriteOptions(m, conf.Zone)
	if err != nil {
		return nil, err
	}
	// A field of type void is written as a null of any other type.
	t = withoutVoid(t)
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: vector.String, NullIfAny: true}
	impl.Args[0] = t
	impl.Eval = strict(vector.String, func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		opts := o
		if opts.Zone == nil {
			opts.Zone = zoneOr(ctx.Zone)
		}
		v := args[0]
		w := json.NewWriter(t, v.Arr, opts)
		mask := v.Mask()
		return stringRows(vector.String, n, Validity(n, v), func(dst []byte, i int) []byte { return w.Append(dst, i&mask) }), nil
	})
	return impl, nil
}

// withoutVoid is a type with STRING in the place of VOID.
func withoutVoid(t *vector.Type) *vector.Type {
	switch t.Kind {
	case vector.KindNull:
		return vector.String
	case vector.KindArray:
		return vector.ArrayOf(withoutVoid(t.Elem), t.ElemNullable || t.Elem.Kind == vector.KindNull)
	case vector.KindMap:
		return vector.MapOf(withoutVoid(t.Key), withoutVoid(t.Elem), t.ElemNullable || t.Elem.Kind == vector.KindNull)
	case vector.KindStruct:
		fs := make([]vector.Field, len(t.Fields))
		for i, f := range t.Fields {
			fs[i] = vector.Field{Name: f.Name, Type: withoutVoid(f.Type), Nullable: f.Nullable || f.Type.Kind == vector.KindNull}
		}
		return vector.StructOf(fs...)
	}
	return t
}

func zoneOr(z *time.Location) *time.Location {
	if z == nil {
		return time.UTC
	}
	return z
}

func bindSchemaOfJSON(conf *Conf, args []Arg) (*Impl, error) {
	text, err := schemaText("schema_of_json", "json", args)
	if err != nil {
		return nil, err
	}
	m, err := optionsArg(args, 1)
	if err != nil {
		return nil, err
	}
	o, err := json.ParseOptions(m, conf.Zone, "")
	if err != nil {
		return nil, err
	}
	t, err := json.InferType(text, o)
	if err != nil {
		return nil, err
	}
	return constText(t.SQL(), len(args)), nil
}

// schemaText is the constant text of which a function tells the schema; param is
// the name of the first parameter.
func schemaText(function, param string, args []Arg) ([]byte, error) {
	sql, a := callSQL(function, sqlOf(args)), args[0]
	switch {
	case !isString(a.Type) && !isNull(a.Type):
		return nil, UnexpectedInput(sql, 0, String, a)
	case a.Const == nil:
		return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quoteSQL(sql),
			"inputName", "`"+param+"`", "inputType", `"STRING"`, "inputExpr", quoteSQL(a.SQL))
	case isNullAt(a.Const.Arr, 0):
		return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_NULL", "sqlExpr", quoteSQL(sql), "exprName", param)
	}
	return textsOf(*a.Const).at(0), nil
}

// constText binds a call of n arguments to a text that is known already.
func constText(s string, n int) *Impl {
	v := NewConst(vector.String, s).Value
	return &Impl{Args: make([]*vector.Type, n), Result: vector.String, Eval: func(*Ctx, []vector.Vec, int) (vector.Vec, error) { return v, nil }}
}
