package agg

import (
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

const maxByLimit = 100000

// bindExtremes binds max_by(expr, order, k) and min_by(expr, order, k).
func bindExtremes(c call, greatest bool) (*Impl, error) {
	types, err := c.cast(kernels.Any, kernels.Any, kernels.Int)
	if err != nil {
		return nil, err
	}
	arg := c.args[2]
	if arg.Const == nil {
		return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quote(c.sql()),
			"inputName", "k", "inputType", arg.Type.String(), "inputExpr", arg.SQL)
	}
	k := int32(0)
	arr, err := kernels.CastArray(&kernels.Ctx{Zone: c.conf.Zone, ANSI: c.conf.ANSI}, arg.Const.Arr, arg.Type, vector.Int, kernels.ModeOf(c.conf.ANSI))
	if err != nil {
		return nil, err
	}
	if !arr.IsNull(0) {
		k = vector.Values[int32](arr)[0]
	}
	if k < 1 || k > maxByLimit {
		return nil, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quote(c.sql()),
			"exprName", "`k`", "valueRange", "[1, "+strconv.Itoa(maxByLimit)+"]", "currentValue", k)
	}
	value, order := types[0], types[1]
	return &Impl{
		Args: types, Result: vector.ArrayOf(value, true), Nullable: true, State: storedState("rows"), Ordered: true,
		New: func() Accumulator {
			return &extremes{types: []*vector.Type{value, order}, k: int(k), greatest: greatest, heaps: map[uint32]*extremeHeap{}}
		},
	}, nil
}

// extremes keeps the k rows with the greatest or least orders of each group, in a
// heap as Spark does, for it decides among rows of the same order.
type extremes struct {
	types    []*vector.Type // value, order
	k        int
	greatest bool
	heaps    map[uint32]*extremeHeap
	size     int
}

// extremeHeap holds rows with the one to drop first on top. Values and orders are
// encoded; a null value is nil.
type extremeHeap struct {
	values, orders [][]byte // by row number
	rows           []int    // the heap
}

// numbers are all row numbers, in order.
func (h *extremeHeap) numbers() []int {
	rows := make([]int, len(h.rows))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func (a *extremes) Width() int { return 0 }
func (a *extremes) Bytes() int { return a.size }

func (a *extremes) Init(_ Rows, lo, hi int) {
	for g := lo; g < hi; g++ {
		delete(a.heaps, uint32(g))
	}
}

// encoded is a column as bytes that compare as its values do.
func encoded(t *vector.Type, col arrow.Array) func(i int) []byte {
	enc := vector.EncodeValue(t, col)
	off, data := vector.Strings(enc)
	return func(i int) []byte {
		if enc.IsNull(i) {
			return nil
		}
		return data[off[i]:off[i+1]]
	}
}

func (a *extremes) Update(_ Rows, g []uint32, args []arrow.Array) error {
	value, order := encoded(a.types[0], args[0]), encoded(a.types[1], args[1])
	for i, x := range g {
		if !args[1].IsNull(i) {
			a.insert(x, value(i), order(i))
		}
	}
	return nil
}

// before tells whether order x is to be dropped before y.
func (a *extremes) before(x, y []byte) bool {
	c := slices.Compare(x, y)
	return a.greatest && c < 0 || !a.greatest && c > 0
}

func (a *extremes) insert(g uint32, value, order []byte) {
	h := a.heaps[g]
	if h == nil {
		h = &extremeHeap{}
		a.heaps[g] = h
	}
	n := len(h.rows)
	if n < a.k {
		a.size += len(value) + len(order) + 64 // with the slices' headers
		h.values, h.orders = append(h.values, slices.Clone(value)), append(h.orders, slices.Clone(order))
		h.rows = append(h.rows, n)
		for at := n; at > 0; {
			up := (at - 1) / 2
			if !a.before(h.orders[h.rows[at]], h.orders[h.rows[up]]) {
				break
			}
			h.rows[at], h.rows[up] = h.rows[up], h.rows[at]
			at = up
		}
		return
	}
	top := h.rows[0]
	if !a.before(h.orders[top], order) {
		return
	}
	a.size += len(value) + len(order) - len(h.values[top]) - len(h.orders[top])
	h.values[top], h.orders[top] = slices.Clone(value), slices.Clone(order)
	for at := 0; 2*at+1 < n; {
		down := 2*at + 1
		if r := down + 1; r < n && a.before(h.orders[h.rows[r]], h.orders[h.rows[down]]) {
			down = r
		}
		if !a.before(h.orders[h.rows[down]], h.orders[h.rows[at]]) {
			break
		}
		h.rows[at], h.rows[down] = h.rows[down], h.rows[at]
		at = down
	}
}

// The state is a list of values and a list of orders, by row number.
func (a *extremes) Export(_ Rows, g []uint32) []arrow.Array {
	off, cols := a.columns(g, (*extremeHeap).numbers)
	return []arrow.Array{encodeLists(a.types, off, cols)}
}

// columns gathers the rows of groups that pick says.
func (a *extremes) columns(g []uint32, pick func(h *extremeHeap) []int) (off []int32, cols []arrow.Array) {
	off = make([]int32, len(g)+1)
	var valueOff, orderOff = []int32{0}, []int32{0}
	var values, orders []byte
	var nulls []int
	for i, x := range g {
		if h := a.heaps[x]; h != nil {
			for _, r := range pick(h) {
				if h.values[r] == nil {
					nulls = append(nulls, len(valueOff)-1)
				}
				values, orders = append(values, h.values[r]...), append(orders, h.orders[r]...)
				valueOff, orderOff = append(valueOff, int32(len(values))), append(orderOff, int32(len(orders)))
			}
		}
		off[i+1] = int32(len(orderOff) - 1)
	}
	if len(orderOff) == 1 {
		return off, []arrow.Array{vector.NewNull(a.types[0], 0), vector.NewNull(a.types[1], 0)}
	}
	valid := vector.NewValid(len(valueOff) - 1)
	for _, r := range nulls {
		valid.Clear(r)
	}
	return off, []arrow.Array{
		vector.DecodeKey(a.types[0], vector.NewString(vector.Binary, valueOff, values, valid)),
		vector.DecodeKey(a.types[1], vector.NewString(vector.Binary, orderOff, orders, nil)),
	}
}

func (a *extremes) Merge(r Rows, g []uint32, state []arrow.Array) error {
	g, cols, err := decodeLists(a.types, g, state[0])
	if err != nil {
		return err
	}
	return a.Update(r, g, cols)
}

// Result sorts the rows, the best first; rows of the same order by number.
func (a *extremes) Result(_ Rows, g []uint32) (arrow.Array, error) {
	off, cols := a.columns(g, func(h *extremeHeap) []int {
		rows := h.numbers()
		slices.SortStableFunc(rows, func(x, y int) int {
			switch {
			case a.before(h.orders[y], h.orders[x]):
				return -1
			case a.before(h.orders[x], h.orders[y]):
				return 1
			}
			return 0
		})
		return rows
	})
	valid := vector.NewValid(len(g))
	for i, x := range g {
		if a.heaps[x] == nil {
			valid.Clear(i)
		}
	}
	return vector.NewList(vector.ArrayOf(a.types[0], true), off, cols[0], valid), nil
}
