package kernels

import (
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/vector"
)

// Dec is an unscaled decimal as a decimal column holds it.
type Dec = decimal.Num

// minimumAdjustedScale is the scale that precision loss keeps.
const minimumAdjustedScale = 6

// Types that Spark uses for a decimal of unknown size and for a string that a
// decimal parameter takes.
var (
	DecimalUserDefault   = vector.Decimal(10, 0)
	DecimalSystemDefault = vector.Decimal(38, 18)
)

// DecimalFor is the decimal type that holds every value of a numeric type
// (DecimalType.forType): INT is decimal(10,0), DOUBLE decimal(30,15).
func DecimalFor(t *vector.Type) *vector.Type {
	switch t.Kind {
	case vector.KindByte:
		return vector.Decimal(3, 0)
	case vector.KindShort:
		return vector.Decimal(5, 0)
	case vector.KindInt:
		return vector.Decimal(10, 0)
	case vector.KindLong:
		return vector.Decimal(20, 0)
	case vector.KindFloat:
		return vector.Decimal(14, 7)
	case vector.KindDouble:
		return vector.Decimal(30, 15)
	}
	return t
}

// DecimalForLiteral is the smallest decimal type of an integer constant:
// the constant 1 beside a decimal is a decimal(1,0).
func DecimalForLiteral(v int64) *vector.Type {
	p := 1
	for v >= 10 || v <= -10 {
		v /= 10
		p++
	}
	return vector.Decimal(p, 0)
}

// decimalHolds tells whether every value of decimal type b is one of a.
func decimalHolds(a, b *vector.Type) bool {
	return a.Precision-a.Scale >= b.Precision-b.Scale && a.Scale >= b.Scale
}

// WiderDecimal is the decimal type for the values of two decimal types; past 38
// digits it keeps the integral ones.
func WiderDecimal(a, b *vector.Type) *vector.Type {
	scale := max(a.Scale, b.Scale)
	p := max(a.Precision-a.Scale, b.Precision-b.Scale) + scale
	if p > decimal.MaxPrecision {
		return vector.Decimal(decimal.MaxPrecision, max(0, scale-(p-decimal.MaxPrecision)))
	}
	return vector.Decimal(p, scale)
}

// boundedDecimal cuts precision and scale to 38.
func boundedDecimal(p, s int) *vector.Type {
	return vector.Decimal(min(p, decimal.MaxPrecision), min(s, decimal.MaxPrecision))
}

// adjustDecimal is DecimalType.adjustPrecisionScale: a result of more than 38
// digits gives up fraction digits, but keeps at least min(scale, 6) of them.
func adjustDecimal(p, s int) *vector.Type {
	if p <= decimal.MaxPrecision {
		return vector.Decimal(p, s)
	}
	intDigits := p - s
	return vector.Decimal(decimal.MaxPrecision, max(decimal.MaxPrecision-intDigits, min(s, minimumAdjustedScale)))
}

// DecimalResult is the type of a op b for decimals and op one of + - * / % pmod
// div, with spark.sql.decimalOperations.allowPrecisionLoss as in conf.
// For div it is the type of the quotient before it becomes a BIGINT.
func DecimalResult(conf *Conf, op string, a, b *vector.Type) *vector.Type {
	p1, s1, p2, s2 := a.Precision, a.Scale, b.Precision, b.Scale
	loss := conf.Conf["spark.sql.decimalOperations.allowPrecisionLoss"] != "false"
	fit := boundedDecimal
	if loss {
		fit = adjustDecimal
	}
	switch op {
	case "+", "-":
		s := max(s1, s2)
		return fit(max(p1-s1, p2-s2)+s+1, s)
	case "*":
		return fit(p1+p2+1, s1+s2)
	case "/":
		if loss {
			s := max(minimumAdjustedScale, s1+p2+1)
			return adjustDecimal(p1-s1+s2+s, s)
		}
		intDig := min(decimal.MaxPrecision, p1-s1+s2)
		decDig := min(decimal.MaxPrecision, max(minimumAdjustedScale, s1+p2+1))
		if diff := intDig + decDig - decimal.MaxPrecision; diff > 0 {
			decDig -= diff/2 + 1
			intDig = decimal.MaxPrecision - decDig
		}
		return boundedDecimal(intDig+decDig, decDig)
	case "%", "pmod":
		s := max(s1, s2)
		return fit(min(p1-s1, p2-s2)+s, s)
	}
	// div
	intDig := p1 - s1 + s2
	if intDig == 0 {
		intDig = 1
	}
	return fit(intDig, 0)
}
