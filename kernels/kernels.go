// Package kernels holds the compiled expressions and the scalar functions. It
// sees columns and a batch's fixed context; never state, plans, I/O or the clock.
package kernels

import (
	"time"

	"github.com/vstream/vstream/vector"
)

// Expr is a compiled expression. Eval returns one value per row of b (or a
// constant); it does not keep b. An Expr may keep scratch memory, so one Expr is
// used by one goroutine at a time; compile once per worker.
type Expr interface {
	Type() *vector.Type
	Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error)
}

// Ctx is what an expression may see of the micro-batch and the session.
type Ctx struct {
	BatchTimeMicros int64          // current_timestamp() of this batch, fixed in the offset log
	Zone            *time.Location // spark.sql.session.timeZone
	ANSI            bool           // spark.sql.ansi.enabled
	Partition       int            // spark_partition_id()
	RowBase         int64          // rows that this partition has seen in this batch (monotonically_increasing_id)
	Conf            map[string]string
	// Temp is memory for results that are not needed for long: until the owner of Temp
	// evaluates again. Kernels take their results from it with vector.Make; nil, as
	// between operators, means that a result owns its memory.
	Temp      *vector.Buffers
	transient vector.Buffers
}

// Arg is an argument of a function as its Bind sees it.
type Arg struct {
	Type     *vector.Type
	Nullable bool
	Const    *vector.Vec // the value if the argument is foldable, else nil
	SQL      string      // the argument as Spark prints it, for messages
}

// Impl is a function bound to argument types.
type Impl struct {
	// Args are the types to which the arguments are cast before the call; a nil
	// entry leaves an argument as it is. len(Args) equals the number of arguments.
	Args   []*vector.Type
	Result *vector.Type
	// Nullable tells whether the result may be null though no argument is null;
	// with NullIfAny a null argument always makes it nullable.
	Nullable bool
	// NullIfAny promises that the result is null where an argument is.
	NullIfAny bool
	// Eval computes n rows. Arguments are as declared in Args; a constant argument
	// has Const set. The result has n rows or is Const.
	Eval func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error)
	// New, instead of Eval, builds the expression itself: for functions that do
	// not evaluate all arguments on all rows (CASE, AND, coalesce) or that take
	// lambdas (a *Lambda among args).
	New func(args []Expr) Expr
	// SQL prints the call where its name depends on the argument types (ts -
	// INTERVAL '1' DAY has no parentheses); nil: as Scalar.SQL says.
	SQL func(args []string) string
	// Total promises that Eval fails for no arguments and is cheap, so that a call
	// may be evaluated on rows that do not need it.
	Total bool
	// Fresh promises that a result shares no memory with the values of the arguments (their
	// validity may be shared), so that the arguments may live in Ctx.Temp.
	Fresh bool
	// Volatile functions are neither folded nor shared (rand, uuid, monotonically_increasing_id).
	Volatile bool
}

// Conf is what a Bind may see of the session.
type Conf struct {
	ANSI bool
	Zone *time.Location
	Conf map[string]string
}

// Scalar describes one scalar function or operator; one file holds one family of them.
type Scalar struct {
	Name      string // lower case; operators by their symbol: "+", "<=>", "and"
	Aliases   []string
	Signature string // "substring(str, pos[, len])"
	Summary   string // one sentence
	Examples  []Example
	// MinArgs and MaxArgs bound the number of arguments; MaxArgs -1: no bound.
	MinArgs, MaxArgs int
	// Bind checks and converts the argument types. It returns a *condition.Error
	// such as DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE. Lambda arguments have Type nil.
	Bind func(conf *Conf, args []Arg) (*Impl, error)
	// LambdaParams, for higher-order functions, are the parameter types of the
	// lambda at argument i that takes n parameters, given the types of the others
	// (of an earlier lambda: its body's type); n -1 is as many as it must have.
	LambdaParams func(args []Arg, i, n int) ([]*vector.Type, error)
	// FirstLambda is the first argument that is a lambda; an expression in the place of
	// a lambda is one that uses no parameter.
	FirstLambda int
	// SQL prints the call as Spark names a column; nil: name(arg, arg).
	SQL func(args []string) string
}

// Example is one call with its result, shown in the docs and run by the tests.
type Example struct{ SQL, Want string }

var scalars = map[string]*Scalar{}

// Register adds a function under its name and aliases; a duplicate is a bug and panics.
func Register(fs ...Scalar) {
	for i := range fs {
		f := &fs[i]
		if f.Examples == nil {
			f.Examples = examples[f.Name]
		}
		for _, n := range append([]string{f.Name}, f.Aliases...) {
			if scalars[n] != nil {
				panic("kernels: function registered twice: " + n)
			}
			scalars[n] = f
		}
	}
}

// Lookup finds a function by its lower-case name or alias.
func Lookup(name string) (*Scalar, bool) {
	f, ok := scalars[name]
	return f, ok
}

// Names are all registered names and aliases, unsorted.
func Names() []string {
	out := make([]string, 0, len(scalars))
	for n := range scalars {
		out = append(out, n)
	}
	return out
}
