package json

import (
	"strconv"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/variant"
)

// VariantReader reads JSON texts as variants, as parse_json does.
type VariantReader struct {
	p parser
	o Options
	b variant.Builder
}

// NewVariantReader makes a reader of strict JSON.
func NewVariantReader() *VariantReader {
	r := &VariantReader{o: Options{NoSingleQuotes: true, NoNonNumericNumbers: true}}
	r.p.o = &r.o
	return r
}

// Read reads the value that a text begins with; twice is a name that comes twice
// in an object. The value is good until the next call.
func (r *VariantReader) Read(record []byte) (v *variant.Builder, twice string, ok bool) {
	r.p.d, r.p.i = record, 0
	r.b.Reset()
	t, num := r.p.next()
	twice, ok = r.p.variant(&r.b, t, num, 0)
	if (t == tokInt || t == tokFloat) && r.p.i < len(record) && record[r.p.i] > ' ' {
		return nil, "", false // as in 2024-01-01, which is no number
	}
	return &r.b, twice, ok
}

// variant adds the value whose class next has told.
func (p *parser) variant(b *variant.Builder, t token, num []byte, depth int) (twice string, ok bool) {
	start := b.Len()
	next := func() bool {
		t, num := p.next()
		twice, ok = p.variant(b, t, num, depth+1)
		return ok
	}
	switch t {
	case tokNull:
		b.Null()
	case tokTrue, tokFalse:
		b.Bool(t == tokTrue)
	case tokString:
		s, ok := p.str()
		if !ok {
			return "", false
		}
		b.String(s)
	case tokInt, tokFloat, tokSpecial:
		variantNumber(b, t, num)
	case tokArray:
		var offsets []int
		if !p.elements(depth, func() bool {
			offsets = append(offsets, b.Len()-start)
			return next()
		}) {
			return twice, false
		}
		b.EndArray(start, offsets)
	case tokObject:
		var fields []variant.Field
		if !p.members(depth, func(name []byte) bool {
			fields = append(fields, b.Field(name, start))
			return next()
		}) {
			return twice, false
		}
		return b.EndObject(start, fields)
	default:
		return "", false
	}
	return "", true
}

// variantNumber adds an integer, a decimal if it has no exponent and at most 38
// digits, or else a double.
func variantNumber(b *variant.Builder, t token, num []byte) {
	if t == tokInt {
		if v, ok := parseInt(num); ok {
			b.Int(v)
			return
		}
	}
	exponent := false
	for _, c := range num {
		exponent = exponent || c|0x20 == 'e'
	}
	if d, _, scale, ok := decimal.ParseExact(num); ok && !exponent && t != tokSpecial {
		b.Decimal(d, scale)
		return
	}
	v, ok := special(num)
	if !ok {
		v, _ = strconv.ParseFloat(view(num), 64)
	}
	b.Double(v)
}
