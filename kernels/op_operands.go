package kernels

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func infix(symbol string) func([]string) string {
	return func(a []string) string { return "(" + a[0] + " " + symbol + " " + a[1] + ")" }
}

func sqls(args []Arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.SQL
	}
	return out
}

// isLiteral tells whether an argument is an integer literal: Spark gives such a
// one beside a decimal only the digits that it needs.
func isLiteral(a Arg) (int64, bool) {
	if a.Const == nil || !a.Type.Integral() || a.Const.IsNull(0) {
		return 0, false
	}
	v, err := strconv.ParseInt(a.SQL, 10, 64)
	return v, err == nil
}

// decimalOperand is the decimal type of an operand beside a decimal.
func decimalOperand(a Arg) *vector.Type {
	if v, ok := isLiteral(a); ok {
		return DecimalForLiteral(v)
	}
	return DecimalFor(a.Type)
}

// promoteStrings is the ANSI rule for an operator with one string operand.
func promoteStrings(conf *Conf, a, b *vector.Type) (x, y *vector.Type) {
	if conf.ANSI && isString(a) != isString(b) && !isNull(a) && !isNull(b) {
		if t := withString(conf, a, b); t != nil {
			return t, t
		}
	}
	return a, b
}

// numericOperands brings two operands to the types that arithmetic and
// comparison compute on: equal ones, or two decimals. Types that do not go
// together come back as they are.
func numericOperands(conf *Conf, args []Arg, a, b *vector.Type) (x, y *vector.Type) {
	switch {
	case isDecimal(a) && isDecimal(b):
		return a, b
	case isDecimal(a) && b.Integral():
		args[1].Type = b
		return a, decimalOperand(args[1])
	case a.Integral() && isDecimal(b):
		args[0].Type = a
		return decimalOperand(args[0]), b
	case isDecimal(a) && b.Fractional(), a.Fractional() && isDecimal(b):
		return vector.Double, vector.Double
	}
	if t := Tightest(conf, a, b); t != nil {
		return t, t
	}
	return a, b
}

// besideDecimal casts the operands of any binary operator of which one is a
// decimal: an integer to a decimal, and both to doubles beside a fraction.
func besideDecimal(a, b *vector.Type) (*vector.Type, *vector.Type) {
	switch {
	case !isDecimal(a) && !isDecimal(b):
	case isDecimal(a) && b.Integral():
		b = DecimalFor(b)
	case a.Integral() && isDecimal(b):
		a = DecimalFor(a)
	case !isDecimal(a) && a.Fractional(), !isDecimal(b) && b.Fractional():
		a, b = vector.Double, vector.Double
	}
	return a, b
}

func errDiffTypes(sql string, a, b *vector.Type) error {
	return condition.New("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
		"sqlExpr", quoteSQL(sql), "left", quoteType(a), "right", quoteType(b))
}

func errWrongType(sql, required string, actual *vector.Type) error {
	return condition.New("DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
		"sqlExpr", quoteSQL(sql), "inputType", required, "actualDataType", quoteType(actual))
}

// errDataDiffTypes is the error of a function whose arguments have no common type.
func errDataDiffTypes(sql, function string, types []*vector.Type) error {
	quoted := make([]string, len(types))
	for i, t := range types {
		quoted[i] = quoteType(t)
	}
	return condition.New("DATATYPE_MISMATCH.DATA_DIFF_TYPES",
		"sqlExpr", quoteSQL(sql), "functionName", "`"+function+"`", "dataType", "["+strings.Join(quoted, ", ")+"]")
}

func errOrdering(sql, function string, t *vector.Type) error {
	return condition.New("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
		"sqlExpr", quoteSQL(sql), "functionName", "`"+function+"`", "dataType", quoteType(t))
}
