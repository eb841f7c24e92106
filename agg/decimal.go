package agg

import (
	"math/big"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/vector"
)

// dec is the memory form of a decimal: 128 bits, two's complement, unscaled.
type dec = decimal128.Num

// powers are 10^0 … 10^38.
var powers = func() (p [39]dec) {
	x := big.NewInt(1)
	for i := range p {
		p[i] = decimal128.FromBigInt(x)
		x = new(big.Int).Mul(x, big.NewInt(10))
	}
	return p
}()

// addDec is a+b; false if it leaves 128 bits.
func addDec(a, b dec) (dec, bool) {
	lo, c := bits.Add64(a.LowBits(), b.LowBits(), 0)
	hi, _ := bits.Add64(uint64(a.HighBits()), uint64(b.HighBits()), c)
	h := int64(hi)
	return decimal128.New(h, lo), (a.HighBits()^h)&(b.HighBits()^h) >= 0
}

// fits tells whether d has at most precision digits.
func fits(d dec, precision int) bool {
	m := powers[precision]
	return d.Less(m) && m.Negate().Less(d)
}

// divideHalfUp is n/d rounded half away from zero, with shift more decimal digits than n.
func divideHalfUp(n dec, shift int, d int64) *big.Int {
	x := n.BigInt()
	x.Mul(x, powers[shift].BigInt())
	return roundedQuotient(x, big.NewInt(d))
}

// roundedQuotient is x/y rounded half away from zero; y > 0. It overwrites x.
func roundedQuotient(x, y *big.Int) *big.Int {
	neg := x.Sign() < 0
	x.Abs(x)
	x.Lsh(x, 1).Add(x, y)
	x.Quo(x, new(big.Int).Lsh(y, 1))
	if neg {
		x.Neg(x)
	}
	return x
}

// sumDecimal adds decimals: state {sum dec}. As in Spark, a sum that does not
// fit its type is lost for good, and reported when the result is read.
type sumDecimal struct {
	t    *vector.Type
	mode overflowMode
}

func (sumDecimal) Width() int { return 16 }
func (sumDecimal) Bytes() int { return 0 }

func (sumDecimal) Init(r Rows, lo, hi int) { r.clear(lo, hi, 2) }

func (a sumDecimal) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	a.add(r, g, vector.Values[dec](args[0]))
	return nil
}

func (a sumDecimal) add(r Rows, g []uint32, v []dec) {
	v = v[:len(g)]
	for i, x := range g {
		p := at[dec](r, x, 0)
		s, ok := addDec(*p, v[i])
		*r.flagOf(x) |= set
		if !ok || !fits(s, a.t.Precision) {
			*r.flagOf(x) |= lost
			s = dec{}
		}
		*p = s
	}
}

func (a sumDecimal) Merge(r Rows, g []uint32, state []arrow.Array) error {
	empty := vector.Bools(state[1])
	for i, x := range g {
		if empty[i>>3]&(1<<(i&7)) == 0 && state[0].IsNull(i) {
			*r.flagOf(x) |= set | lost
		}
	}
	g, state = valid(g, state[0])
	a.add(r, g, vector.Values[dec](state[0]))
	return nil
}

func (a sumDecimal) values(r Rows, g []uint32) arrow.Array {
	return vector.NewFixed(a.t, gather[dec](r, g, 0), gatherFlag(r, g, func(f uint8) bool { return f == set }))
}

func (a sumDecimal) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{a.values(r, g), vector.NewBool(gatherFlag(r, g, func(f uint8) bool { return f&set == 0 }), len(g), nil)}
}

func (a sumDecimal) Result(r Rows, g []uint32) (arrow.Array, error) {
	if a.mode == overflowFails {
		for _, x := range g {
			if *r.flagOf(x)&lost != 0 {
				return nil, overflow("Overflow in sum of decimals", "try_sum")
			}
		}
	}
	return a.values(r, g), nil
}

// newRat is d·10^-scale.
func newRat(d dec, scale int) *big.Rat {
	return new(big.Rat).SetFrac(d.BigInt(), powers[scale].BigInt())
}
