package kernels

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// Eval computes one value per row for n rows, or a constant.
type Eval = func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error)

// Sig is a function's parameter list and result. A function is one declaration:
//
//	Register(Define(Scalar{Name: "left", Signature: "left(str, len)", Summary: "…"},
//		Sig{Params: []Accept{String, Int}, Result: vector.String}, evalLeft))
//
// By default the result is null where an argument is: then eval is not called
// when an argument is a constant null, and a call on constants only is computed
// once. eval reads the validity of its arguments with Validity(n, args...).
type Sig struct {
	Params   []Accept
	Optional int  // how many of the last Params may be missing
	Variadic bool // the last Param stands for any number of arguments, its own minimum included in Optional
	Result   *vector.Type
	// ResultOf, instead of Result, computes the type from the arguments' types
	// after their casts, or reports why they do not go together.
	ResultOf func(conf *Conf, args []Arg) (*vector.Type, error)
	// Same casts the arguments of these positions to their common type first.
	Same []int
	// Nullable: the result may be null though no argument is.
	Nullable bool
	// NoCast makes arguments match as they are (Spark's ExpectsInputTypes, as
	// against ImplicitCastInputTypes); only NULL is still cast.
	NoCast bool
	// Exact is NoCast, and refuses NULL too.
	Exact bool
	// TakesNulls: eval sees null arguments and decides itself.
	TakesNulls bool
	// Total and Fresh are Impl's.
	Total    bool
	Fresh    bool
	Volatile bool
}

// Arity is the least and the greatest number of arguments; -1 is no bound.
func (s Sig) Arity() (least, most int) {
	if s.Variadic {
		return len(s.Params) - s.Optional, -1
	}
	return len(s.Params) - s.Optional, len(s.Params)
}

// Define completes a Scalar with the signature's arity and Bind.
func Define(f Scalar, s Sig, eval Eval) Scalar {
	f.MinArgs, f.MaxArgs = s.Arity()
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		return s.bind(conf, f.print, args, func(*Conf, []Arg) Eval { return eval })
	}
	return f
}

// DefineOn is Define for a function whose kernel depends on the argument types;
// pick sees the types after the casts.
func DefineOn(f Scalar, s Sig, pick func(conf *Conf, args []Arg) Eval) Scalar {
	f.MinArgs, f.MaxArgs = s.Arity()
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) { return s.bind(conf, f.print, args, pick) }
	return f
}

// print is the call as Spark prints it, for messages.
func (f *Scalar) print(args []Arg) string {
	sqls := make([]string, len(args))
	for i, a := range args {
		sqls[i] = a.SQL
	}
	if f.SQL != nil {
		return f.SQL(sqls)
	}
	return f.Name + "(" + strings.Join(sqls, ", ") + ")"
}

func (s Sig) bind(conf *Conf, print func([]Arg) string, args []Arg, pick func(*Conf, []Arg) Eval) (*Impl, error) {
	cast := append([]Arg(nil), args...)
	types := make([]*vector.Type, len(args))
	if len(s.Same) > 0 {
		var in []*vector.Type
		for _, i := range s.Same {
			if i < len(args) {
				in = append(in, args[i].Type)
			}
		}
		if t := CommonType(conf, in); t != nil {
			for _, i := range s.Same {
				if i < len(args) {
					cast[i].Type = t
				}
			}
		}
	}
	for i := range cast {
		p := s.Params[min(i, len(s.Params)-1)]
		t, ok := ImplicitCast(conf, cast[i].Type, p)
		if ok && (s.Exact || s.NoCast && !isNull(cast[i].Type)) {
			ok = p.Accepts(cast[i].Type)
		}
		if !ok {
			return nil, UnexpectedInput(print(args), i, p, args[i])
		}
		if t == nil {
			t = cast[i].Type
		}
		if cast[i].Const != nil && !args[i].Type.Equal(t) {
			cast[i].Const = constAs(conf, args[i], t)
		}
		types[i], cast[i].Type = t, t
	}
	result := s.Result
	if s.ResultOf != nil {
		var err error
		if result, err = s.ResultOf(conf, cast); err != nil {
			return nil, err
		}
	}
	eval := pick(conf, cast)
	if !s.TakesNulls {
		eval = strict(result, eval)
	}
	return &Impl{
		Args: types, Result: result, Eval: eval,
		Nullable: s.Nullable, NullIfAny: !s.TakesNulls, Total: s.Total, Fresh: s.Fresh, Volatile: s.Volatile,
	}, nil
}

// constAs is the value of a constant argument cast to another type; nil if the cast
// fails, which the evaluation then reports.
func constAs(conf *Conf, a Arg, t *vector.Type) *vector.Vec {
	ctx := &Ctx{ANSI: conf.ANSI, Zone: conf.Zone, Conf: conf.Conf}
	out, err := CastArray(ctx, a.Const.Arr, a.Type, t, ModeOf(conf.ANSI))
	if err != nil {
		return nil
	}
	return &vector.Vec{Arr: out, Const: true}
}

// strict skips eval when an argument is a constant null and computes a call on
// constants once.
func strict(result *vector.Type, eval Eval) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		all := len(args) > 0
		for _, a := range args {
			if !a.Const {
				all = false
			} else if a.IsNull(0) {
				return vector.ConstNull(result), nil
			}
		}
		if !all {
			return eval(ctx, args, n)
		}
		v, err := eval(ctx, args, 1)
		v.Const = true
		return v, err
	}
}

// exactTexts refuses arguments after the first that are no texts: they are not cast.
func (f Scalar) exactTexts() Scalar {
	bind := f.Bind
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		for i, a := range args[1:] {
			if !isString(a.Type) && !isNull(a.Type) {
				return nil, UnexpectedInput(f.print(args), i+1, String, a)
			}
		}
		return bind(conf, args)
	}
	return f
}

// UnexpectedInput is DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE for argument i
// (from 0) of a call that prints as sql.
func UnexpectedInput(sql string, i int, want Accept, got Arg) error {
	return condition.New("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
		"sqlExpr", quoteSQL(sql), "paramIndex", Ordinal(i), "requiredType", want.Required(),
		"inputSql", quoteSQL(got.SQL), "inputType", quoteType(got.Type))
}

// Ordinal names a position counted from 0 as messages do: first, second, third, 4th.
func Ordinal(i int) string {
	switch i {
	case 0:
		return "first"
	case 1:
		return "second"
	case 2:
		return "third"
	}
	return strconv.Itoa(i+1) + "th"
}

// quoteSQL and quoteType put an expression or a type in double quotes, as
// message parameters have them.
func quoteSQL(s string) string { return `"` + s + `"` }

func quoteType(t *vector.Type) string { return `"` + t.SQL() + `"` }
