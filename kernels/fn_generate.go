package kernels

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/vector"
)

// Generator describes a function that makes any number of rows of each row.
type Generator struct {
	Name             string
	Signature        string
	Summary          string
	Examples         []Example
	MinArgs, MaxArgs int // MaxArgs -1: no bound
	Bind             func(conf *Conf, args []Arg) (*GeneratorImpl, error)
}

// GeneratorImpl is a generator bound to argument types.
type GeneratorImpl struct {
	Args    []*vector.Type // as in Impl
	Columns []vector.Field // the columns that it makes
	// Outer generators make a row of nulls for a row that they make none of; it is
	// the caller that adds them.
	Outer bool
	// Eval makes the rows of n source rows: rows[k] is the source row of made row k,
	// ascending; each column has a value per made row.
	Eval func(ctx *Ctx, args []vector.Vec, n int) (rows []uint32, cols []arrow.Array, err error)
}

var generators = map[string]*Generator{}

// LookupGenerator finds a generator by its lower-case name.
func LookupGenerator(name string) (*Generator, bool) {
	g, ok := generators[name]
	return g, ok
}

// Generators are all generators by name.
func Generators() map[string]*Generator { return generators }

func registerGenerator(g Generator) {
	if generators[g.Name] != nil {
		panic("kernels: generator registered twice: " + g.Name)
	}
	generators[g.Name] = &g
}

func init() {
	for _, outer := range []bool{false, true} {
		suffix, note := "", ""
		if outer {
			suffix, note = "_outer", " A null or empty one makes a row of nulls."
		}
		registerGenerator(Generator{
			Name: "explode" + suffix, Signature: "explode" + suffix + "(collection)", Summary: "A row for each element of an array or entry of a map." + note,
			Examples: []Example{{"explode" + suffix + "(array(10, 20))", "10\n20"}}, MinArgs: 1, MaxArgs: 1, Bind: bindExplode("explode"+suffix, false, outer),
		})
		registerGenerator(Generator{
			Name: "posexplode" + suffix, Signature: "posexplode" + suffix + "(collection)", Summary: "explode with the position, from 0, in front." + note,
			Examples: []Example{{"posexplode" + suffix + "(array(10, 20))", "0 10\n1 20"}}, MinArgs: 1, MaxArgs: 1, Bind: bindExplode("posexplode"+suffix, true, outer),
		})
		registerGenerator(Generator{
			Name: "inline" + suffix, Signature: "inline" + suffix + "(input)", Summary: "A row for each struct of an array, a column for each of its fields." + note,
			Examples: []Example{{"inline" + suffix + "(array(struct(1, 'a'), struct(2, 'b')))", "1 a\n2 b"}}, MinArgs: 1, MaxArgs: 1, Bind: bindInline("inline"+suffix, outer),
		})
	}
	registerGenerator(Generator{
		Name: "stack", Signature: "stack(n, expr1, …, exprk)", Summary: "The expressions in n rows.",
		Examples: []Example{{"stack(2, 1, 2, 3)", "1 2\n3 NULL"}}, MinArgs: 2, MaxArgs: -1, Bind: bindStack,
	})
	registerGenerator(Generator{
		Name: "json_tuple", Signature: "json_tuple(jsonStr, p1, …, pn)", Summary: "The fields of a JSON object as text, a column for each.",
		Examples: []Example{{`json_tuple('{"a":1, "b":2}', 'a', 'b')`, "1 2"}}, MinArgs: 2, MaxArgs: -1, Bind: bindJSONTuple,
	})
}

// elementRows lists, for the non-null rows of a list or map column, the source
// row, position and child index of each element.
func elementRows(v vector.Vec, n int) (rows, idx []uint32, pos []int32) {
	off, mask := vector.Offsets(v.Arr), v.Mask()
	for i := range n {
		if v.IsNull(i) {
			continue
		}
		lo := off[i&mask]
		for j := lo; j < off[i&mask+1]; j++ {
			rows, idx, pos = append(rows, uint32(i)), append(idx, uint32(j)), append(pos, j-lo)
		}
	}
	return rows, idx, pos
}

func bindExplode(name string, position, outer bool) func(*Conf, []Arg) (*GeneratorImpl, error) {
	return func(_ *Conf, args []Arg) (*GeneratorImpl, error) {
		t := args[0].Type
		var cols []vector.Field
		if position {
			cols = append(cols, vector.Field{Name: "pos", Type: vector.Int})
		}
		switch t.Kind {
		case vector.KindArray:
			cols = append(cols, vector.Field{Name: "col", Type: t.Elem, Nullable: t.ElemNullable})
		case vector.KindMap:
			cols = append(cols, vector.Field{Name: "key", Type: t.Key}, vector.Field{Name: "value", Type: t.Elem, Nullable: t.ElemNullable})
		default:
			return nil, UnexpectedInput(callSQL(strings.TrimSuffix(name, "_outer"), sqlOf(args)), 0, OneOf(AnyArray, AnyMap), args[0])
		}
		return &GeneratorImpl{Args: make([]*vector.Type, 1), Columns: cols, Outer: outer, Eval: func(_ *Ctx, args []vector.Vec, n int) ([]uint32, []arrow.Array, error) {
			rows, idx, pos := elementRows(args[0], n)
			var out []arrow.Array
			if position {
				out = append(out, vector.NewFixed(vector.Int, pos, nil))
			}
			if t.Kind == vector.KindArray {
				return rows, append(out, vector.Take(listChild(args[0].Arr), idx)), nil
			}
			keys, vals := mapChildren(args[0].Arr)
			return rows, append(out, vector.Take(keys, idx), vector.Take(vals, idx)), nil
		}}, nil
	}
}

func bindInline(name string, outer bool) func(*Conf, []Arg) (*GeneratorImpl, error) {
	return func(_ *Conf, args []Arg) (*GeneratorImpl, error) {
		t := args[0].Type
		if t.Kind != vector.KindArray || t.Elem.Kind != vector.KindStruct {
			return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "sqlExpr", quoteSQL(callSQL(name, sqlOf(args))),
				"paramIndex", "first", "requiredType", `"ARRAY<STRUCT>"`, "inputSql", quoteSQL(args[0].SQL), "inputType", quoteType(t))
		}
		cols := make([]vector.Field, len(t.Elem.Fields))
		for i, f := range t.Elem.Fields {
			cols[i] = vector.Field{Name: f.Name, Type: f.Type, Nullable: f.Nullable || t.ElemNullable}
		}
		return &GeneratorImpl{Args: make([]*vector.Type, 1), Columns: cols, Outer: outer, Eval: func(_ *Ctx, args []vector.Vec, n int) ([]uint32, []arrow.Array, error) {
			rows, idx, _ := elementRows(args[0], n)
			kids := vector.Take(listChild(args[0].Arr), idx).(*array.Struct)
			out := make([]arrow.Array, len(cols))
			for i, c := range cols {
				out[i] = nullWhere(c.Type, kids.Field(i), kids)
			}
			return rows, out, nil
		}}, nil
	}
}

// nullWhere is a with nulls wherever mask is null.
func nullWhere(t *vector.Type, a, mask arrow.Array) arrow.Array {
	if mask.NullN() == 0 {
		return a
	}
	idx, null := make([]uint32, a.Len()), uint32(a.Len())
	for i := range idx {
		if idx[i] = uint32(i); mask.IsNull(i) {
			idx[i] = null
		}
	}
	return vector.Take(withNull(t, a), idx)
}

func bindStack(conf *Conf, args []Arg) (*GeneratorImpl, error) {
	sql := callSQL("stack", sqlOf(args))
	if args[0].Type.Kind != vector.KindInt {
		return nil, UnexpectedInput(sql, 0, Int, args[0])
	}
	if args[0].Const == nil || args[0].Const.IsNull(0) {
		return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quoteSQL(sql), "inputName", "`n`", "inputType", `"INT"`, "inputExpr", quoteSQL(args[0].SQL))
	}
	count := int(vector.Values[int32](args[0].Const.Arr)[0])
	if count < 1 {
		return nil, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quoteSQL(sql), "exprName", "`n`",
			"valueRange", "(0, "+strconv.Itoa(math.MaxInt32)+"]", "currentValue", strconv.Itoa(count))
	}
	width := (len(args) - 1 + count - 1) / count
	impl := &GeneratorImpl{Args: make([]*vector.Type, len(args)), Columns: make([]vector.Field, width)}
	for c := range width {
		var types []*vector.Type
		nullable := false
		for k := c + 1; k < len(args); k += width {
			types = append(types, args[k].Type)
			nullable = nullable || args[k].Nullable
		}
		t := vector.Null
		for _, u := range types {
			if w := Tightest(conf, t, u); w != nil && (isNull(t) || isNull(u) || sameShape(t, u)) {
				t = w
			} else {
				return nil, condition.New("DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES", "sqlExpr", quoteSQL(sql), "columnIndex", strconv.Itoa(c),
					"leftParamIndex", strconv.Itoa(c+1), "leftType", quoteType(t), "rightParamIndex", strconv.Itoa(c+1+width), "rightType", quoteType(u))
			}
		}
		impl.Columns[c] = vector.Field{Name: "col" + strconv.Itoa(c), Type: t, Nullable: nullable || len(types) < count}
		for k := c + 1; k < len(args); k += width {
			impl.Args[k] = t
		}
	}
	cols := impl.Columns
	impl.Eval = func(_ *Ctx, args []vector.Vec, n int) ([]uint32, []arrow.Array, error) {
		rows := make([]uint32, 0, n*count)
		for i := range n {
			for range count {
				rows = append(rows, uint32(i))
			}
		}
		out := make([]arrow.Array, width)
		for c := range out {
			var in []vector.Vec
			for k := c + 1; k < len(args); k += width {
				in = append(in, args[k])
			}
			for len(in) < count {
				in = append(in, vector.ConstNull(cols[c].Type))
			}
			src, at := joined(in)
			idx := make([]uint32, len(rows))
			for k := range idx {
				idx[k] = at(k%count, k/count)
			}
			out[c] = vector.Take(src, idx)
		}
		return rows, out, nil
	}
	return impl, nil
}

func bindJSONTuple(conf *Conf, args []Arg) (*GeneratorImpl, error) {
	impl := &GeneratorImpl{Args: make([]*vector.Type, len(args))}
	for i, a := range args {
		if !isString(a.Type) && !isNull(a.Type) {
			return nil, condition.New("DATATYPE_MISMATCH.NON_STRING_TYPE", "sqlExpr", quoteSQL(callSQL("json_tuple", sqlOf(args))), "funcName", "`json_tuple`")
		}
		impl.Args[i] = vector.String
		if i > 0 {
			impl.Columns = append(impl.Columns, vector.Field{Name: "c" + strconv.Itoa(i-1), Type: vector.String, Nullable: true})
		}
	}
	impl.Eval = func(_ *Ctx, args []vector.Vec, n int) ([]uint32, []arrow.Array, error) {
		in := make([]texts, len(args))
		for k, a := range args {
			in[k] = textsOf(a)
		}
		width := len(args) - 1
		rows, names, found := make([]uint32, n), make([][]byte, width), make([][]byte, width)
		off, data, valid := make([][]int32, width), make([][]byte, width), make([]vector.Bitmap, width)
		for k := range width {
			off[k], valid[k] = make([]int32, n+1), vector.NewBitmap(n)
		}
		for i := range n {
			rows[i] = uint32(i)
			for k := range names {
				names[k] = in[k+1].at(i)
			}
			if args[0].IsNull(i) {
				clear(found)
			} else {
				json.Fields(in[0].at(i), names, found)
			}
			for k, v := range found {
				if v != nil && !args[k+1].IsNull(i) {
					data[k] = append(data[k], v...)
					valid[k].Set(i)
				}
				off[k][i+1] = int32(len(data[k]))
			}
		}
		out := make([]arrow.Array, width)
		for k := range out {
			out[k] = vector.NewString(vector.String, off[k], data[k], valid[k])
		}
		return rows, out, nil
	}
	return impl, nil
}
