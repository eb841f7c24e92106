package kernels

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

func init() {
	for _, name := range []string{"format_string", "printf"} {
		Register(Scalar{
			Name: name, Signature: name + "(format, obj, …)", Summary: "The arguments as text by a format of Java's Formatter.",
			Examples: []Example{{name + "('Hello World %d %s', 100, 'days')", "Hello World 100 days"}}, MinArgs: 1, MaxArgs: -1,
			Bind: func(conf *Conf, args []Arg) (*Impl, error) { return bindFormatString(conf, name, args) },
		})
	}
	Register(DefineOn(Scalar{
		Name: "format_number", Signature: "format_number(expr1, expr2)", Summary: "A number with commas between thousands and a number of decimals, rounded half to even.",
		Examples: []Example{{"format_number(12332.123456, 4)", "12,332.1235"}},
	}, Sig{Params: []Accept{AnyNumeric, OneOf(Int, String)}, NoCast: true, Result: vector.String, Nullable: true}, pickFormatNumber))
}

// directive is one %-directive of a format.
type directive struct {
	lit   string // text in front
	arg   int    // argument from 0; -1: none
	flags string
	width int
	prec  int // -1: none
	verb  byte
}

func badFormat(message string) error {
	return condition.New("VSTREAM_INVALID_VALUE", "what", "the format", "value", message)
}

// parseFormat reads a format: %[n$][flags][width][.precision]verb.
func parseFormat(s string) (ds []directive, tail string, err error) {
	next := 0
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			return ds, s, nil
		}
		d := directive{lit: s[:at], prec: -1, width: -1}
		s = s[at+1:]
		number := func() int {
			i := 0
			for i < len(s) && s[i]-'0' <= 9 {
				i++
			}
			v, err := strconv.Atoi(s[:i])
			s = s[i:]
			if err != nil {
				return -1
			}
			return v
		}
		explicit := -1
		if i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }); i > 0 && s[i] == '$' && s[0] != '0' {
			explicit = number() - 1
			s = s[1:]
		}
		for s != "" && strings.IndexByte("-+ 0,(#", s[0]) >= 0 {
			d.flags += s[:1]
			s = s[1:]
		}
		d.width = number()
		if strings.HasPrefix(s, ".") {
			s = s[1:]
			if d.prec = number(); d.prec < 0 {
				return nil, "", badFormat("a precision is missing")
			}
		}
		if s == "" || d.width > 1<<20 || d.prec > 1<<20 {
			return nil, "", badFormat("a conversion is missing")
		}
		d.verb, s = s[0], s[1:]
		switch {
		case d.verb == '%' || d.verb == 'n':
			d.arg = -1
		case explicit >= 0:
			d.arg = explicit
		default:
			d.arg = next
			next++
		}
		ds = append(ds, d)
	}
}

func bindFormatString(conf *Conf, name string, args []Arg) (*Impl, error) {
	types := make([]*vector.Type, len(args))
	t, ok := ImplicitCast(conf, args[0].Type, String)
	if !ok {
		return nil, UnexpectedInput(callSQL(name, sqlOf(args)), 0, String, args[0])
	}
	types[0] = t
	for i, a := range args[1:] {
		types[i+1] = a.Type
	}
	return &Impl{Args: types, Result: vector.String, Nullable: args[0].Nullable, Eval: func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		f := textsOf(args[0])
		style := render.Style{Zone: ctx.Zone, Null: "null"}
		print := make([]render.Append, len(args)-1)
		for k, a := range args[1:] {
			print[k] = style.Value(internalOf(types[k+1]), a.Arr)
		}
		var source string
		var ds []directive
		var tail string
		known := false
		return stringRowsOr(vector.String, n, args[:1], func(dst []byte, i int) ([]byte, bool, error) {
			if v := f.at(i); !known || source != string(v) {
				var err error
				source, known = string(v), true
				if ds, tail, err = parseFormat(source); err != nil {
					return nil, false, err
				}
			}
			for k := range ds {
				d := &ds[k]
				dst = append(dst, d.lit...)
				switch {
				case d.verb == '%':
					dst = append(dst, pad([]byte{'%'}, d)...)
					continue
				case d.verb == 'n':
					dst = append(dst, '\n')
					continue
				case d.arg >= len(args)-1:
					return nil, false, badFormat("an argument for %" + string(d.verb) + " is missing")
				}
				v := args[d.arg+1]
				text, err := formatValue(d, types[d.arg+1], v.Arr, i&v.Mask(), print[d.arg])
				if err != nil {
					return nil, false, err
				}
				dst = append(dst, text...)
			}
			return append(dst, tail...), true, nil
		})
	}}, nil
}

// internalOf is the type by which a format prints a value: times and intervals are the
// numbers that Spark keeps.
func internalOf(t *vector.Type) *vector.Type {
	switch t.Kind {
	case vector.KindDate, vector.KindYearMonthInterval:
		return vector.Int
	case vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval:
		return vector.Long
	}
	return t
}

// utf16Len is the length of a text as Java counts it.
func utf16Len(s []byte) int {
	n := charCount(s)
	for _, b := range s {
		if b >= 0xf0 {
			n++
		}
	}
	return n
}

// pad fills a text up to the directive's width.
func pad(s []byte, d *directive) []byte {
	missing := d.width - utf16Len(s)
	if missing <= 0 {
		return s
	}
	fill := []byte(strings.Repeat(" ", missing))
	if strings.Contains(d.flags, "-") {
		return append(s, fill...)
	}
	return append(fill, s...)
}

// formatValue prints value i of a by a directive; print is its text without one.
func formatValue(d *directive, t *vector.Type, a arrow.Array, i int, print render.Append) ([]byte, error) {
	mismatch := func() error { return badFormat("%" + string(d.verb) + " does not take a " + t.SQL()) }
	null := a.IsNull(i) || t.Kind == vector.KindNull
	upper := d.verb >= 'A' && d.verb <= 'Z'
	var s []byte
	switch verb := d.verb | 0x20; {
	case verb == 's' || verb == 'b' && (null || t.Kind != vector.KindBool) || null && strings.IndexByte("dxocefgah", verb) >= 0:
		switch {
		case verb == 'b':
			s = strconv.AppendBool(nil, !null)
		case null:
			s = []byte("null")
		default:
			s = print(nil, i)
		}
		if d.prec >= 0 {
			s = s[:charOffset(s, d.prec)]
		}
		s = pad(s, d)
	case verb == 'b':
		s = pad(print(nil, i), d)
	case verb == 'd' && t.Integral():
		s = withSign(print(nil, i), d)
	case (verb == 'x' || verb == 'o') && t.Integral():
		base := map[byte]int{'x': 16, 'o': 8}[verb]
		v := uint64(integerAt(t, a, i)) & (1<<(uint(t.Width())*8-1)<<1 - 1)
		s = strconv.AppendUint(nil, v, base)
		if strings.Contains(d.flags, "#") {
			s = append([]byte(map[byte]string{'x': "0x", 'o': "0"}[verb]), s...)
		}
		if strings.Contains(d.flags, "0") {
			s = append([]byte(strings.Repeat("0", max(d.width-len(s), 0))), s...)
		}
		s = pad(s, d)
	case verb == 'c' && t.Integral() && t.Kind != vector.KindLong:
		s = pad([]byte(string(rune(integerAt(t, a, i)))), d)
	case (verb == 'f' || verb == 'e' || verb == 'g') && (t.Kind == vector.KindFloat || t.Kind == vector.KindDouble):
		text, err := formatFraction(d, verb, print(nil, i))
		if err != nil {
			return nil, err
		}
		s = text
	default:
		return nil, mismatch()
	}
	if upper {
		s = appendUpper(nil, s)
	}
	return s, nil
}

func integerAt(t *vector.Type, a arrow.Array, i int) int64 {
	switch t.Kind {
	case vector.KindByte:
		return int64(vector.Values[int8](a)[i])
	case vector.KindShort:
		return int64(vector.Values[int16](a)[i])
	case vector.KindInt:
		return int64(vector.Values[int32](a)[i])
	}
	return vector.Values[int64](a)[i]
}

// withSign applies sign, comma and zero flags to the digits of a number.
func withSign(digits []byte, d *directive) []byte {
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	} else if strings.Contains(d.flags, "+") {
		sign = "+"
	} else if strings.Contains(d.flags, " ") {
		sign = " "
	}
	closing := ""
	if sign == "-" && strings.Contains(d.flags, "(") {
		sign, closing = "(", ")"
	}
	if strings.Contains(d.flags, ",") {
		digits = groupThousands(digits)
	}
	if strings.Contains(d.flags, "0") {
		if missing := d.width - len(sign) - len(digits) - len(closing); missing > 0 {
			digits = append([]byte(strings.Repeat("0", missing)), digits...)
		}
	}
	return pad(append(append([]byte(sign), digits...), closing...), d)
}

// groupThousands puts commas into the digits before the point.
func groupThousands(s []byte) []byte {
	point := strings.IndexByte(string(s), '.')
	if point < 0 {
		point = len(s)
	}
	out := make([]byte, 0, len(s)+point/3)
	for i, c := range s {
		if i > 0 && i < point && (point-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, c)
	}
	return out
}

// formatFraction rounds the shortest decimal form of a number half up, as Java does.
func formatFraction(d *directive, verb byte, text []byte) ([]byte, error) {
	if s := string(text); s == "NaN" || strings.HasSuffix(s, "Infinity") {
		if s[0] != '-' && strings.Contains(d.flags, "+") && s != "NaN" {
			s = "+" + s
		}
		return pad([]byte(s), d), nil
	}
	v, ok := new(big.Rat).SetString(string(text))
	if !ok {
		return nil, badFormat("no number: " + string(text))
	}
	prec := d.prec
	if prec < 0 {
		prec = 6
	}
	neg := text[0] == '-'
	v.Abs(v)
	exp := 0
	if verb != 'f' && v.Sign() != 0 {
		f, _ := v.Float64()
		exp = int(math.Floor(math.Log10(f)))
		for overPow10(v, exp).Cmp(big.NewRat(10, 1)) >= 0 {
			exp++
		}
		for overPow10(v, exp).Cmp(big.NewRat(1, 1)) < 0 {
			exp--
		}
	}
	if verb == 'g' {
		prec = max(prec, 1)
		if v.Sign() == 0 || exp >= -4 && exp < prec {
			verb, prec = 'f', prec-1-exp
		} else {
			prec--
		}
	}
	var s []byte
	if verb == 'f' {
		s = []byte(v.FloatString(prec))
	} else {
		s = []byte(overPow10(v, exp).FloatString(prec))
		if strings.HasPrefix(string(s), "10") {
			exp++
			s = []byte(overPow10(v, exp).FloatString(prec))
		}
		s = append(s, 'e')
		if exp < 0 {
			s = append(s, '-')
		} else {
			s = append(s, '+')
		}
		e := max(exp, -exp)
		if e < 10 {
			s = append(s, '0')
		}
		s = strconv.AppendInt(s, int64(e), 10)
	}
	if neg {
		s = append([]byte{'-'}, s...)
	}
	return withSign(s, d), nil
}

// overPow10 is v / 10^exp.
func overPow10(v *big.Rat, exp int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil))
	if exp < 0 {
		return new(big.Rat).Mul(v, p)
	}
	return new(big.Rat).Quo(v, p)
}

func pickFormatNumber(_ *Conf, args []Arg) Eval {
	t := args[0].Type
	byPattern := isString(args[1].Type)
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		print, mask := (render.Style{}).Value(t, args[0].Arr), args[0].Mask()
		decimals := func(int) (low, high int, group bool) { return 0, 0, true }
		if byPattern {
			f := textsOf(args[1])
			decimals = func(i int) (low, high int, group bool) {
				whole, frac, _ := strings.Cut(string(f.at(i)), ".")
				return strings.Count(frac, "0"), len(frac), whole == "" && frac == "" || strings.Contains(whole, ",")
			}
		} else {
			k := fixedOf[int32](args[1])
			decimals = func(i int) (low, high int, group bool) { return int(k.at(i)), int(k.at(i)), true }
		}
		return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
			low, high, group := decimals(i)
			if high < 0 {
				return dst, false, nil
			}
			s := string(print(nil, i&mask))
			switch s {
			case "NaN":
				return append(dst, s...), true, nil
			case "Infinity", "-Infinity":
				return append(dst, strings.Replace(s, "Infinity", "∞", 1)...), true, nil
			}
			v, _ := new(big.Rat).SetString(s)
			return appendNumberFormat(dst, v, low, high, group), true, nil
		})
	}
}

// appendNumberFormat rounds half to even and prints between low and high decimals.
func appendNumberFormat(dst []byte, v *big.Rat, low, high int, group bool) []byte {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(high)), nil)
	num := new(big.Int).Mul(v.Num(), p)
	q, r := new(big.Int).QuoRem(num, v.Denom(), new(big.Int))
	switch twice := r.Abs(r).Lsh(r, 1).CmpAbs(v.Denom()); {
	case twice > 0, twice == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(int64(v.Sign())))
	}
	digits := string(new(big.Int).Abs(q).Append(nil, 10))
	if len(digits) <= high {
		digits = strings.Repeat("0", high-len(digits)+1) + digits
	}
	whole, frac := digits[:len(digits)-high], digits[len(digits)-high:]
	for len(frac) > low && frac[len(frac)-1] == '0' {
		frac = frac[:len(frac)-1]
	}
	if v.Sign() < 0 {
		dst = append(dst, '-')
	}
	if group {
		dst = append(dst, groupThousands([]byte(whole))...)
	} else {
		dst = append(dst, whole...)
	}
	if frac != "" {
		dst = append(append(dst, '.'), frac...)
	}
	return dst
}
