package kernels

import "github.com/vstream/vstream/vector"

// decodeFunction adds to decode(bin, charset) the form that chooses a result.
func decodeFunction(f Scalar) Scalar {
	two := f.Bind
	f.MaxArgs = -1
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		if len(args) == 2 {
			return two(conf, args)
		}
		return bindDecode(conf, args)
	}
	return f
}

// bindDecode binds decode(expr, search, result, …) as CASE WHEN expr <=> search
// THEN result …: a result is only computed for the rows that take it, and each search
// is compared as its type and that of the value ask.
func bindDecode(conf *Conf, args []Arg) (*Impl, error) {
	var results []*vector.Type
	impl := &Impl{Args: make([]*vector.Type, len(args)), Nullable: true}
	keys := make([]*vector.Type, len(args))
	equal := make([]*Impl, len(args))
	for i := 1; i < len(args); i++ {
		if i%2 == 0 || i+1 == len(args) {
			results = append(results, args[i].Type)
			continue
		}
		t := Wider(conf, args[0].Type, args[i].Type)
		if t == nil || !Orderable(t) {
			return nil, errDiffTypes("("+args[0].SQL+" <=> "+args[i].SQL+")", args[0].Type, args[i].Type)
		}
		e, err := scalars["<=>"].Bind(conf, []Arg{{Type: t, Nullable: true}, {Type: t, Nullable: true}})
		if err != nil {
			return nil, err
		}
		keys[i], equal[i] = t, e
	}
	result := CommonType(conf, results)
	if result == nil {
		return nil, diffTypes("decode", callSQL("decode", sqlOf(args)), typeList(args))
	}
	impl.Result = result
	for i := 1; i < len(args); i++ {
		if keys[i] == nil {
			impl.Args[i] = result
		}
	}
	mode := ModeOf(conf.ANSI)
	impl.New = func(args []Expr) Expr {
		c := &caseExpr{typ: result}
		for i := 1; i+1 < len(args); i += 2 {
			pair := []Expr{NewCast(args[0], keys[i], mode), NewCast(args[i], keys[i], mode)}
			c.branches = append(c.branches, branch{NewCall(equal[i], pair), args[i+1]})
		}
		if len(args)%2 == 0 {
			c.branches = append(c.branches, branch{nil, args[len(args)-1]})
		}
		return c
	}
	return impl, nil
}
