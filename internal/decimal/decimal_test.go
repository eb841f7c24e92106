package decimal

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"pgregory.net/rapid"
)

func drawDec(t *rapid.T, name string) Num {
	text := rapid.StringMatching(`-?[1-9][0-9]{0,37}`).Draw(t, name)
	v, _ := new(big.Int).SetString(text, 10)
	return decimal128.FromBigInt(v)
}

// rounded is r scaled to s digits, rounded half up.
func rounded(r *big.Rat, s int) *big.Int {
	x := new(big.Rat).Mul(r, new(big.Rat).SetInt(BigPow10(s)))
	neg := x.Sign() < 0
	q := HalfUp(new(big.Int).Abs(x.Num()), x.Denom())
	if neg {
		q.Neg(q)
	}
	return q
}

func value(d Num, scale int) *big.Rat { return new(big.Rat).SetFrac(d.BigInt(), BigPow10(scale)) }

// The 256-bit kernels against rational arithmetic.
func TestDecimalArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawDec(t, "a"), drawDec(t, "b")
		sa, sb := rapid.IntRange(0, 38).Draw(t, "sa"), rapid.IntRange(0, 38).Draw(t, "sb")
		p := rapid.IntRange(1, 38).Draw(t, "p")
		s := rapid.IntRange(0, p).Draw(t, "s")
		x, y := value(a, sa), value(b, sb)
		check := func(op string, got Num, ok bool, want *big.Int) {
			fits := want.CmpAbs(BigPow10(p)) < 0
			if ok != fits || ok && got.BigInt().Cmp(want) != 0 {
				t.Fatalf("%s: %v %v, want %v", op, got.BigInt(), ok, want)
			}
		}
		r, ok := Add(a, b, sa, sb, p, s)
		check("+", r, ok, rounded(new(big.Rat).Add(x, y), s))
		r, ok = Mul(a, b, sa, sb, p, s)
		check("*", r, ok, rounded(new(big.Rat).Mul(x, y), s))
		r, ok = Div(a, b, sa, sb, p, s)
		quotient := rounded(new(big.Rat).Quo(x, y), QuotientScale)
		check("/", r, ok, rounded(new(big.Rat).SetFrac(quotient, BigPow10(QuotientScale)), s))
		_, rem := QuoRem(a, b, sa, sb)
		r, ok = Rem(a, b, sa, sb, p, s)
		check("%", r, ok, rounded(new(big.Rat).SetFrac(rem, BigPow10(max(sa, sb))), s))
		r, ok = Rescale(a, sa, p, s)
		check("rescale", r, ok, rounded(x, s))
	})
}

func TestWideDivision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n Uint256
		for i := range n {
			n[i] = rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, ^uint64(0)})).Draw(t, "word")
		}
		word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, ^uint64(0)}))
		d := Uint128{word.Draw(t, "hi"), word.Draw(t, "lo")}
		if d.IsZero() {
			return
		}
		q, r := n.DivRem(d)
		wide := func(w Uint256) *big.Int {
			v := new(big.Int)
			for i := 3; i >= 0; i-- {
				v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(w[i]))
			}
			return v
		}
		wq, wr := new(big.Int).QuoRem(wide(n), d.Big(), new(big.Int))
		if wide(q).Cmp(wq) != 0 || r.Big().Cmp(wr) != 0 {
			t.Fatalf("%v / %v = %v rest %v, want %v rest %v", n, d, q, r, wq, wr)
		}
	})
}

// Parse and Append against math/big.
func TestDecimalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{1,40}`).Draw(t, "digits")
		fraction := rapid.StringMatching(`[0-9]{0,40}`).Draw(t, "fraction")
		exp := rapid.IntRange(-45, 45).Draw(t, "exp")
		scale := rapid.IntRange(0, 38).Draw(t, "scale")
		text := digits + "." + fraction + "e" + strconv.Itoa(exp)
		r, _ := new(big.Rat).SetString(text)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		r.Mul(r, new(big.Rat).SetInt(unit))
		twice := new(big.Int).Lsh(r.Num(), 1)
		twice.Add(twice, r.Denom())
		want := twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1)) // floor(x + 1/2)
		d, outcome := Parse([]byte(text), 38, scale)
		fits := len(want.String()) <= 38
		if fits != (outcome == OK) {
			t.Fatalf("%s at scale %d: outcome %d, want value %s", text, scale, outcome, want)
		}
		if !fits {
			return
		}
		if got := strings.ReplaceAll(string(Append(nil, d, scale)), ".", ""); strings.TrimLeft(got, "0") != strings.TrimLeft(want.String(), "0") {
			t.Fatalf("%s at scale %d = %s, want %s", text, scale, got, want)
		}
	})
}

func TestParseExact(t *testing.T) {
	for s, want := range map[string]string{
		"1.50": "1.50 3 2", "-0.00": "0.00 1 2", "1e2": "1 1 -2", "12e-3": "0.012 2 3", "+7": "7 1 0",
		"": "", "x": "", "1e50": "", "123456789012345678901234567890123456789": "",
	} {
		got := ""
		if d, digits, scale, ok := ParseExact([]byte(s)); ok {
			got = string(Append(nil, d, max(scale, 0))) + " " + strconv.Itoa(digits) + " " + strconv.Itoa(scale)
		}
		if got != want {
			t.Errorf("ParseExact(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1e400", "-1.5E-3", "１２", "+", "1e-2147483648"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		if d, outcome := Parse(s, 38, 18); outcome == OK {
			if back, outcome := Parse(Append(nil, d, 18), 38, 18); outcome != OK || back != d {
				t.Errorf("%q does not come back", s)
			}
		}
		if d, digits, _, ok := ParseExact(s); ok && (digits < 1 || digits > MaxPrecision || len(Append(nil, d.Abs(), 0)) != digits) {
			t.Errorf("%q has %d digits", s, digits)
		}
	})
}
