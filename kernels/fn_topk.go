package kernels

import (
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/sketch"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Scalar{
		Name: "approx_top_k_estimate", Signature: "approx_top_k_estimate(state[, k])",
		Summary: "The k (default 5) most frequent items of a state that approx_top_k_accumulate or approx_top_k_combine made.",
		Examples: []Example{{"SELECT approx_top_k_estimate(approx_top_k_accumulate(x), 1) FROM VALUES ('a'), ('b'), ('b') AS t(x)",
			"[{b, 2}]"}},
		MinArgs: 1, MaxArgs: 2, Bind: bindTopKEstimate, SQL: withDefaults("approx_top_k_estimate", 1, "5"),
	})
}

func bindTopKEstimate(conf *Conf, args []Arg) (*Impl, error) {
	const name = "approx_top_k_estimate"
	print := func(args []Arg) string { return withDefaults(name, 1, "5")(sqlOf(args)) }
	k := 5
	if err := CheckTopKState(print(args), args[0]); err != nil {
		return nil, err
	}
	item := args[0].Type.Fields[2].Type
	codec, _ := ItemCodecOf(item)
	if len(args) == 2 {
		if args[1].Const == nil {
			return nil, TopKMismatch(print(args), "K must be a constant literal")
		}
		var err error
		if k, err = TopKNumber(conf, args[1], "k"); err != nil {
			return nil, err
		}
	}
	sig := Sig{Params: []Accept{AnyStruct, Int}, Optional: 1, Result: TopKType(item)}
	return sig.bind(conf, print, args, func(*Conf, []Arg) Eval {
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			state := args[0].Arr.(*array.Struct)
			sketches, tracked := textsOf(vector.Vec{Arr: state.Field(0)}), vector.Values[int32](state.Field(1))
			valid, out := Validity(n, args...), NewTopKList(item)
			for i := range n {
				if !valid.Get(i) {
					out.Add(nil, 0, 0)
					continue
				}
				row := i & args[0].Mask()
				if int(tracked[row]) < k {
					return vector.Vec{}, condition.New("APPROX_TOP_K_MAX_ITEMS_TRACKED_LESS_THAN_K", "maxItemsTracked", tracked[row], "k", k)
				}
				s, nulls, err := sketch.ParseNullableItems(codec, sketches.at(row))
				if err != nil {
					return vector.Vec{}, err
				}
				out.Add(s, nulls, k)
			}
			return vector.Vec{Arr: out.Column(valid)}, nil
		}
	})
}

// TopKMismatch is the error of a wrong argument of a call that prints as sql.
func TopKMismatch(sql, hint string) error {
	return condition.New("DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT", "sqlExpr", quoteSQL(sql), "msg", hint, "hint", "")
}

// CheckTopKState checks that an argument is a state of approx_top_k_accumulate.
func CheckTopKState(sql string, a Arg) error {
	t := a.Type
	if t.Kind != vector.KindStruct && !isNull(t) {
		return UnexpectedInput(sql, 0, AnyStruct, a)
	}
	if len(t.Fields) != 4 {
		return TopKMismatch(sql, "State must be a struct with 4 fields. Expected struct: "+
			"struct<sketch:binary,maxItemsTracked:int,itemDataType:any,itemDataTypeDDL:string>. Got: "+t.String())
	}
	_, ok := ItemCodecOf(t.Fields[2].Type)
	for i, want := range []struct {
		name, position string
		ok             bool
	}{
		{"binary", "first", t.Fields[0].Type.Kind == vector.KindBinary},
		{"int", "second", t.Fields[1].Type.Kind == vector.KindInt},
		{"a supported data type", "third", ok},
		{"string", "fourth", isString(t.Fields[3].Type)},
	} {
		if !want.ok {
			return TopKMismatch(sql, "State struct must have the "+want.position+" field to be "+want.name+". Got: "+t.Fields[i].Type.String())
		}
	}
	return nil
}
