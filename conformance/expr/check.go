package expr

import (
	"context"
	"fmt"
	"sync"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Checker runs cases over the same inputs. It is safe for concurrent use.
type Checker struct {
	inputs Inputs
	strict bool

	mu       sync.Mutex
	sessions map[string]*vstream.Session // by zone and configuration
}

// NewChecker makes a checker. strict compares column names, message parameters and
// positions of errors too.
func NewChecker(in Inputs, strict bool) *Checker {
	return &Checker{inputs: in, strict: strict, sessions: map[string]*vstream.Session{}}
}

// Check runs a case; the result is "" or what differs.
func (k *Checker) Check(ctx context.Context, c *Case) (diff string) {
	defer func() {
		if r := recover(); r != nil {
			diff = fmt.Sprintf("panic: %v", r)
		}
	}()
	s, err := k.session(c)
	if err != nil {
		return err.Error()
	}
	got := run(ctx, s, c)
	ordered := c.Kind != "query" || c.Ordered
	diff = c.diff(got, ordered, k.strict)
	if diff != "" && c.Also != nil {
		also := *c.Also
		also.Tol = c.Tol
		if also.Type == "" {
			also.Type = c.Type
		}
		if also.diff(got, ordered, k.strict) == "" {
			return ""
		}
	}
	return diff
}

// session is a session of the case's zone and configuration with the inputs as views.
func (k *Checker) session(c *Case) (*vstream.Session, error) {
	key := fmt.Sprint(c.TZ, c.Conf)
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.sessions[key]; s != nil {
		return s, nil
	}
	zone := c.TZ
	if zone == "" {
		zone = "UTC"
	}
	s, err := vstream.New(vstream.WithConf("spark.sql.session.timeZone", zone), vstream.WithConf("spark.sql.shuffle.partitions", "1"))
	if err != nil {
		return nil, err
	}
	for name, value := range c.Conf {
		if err := s.SetConf(name, value); err != nil {
			return nil, err
		}
	}
	for name, b := range k.inputs {
		t, err := s.Rows(b.Schema, b)
		if err != nil {
			return nil, err
		}
		if err := t.View(name); err != nil {
			return nil, err
		}
	}
	k.sessions[key] = s
	return s, nil
}

func run(ctx context.Context, s *vstream.Session, c *Case) *result {
	t, err := s.SQL(c.Text())
	if err != nil {
		return &result{err: err}
	}
	schema := t.Schema()
	out := &result{typ: schema.Type(), row: schema.Type()}
	switch {
	case c.Kind == "expr" && schema.Len() == 1:
		out.typ, out.name = schema.Fields[0].Type, schema.Fields[0].Name
		out.row = out.typ
	case c.Kind == "agg" && schema.Len() == 2:
		out.typ, out.name = schema.Fields[1].Type, schema.Fields[1].Name
	}
	if !c.TypeOnly {
		batches, err := t.Collect(ctx)
		if err != nil {
			return &result{err: err}
		}
		out.rows = rowsOf(schema, batches, c.Kind == "expr" && schema.Len() == 1)
	}
	return out
}

// rowsOf are the rows as lists of values, or the values of the only column.
func rowsOf(schema *vector.Schema, batches []*vector.Batch, single bool) []any {
	out := []any{}
	for _, b := range batches {
		cols := b.Columns()
		for i := range b.Len() {
			row := make([]any, len(cols))
			for j, col := range cols {
				row[j] = kernels.ValueAt(schema.Fields[j].Type, col, i)
			}
			if single {
				out = append(out, row[0])
			} else {
				out = append(out, row)
			}
		}
	}
	return out
}
