package kernels

import (
	"bytes"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/csv"
	"github.com/vstream/vstream/vector"
)

func init() {
	first := func(name string) func([]string) string {
		return func(args []string) string { return callSQL(name, args[:1]) }
	}
	Register(
		Scalar{
			Name: "from_csv", Signature: "from_csv(csvStr, schema[, options])", Summary: "The struct in a CSV record.",
			Examples: []Example{{"from_csv('1, 0.8', 'a INT, b DOUBLE')", "{1, 0.8}"}},
			MinArgs:  2, MaxArgs: 3, Bind: bindFromCSV, SQL: first("from_csv"),
		},
		Scalar{
			Name: "to_csv", Signature: "to_csv(expr[, options])", Summary: "A struct as a CSV record.",
			Examples: []Example{{"to_csv(named_struct('a', 1, 'b', 2))", "1,2"}},
			MinArgs:  1, MaxArgs: 2, Bind: bindToCSV, SQL: first("to_csv"),
		},
		Scalar{
			Name: "schema_of_csv", Signature: "schema_of_csv(csv[, options])", Summary: "The schema of a CSV record in DDL.",
			Examples: []Example{{"schema_of_csv('1,abc')", "STRUCT<_c0: INT, _c1: STRING>"}},
			MinArgs:  1, MaxArgs: 2, Bind: bindSchemaOfCSV, SQL: first("schema_of_csv"),
		},
	)
}

func csvOptions(conf *Conf, args []Arg, at int) (csv.Options, error) {
	m, err := optionsArg(args, at)
	if err != nil {
		return csv.Options{}, err
	}
	return csv.ParseOptions(m, csv.Session{Zone: conf.Zone, CorruptColumn: conf.Conf["spark.sql.columnNameOfCorruptRecord"], NoColumnPruning: true})
}

func bindFromCSV(conf *Conf, args []Arg) (*Impl, error) {
	t, err := schemaArg(args[1])
	if err != nil {
		return nil, err
	}
	if t.Kind != vector.KindStruct {
		return nil, condition.New("INVALID_SCHEMA.NON_STRUCT_TYPE", "inputSchema", quoteSQL(args[1].SQL), "dataType", quoteType(t))
	}
	o, err := csvOptions(conf, args, 2)
	if err != nil {
		return nil, err
	}
	if o.Mode == csv.DropMalformed {
		return nil, condition.New("PARSE_MODE_UNSUPPORTED", "funcName", "`from_csv`", "mode", "DROPMALFORMED")
	}
	in, ok := ImplicitCast(conf, args[0].Type, String)
	if !ok || !isString(args[0].Type) && !isNull(args[0].Type) {
		return nil, UnexpectedInput(callSQL("from_csv", sqlOf(args[:1])), 0, String, args[0])
	}
	for _, f := range t.Fields {
		if !f.Type.Atomic() {
			return nil, condition.New("UNSUPPORTED_DATATYPE", "typeName", quoteType(f.Type))
		}
	}
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: t, Nullable: true}
	impl.Args[0] = in
	all := make([]int, len(t.Fields))
	for i := range all {
		all[i] = i
	}
	impl.Eval = strict(t, func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		opts := o
		if opts.Zone == nil {
			opts.Zone = zoneOr(ctx.Zone)
		}
		r, err := csv.NewReader(vector.NewSchema(t.Fields...), all, opts)
		if err != nil {
			return vector.Vec{}, err
		}
		s, valid := textsOf(args[0]), Validity(n, args[0])
		cols, err := r.Records(n, s.at)
		if err != nil {
			var record *csv.RecordError
			if errors.As(err, &record) {
				err = record.Err
			}
			return vector.Vec{}, err
		}
		if n == 0 {
			return vector.Vec{Arr: vector.NewNull(t, 0)}, nil
		}
		return vector.Vec{Arr: vector.NewStruct(t, cols, n, valid)}, nil
	})
	return impl, nil
}

func bindToCSV(conf *Conf, args []Arg) (*Impl, error) {
	t := args[0].Type
	m, err := optionsArg(args, 1)
	if err != nil {
		return nil, err
	}
	if t.Kind != vector.KindStruct && t.Kind != vector.KindNull {
		return nil, condition.New("DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE", "functionName", "`to_csv`",
			"dataType", quoteType(t), "sqlExpr", quoteSQL(callSQL("to_csv", sqlOf(args[:1]))))
	}
	o, err := csv.ParseWriteOptions(m, conf.Zone)
	if err != nil {
		return nil, err
	}
	t = withoutVoid(t)
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: vector.String, NullIfAny: true}
	impl.Args[0] = t
	impl.Eval = strict(vector.String, func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		opts := o
		if opts.Formats.Zone == nil {
			opts.Formats.Zone = zoneOr(ctx.Zone)
		}
		v := args[0]
		cols := make([]arrow.Array, len(t.Fields))
		for j := range cols {
			cols[j] = v.Arr.(*array.Struct).Field(j)
		}
		row, mask := opts.Row(t.Fields, cols), v.Mask()
		return stringRows(vector.String, n, Validity(n, v), func(dst []byte, i int) []byte { return row(dst, i&mask) }), nil
	})
	return impl, nil
}

func bindSchemaOfCSV(conf *Conf, args []Arg) (*Impl, error) {
	text, err := schemaText("schema_of_csv", "csv", args)
	if err != nil {
		return nil, err
	}
	o, err := csvOptions(conf, args, 1)
	if err != nil {
		return nil, err
	}
	o.InferSchema, o.Header = true, false
	f := csv.NewInference(o)
	if err := f.Add(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return constText(vector.StructOf(f.Schema().Fields...).SQL(), len(args)), nil
}
