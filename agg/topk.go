package agg

import (
	"encoding/binary"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/sketch"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "approx_top_k", Signature: "approx_top_k(expr[, k[, maxItemsTracked]])",
		Summary:  "The k (default 5) most frequent values, null included, with their estimated counts.",
		Examples: []kernels.Example{{SQL: "SELECT approx_top_k(x, 1) FROM VALUES ('a'), ('b'), ('b') AS t(x)", Want: "[{b, 2}]"}},
		MinArgs:  1, MaxArgs: 3, Bind: bindTopK, SQL: topKSQL,
	})
}

func topKSQL(args []string, distinct bool) string {
	defaults := []string{"5", "10000"}
	return plainSQL("approx_top_k", append(args[:len(args):len(args)], defaults[len(args)-1:]...), distinct)
}

func bindTopK(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	c := call{name: "approx_top_k", conf: conf, args: args, text: topKSQL(sqlsOf(args), false)}
	types, err := c.cast(kernels.Any, kernels.Int, kernels.Int)
	if err != nil {
		return nil, err
	}
	codec, err := itemCodec(c, types[0])
	if err != nil {
		return nil, err
	}
	k, tracked := 5, kernels.MaxItemsTracked
	for i, p := range []struct {
		name, hint string
		value      *int
	}{{"k", "K must be a constant literal", &k}, {"maxItemsTracked", "Number of items tracked must be a constant literal", &tracked}} {
		if len(args) <= i+1 {
			break
		}
		if args[i+1].Const == nil {
			return nil, kernels.TopKMismatch(c.sql(), p.hint)
		}
		if *p.value, err = kernels.TopKNumber(conf, args[i+1], p.name); err != nil {
			return nil, err
		}
	}
	if tracked < k {
		return nil, condition.New("APPROX_TOP_K_MAX_ITEMS_TRACKED_LESS_THAN_K", "maxItemsTracked", tracked, "k", k)
	}
	return &Impl{
		Args: types, Result: kernels.TopKType(types[0]), State: storedState("buf"), Ordered: true, // among items of the same count
		New: func() Accumulator { return &topK{newTopKCounts(types[0], codec, tracked), k} },
	}, nil
}

// itemCodec is the form of the items of a call.
func itemCodec(c call, t *vector.Type) (sketch.ItemCodec, error) {
	codec, ok := kernels.ItemCodecOf(t)
	if !ok {
		name, _, _ := strings.Cut(t.String(), "<")
		return codec, kernels.TopKMismatch(c.sql(), name+" columns are not supported")
	}
	return codec, nil
}

// topKState is a sketch of the values and the number of nulls.
type topKState struct {
	items   *sketch.Items
	nulls   int64
	tracked int // how many items the sketch is to track
}

func (s *topKState) Bytes() int { return 32 + s.items.Bytes() }

// AppendTo keeps the layout of the sketch, which the order of items of the same
// count comes from.
func (s *topKState) AppendTo(dst []byte) []byte {
	dst = s.items.AppendExact(binary.BigEndian.AppendUint32(dst, uint32(s.tracked)))
	return binary.BigEndian.AppendUint64(dst, uint64(s.nulls))
}

func parseTopK(codec sketch.ItemCodec, p []byte) (*topKState, error) {
	if len(p) < 4 {
		return nil, sketch.ErrItems
	}
	items, nulls, err := sketch.ParseNullableItems(codec, p[4:])
	return &topKState{items, nulls, int(binary.BigEndian.Uint32(p))}, err
}

// topKCounts counts values and nulls.
type topKCounts struct {
	grown[topKState, *topKState]
	t     *vector.Type
	codec sketch.ItemCodec
}

func newTopKCounts(t *vector.Type, codec sketch.ItemCodec, tracked int) topKCounts {
	a := topKCounts{t: t, codec: codec}
	a.fresh = func() *topKState { return &topKState{items: kernels.NewItems(codec, tracked), tracked: tracked} }
	return a
}

func (a *topKCounts) Update(_ Rows, g []uint32, args []arrow.Array) error {
	put, ok := kernels.AppendItem(a.t, args[0]), vector.Validity(args[0])
	var key []byte
	for i, x := range g {
		if s := a.of(x); ok.Get(i) {
			key = put(key[:0], i)
			s.items.Add(key, 1)
		} else {
			s.nulls++
		}
	}
	return nil
}

func (a *topKCounts) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		s, err := parseTopK(a.codec, p)
		if err != nil {
			return err
		}
		if own := a.states[g]; own != nil {
			own.items.Merge(s.items)
			own.nulls += s.nulls
		} else {
			a.states[g] = s
		}
		return nil
	})
}

// topK finds the k most frequent values.
type topK struct {
	topKCounts
	k int
}

func (a *topK) Result(_ Rows, g []uint32) (arrow.Array, error) {
	out := kernels.NewTopKList(a.t)
	for _, x := range g {
		if s := a.states[x]; s != nil {
			out.Add(s.items, s.nulls, a.k)
		} else {
			out.Add(nil, 0, a.k)
		}
	}
	return out.Column(nil), nil
}
