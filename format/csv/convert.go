package csv

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// token gives field c of record i; ok is false where it is null.
func (r *Reader) token(i, c int) (b []byte, ok bool) {
	if c >= int(r.counts[i]) {
		return nil, false
	}
	s := r.tok.spans[int(r.first[i])+c]
	if s.n < 0 {
		return nil, false
	}
	b = r.tok.text(s)
	return b, string(b) != r.o.NullValue
}

// convert is needed column k, field c of the records.
func (r *Reader) convert(k, c int) arrow.Array {
	t := r.types[k]
	switch t.Kind {
	case vector.KindString, vector.KindBinary:
		return r.strings(t, c)
	case vector.KindBool:
		return r.bools(k, c)
	case vector.KindByte:
		return fixed(r, k, c, integer[int8])
	case vector.KindShort:
		return fixed(r, k, c, integer[int16])
	case vector.KindInt:
		return fixed(r, k, c, integer[int32])
	case vector.KindLong:
		return fixed(r, k, c, integer[int64])
	case vector.KindFloat:
		return fixed(r, k, c, func(b []byte) (float32, bool) {
			v, ok := r.float(b, 32)
			return float32(v), ok
		})
	case vector.KindDouble:
		return fixed(r, k, c, func(b []byte) (float64, bool) { return r.float(b, 64) })
	case vector.KindDecimal:
		return fixed(r, k, c, func(b []byte) (decimal.Num, bool) { return parseDecimal(b, t) })
	case vector.KindDate:
		return fixed(r, k, c, r.date)
	case vector.KindTimestamp, vector.KindTimestampNTZ:
		return fixed(r, k, c, r.timestamp(t.Kind))
	case vector.KindYearMonthInterval:
		return fixed(r, k, c, func(b []byte) (int32, bool) { return text.ParseYearMonth(b, t) })
	case vector.KindDayTimeInterval:
		return fixed(r, k, c, func(b []byte) (int64, bool) { return text.ParseDayTime(b, t) })
	case vector.KindCalendarInterval:
		return fixed(r, k, c, func(b []byte) (arrow.MonthDayNanoInterval, bool) {
			m, d, us, ok := text.ParseInterval(b)
			return arrow.MonthDayNanoInterval{Months: m, Days: d, Nanoseconds: us * 1000}, ok && us <= math.MaxInt64/1000 && us >= math.MinInt64/1000
		})
	}
	// A type that is not read from text: every value is malformed.
	return fixed(r, k, c, func([]byte) (int64, bool) { return 0, false })
}

// fixed converts a column of a fixed-width type.
func fixed[T any](r *Reader, k, c int, parse func([]byte) (T, bool)) arrow.Array {
	n := len(r.recs)
	out := make([]T, n)
	var valid vector.Bitmap
	for i := range out {
		b, ok := r.token(i, c)
		if ok {
			if out[i], ok = parse(b); ok {
				continue
			}
			r.reject(i, k)
			var zero T
			out[i] = zero
		}
		if valid == nil {
			valid = vector.NewValid(n)
		}
		valid.Clear(i)
	}
	return vector.NewFixed(r.types[k], out, valid)
}

func (r *Reader) reject(i, k int) {
	r.anyBad = true
	if r.bad[i] == 0 {
		r.bad[i] = badness(2 + k)
	}
}

func (r *Reader) bools(k, c int) arrow.Array {
	n := len(r.recs)
	bits, valid := vector.NewBitmap(n), vector.NewValid(n)
	for i := range n {
		b, ok := r.token(i, c)
		switch {
		case ok && equalFold(b, "true"):
			bits.Set(i)
		case ok && equalFold(b, "false"):
		default:
			if ok {
				r.reject(i, k)
			}
			valid.Clear(i)
		}
	}
	return vector.NewBool(bits, n, valid)
}

func equalFold(b []byte, s string) bool { return len(b) == len(s) && bytes.EqualFold(b, []byte(s)) }

func (r *Reader) strings(t *vector.Type, c int) arrow.Array {
	n := len(r.recs)
	off := make([]int32, n+1)
	total := 0
	for i := range n {
		if b, ok := r.token(i, c); ok {
			total += len(b)
		}
	}
	data := make([]byte, 0, total)
	var valid vector.Bitmap
	for i := range n {
		b, ok := r.token(i, c)
		if ok {
			data = append(data, b...)
		} else {
			if valid == nil {
				valid = vector.NewValid(n)
			}
			valid.Clear(i)
		}
		off[i+1] = int32(len(data))
	}
	return vector.NewString(t, off, data, valid)
}

// integer reads what Java's parse methods do: a sign and digits, within T's range.
func integer[T int8 | int16 | int32 | int64](b []byte) (T, bool) {
	i, neg := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg, i = b[0] == '-', 1
	}
	if i == len(b) {
		return 0, false
	}
	if len(b)-i > 18 {
		v, err := strconv.ParseInt(unsafe.String(&b[0], len(b)), 10, 64)
		return T(v), err == nil && int64(T(v)) == v
	}
	var v int64
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if neg {
		v = -v
	}
	return T(v), int64(T(v)) == v
}

func (r *Reader) float(b []byte, bits int) (float64, bool) {
	switch string(b) {
	case r.o.NaNValue:
		return math.NaN(), true
	case r.o.NegativeInf:
		return math.Inf(-1), true
	case r.o.PositiveInf:
		return math.Inf(1), true
	}
	if bits == 32 {
		v, ok := text.ParseFloat(b)
		return float64(v), ok
	}
	return text.ParseDouble(b)
}

// parseDecimal reads a number with optional thousands separators.
func parseDecimal(b []byte, t *vector.Type) (decimal.Num, bool) {
	if len(b) == 0 || b[0] <= ' ' || b[len(b)-1] <= ' ' {
		return decimal.Num{}, false
	}
	if bytes.IndexByte(b, ',') >= 0 {
		b = bytes.ReplaceAll(b, []byte(","), nil)
	}
	d, st := decimal.Parse(b, t.Precision, t.Scale)
	return d, st == decimal.OK
}

func (r *Reader) date(b []byte) (int32, bool) {
	if f := r.o.Date; f != nil {
		if v, ok := f.ParseDate(b); ok || !r.o.CastFallback {
			return v, ok
		}
	}
	return text.ParseDate(b)
}

func (r *Reader) timestamp(kind vector.Kind) func([]byte) (int64, bool) {
	if kind == vector.KindTimestampNTZ {
		return func(b []byte) (int64, bool) {
			if f := r.o.TimestampNTZ; f != nil {
				return f.ParseNTZ(b, false)
			}
			return text.ParseTimestampNTZ(b, false)
		}
	}
	return func(b []byte) (int64, bool) {
		if f := r.o.Timestamp; f != nil {
			if v, ok := f.ParseTimestamp(b, r.o.Zone); ok || !r.o.CastFallback {
				return v, ok
			}
		}
		return text.ParseTimestamp(b, r.o.Zone)
	}
}
