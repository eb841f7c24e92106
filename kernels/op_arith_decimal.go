package kernels

import (
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/vector"
)

// decimals is the kernel on decimal(a) and decimal(b) with the given result.
func (o arithOp) decimals(a, b, result *vector.Type) Eval {
	sa, sb, p, s := a.Scale, b.Scale, result.Precision, result.Scale
	f := failing[Dec]{mode: o.mode, wrap: func(Dec, Dec) (Dec, bool) { return Dec{}, false }}
	switch o.symbol {
	case "+":
		f.row = func(x, y Dec) (Dec, bool) { return decimal.Add(x, y, sa, sb, p, s) }
	case "-":
		f.row = func(x, y Dec) (Dec, bool) { return decimal.Add(x, y.Negate(), sa, sb, p, s) }
	case "*":
		f.row = func(x, y Dec) (Dec, bool) { return decimal.Mul(x, y, sa, sb, p, s) }
	case "/":
		f.row = notByZero(func(x, y Dec) (Dec, bool) { return decimal.Div(x, y, sa, sb, p, s) })
	case "%":
		f.row = notByZero(func(x, y Dec) (Dec, bool) { return decimal.Rem(x, y, sa, sb, p, s) })
	case "pmod":
		f.row = notByZero(func(x, y Dec) (Dec, bool) { return decPmod(x, y, sa, sb, p, s) })
	}
	f.fail = func(x, y Dec) error {
		if o.divides() && y == (Dec{}) {
			return o.zeroError()
		}
		return errDecimalRange(o.exact(x, y, sa, sb), p, s)
	}
	loop := o.smallDecimals(a, b, result)
	if loop == nil {
		return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) { return f.each(result, v[0], v[1], n) }
	}
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		out := vector.Make[words](ctx.Temp, n)
		if loop(out, vector.Values[words](v[0].Arr), v[0].Mask(), vector.Values[words](v[1].Arr), v[1].Mask()) {
			return vector.Vec{Arr: vector.NewFixed(result, out, Validity(n, v...))}, nil
		}
		return f.each(result, v[0], v[1], n)
	}
}

func notByZero(f func(x, y Dec) (Dec, bool)) func(x, y Dec) (Dec, bool) {
	return func(x, y Dec) (Dec, bool) {
		if y == (Dec{}) {
			return Dec{}, false
		}
		return f(x, y)
	}
}

// decPmod is the remainder, moved once by the divisor if it is negative.
func decPmod(x, y Dec, sa, sb, p, s int) (Dec, bool) {
	r, ok := decimal.Rem(x, y, sa, sb, decimal.MaxPrecision, max(sa, sb))
	if !ok || r.Sign() >= 0 {
		d, fits := decimal.Rescale(r, max(sa, sb), p, s)
		return d, ok && fits
	}
	sum, ok := decimal.Add(r, y, max(sa, sb), sb, decimal.MaxPrecision, max(sa, sb))
	if !ok {
		return Dec{}, false
	}
	return decimal.Rem(sum, y, max(sa, sb), sb, p, s)
}

// exact is the unrounded result of + - * as text, for the error message; a
// quotient is given to 39 digits behind the point.
func (o arithOp) exact(x, y Dec, sa, sb int) string {
	u, v := x.BigInt(), y.BigInt()
	scale := max(sa, sb)
	switch o.symbol {
	case "*":
		return bigText(u.Mul(u, v), sa+sb)
	case "/":
		u.Mul(u, decimal.BigPow10(decimal.QuotientScale+sb))
		v.Mul(v, decimal.BigPow10(sa))
		return bigText(u.Quo(u, v), decimal.QuotientScale)
	}
	u.Mul(u, decimal.BigPow10(scale-sa))
	v.Mul(v, decimal.BigPow10(scale-sb))
	if o.symbol == "-" {
		return bigText(u.Sub(u, v), scale)
	}
	return bigText(u.Add(u, v), scale)
}

func bigText(v *big.Int, scale int) string {
	s := new(big.Int).Abs(v).String()
	for len(s) <= scale {
		s = "0" + s
	}
	if scale > 0 {
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	if v.Sign() < 0 {
		s = "-" + s
	}
	return s
}

// integralDivide is div: two BIGINTs or two decimals give a BIGINT.
func (o arithOp) integralDivide(conf *Conf, a, b *vector.Type) Eval {
	if !isDecimal(a) {
		f := failing[int64]{mode: o.mode,
			row: func(x, y int64) (int64, bool) {
				if y == 0 || y == -1 && x == -x && x != 0 {
					return 0, false
				}
				return x / y, true
			},
			wrap: func(x, y int64) (int64, bool) { return x, y != 0 },
			fail: func(x, y int64) error {
				if y == 0 {
					return errDivideByZero()
				}
				return errOverflow("Overflow in integral divide", o.try)
			}}
		return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) { return f.each(vector.Long, v[0], v[1], n) }
	}
	quotient := DecimalResult(conf, "div", a, b)
	f := failing[Dec]{mode: o.mode, wrap: func(Dec, Dec) (Dec, bool) { return Dec{}, false },
		row: notByZero(func(x, y Dec) (Dec, bool) {
			q, _ := decimal.QuoRem(x, y, a.Scale, b.Scale)
			if q.CmpAbs(decimal.Pow10[quotient.Precision].Big()) >= 0 {
				return Dec{}, false
			}
			return decimal128.FromBigInt(q), true
		}),
		fail: func(x, y Dec) error {
			if y == (Dec{}) {
				return errDivideByZero()
			}
			q, _ := decimal.QuoRem(x, y, a.Scale, b.Scale)
			return errDecimalRange(q.String(), quotient.Precision, 0)
		}}
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		q, err := f.each(quotient, v[0], v[1], n)
		if err != nil {
			return q, err
		}
		out := make([]int64, n)
		for i, d := range vector.Values[Dec](q.Arr) {
			out[i] = int64(d.LowBits())
		}
		return vector.Vec{Arr: vector.NewFixed(vector.Long, out, vector.Validity(q.Arr))}, nil
	}
}
