package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "collect_list", Aliases: []string{"array_agg"}, Signature: "collect_list(expr)",
			Summary:  "The non-null values as an array, in the order of the rows.",
			Examples: []kernels.Example{{SQL: "SELECT collect_list(x) FROM VALUES (1), (NULL), (1) AS t(x)", Want: "[1, 1]"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(_ *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				list := vector.ArrayOf(args[0].Type, false)
				return &Impl{
					Args: typesOf(args), Result: list, Ordered: true,
					State: []vector.Field{field("buf", vector.Binary, false)},
					New:   func() Accumulator { return &collectList{list: list} },
				}, nil
			},
		},
		Function{
			Name: "collect_set", Signature: "collect_set(expr)",
			Summary:  "The distinct non-null values as an array, in no order to rely on.",
			Examples: []kernels.Example{{SQL: "SELECT collect_set(x) FROM VALUES (1), (NULL), (1) AS t(x)", Want: "[1]"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				t := args[0].Type
				if hasMap(t) {
					return nil, condition.New("DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
						"sqlExpr", quote(call{name: "collect_set", conf: conf, args: args}.sql()), "functionName", "`collect_set`", "dataType", `"MAP" or "COLLATED STRING"`)
				}
				return &Impl{
					Args: typesOf(args), Result: vector.ArrayOf(t, false),
					State: []vector.Field{field("buf", vector.Binary, false)},
					New:   func() Accumulator { return &collectSet{t: t, seen: newEntries([]*vector.Type{t})} },
				}, nil
			},
		},
	)
}

func hasMap(t *vector.Type) bool {
	switch t.Kind {
	case vector.KindMap:
		return true
	case vector.KindArray:
		return hasMap(t.Elem)
	case vector.KindStruct:
		for _, f := range t.Fields {
			if hasMap(f.Type) {
				return true
			}
		}
	}
	return false
}

// chunks are byte strings chained per group: state {head, tail uint32}, chunk
// numbers + 1.
type chunks struct {
	data []byte
	off  []uint64 // of each chunk, and the end of the last
	next []uint32
}

func (c *chunks) Width() int { return 8 }

func (c *chunks) Bytes() int { return cap(c.data) + 8*cap(c.off) + 4*cap(c.next) }

func (c *chunks) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

// add appends a chunk to the chain of a group.
func (c *chunks) add(r Rows, g uint32, p []byte) {
	if len(c.off) == 0 {
		c.off = append(c.off, 0)
	}
	c.data = append(c.data, p...)
	c.off = append(c.off, uint64(len(c.data)))
	c.next = append(c.next, 0)
	id := uint32(len(c.next))
	head, tail := at[uint32](r, g, 0), at[uint32](r, g, 4)
	if *head == 0 {
		*head = id
	} else {
		c.next[*tail-1] = id
	}
	*tail = id
}

// of appends the chunks of a group to dst.
func (c *chunks) of(dst []byte, r Rows, g uint32) []byte {
	for id := *at[uint32](r, g, 0); id > 0; id = c.next[id-1] {
		dst = append(dst, c.data[c.off[id-1]:c.off[id]]...)
	}
	return dst
}

// collectList chains encoded elements; its exported state is the encoding of the array.
type collectList struct {
	chunks
	list *vector.Type
}

func (a *collectList) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	// The encoding of one-element arrays is the element as an array has it, and the end.
	off := make([]int32, len(g)+1)
	for i := range off {
		off[i] = int32(i)
	}
	if len(g) == 0 {
		return nil
	}
	return a.Merge(r, g, []arrow.Array{vector.EncodeValue(a.list, vector.NewList(a.list, off, args[0], nil))})
}

func (a *collectList) Merge(r Rows, g []uint32, state []arrow.Array) error {
	off, data := vector.Strings(state[0])
	for i, x := range g {
		if p := data[off[i]:off[i+1]]; len(p) > 1 {
			a.add(r, x, p[:len(p)-1]) // without the array's end
		}
	}
	return nil
}

func (a *collectList) Export(r Rows, g []uint32) []arrow.Array {
	off, data := make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		data = append(a.of(data, r, x), 0)
		off[i+1] = int32(len(data))
	}
	return []arrow.Array{vector.NewString(vector.Binary, off, data, nil)}
}

func (a *collectList) Result(r Rows, g []uint32) (arrow.Array, error) {
	return vector.ParseKey(a.list, a.Export(r, g)[0])
}

// collectSet keeps distinct values.
type collectSet struct {
	t    *vector.Type
	seen *entries
}

func (a *collectSet) Width() int { return 0 }
func (a *collectSet) Bytes() int { return a.seen.bytes() }

func (a *collectSet) Init(_ Rows, lo, hi int) { a.seen.init(lo, hi) }

func (a *collectSet) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	a.seen.add(g, args)
	return nil
}

func (a *collectSet) Merge(r Rows, g []uint32, state []arrow.Array) error {
	g, cols, err := decodeLists(a.seen.types, g, state[0])
	if err != nil {
		return err
	}
	return a.Update(r, g, cols)
}

func (a *collectSet) Export(_ Rows, g []uint32) []arrow.Array {
	off, ids := a.seen.of(g)
	return []arrow.Array{encodeLists(a.seen.types, off, a.seen.values(ids))}
}

func (a *collectSet) Result(_ Rows, g []uint32) (arrow.Array, error) {
	off, ids := a.seen.of(g)
	return vector.NewList(vector.ArrayOf(a.t, false), off, a.seen.values(ids)[0], nil), nil
}
