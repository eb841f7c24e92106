package kernels

import "github.com/vstream/vstream/vector"

// The names of the simple types are functions that cast: int('5').
func init() {
	for _, t := range []*vector.Type{
		vector.Bool, vector.Byte, vector.Short, vector.Int, vector.Long, vector.Float, vector.Double,
		vector.String, vector.Binary, vector.Date, vector.Timestamp, DecimalUserDefault,
	} {
		name := t.String()
		if isDecimal(t) {
			name = "decimal"
		}
		print := func(a []string) string { return CastSQL(a[0], t, CastANSI) }
		Register(Scalar{Name: name, Signature: name + "(x)", MinArgs: 1, MaxArgs: 1, SQL: print,
			Summary: "CAST(x AS " + t.SQL() + ").",
			Bind: func(conf *Conf, args []Arg) (*Impl, error) {
				mode := ModeOf(conf.ANSI)
				if err := CheckCast(args[0].Type, t, mode, print(sqls(args))); err != nil {
					return nil, err
				}
				return &Impl{Args: []*vector.Type{nil}, Result: t, NullIfAny: true, Nullable: mayBecomeNull(args[0].Type, t, mode),
					New: func(args []Expr) Expr { return NewCast(args[0], t, mode) }}, nil
			}})
	}
}
