package kernels

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		toNumber("to_number", false, "The text as a decimal by a pattern of digits, point, separators and signs.",
			Example{"to_number('12,454.8-', '99,999.9S')", "-12454.8"}),
		toNumber("try_to_number", true, "to_number, but null for a text that does not match.",
			Example{"try_to_number('abc', '999')", "NULL"}),
		Scalar{
			Name: "to_char", Aliases: []string{"to_varchar"}, Signature: "to_char(expr, format)",
			Summary:  "The value as text: a number by a pattern of digits, a date or timestamp by a date pattern, binary as base64, hex or utf-8.",
			Examples: []Example{{"to_char(454.00, '000D00')", "454.00"}, {"to_char(x'537061726b2053514c', 'hex')", "537061726B2053514C"}},
			MinArgs:  2, MaxArgs: 2, Bind: bindToChar,
		},
	)
}

// numberPatterns compiles patterns and keeps the last one.
type numberPatterns struct{ last *numberPattern }

func (c *numberPatterns) get(s []byte) (*numberPattern, error) {
	if c.last != nil && strings.EqualFold(c.last.text, string(s)) {
		return c.last, nil
	}
	p, err := compileNumberPattern(string(s))
	if err == nil {
		c.last = p
	}
	return p, err
}

// constPattern is the pattern of a constant argument; nil for another or a null.
func constPattern(a Arg) (*numberPattern, error) {
	if a.Const == nil || !isString(a.Type) || a.Const.IsNull(0) {
		return nil, nil
	}
	return compileNumberPattern(string(textsOf(*a.Const).at(0)))
}

func toNumber(name string, try bool, summary string, ex Example) Scalar {
	f := Scalar{Name: name, Signature: name + "(expr, fmt)", Summary: summary, Examples: []Example{ex}}
	sig := Sig{Params: []Accept{String, String}, Nullable: try, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) {
		if f := args[1].Const; f != nil && f.IsNull(0) {
			return DecimalUserDefault, nil
		}
		p, err := constPattern(args[1])
		if p == nil || err != nil {
			return DecimalSystemDefault, err
		}
		return vector.Decimal(p.precision, p.scale), nil
	}}
	return DefineOn(f, sig, func(_ *Conf, args []Arg) Eval {
		result, _ := sig.ResultOf(nil, args)
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, format := textsOf(args[0]), textsOf(args[1])
			var patterns numberPatterns
			return fixedRowsOr(result, n, args, func(i int) (Dec, bool, error) {
				p, err := patterns.get(format.at(i))
				if err != nil {
					return Dec{}, false, err
				}
				d, ok := p.parse(s.at(i))
				if ok {
					d, ok = decimal.Rescale(d, p.scale, result.Precision, result.Scale)
				}
				if !ok && !try {
					return Dec{}, false, condition.New("INVALID_FORMAT.MISMATCH_INPUT",
						"inputType", `"STRING"`, "input", string(s.at(i)), "format", string(format.at(i)))
				}
				return d, ok, nil
			})
		}
	})
}

// bindToChar binds to the function that prints the argument's type.
func bindToChar(conf *Conf, args []Arg) (*Impl, error) {
	switch args[0].Type.Kind {
	case vector.KindDate, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindTime:
		return bindAs(conf, "date_format", args)
	case vector.KindBinary:
		return bindBinaryToChar(conf, args)
	}
	sql := func(args []string) string { return callSQL("to_char", args) }
	sig := Sig{Params: []Accept{AnyDecimal, String}, Result: vector.String}
	impl, err := sig.bind(conf, func(args []Arg) string { return sql(sqlOf(args)) }, args, func(_ *Conf, args []Arg) Eval {
		scale := args[0].Type.Scale
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			v, format := fixedOf[Dec](args[0]), textsOf(args[1])
			var patterns numberPatterns
			return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				p, err := patterns.get(format.at(i))
				if err != nil {
					return nil, false, err
				}
				return p.format(dst, v.at(i), scale), true, nil
			})
		}
	})
	if err != nil {
		return nil, err
	}
	if _, err := constPattern(args[1]); err != nil {
		return nil, err
	}
	impl.SQL = sql
	return impl, nil
}

// bindAs binds a call to another function, whose name the call then prints.
func bindAs(conf *Conf, name string, args []Arg) (*Impl, error) {
	impl, err := scalars[name].Bind(conf, args)
	if err != nil {
		return nil, err
	}
	if impl.SQL == nil {
		impl.SQL = func(args []string) string { return callSQL(name, args) }
	}
	return impl, nil
}

func bindBinaryToChar(conf *Conf, args []Arg) (*Impl, error) {
	if args[1].Const == nil || !isString(args[1].Type) {
		return nil, condition.New("NON_FOLDABLE_ARGUMENT", "funcName", "`to_char`", "paramName", "`format`", "paramType", `"STRING"`)
	}
	if args[1].Const.IsNull(0) {
		return &Impl{Args: make([]*vector.Type, 2), Result: vector.String, Nullable: true, Eval: func(*Ctx, []vector.Vec, int) (vector.Vec, error) {
			return vector.ConstNull(vector.String), nil
		}}, nil
	}
	format := string(textsOf(*args[1].Const).at(0))
	name := strings.ToLower(format)
	switch name {
	case "base64", "hex":
		impl, err := bindAs(conf, name, args[:1])
		if err != nil {
			return nil, err
		}
		// The format is an argument still, but neither evaluated nor printed.
		impl.Args = append(impl.Args, nil)
		eval := impl.Eval
		impl.Eval = func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) { return eval(ctx, args[:1], n) }
		impl.SQL = func(args []string) string { return callSQL(name, args[:1]) }
		return impl, nil
	case "utf-8":
		return bindAs(conf, "decode", args)
	}
	return nil, condition.New("INVALID_PARAMETER_VALUE.BINARY_FORMAT",
		"parameter", "`format`", "functionName", "`to_char`", "invalidFormat", "'"+format+"'")
}
