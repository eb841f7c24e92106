package agg

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "histogram_numeric", Signature: "histogram_numeric(expr, bins)",
		Summary:  "A histogram of at most that many bins, as an array of structs of a bin's centre x and height y.",
		Examples: []kernels.Example{{SQL: "SELECT histogram_numeric(x, 5) FROM VALUES (0), (1), (1) AS t(x)", Want: "[{0, 1.0}, {1, 2.0}]"}},
		MinArgs:  2, MaxArgs: 2,
		Bind: bindHistogram,
	})
}

func bindHistogram(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	c := call{name: "histogram_numeric", conf: conf, args: args}
	v, isArray, null, ok := constants(args[1])
	switch {
	case !ok || isArray:
		return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quote(c.sql()),
			"inputName", "`nb`", "inputType", quote(vector.Int.SQL()), "inputExpr", quote(args[1].SQL))
	case null:
		return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_NULL", "sqlExpr", quote(c.sql()), "exprName", "nb")
	case v[0] < 2 || v[0] > math.MaxInt32:
		return nil, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quote(c.sql()),
			"exprName", "nb", "valueRange", "[2, 2147483647]", "currentValue", strconv.FormatInt(int64(v[0]), 10))
	}
	t, ok := kernels.ImplicitCast(conf, args[0].Type, numericOrTime)
	if !ok || t == nil {
		return nil, kernels.UnexpectedInput(c.sql(), 0, numericOrTime, args[0])
	}
	bin := vector.StructOf(vector.Field{Name: "x", Type: t, Nullable: true}, vector.Field{Name: "y", Type: vector.Double, Nullable: true})
	return &Impl{
		Args: []*vector.Type{t, args[1].Type}, Result: vector.ArrayOf(bin, true), Nullable: true,
		State: []vector.Field{field("buf", vector.Binary, false)},
		New:   func() Accumulator { return &histogram{t: t, bin: bin, most: int(v[0])} },
	}, nil
}

// binOf is one bar: its centre and its height.
type binOf struct{ x, y float64 }

// bins is a histogram of bounded size (Ben-Haim and Tom-Tov, 2010) with the tie
// rule of Spark's NumericHistogram.
type bins struct {
	bars []binOf
	rng  javaRandom
}

// histogram keeps a histogram per group.
type histogram struct {
	t, bin *vector.Type
	most   int
	groups []*bins
}

func (a *histogram) Width() int { return 0 }

func (a *histogram) Bytes() int {
	n := 8 * len(a.groups)
	for _, b := range a.groups {
		if b != nil {
			n += 16 * cap(b.bars)
		}
	}
	return n
}

func (a *histogram) Init(_ Rows, lo, hi int) {
	for len(a.groups) < hi {
		a.groups = append(a.groups, nil)
	}
	clear(a.groups[lo:hi])
}

func (a *histogram) of(g uint32) *bins {
	if a.groups[g] == nil {
		a.groups[g] = &bins{rng: newJavaRandom(31183)}
	}
	return a.groups[g]
}

func (a *histogram) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	for i, v := range asDoubles(a.t, args[0]) {
		a.of(g[i]).add(v, a.most)
	}
	return nil
}

func (b *bins) add(v float64, most int) {
	i := sort.Search(len(b.bars), func(i int) bool { return !(b.bars[i].x < v) })
	if i < len(b.bars) && b.bars[i].x == v {
		b.bars[i].y++
		return
	}
	b.bars = slices.Insert(b.bars, i, binOf{v, 1})
	b.trim(most)
}

// trim merges the two nearest bars until there are at most most.
func (b *bins) trim(most int) {
	for len(b.bars) > most {
		least, at, ties := b.bars[1].x-b.bars[0].x, 0, 1
		for i := 1; i < len(b.bars)-1; i++ {
			d := b.bars[i+1].x - b.bars[i].x
			if d < least {
				least, at, ties = d, i, 1
			} else if d == least {
				if ties++; b.rng.float64() <= 1/float64(ties) {
					at = i
				}
			}
		}
		p, q := &b.bars[at], b.bars[at+1]
		h := p.y + q.y
		p.x *= p.y / h
		p.x += q.x / h * q.y
		p.y = h
		b.bars = slices.Delete(b.bars, at+1, at+2)
	}
}

var errBins = errors.New("agg: malformed histogram")

func (a *histogram) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	off, data := vector.Strings(state[0])
	for i, x := range g {
		p := data[off[i]:off[i+1]]
		if len(p)%16 != 0 {
			return errBins
		}
		if len(p) == 0 {
			continue
		}
		b := a.of(x)
		for ; len(p) > 0; p = p[16:] {
			b.bars = append(b.bars, binOf{math.Float64frombits(binary.LittleEndian.Uint64(p)), math.Float64frombits(binary.LittleEndian.Uint64(p[8:]))})
		}
		slices.SortStableFunc(b.bars, func(a, b binOf) int { return compareFloat(a.x, b.x) })
		b.trim(a.most)
	}
	return nil
}

func (a *histogram) Export(_ Rows, g []uint32) []arrow.Array {
	off, data := make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		if b := a.groups[x]; b != nil {
			for _, v := range b.bars {
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v.x))
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v.y))
			}
		}
		off[i+1] = int32(len(data))
	}
	return []arrow.Array{vector.NewString(vector.Binary, off, data, nil)}
}

func (a *histogram) Result(_ Rows, g []uint32) (arrow.Array, error) {
	var xs, ys []float64
	ok, off := vector.NewValid(len(g)), make([]int32, len(g)+1)
	for i, x := range g {
		if b := a.groups[x]; b != nil {
			for _, v := range b.bars {
				xs, ys = append(xs, v.x), append(ys, v.y)
			}
		} else {
			ok.Clear(i)
		}
		off[i+1] = int32(len(xs))
	}
	bars := vector.NewStruct(a.bin, []arrow.Array{fromDoubles(a.t, xs, nil), vector.NewFixed(vector.Double, ys, nil)}, len(xs), nil)
	return vector.NewList(vector.ArrayOf(a.bin, true), off, bars, ok), nil
}

// javaRandom is java.util.Random, by which Spark breaks ties.
type javaRandom int64

const javaMask = 1<<48 - 1

func newJavaRandom(seed int64) javaRandom { return javaRandom((seed ^ 0x5DEECE66D) & javaMask) }

func (r *javaRandom) next(bits uint) int64 {
	*r = (*r*0x5DEECE66D + 0xB) & javaMask
	return int64(*r) >> (48 - bits)
}

func (r *javaRandom) float64() float64 {
	hi := r.next(26) << 27
	return float64(hi+r.next(27)) / (1 << 53)
}
