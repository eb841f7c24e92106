package csv

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// Inference finds the schema of CSV files as Spark's CSVInferSchema does: names
// from the first header, or _c0, _c1, …; all columns are strings unless
// Options.InferSchema asks for types.
type Inference struct {
	o     Options
	tok   *tokenizer
	names []string
	types []*vector.Type // nil: only nulls so far
	seen  bool
}

// NewInference begins an inference.
func NewInference(o Options) *Inference { return &Inference{o: o, tok: newTokenizer(&o)} }

// Add takes in one file from its beginning.
func (f *Inference) Add(in io.Reader) error {
	b, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	b = validText(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	f.tok.reset(b)
	first := true
	for i := 0; i < len(b); {
		end, next := len(b), len(b)
		if !f.o.MultiLine {
			for end = i; end < len(b); end++ {
				if n := f.tok.lineEnd(end); n > 0 {
					next = end + n
					break
				}
			}
		} else if n := f.tok.lineEnd(i); n > 0 {
			i += n
			continue
		}
		if b[i] <= ' ' && blank(b[i:end]) || f.o.Comment != 0 && b[i] == f.o.Comment {
			i = f.skipLine(i)
			continue
		}
		f.tok.spans = f.tok.spans[:0]
		_, after := f.tok.record(i, end, 0)
		if f.o.MultiLine {
			next = after
		}
		i = next
		f.take(first)
		first = false
	}
	return nil
}

func (f *Inference) skipLine(i int) int {
	for ; i < len(f.tok.buf); i++ {
		if n := f.tok.lineEnd(i); n > 0 {
			return i + n
		}
	}
	return i
}

// take is given the tokens of one record.
func (f *Inference) take(first bool) {
	if !f.seen {
		f.seen = true
		f.name()
		if f.o.Header {
			return
		}
	}
	if first && f.o.Header || !f.o.InferSchema {
		return
	}
	for i := range min(len(f.types), len(f.tok.spans)) {
		s := f.tok.spans[i]
		if s.n < 0 {
			continue
		}
		if b := f.tok.text(s); len(b) > 0 && string(b) != f.o.NullValue {
			f.types[i] = f.merge(f.types[i], b)
		}
	}
}

// name makes the columns' names of the first record, as Spark's CSVUtils.makeSafeHeader.
func (f *Inference) name() {
	count := map[string]int{}
	for i := range f.tok.spans {
		n := f.token(i)
		if f.o.Header && n != "" && n != f.o.NullValue {
			count[strings.ToLower(n)]++
		}
	}
	for i := range f.tok.spans {
		n := f.token(i)
		switch {
		case !f.o.Header || n == "" || n == f.o.NullValue:
			n = fmt.Sprintf("_c%d", i)
		case count[strings.ToLower(n)] > 1:
			n = fmt.Sprintf("%s%d", n, i)
		}
		f.names = append(f.names, n)
	}
	f.types = make([]*vector.Type, len(f.names))
}

func (f *Inference) token(i int) string {
	if s := f.tok.spans[i]; s.n >= 0 {
		return string(f.tok.text(s))
	}
	return ""
}

// ladder is the order in which types are tried for a value.
var ladder = []vector.Kind{vector.KindInt, vector.KindLong, vector.KindDecimal, vector.KindDouble, vector.KindDate, vector.KindTimestampNTZ, vector.KindTimestamp, vector.KindBool, vector.KindString}

func rank(k vector.Kind) int {
	for i, l := range ladder {
		if l == k {
			return i
		}
	}
	return len(ladder)
}

// merge is the type of a column that had type t when the value b comes.
func (f *Inference) merge(t *vector.Type, b []byte) *vector.Type {
	from := 0
	if t != nil {
		from = rank(t.Kind)
	}
	v := f.typeOf(b, from)
	if t == nil {
		return v
	}
	return common(t, v)
}

// typeOf is the first type from the given rank on that holds the value.
func (f *Inference) typeOf(b []byte, from int) *vector.Type {
	for _, k := range ladder[from:] {
		switch k {
		case vector.KindInt:
			if _, ok := integer[int32](b); ok {
				return vector.Int
			}
		case vector.KindLong:
			if _, ok := integer[int64](b); ok {
				return vector.Long
			}
		case vector.KindDecimal:
			// Only whole numbers that a bigint cannot hold.
			if _, digits, scale, ok := decimal.ParseExact(b); ok && scale == 0 {
				return vector.Decimal(digits, 0)
			}
		case vector.KindDouble:
			r := Reader{o: f.o}
			if _, ok := r.float(b, 64); ok {
				return vector.Double
			}
		case vector.KindDate:
			if f.o.PreferDate && f.isDate(b) {
				return vector.Date
			}
		case vector.KindTimestampNTZ:
			if f.o.TimestampNTZ != nil {
				if _, ok := f.o.TimestampNTZ.ParseNTZ(b, false); ok {
					return vector.TimestampNTZ
				}
			}
		case vector.KindTimestamp:
			r := Reader{o: f.o}
			if _, ok := r.timestamp(k)(b); ok {
				return vector.Timestamp
			}
		case vector.KindBool:
			if equalFold(b, "true") || equalFold(b, "false") {
				return vector.Bool
			}
		}
	}
	return vector.String
}

// isDate tells whether b is a date by the format, or without one by Spark's
// default pattern yyyy-MM-dd, which takes no time of day behind it.
func (f *Inference) isDate(b []byte) bool {
	if f.o.Date != nil {
		_, ok := f.o.Date.ParseDate(b)
		return ok
	}
	if len(b) != len("2006-01-02") {
		return false
	}
	_, ok := text.ParseDate(b)
	return ok
}

// common is the narrowest type for values of both types.
func common(a, b *vector.Type) *vector.Type {
	switch {
	case a.Equal(b):
		return a
	case a.Numeric() && b.Numeric():
		if rank(a.Kind) > rank(b.Kind) {
			a, b = b, a
		}
		if b.Kind != vector.KindDecimal {
			return b
		}
		n := map[vector.Kind]int{vector.KindInt: 10, vector.KindLong: 20, vector.KindDecimal: a.Precision}[a.Kind]
		return vector.Decimal(max(n, b.Precision), 0)
	case a.Datetime() && b.Datetime():
		if a.Kind == vector.KindTimestamp || b.Kind == vector.KindTimestamp {
			return vector.Timestamp
		}
		return vector.TimestampNTZ
	}
	return vector.String
}

// Schema is the result; no columns if there was no record.
func (f *Inference) Schema() *vector.Schema {
	s := &vector.Schema{}
	for i, n := range f.names {
		t := f.types[i]
		if t == nil {
			t = vector.String
		}
		s.Fields = append(s.Fields, vector.Field{Name: n, Type: t, Nullable: true})
	}
	return s
}
