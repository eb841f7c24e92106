package kernels

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	str1 := Sig{Params: []Accept{String}, Result: vector.String}
	Register(
		Define(Scalar{
			Name: "upper", Aliases: []string{"ucase"}, Signature: "upper(str)", Summary: "The text in upper case.",
			Examples: []Example{{"upper('straße')", "STRASSE"}},
		}, str1, stringsOf1(vector.String, appendUpper)),
		Define(Scalar{
			Name: "lower", Aliases: []string{"lcase"}, Signature: "lower(str)", Summary: "The text in lower case.",
			Examples: []Example{{"lower('SparkSQL')", "sparksql"}},
		}, str1, stringsOf1(vector.String, appendLower)),
		Define(Scalar{
			Name: "initcap", Signature: "initcap(str)", Summary: "The text with the first letter of each word in title case and all others in lower case.",
			Examples: []Example{{"initcap('sPark sql')", "Spark Sql"}},
		}, str1, stringsOf1(vector.String, appendInitcap)),
		DefineOn(Scalar{
			Name: "length", Aliases: []string{"len", "char_length", "character_length"}, Signature: "length(expr)",
			Summary:  "The number of characters of a text or of bytes of a binary value.",
			Examples: []Example{{"length('Spark SQL ')", "10"}, {"length(x'537061')", "3"}},
		}, Sig{Params: []Accept{StringOrBinary}, Result: vector.Int}, func(_ *Conf, args []Arg) Eval {
			if isString(args[0].Type) {
				return evalLength
			}
			return intsOf1(func(s []byte) int32 { return int32(len(s)) })
		}),
		Define(Scalar{
			Name: "octet_length", Signature: "octet_length(expr)", Summary: "The number of bytes.",
			Examples: []Example{{"octet_length('é')", "2"}},
		}, Sig{Params: []Accept{StringOrBinary}, Result: vector.Int}, intsOf1(func(s []byte) int32 { return int32(len(s)) })),
		Define(Scalar{
			Name: "bit_length", Signature: "bit_length(expr)", Summary: "The number of bits.",
			Examples: []Example{{"bit_length('Spark')", "40"}},
		}, Sig{Params: []Accept{StringOrBinary}, Result: vector.Int}, intsOf1(func(s []byte) int32 { return int32(8 * len(s)) })),
		DefineOn(Scalar{
			Name: "reverse", Signature: "reverse(expr)", Summary: "The characters of a text, the bytes of a BINARY or the elements of an array, in reverse order.",
			Examples: []Example{{"reverse('Spark')", "krapS"}, {"reverse(array(2, 1, 4))", "[4, 1, 2]"}},
		}, Sig{Params: []Accept{OneOf(String, Binary, AnyArray)}, ResultOf: typeOfFirst}, func(_ *Conf, args []Arg) Eval {
			switch args[0].Type.Kind {
			case vector.KindString:
				return stringsOf1(vector.String, appendReverse)
			case vector.KindBinary:
				return stringsOf1(vector.Binary, func(dst, s []byte) []byte {
					dst = append(dst, s...)
					slices.Reverse(dst[len(dst)-len(s):])
					return dst
				})
			}
			return reverseArrays(args[0].Type)
		}),
		Define(Scalar{
			Name: "repeat", Signature: "repeat(str, n)", Summary: "The text n times.",
			Examples: []Example{{"repeat('ab', 3)", "ababab"}},
		}, Sig{Params: []Accept{String, Int}, Result: vector.String}, evalRepeat),
		Define(Scalar{
			Name: "space", Signature: "space(n)", Summary: "A text of n spaces.",
			Examples: []Example{{"concat(space(2), '1')", "  1"}},
		}, Sig{Params: []Accept{Int}, Result: vector.String}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			c := fixedOf[int32](args[0])
			return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
				return appendRepeat(dst, []byte{' '}, int(c.at(i)))
			}), nil
		}),
		DefineOn(Scalar{
			Name: "substring", Signature: "substring(str, pos[, len])",
			Summary:  "The len characters (or bytes, of a binary value) from position pos on; pos counts from 1, from the end if negative.",
			Examples: []Example{{"substring('Spark SQL', 5)", "k SQL"}, {"substring('Spark SQL', -3)", "SQL"}, {"substring('Spark SQL', 5, 1)", "k"}},
			SQL:      withDefaults("substring", 2, "2147483647"),
		}, Sig{Params: []Accept{StringOrBinary, Int, Int}, Optional: 1, ResultOf: typeOfFirst}, pickSubstring),
		DefineOn(Scalar{
			Name: "substr", Signature: "substr(str, pos[, len])", Summary: "The same as substring.",
			Examples: []Example{{"substr('Spark SQL', 5, 1)", "k"}},
			SQL:      withDefaults("substr", 2, "2147483647"),
		}, Sig{Params: []Accept{StringOrBinary, Int, Int}, Optional: 1, ResultOf: typeOfFirst}, pickSubstring),
		DefineOn(Scalar{
			Name: "left", Signature: "left(str, len)", Summary: "The first len characters; empty if len is not positive.",
			Examples: []Example{{"left('Spark SQL', 3)", "Spa"}},
		}, Sig{Params: []Accept{StringOrBinary, Int}, ResultOf: typeOfFirst}, func(_ *Conf, args []Arg) Eval {
			return cut(args[0].Type, func(s []byte, k, chars int) (int, int) { return 0, min(k, chars) })
		}),
		Define(Scalar{
			Name: "right", Signature: "right(str, len)", Summary: "The last len characters; empty if len is not positive.",
			Examples: []Example{{"right('Spark SQL', 3)", "SQL"}},
		}, Sig{Params: []Accept{String, Int}, Result: vector.String}, cut(vector.String, func(s []byte, k, chars int) (int, int) {
			return max(chars-k, 0), chars
		})),
		DefineOn(Scalar{
			Name: "lpad", Signature: "lpad(str, len[, pad])", Summary: "The text cut or padded on the left to len characters.",
			Examples: []Example{{"lpad('hi', 5, '??')", "???hi"}, {"lpad('hi', 1, '??')", "h"}},
			SQL:      withDefaults("lpad", 2, " "),
		}, padSig, pickPad(true)).padsBytes(),
		DefineOn(Scalar{
			Name: "rpad", Signature: "rpad(str, len[, pad])", Summary: "The text cut or padded on the right to len characters.",
			Examples: []Example{{"rpad('hi', 5, '??')", "hi???"}},
			SQL:      withDefaults("rpad", 2, " "),
		}, padSig, pickPad(false)).padsBytes(),
		DefineOn(Scalar{
			Name: "overlay", Signature: "overlay(input, replace, pos[, len])",
			Summary:  "The text with len characters from pos on replaced; without len as many as replace has.",
			Examples: []Example{{"overlay('Spark SQL', '_', 6)", "Spark_SQL"}, {"overlay('Spark SQL', 'ANSI ', 7, 0)", "Spark ANSI SQL"}},
			SQL:      withDefaults("overlay", 3, "-1"),
		}, Sig{Params: []Accept{StringOrBinary, StringOrBinary, Int, Int}, Optional: 1, Same: []int{0, 1}, ResultOf: typeOfFirst}, pickOverlay),
		Define(Scalar{
			Name: "ascii", Signature: "ascii(str)", Summary: "The code point of the first character, 0 for an empty text.",
			Examples: []Example{{"ascii('222')", "50"}},
		}, Sig{Params: []Accept{String}, Result: vector.Int}, intsOf1(func(s []byte) int32 {
			if len(s) == 0 {
				return 0
			}
			r, _ := utf8.DecodeRune(s)
			return r
		})),
		Define(Scalar{
			Name: "chr", Aliases: []string{"char"}, Signature: "chr(n)", Summary: "The character of code n modulo 256; empty if n is negative.",
			Examples: []Example{{"chr(65)", "A"}},
		}, Sig{Params: []Accept{Long}, Result: vector.String}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			c := fixedOf[int64](args[0])
			return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
				if v := c.at(i); v >= 0 {
					return utf8.AppendRune(dst, rune(v&0xff))
				}
				return dst
			}), nil
		}),
		DefineOn(Scalar{
			Name: "elt", Signature: "elt(n, input1, input2, …)", Summary: "Input n, counted from 1.",
			Examples: []Example{{"elt(1, 'scala', 'java')", "scala"}},
		}, Sig{Params: []Accept{Int, StringOrBinary}, Variadic: true, Nullable: true, TakesNulls: true, ResultOf: typeOfSecond}, pickElt),
	)
}

func typeOfFirst(_ *Conf, args []Arg) (*vector.Type, error)  { return args[0].Type, nil }
func typeOfSecond(_ *Conf, args []Arg) (*vector.Type, error) { return args[1].Type, nil }

// withDefaults prints a call with the default of the arguments that are missing
// from position at on.
func withDefaults(name string, at int, defaults ...string) func([]string) string {
	return func(args []string) string {
		if k := len(args) - at; k >= 0 && k < len(defaults) {
			args = append(append([]string(nil), args...), defaults[k:]...)
		}
		return callSQL(name, args)
	}
}

func callSQL(name string, args []string) string {
	b := []byte(name + "(")
	for i, a := range args {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, a...)
	}
	return string(append(b, ')'))
}

func appendReverse(dst, s []byte) []byte {
	end := len(dst) + len(s)
	dst = append(dst, s...)
	at := end
	for i := 0; i < len(s); {
		w := min(charWidth(s[i]), len(s)-i)
		at -= w
		copy(dst[at:], s[i:i+w])
		i += w
	}
	return dst
}

// appendRepeat appends s n times.
func appendRepeat(dst, s []byte, n int) []byte {
	for range n {
		dst = append(dst, s...)
	}
	return dst
}

// textTooLong is the error of a text that would not fit into a column.
func textTooLong(bytes int) error {
	return condition.New("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
		"numberOfElements", bytes, "maxRoundedArrayLength", math.MaxInt32-15, "functionName", "`repeat`", "parameter", "`n`")
}

func evalRepeat(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, c := textsOf(args[0]), fixedOf[int32](args[1])
	return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		t, k := s.at(i), int(c.at(i))
		if size := len(t) * max(k, 0); len(dst)+size > math.MaxInt32 {
			return nil, false, textTooLong(size)
		}
		if len(t) == 0 {
			return dst, true, nil
		}
		return appendRepeat(dst, t, k), true, nil
	})
}

func pickSubstring(_ *Conf, args []Arg) Eval {
	t := args[0].Type
	get := substring
	if !isString(t) {
		get = subBytes
	}
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s, pos := textsOf(args[0]), fixedOf[int32](args[1])
		if len(args) == 2 {
			return stringRowsIn(ctx.Temp, t, n, Validity(n, args...), func(dst []byte, i int) []byte {
				return appendText(dst, get(s.at(i), int(pos.at(i)), math.MaxInt32))
			}), nil
		}
		length := fixedOf[int32](args[2])
		return stringRowsIn(ctx.Temp, t, n, Validity(n, args...), func(dst []byte, i int) []byte {
			return appendText(dst, get(s.at(i), int(pos.at(i)), int(length.at(i))))
		}), nil
	}
}

// subBytes is substring counted in bytes.
func subBytes(s []byte, pos, length int) []byte {
	start := 0
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = len(s) + pos
	}
	end := min(start+length, len(s))
	start = max(start, 0)
	if end <= start {
		return nil
	}
	return s[start:end]
}

// cut is the kernel of left and right: span gives the characters to keep.
func cut(t *vector.Type, span func(s []byte, k, chars int) (from, to int)) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s, k := textsOf(args[0]), fixedOf[int32](args[1])
		return stringRows(t, n, Validity(n, args...), func(dst []byte, i int) []byte {
			v := s.at(i)
			if k.at(i) <= 0 {
				return dst
			}
			if !isString(t) {
				from, to := span(v, int(k.at(i)), len(v))
				return append(dst, v[from:to]...)
			}
			from, to := span(v, int(k.at(i)), charCount(v))
			lo := charOffset(v, from)
			return append(dst, v[lo:lo+charOffset(v[lo:], to-from)]...)
		}), nil
	}
}

var padSig = Sig{Params: []Accept{StringOrBinary, Int, StringOrBinary}, Optional: 1, ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) {
	return padType(args), nil
}}

// padType is BINARY only if nothing is a text.
func padType(args []Arg) *vector.Type {
	if len(args) == 3 && isString(args[2].Type) {
		return vector.String
	}
	return args[0].Type
}

// padsBytes prints the default padding of a BINARY, which is a zero byte.
func (f Scalar) padsBytes() Scalar {
	bind := f.Bind
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		impl, err := bind(conf, args)
		if err == nil && args[0].Type.Kind == vector.KindBinary {
			impl.SQL = withDefaults(f.Name, 2, "X'00'")
		}
		return impl, err
	}
	return f
}

func pickPad(left bool) func(*Conf, []Arg) Eval {
	return func(_ *Conf, args []Arg) Eval {
		t := padType(args)
		count, offset, blank := charCount, charOffset, []byte{' '}
		if !isString(t) {
			count, offset, blank = func(s []byte) int { return len(s) }, func(s []byte, n int) int { return min(n, len(s)) }, []byte{0}
		}
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, length := textsOf(args[0]), fixedOf[int32](args[1])
			pad := func(int) []byte { return blank }
			if len(args) == 3 {
				pad = textsOf(args[2]).at
			}
			return stringRowsOr(t, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				v, p, want := s.at(i), pad(i), max(int(length.at(i)), 0)
				have := count(v)
				if want <= have {
					return append(dst, v[:offset(v, want)]...), true, nil
				}
				if len(p) == 0 {
					return append(dst, v...), true, nil
				}
				unit := count(p)
				if size := len(v) + (want-have)/unit*len(p); len(dst)+size > math.MaxInt32 {
					return nil, false, textTooLong(size)
				}
				if !left {
					dst = append(dst, v...)
				}
				dst = appendRepeat(dst, p, (want-have)/unit)
				dst = append(dst, p[:offset(p, (want-have)%unit)]...)
				if left {
					dst = append(dst, v...)
				}
				return dst, true, nil
			})
		}
	}
}

func pickOverlay(_ *Conf, args []Arg) Eval {
	t := args[0].Type
	count, sub := charCount, substring
	if !isString(t) {
		count, sub = func(s []byte) int { return len(s) }, subBytes
	}
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s, r, pos := textsOf(args[0]), textsOf(args[1]), fixedOf[int32](args[2])
		length := func(int) int32 { return -1 }
		if len(args) == 4 {
			length = fixedOf[int32](args[3]).at
		}
		return stringRows(t, n, Validity(n, args...), func(dst []byte, i int) []byte {
			v, with, p, k := s.at(i), r.at(i), int(pos.at(i)), int(length(i))
			if k < 0 {
				k = count(with)
			}
			dst = append(dst, sub(v, 1, p-1)...)
			dst = append(dst, with...)
			return append(dst, sub(v, p+k, math.MaxInt32)...)
		}), nil
	}
}

func pickElt(conf *Conf, args []Arg) Eval {
	t, ansi := args[1].Type, conf.ANSI
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		idx := fixedOf[int32](args[0])
		in := make([]texts, len(args)-1)
		for i, a := range args[1:] {
			if a.Arr.DataType().ID() != t.Arrow().ID() {
				a = vector.ConstNull(t)
			}
			in[i] = textsOf(a)
		}
		return stringRowsOr(t, n, args[:1], func(dst []byte, i int) ([]byte, bool, error) {
			k := int(idx.at(i))
			if k < 1 || k > len(in) {
				if ansi {
					return nil, false, condition.New("INVALID_ARRAY_INDEX", "indexValue", k, "arraySize", len(in))
				}
				return dst, false, nil
			}
			if args[k].IsNull(i) {
				return dst, false, nil
			}
			return append(dst, in[k-1].at(i)...), true, nil
		})
	}
}
