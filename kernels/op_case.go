package kernels

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Scalar{Name: "case", Signature: "CASE WHEN cond THEN value … [ELSE value] END", MinArgs: 2, MaxArgs: -1,
			Summary: "The value of the first condition that is true; values are computed only where needed.",
			SQL:     caseSQL, Bind: bindCase(caseSQL, "casewhen")},
		Scalar{Name: "if", Signature: "if(cond, a, b)", MinArgs: 3, MaxArgs: 3, Summary: "a if the condition is true, else b.",
			Examples: []Example{{"if(1 < 2, 'a', 'b')", "a"}}, SQL: ifSQL, Bind: bindCase(ifSQL, "if")},
		coalesceScalar("coalesce", 1, -1), coalesceScalar("nvl", 2, 2), coalesceScalar("ifnull", 2, 2),
		Scalar{Name: "nvl2", Signature: "nvl2(a, b, c)", MinArgs: 3, MaxArgs: 3, Summary: "b if a is not null, else c.",
			Examples: []Example{{"nvl2(NULL, 1, 2)", "2"}}, Bind: bindNvl2},
		Scalar{Name: "zeroifnull", Signature: "zeroifnull(x)", MinArgs: 1, MaxArgs: 1, Summary: "x, or 0 if x is null.",
			Examples: []Example{{"zeroifnull(NULL)", "0"}}, Bind: bindZeroIfNull},
	)
}

func caseSQL(a []string) string {
	var b strings.Builder
	b.WriteString("CASE")
	i := 0
	for ; i+1 < len(a); i += 2 {
		b.WriteString(" WHEN " + a[i] + " THEN " + a[i+1])
	}
	if i < len(a) {
		b.WriteString(" ELSE " + a[i])
	}
	return b.String() + " END"
}

func ifSQL(a []string) string { return "(IF(" + strings.Join(a, ", ") + "))" }

// bindCase binds condition, value, …, [else].
func bindCase(print func([]string) string, name string) func(*Conf, []Arg) (*Impl, error) {
	return func(conf *Conf, args []Arg) (*Impl, error) {
		types := make([]*vector.Type, len(args))
		var values []*vector.Type
		nullable := len(args)%2 == 0
		for i, a := range args {
			if i%2 == 0 && i+1 < len(args) {
				types[i] = vector.Bool
				continue
			}
			values = append(values, a.Type)
			nullable = nullable || a.Nullable
		}
		t := CommonType(conf, values)
		if t == nil {
			return nil, errDataDiffTypes(print(sqls(args)), name, values)
		}
		for i, a := range args {
			if types[i] != nil && a.Type.Kind != vector.KindBool && !isNull(a.Type) {
				return nil, UnexpectedInput(print(sqls(args)), i/2, Bool, a)
			}
		}
		for i := range types {
			if types[i] == nil {
				types[i] = t
			}
		}
		return &Impl{Args: types, Result: t, Nullable: nullable, New: func(args []Expr) Expr {
			c := &caseExpr{typ: t}
			i := 0
			for ; i+1 < len(args); i += 2 {
				c.branches = append(c.branches, branch{args[i], args[i+1]})
			}
			if i < len(args) {
				c.branches = append(c.branches, branch{nil, args[i]})
			}
			return c
		}}, nil
	}
}

func bindNvl2(conf *Conf, args []Arg) (*Impl, error) {
	t := CommonType(conf, []*vector.Type{args[1].Type, args[2].Type})
	if t == nil {
		return nil, errDataDiffTypes("nvl2("+strings.Join(sqls(args), ", ")+")", "if", []*vector.Type{args[1].Type, args[2].Type})
	}
	return &Impl{Args: []*vector.Type{nil, t, t}, Result: t, Nullable: args[1].Nullable || args[2].Nullable,
		New: func(args []Expr) Expr {
			return &caseExpr{typ: t, branches: []branch{{&notNullExpr{args[0]}, args[1]}, {nil, args[2]}}}
		}}, nil
}

// notNullExpr is x IS NOT NULL.
type notNullExpr struct{ x Expr }

// Type is BOOLEAN.
func (e *notNullExpr) Type() *vector.Type { return vector.Bool }

// Eval tells which rows of x are not null.
func (e *notNullExpr) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	v, err := e.x.Eval(ctx, b)
	if err != nil {
		return vector.Vec{}, err
	}
	if v.Const {
		return boolConst(!v.IsNull(0)), nil
	}
	return vector.Vec{Arr: vector.NewBool(nullBits(v.Arr), b.Len(), nil)}, nil
}

func coalesceScalar(name string, least, most int) Scalar {
	f := Scalar{Name: name, Signature: name + "(a, b, …)", MinArgs: least, MaxArgs: most,
		Summary:  "The first argument that is not null; later ones are computed only where needed.",
		Examples: []Example{{name + "(NULL, 1)", "1"}}}
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		types := make([]*vector.Type, len(args))
		nullable := true
		for i, a := range args {
			types[i] = a.Type
			nullable = nullable && a.Nullable
		}
		t := CommonType(conf, types)
		if t == nil {
			return nil, errDataDiffTypes(f.print(args), "coalesce", types)
		}
		return bindCoalesce(t, len(args), nullable), nil
	}
	return f
}

func bindCoalesce(t *vector.Type, n int, nullable bool) *Impl {
	types := make([]*vector.Type, n)
	for i := range types {
		types[i] = t
	}
	return &Impl{Args: types, Result: t, Nullable: nullable, New: func(args []Expr) Expr {
		c := &caseExpr{typ: t, coalesce: true}
		for _, a := range args {
			c.branches = append(c.branches, branch{nil, a})
		}
		return c
	}}
}

func bindZeroIfNull(conf *Conf, args []Arg) (*Impl, error) {
	t := CommonType(conf, []*vector.Type{args[0].Type, vector.Int})
	if t == nil {
		return nil, errDataDiffTypes("zeroifnull("+args[0].SQL+")", "coalesce", []*vector.Type{args[0].Type, vector.Int})
	}
	impl := bindCoalesce(t, 1, false)
	inner := impl.New
	impl.New = func(args []Expr) Expr {
		c := inner(args).(*caseExpr)
		c.branches = append(c.branches, branch{nil, NewCast(NewConst(vector.Int, 0), t, ModeOf(conf.ANSI))})
		return c
	}
	return impl, nil
}

type branch struct {
	cond  Expr // nil: every row
	value Expr
}

// caseExpr picks for each row the value of the first branch that takes it: one
// whose condition is true or, for coalesce, whose value is not null. A branch is
// evaluated on the rows that no earlier one took.
type caseExpr struct {
	typ      *vector.Type
	branches []branch
	coalesce bool
}

// Type is the common type of the values.
func (c *caseExpr) Type() *vector.Type { return c.typ }

// picker collects the values of the branches and, for each row, the place of
// its value among them.
type picker struct {
	parts []arrow.Array
	total uint32
	place []uint32
}

func (p *picker) add(a arrow.Array) (base uint32) {
	base = p.total
	p.parts = append(p.parts, a)
	p.total += uint32(a.Len())
	return base
}

// Eval evaluates branch by branch on the rows that are left.
func (c *caseExpr) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	n := b.Len()
	switch {
	case c.constants():
		return c.choose(ctx, b)
	case c.simpleBranches():
		return c.blend(ctx, b)
	}
	p := &picker{place: make([]uint32, n)}
	rest := b
	var rows []uint32 // of b that rest holds; nil: all
	for i, br := range c.branches {
		var taken, left []uint32 // positions in rest
		all := br.cond == nil && (!c.coalesce || i == len(c.branches)-1)
		if br.cond != nil {
			cond, err := br.cond.Eval(ctx, rest)
			if err != nil {
				return vector.Vec{}, err
			}
			taken, left = split(cond, rest.Len())
			if len(taken) == 0 {
				continue
			}
			all = len(left) == 0
		}
		from := rest
		if !all && br.cond != nil && !isSimple(br.value) {
			from = rest.Select(taken)
		}
		v, err := br.value.Eval(ctx, from)
		if err != nil {
			return vector.Vec{}, err
		}
		if c.coalesce && !all {
			if all = !v.MayHaveNulls(); !all {
				if taken, left = splitNulls(v, rest.Len()); len(taken) == 0 {
					continue
				}
			}
		}
		if all && rows == nil {
			return v, nil
		}
		p.take(v, taken, rows, rest.Len(), all, from != rest)
		if all {
			rest = nil
			break
		}
		rest = rest.Select(left)
		rows = compose(rows, left)
	}
	if rest != nil && rest.Len() > 0 {
		null := p.add(vector.NewNull(c.typ, 1))
		for i := range rest.Len() {
			p.place[rowOf(rows, i)] = null
		}
	}
	if len(p.parts) == 0 {
		return vector.Vec{Arr: vector.NewNull(c.typ, n)}, nil
	}
	return vector.Vec{Arr: vector.Take(vector.Concat(p.parts), p.place)}, nil
}

// take notes the places of a branch's rows. The value has one row per position of
// the remaining rows or, if compact, per taken position.
func (p *picker) take(v vector.Vec, taken, rows []uint32, n int, all, compact bool) {
	if !all && len(taken) == 0 {
		return
	}
	base := p.add(v.Arr)
	m := uint32(v.Mask())
	if all {
		for i := range uint32(n) {
			p.place[rowOf(rows, int(i))] = base + i&m
		}
		return
	}
	for k, t := range taken {
		at := t
		if compact {
			at = uint32(k)
		}
		p.place[rowOf(rows, int(t))] = base + at&m
	}
}

func rowOf(rows []uint32, i int) uint32 {
	if rows == nil {
		return uint32(i)
	}
	return rows[i]
}

// compose maps positions through rows.
func compose(rows, pos []uint32) []uint32 {
	if rows == nil {
		return pos
	}
	out := make([]uint32, len(pos))
	for i, p := range pos {
		out[i] = rows[p]
	}
	return out
}

// split divides n rows into those where a condition is true and the others.
func split(cond vector.Vec, n int) (yes, no []uint32) {
	bits := boolsOf(cond, n)
	valid := Validity(n, cond)
	for i := range n {
		if bits.Get(i) && valid.Get(i) {
			yes = append(yes, uint32(i))
		} else {
			no = append(no, uint32(i))
		}
	}
	return yes, no
}

// splitNulls divides n rows into those with a value and those without.
func splitNulls(v vector.Vec, n int) (value, null []uint32) {
	valid := Validity(n, v)
	for i := range n {
		if valid.Get(i) {
			value = append(value, uint32(i))
		} else {
			null = append(null, uint32(i))
		}
	}
	return value, null
}
