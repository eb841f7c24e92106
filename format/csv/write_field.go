package csv

// appendField prints one value as the univocity writer does with Spark's
// settings: blanks around it are cut off; it is quoted if it holds a separator, a quote or a line break, begins with
// a quote, or, in the first column, begins with # (a comment for some readers).
func (o WriteOptions) appendField(b, v []byte, first bool) []byte {
	if !o.KeepLeading {
		for len(v) > 0 && v[0] <= ' ' {
			v = v[1:]
		}
	}
	if !o.KeepTrailing {
		for len(v) > 0 && v[len(v)-1] <= ' ' {
			v = v[:len(v)-1]
		}
	}
	if len(v) == 0 {
		return append(b, o.EmptyValue...)
	}
	if !o.QuoteAll && !o.needsQuotes(v, first) {
		return append(b, v...)
	}
	b = append(b, o.Quote)
	for _, c := range v {
		if c == o.Quote || c == o.Escape {
			b = append(b, o.Escape)
		}
		b = append(b, c)
	}
	return append(b, o.Quote)
}

func (o WriteOptions) needsQuotes(v []byte, first bool) bool {
	if v[0] == o.Quote || first && v[0] == '#' {
		return true
	}
	for _, c := range v {
		if c == o.Sep || c == '\n' || c == '\r' || c == o.Quote && !o.BareQuotes {
			return true
		}
	}
	return false
}

// appendNull prints a null.
func (o WriteOptions) appendNull(b []byte) []byte {
	if !o.QuoteAll {
		return append(b, o.NullValue...)
	}
	return append(append(append(b, o.Quote), o.NullValue...), o.Quote)
}
