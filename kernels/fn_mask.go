package kernels

import (
	"unicode"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// maskNames are the parameters of mask behind the text, with their defaults.
var maskNames = [...]string{"upperChar", "lowerChar", "digitChar", "otherChar"}

func init() {
	sig := Sig{Params: []Accept{String, String, String, String, String}, Optional: 4, Result: vector.String, TakesNulls: true}
	f := Scalar{
		Name: "mask", Signature: "mask(str[, upperChar, lowerChar, digitChar, otherChar])",
		Summary:  "The text with its upper case letters, lower case letters, digits and other characters replaced; a null character keeps its class.",
		Examples: []Example{{"mask('abcd-EFGH-8765-4321')", "xxxx-XXXX-nnnn-nnnn"}, {"mask('AbCD123-@$#', 'Q', 'q', 'd', 'o')", "QqQQdddoooo"}},
		SQL:      withDefaults("mask", 1, "X", "x", "n", "NULL"),
	}
	f.MinArgs, f.MaxArgs = sig.Arity()
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		for i, a := range args { // before their values
			if !isString(a.Type) && !isNull(a.Type) {
				return nil, UnexpectedInput(f.print(args), i, String, a)
			}
		}
		sql := f.print(args)
		masks := masking{'X', 'x', 'n', -1}
		for i, a := range args[1:] {
			switch {
			case a.Const == nil:
				return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quoteSQL(sql),
					"inputName", "`"+maskNames[i]+"`", "inputType", quoteType(a.Type), "inputExpr", quoteSQL(a.SQL))
			case a.Const.IsNull(0) || isNull(a.Type):
				masks[i] = -1
			case isString(a.Type):
				c := textsOf(*a.Const).at(0)
				if utf8.RuneCount(c) != 1 {
					return nil, condition.New("DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE", "sqlExpr", quoteSQL(sql), "exprName", maskNames[i])
				}
				masks[i], _ = utf8.DecodeRune(c)
			}
		}
		impl, err := sig.bind(conf, f.print, args, func(*Conf, []Arg) Eval {
			return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				return stringsOf1(vector.String, masks.append)(ctx, args[:1], n)
			}
		})
		if err != nil {
			return nil, err
		}
		impl.Nullable = args[0].Nullable
		return impl, nil
	}
	Register(f)
}

// masking are the characters for upper case letters, lower case letters, digits
// and others; -1 keeps a class.
type masking [len(maskNames)]rune

func (m *masking) append(dst, s []byte) []byte {
	for len(s) > 0 {
		r, w := utf8.DecodeRune(s)
		class := 3
		switch {
		case unicode.IsUpper(r):
			class = 0
		case unicode.IsLower(r):
			class = 1
		case unicode.IsDigit(r):
			class = 2
		}
		if m[class] >= 0 {
			dst = utf8.AppendRune(dst, m[class])
		} else {
			dst = append(dst, s[:w]...)
		}
		s = s[w:]
	}
	return dst
}
