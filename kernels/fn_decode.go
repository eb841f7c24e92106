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
// THEN result …: a result is only computed for the rows that take it.
func bindDecode(conf *Conf, args []Arg) (*Impl, error) {
	keys, results := []*vector.Type{args[0].Type}, []*vector.Type(nil)
	isKey := make([]bool, len(args))
	isKey[0] = true
	for i := 1; i < len(args); i++ {
		if isKey[i] = i%2 == 1 && i+1 < len(args); isKey[i] {
			keys = append(keys, args[i].Type)
		} else {
			results = append(results, args[i].Type)
		}
	}
	key, result := CommonType(conf, keys), CommonType(conf, results)
	if key == nil || result == nil || !Orderable(key) {
		return nil, diffTypes("decode", callSQL("decode", sqlOf(args)), typeList(args))
	}
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: result, Nullable: true}
	for i := range args {
		if impl.Args[i] = result; isKey[i] {
			impl.Args[i] = key
		}
	}
	equal, err := scalars["<=>"].Bind(conf, []Arg{{Type: key, Nullable: true}, {Type: key, Nullable: true}})
	if err != nil {
		return nil, err
	}
	impl.New = func(args []Expr) Expr {
		c := &caseExpr{typ: result}
		for i := 1; i+1 < len(args); i += 2 {
			c.branches = append(c.branches, branch{NewCall(equal, []Expr{args[0], args[i]}), args[i+1]})
		}
		if len(args)%2 == 0 {
			c.branches = append(c.branches, branch{nil, args[len(args)-1]})
		}
		return c
	}
	return impl, nil
}
