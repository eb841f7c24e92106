package csv

import (
	"fmt"
	"strings"

	"github.com/vstream/vstream/condition"
)

func (r *Reader) checkHeader(from, end int) error {
	if r.o.EnforceSchema {
		return nil
	}
	spans := len(r.tok.spans)
	r.tok.record(from, end, 0)
	err := r.checkTokens(r.tok.spans[spans:])
	r.tok.spans = r.tok.spans[:spans]
	return err
}

// checkTokens compares the header with the schema if enforceSchema is off: the
// needed columns by position when columns are pruned, else all.
func (r *Reader) checkTokens(spans []span) error {
	if r.o.EnforceSchema {
		return nil
	}
	names := make([]string, len(spans))
	for i, s := range spans {
		if s.n >= 0 {
			names[i] = string(r.tok.text(s))
		}
	}
	fields := r.schema.Fields
	if !r.pruned && len(names) != len(fields) {
		return headerError(fmt.Sprintf("the number of columns of the header (%d) is not that of the schema (%d)", len(names), len(fields)))
	}
	check := make([]int, 0, len(fields))
	if r.pruned {
		for _, c := range r.columns {
			if c >= 0 {
				check = append(check, c)
			}
		}
	} else {
		for c := range fields {
			check = append(check, c)
		}
	}
	for _, c := range check {
		if c >= len(names) || !strings.EqualFold(names[c], fields[c].Name) {
			return headerError(fmt.Sprintf("the header is %s; column %d of the schema is %s", strings.Join(names, ", "), c, fields[c].Name))
		}
	}
	return nil
}

func headerError(detail string) error {
	return condition.New("VSTREAM_CSV_HEADER", "detail", detail)
}
