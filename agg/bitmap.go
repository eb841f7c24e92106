package agg

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "bitmap_construct_agg", Signature: "bitmap_construct_agg(position)",
			Summary:  "A bitmap of 4,096 bytes with the bits at the positions set.",
			Examples: []kernels.Example{{SQL: "SELECT bitmap_count(bitmap_construct_agg(bitmap_bit_position(x))) FROM VALUES (1), (2), (2) AS t(x)", Want: "2"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindBitmap(call{name: "bitmap_construct_agg", conf: conf, args: args}, kernels.Long, func() Accumulator { return &bitmapConstruct{} })
			},
		},
		Function{
			Name: "bitmap_or_agg", Signature: "bitmap_or_agg(bitmap)",
			Summary:  "The bitwise OR of bitmaps of 4,096 bytes.",
			Examples: []kernels.Example{{SQL: "SELECT bitmap_count(bitmap_or_agg(x)) FROM VALUES (X'10'), (X'20') AS t(x)", Want: "2"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindBitmap(call{name: "bitmap_or_agg", conf: conf, args: args}, kernels.Binary, func() Accumulator { return &bitmapMerge{} })
			},
		},
		Function{
			Name: "bitmap_and_agg", Signature: "bitmap_and_agg(bitmap)",
			Summary:  "The bitwise AND of bitmaps of 4,096 bytes.",
			Examples: []kernels.Example{{SQL: "SELECT bitmap_count(bitmap_and_agg(x)) FROM VALUES (X'30'), (X'20') AS t(x)", Want: "1"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindBitmap(call{name: "bitmap_and_agg", conf: conf, args: args}, kernels.Binary, func() Accumulator { return &bitmapMerge{and: true} })
			},
		},
	)
}

func bindBitmap(c call, want kernels.Accept, make func() Accumulator) (*Impl, error) {
	if want.Accepts(vector.Binary) && !want.Accepts(c.args[0].Type) { // not even NULL
		return nil, kernels.UnexpectedInput(c.sql(), 0, want, c.args[0])
	}
	types, err := c.cast(want)
	if err != nil {
		return nil, err
	}
	return &Impl{Args: types, Result: vector.Binary, State: storedState("bitmap"), New: make}, nil
}

// bitmaps keeps a bitmap per group. State {block uint64}: the number + 1 of the
// group's bitmap; a group without values has none.
type bitmaps struct {
	blocks []byte
	fill   byte // of a new bitmap
}

func (a *bitmaps) Width() int { return 8 }
func (a *bitmaps) Bytes() int { return cap(a.blocks) }

func (a *bitmaps) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

// bitmap is that of a group, made if need be.
func (a *bitmaps) bitmap(r Rows, g uint32) []byte {
	b := at[uint64](r, g, 0)
	if *b == 0 {
		from := len(a.blocks)
		a.blocks = append(a.blocks, make([]byte, kernels.BitmapBytes)...)
		if a.fill != 0 {
			for i := range a.blocks[from:] {
				a.blocks[from+i] = a.fill
			}
		}
		*b = uint64(len(a.blocks) / kernels.BitmapBytes)
	}
	return a.blocks[(*b-1)*kernels.BitmapBytes:][:kernels.BitmapBytes]
}

func (a *bitmaps) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{binaries(g, func(dst []byte, g uint32) []byte {
		if *at[uint64](r, g, 0) == 0 {
			return dst
		}
		return append(dst, a.bitmap(r, g)...)
	})}
}

func (a *bitmaps) Result(r Rows, g []uint32) (arrow.Array, error) {
	return binaries(g, func(dst []byte, g uint32) []byte { return append(dst, a.bitmap(r, g)...) }), nil
}

var errBitmap = errors.New("agg: malformed bitmap")

// bitmapConstruct sets bits.
type bitmapConstruct struct{ bitmaps }

func (a *bitmapConstruct) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	for i, v := range vector.Values[int64](args[0]) {
		if v < 0 || v >= 8*kernels.BitmapBytes {
			return condition.New("INVALID_BITMAP_POSITION", "bitPosition", v,
				"bitmapNumBytes", kernels.BitmapBytes, "bitmapNumBits", 8*kernels.BitmapBytes)
		}
		a.bitmap(r, g[i])[v/8] |= 1 << (v % 8)
	}
	return nil
}

func (a *bitmapConstruct) Merge(r Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		if len(p) != kernels.BitmapBytes {
			return errBitmap
		}
		for i, own := 0, a.bitmap(r, g); i < len(p); i++ {
			own[i] |= p[i]
		}
		return nil
	})
}

// bitmapMerge unites or intersects bitmaps; of a shorter one the rest counts as 0,
// of a longer one what is too much does not count.
type bitmapMerge struct {
	bitmaps
	and bool
}

func (a *bitmapMerge) Init(r Rows, lo, hi int) {
	if a.and {
		a.fill = 0xff
	}
	a.bitmaps.Init(r, lo, hi)
}

func (a *bitmapMerge) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	off, data := vector.Strings(args[0])
	for i, x := range g {
		a.merge(a.bitmap(r, x), data[off[i]:off[i+1]])
	}
	return nil
}

func (a *bitmapMerge) merge(own, p []byte) {
	n := min(len(p), len(own))
	if !a.and {
		for i, b := range p[:n] {
			own[i] |= b
		}
		return
	}
	for i, b := range p[:n] {
		own[i] &= b
	}
	clear(own[n:])
}

func (a *bitmapMerge) Merge(r Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		if len(p) != kernels.BitmapBytes {
			return errBitmap
		}
		a.merge(a.bitmap(r, g), p)
		return nil
	})
}
