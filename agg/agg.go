// Package agg holds the aggregate functions: their signatures, and their states
// for many groups at once in flat memory. The streaming operators that use them
// are in agg/groupby.
package agg

import (
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Function describes one aggregate function; one file holds one family.
type Function struct {
	Name             string // lower case
	Aliases          []string
	Signature        string
	Summary          string
	Examples         []kernels.Example
	MinArgs, MaxArgs int // MaxArgs -1: no bound; count(*) is bound with no arguments
	// Bind checks and converts the argument types; errors as kernels.Scalar.Bind.
	Bind func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error)
	// BindOrdered, if not nil, binds a call with WITHIN GROUP (ORDER BY …). The order
	// expressions are the last arguments of the Impl, behind args.
	BindOrdered func(conf *kernels.Conf, args []kernels.Arg, order []Order) (*Impl, error)
	// SQL prints the call as Spark names a column; nil: name(arg, arg), name(DISTINCT arg).
	SQL func(args []string, distinct bool) string
}

// Order is a sort key of WITHIN GROUP.
type Order struct {
	Arg             kernels.Arg
	Desc, NullsLast bool
}

// Impl is an aggregate bound to argument types.
type Impl struct {
	Args     []*vector.Type // types of the arguments, to which they are cast
	Result   *vector.Type
	Nullable bool
	// State are the columns in which the state is exchanged and stored; all are
	// flat (fixed-width, boolean, string or binary).
	State []vector.Field
	// Buffer is what the state reader shows: the buffer that Spark keeps, in terms of State. Nil: State is Spark's buffer.
	Buffer []BufferField
	// New makes the accumulator that holds the state of all groups of one table.
	New func() Accumulator
	// Ordered aggregates depend on the order of rows (first, collect_list).
	Ordered bool
}

// BufferField is a field of Spark's buffer of an aggregate: column State of the state holds
// its values, those of a nested type encoded.
type BufferField struct {
	Name  string
	Type  *vector.Type
	State int
}

// Shown is Spark's buffer.
func (im *Impl) Shown() []BufferField {
	if im.Buffer != nil {
		return im.Buffer
	}
	out := make([]BufferField, len(im.State))
	for i, f := range im.State {
		out[i] = BufferField{f.Name, f.Type, i}
	}
	return out
}

var functions = map[string]*Function{}

// Register adds functions; a duplicate name is a bug and panics.
func Register(fs ...Function) {
	for i := range fs {
		f := &fs[i]
		if f.Examples == nil {
			f.Examples = examples[f.Name]
		}
		for _, n := range append([]string{f.Name}, f.Aliases...) {
			if functions[n] != nil {
				panic("agg: function registered twice: " + n)
			}
			functions[n] = f
		}
	}
}

// Lookup finds a function by lower-case name or alias.
func Lookup(name string) (*Function, bool) {
	f, ok := functions[name]
	return f, ok
}

// Functions are all functions, each once, unsorted.
func Functions() []*Function {
	var out []*Function
	for name, f := range functions {
		if name == f.Name {
			out = append(out, f)
		}
	}
	return out
}
