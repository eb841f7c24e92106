package kernels

import (
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"pgregory.net/rapid"
)

func drawDec(t *rapid.T, name string) Dec {
	text := rapid.StringMatching(`-?[1-9][0-9]{0,37}`).Draw(t, name)
	v, _ := new(big.Int).SetString(text, 10)
	return decimal128.FromBigInt(v)
}

// rounded is r scaled to s digits, rounded half up.
func rounded(r *big.Rat, s int) *big.Int {
	x := new(big.Rat).Mul(r, new(big.Rat).SetInt(bigPow10(s)))
	neg := x.Sign() < 0
	q := halfUp(new(big.Int).Abs(x.Num()), x.Denom())
	if neg {
		q.Neg(q)
	}
	return q
}

func value(d Dec, scale int) *big.Rat { return new(big.Rat).SetFrac(d.BigInt(), bigPow10(scale)) }

// The 256-bit kernels against rational arithmetic.
func TestDecimalArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDec(t, "a"), drawDec(t, "b")
		sa, sb := rapid.IntRange(0, 38).Draw(t, "sa"), rapid.IntRange(0, 38).Draw(t, "sb")
		p := rapid.IntRange(1, 38).Draw(t, "p")
		s := rapid.IntRange(0, p).Draw(t, "s")
		x, y := value(a, sa), value(b, sb)
		check := func(op string, got Dec, ok bool, want *big.Int) {
			fits := want.CmpAbs(bigPow10(p)) < 0
			if ok != fits || ok && got.BigInt().Cmp(want) != 0 {
				t.Fatalf("%s: %v %v, want %v", op, got.BigInt(), ok, want)
			}
		}
		r, ok := decAdd(a, b, sa, sb, p, s)
		check("+", r, ok, rounded(new(big.Rat).Add(x, y), s))
		r, ok = decMul(a, b, sa, sb, p, s)
		check("*", r, ok, rounded(new(big.Rat).Mul(x, y), s))
		r, ok = decDiv(a, b, sa, sb, p, s)
		quotient := rounded(new(big.Rat).Quo(x, y), quotientScale)
		check("/", r, ok, rounded(new(big.Rat).SetFrac(quotient, bigPow10(quotientScale)), s))
		_, rem := decQuoRem(a, b, sa, sb)
		r, ok = decRem(a, b, sa, sb, p, s)
		check("%", r, ok, rounded(new(big.Rat).SetFrac(rem, bigPow10(max(sa, sb))), s))
		r, ok = Rescale(a, sa, p, s)
		check("rescale", r, ok, rounded(x, s))
	})
}

func TestWideDivision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n u256
		for i := range n {
			n[i] = rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, ^uint64(0)})).Draw(t, "word")
		}
		word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, ^uint64(0)}))
		d := u128{word.Draw(t, "hi"), word.Draw(t, "lo")}
		if d.isZero() {
			return
		}
		q, r := n.divRem(d)
		wide := func(w u256) *big.Int {
			v := new(big.Int)
			for i := 3; i >= 0; i-- {
				v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(w[i]))
			}
			return v
		}
		wq, wr := new(big.Int).QuoRem(wide(n), d.big(), new(big.Int))
		if wide(q).Cmp(wq) != 0 || r.big().Cmp(wr) != 0 {
			t.Fatalf("%v / %v = %v rest %v, want %v rest %v", n, d, q, r, wq, wr)
		}
	})
}
