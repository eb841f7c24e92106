package plan

import (
	"strings"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Type is the column's type.
func (e *Attr) Type() *vector.Type { return e.Typ }

// Nullable tells whether the column may be null.
func (e *Attr) Nullable() bool { return e.Null }

// Children is empty.
func (e *Attr) Children() []Expr { return nil }

// WithChildren is the attribute itself.
func (e *Attr) WithChildren([]Expr) Expr { return e }

// SQL is the column's name.
func (e *Attr) SQL() string {
	switch {
	case e.Param:
		return "namedlambdavariable()"
	case e.Lateral:
		return "lateralAliasReference(" + e.Name + ")"
	}
	return e.Name
}

// Type is the literal's type.
func (e *Literal) Type() *vector.Type { return e.Typ }

// Nullable tells whether the literal is null.
func (e *Literal) Nullable() bool { return e.Value.IsNull(0) }

// Children is empty.
func (e *Literal) Children() []Expr { return nil }

// WithChildren is the literal itself.
func (e *Literal) WithChildren([]Expr) Expr { return e }

// SQL is the literal's text.
func (e *Literal) SQL() string { return e.Text }

// Type is the child's type.
func (e *Alias) Type() *vector.Type { return e.Child.Type() }

// Nullable is the child's.
func (e *Alias) Nullable() bool { return e.Child.Nullable() }

// Children is the child.
func (e *Alias) Children() []Expr { return []Expr{e.Child} }

// WithChildren keeps the alias and its column's identity.
func (e *Alias) WithChildren(kids []Expr) Expr { c := *e; c.Child = kids[0]; return &c }

// SQL is `child AS name`, as in struct(1 AS a).
func (e *Alias) SQL() string { return e.Child.SQL() + " AS " + vector.QuoteIfNeeded(e.Name) }

// Type is the target type.
func (e *Cast) Type() *vector.Type { return e.To }

// Nullable tells whether the child may be null or the cast may make it so.
func (e *Cast) Nullable() bool {
	return e.Child.Nullable() || kernels.MayBecomeNull(e.Child.Type(), e.To, e.Mode)
}

// Children is the child.
func (e *Cast) Children() []Expr { return []Expr{e.Child} }

// WithChildren is the cast of another child.
func (e *Cast) WithChildren(kids []Expr) Expr { c := *e; c.Child = kids[0]; return &c }

// SQL prints a cast that the user wrote; one to a nested type prints its child only.
func (e *Cast) SQL() string {
	if e.Implicit || !e.To.Atomic() && e.To.Kind != vector.KindVariant {
		return e.Child.SQL()
	}
	name := "CAST("
	if e.Mode == kernels.CastTry {
		name = "TRY_CAST("
	}
	return name + e.Child.SQL() + " AS " + e.To.SQL() + ")"
}

// Type is the function's result type.
func (e *Call) Type() *vector.Type { return e.Impl.Result }

// Nullable follows from the function and its arguments.
func (e *Call) Nullable() bool { return e.Impl.Nullable || e.Impl.NullIfAny && anyNullable(e.Args) }

// Children are the arguments.
func (e *Call) Children() []Expr { return e.Args }

// WithChildren is the call on other arguments of the same types.
func (e *Call) WithChildren(kids []Expr) Expr { c := *e; c.Args = kids; return &c }

// SQL is the text fixed when the call was bound.
func (e *Call) SQL() string { return e.Text }

// Type is the aggregate's result type.
func (e *AggCall) Type() *vector.Type { return e.Impl.Result }

// Nullable tells whether the aggregate may be null.
func (e *AggCall) Nullable() bool { return e.Impl.Nullable }

// Children are the arguments, the order keys and the filter.
func (e *AggCall) Children() []Expr {
	out := append(make([]Expr, 0, len(e.Args)+len(e.OrderBy)+1), e.Args...)
	out = appendKeys(out, e.OrderBy)
	if e.Filter != nil {
		out = append(out, e.Filter)
	}
	return out
}

// WithChildren takes them in the order of Children.
func (e *AggCall) WithChildren(kids []Expr) Expr {
	c := *e
	n := len(e.Args)
	c.Args = kids[:n:n]
	c.OrderBy = withKeys(e.OrderBy, kids[n:])
	if e.Filter != nil {
		c.Filter = kids[len(kids)-1]
	}
	return &c
}

// SQL is the text fixed when the call was bound.
func (e *AggCall) SQL() string { return e.Text }

// Type is the body's type.
func (e *Lambda) Type() *vector.Type { return e.Body.Type() }

// Nullable is the body's.
func (e *Lambda) Nullable() bool { return e.Body.Nullable() }

// Children is the body.
func (e *Lambda) Children() []Expr { return []Expr{e.Body} }

// WithChildren is the lambda with another body over the same parameters.
func (e *Lambda) WithChildren(kids []Expr) Expr { return &Lambda{Params: e.Params, Body: kids[0]} }

// SQL is Spark's lambdafunction(body, namedlambdavariable(), …).
func (e *Lambda) SQL() string {
	return "lambdafunction(" + e.Body.SQL() + strings.Repeat(", namedlambdavariable()", len(e.Params)) + ")"
}

// Type is the type of the generator's column, or the struct of its columns.
func (e *GeneratorCall) Type() *vector.Type {
	if len(e.Impl.Columns) == 1 {
		return e.Impl.Columns[0].Type
	}
	return vector.StructOf(e.Impl.Columns...)
}

// Nullable is false: a generator makes rows.
func (e *GeneratorCall) Nullable() bool { return false }

// Children are the arguments.
func (e *GeneratorCall) Children() []Expr { return e.Args }

// WithChildren is the call on other arguments of the same types.
func (e *GeneratorCall) WithChildren(kids []Expr) Expr { c := *e; c.Args = kids; return &c }

// SQL is the text fixed when the call was bound.
func (e *GeneratorCall) SQL() string { return e.Text }

// Type is struct<start,end> of the time column's type.
func (e *TimeWindow) Type() *vector.Type {
	return windowStruct(e.Time.Type())
}

// Nullable is false: rows with a null time are dropped.
func (e *TimeWindow) Nullable() bool { return false }

// Children is the time, and the gap of a session window.
func (e *TimeWindow) Children() []Expr {
	if e.Gap != nil {
		return []Expr{e.Time, e.Gap}
	}
	return []Expr{e.Time}
}

// WithChildren takes them in the order of Children.
func (e *TimeWindow) WithChildren(kids []Expr) Expr {
	c := *e
	c.Time = kids[0]
	if e.Gap != nil {
		c.Gap = kids[1]
	}
	return &c
}

// SQL is the name of the column that the window becomes.
func (e *TimeWindow) SQL() string {
	if e.Session {
		return "session_window"
	}
	return "window"
}

// Type is the value's type, or BOOLEAN for IN and EXISTS.
func (e *Subquery) Type() *vector.Type { return e.Typ }

// Nullable is true but for EXISTS.
func (e *Subquery) Nullable() bool { return e.Kind != "exists" }

// Children are the left side of IN and the outer columns.
func (e *Subquery) Children() []Expr {
	out := append(make([]Expr, 0, len(e.X)+len(e.Outer)), e.X...)
	for _, o := range e.Outer {
		out = append(out, o)
	}
	return out
}

// WithChildren replaces the left side; outer columns stay columns.
func (e *Subquery) WithChildren(kids []Expr) Expr {
	c := *e
	n := len(e.X)
	c.X = kids[:n:n]
	c.Outer = make([]*Attr, len(kids)-n)
	for i, k := range kids[n:] {
		c.Outer[i] = k.(*Attr)
	}
	return &c
}

// SQL is Spark's name of the subquery expression.
func (e *Subquery) SQL() string { return e.Text }

// Type is the function's type.
func (e *WindowCall) Type() *vector.Type { return e.Fn.Type() }

// Nullable is the function's; functions of neighbouring rows may find none.
func (e *WindowCall) Nullable() bool { return e.Fn.Nullable() }

// Children are the function, the partition keys, the order keys and the bounds' values.
func (e *WindowCall) Children() []Expr {
	out := append(make([]Expr, 0, 1+len(e.PartitionBy)+len(e.OrderBy)), e.Fn)
	out = appendKeys(append(out, e.PartitionBy...), e.OrderBy)
	if e.Frame != nil {
		for _, b := range []FrameBound{e.Frame.Lo, e.Frame.Hi} {
			if b.Value != nil {
				out = append(out, b.Value)
			}
		}
	}
	return out
}

// WithChildren takes them in the order of Children.
func (e *WindowCall) WithChildren(kids []Expr) Expr {
	c := *e
	c.Fn = kids[0]
	n := 1 + len(e.PartitionBy)
	c.PartitionBy = kids[1:n:n]
	c.OrderBy = withKeys(e.OrderBy, kids[n:])
	if e.Frame != nil {
		frame := *e.Frame
		rest := kids[n+len(e.OrderBy):]
		for _, b := range []*FrameBound{&frame.Lo, &frame.Hi} {
			if b.Value != nil {
				b.Value, rest = rest[0], rest[1:]
			}
		}
		c.Frame = &frame
	}
	return &c
}

// SQL is the text fixed when the call was bound.
func (e *WindowCall) SQL() string { return e.Text }

// Type is the field's type, in an array for an array of structs.
func (e *FieldAccess) Type() *vector.Type {
	f := e.field()
	if e.OfArray {
		return vector.ArrayOf(f.Type, f.Nullable || e.Child.Type().ElemNullable)
	}
	return f.Type
}

func (e *FieldAccess) field() vector.Field {
	t := e.Child.Type()
	if e.OfArray {
		t = t.Elem
	}
	return t.Fields[e.Ordinal]
}

// Nullable tells whether the struct or the field may be null.
func (e *FieldAccess) Nullable() bool {
	return e.Child.Nullable() || !e.OfArray && e.field().Nullable
}

// Children is the struct.
func (e *FieldAccess) Children() []Expr { return []Expr{e.Child} }

// WithChildren is the same field of another struct of the same type.
func (e *FieldAccess) WithChildren(kids []Expr) Expr { c := *e; c.Child = kids[0]; return &c }

// SQL is struct.field.
func (e *FieldAccess) SQL() string { return e.Child.SQL() + "." + e.Name }

// Type is the generator's.
func (e *MultiAlias) Type() *vector.Type { return e.Child.Type() }

// Nullable is false.
func (e *MultiAlias) Nullable() bool { return false }

// Children is the generator.
func (e *MultiAlias) Children() []Expr { return []Expr{e.Child} }

// WithChildren names another generator.
func (e *MultiAlias) WithChildren(kids []Expr) Expr {
	c := *e
	c.Child = kids[0].(*GeneratorCall)
	return &c
}

// SQL is the generator's text.
func (e *MultiAlias) SQL() string { return e.Child.SQL() }

// Type is TINYINT for grouping and BIGINT for grouping_id.
func (e *GroupingCall) Type() *vector.Type {
	if e.ID {
		return vector.Long
	}
	return vector.Byte
}

// Nullable is false.
func (e *GroupingCall) Nullable() bool { return false }

// Children are the grouping columns.
func (e *GroupingCall) Children() []Expr { return e.Args }

// WithChildren takes other grouping columns.
func (e *GroupingCall) WithChildren(kids []Expr) Expr { c := *e; c.Args = kids; return &c }

// SQL is the text fixed when the call was bound.
func (e *GroupingCall) SQL() string { return e.Text }

// SQL is the key as ORDER BY prints it, with the order of nulls.
func (k *SortKey) SQL() string {
	dir, nulls := " ASC", " NULLS FIRST"
	if k.Desc {
		dir = " DESC"
	}
	if k.NullsLast {
		nulls = " NULLS LAST"
	}
	return k.Expr.SQL() + dir + nulls
}

func anyNullable(es []Expr) bool {
	for _, e := range es {
		if _, lambda := e.(*Lambda); !lambda && e.Nullable() {
			return true
		}
	}
	return false
}

func appendKeys(out []Expr, keys []*SortKey) []Expr {
	for _, k := range keys {
		out = append(out, k.Expr)
	}
	return out
}

func withKeys(keys []*SortKey, kids []Expr) []*SortKey {
	if len(keys) == 0 {
		return nil
	}
	out := make([]*SortKey, len(keys))
	for i, k := range keys {
		c := *k
		c.Expr = kids[i]
		out[i] = &c
	}
	return out
}
