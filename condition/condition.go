// Package condition holds vstream's error conditions: a named condition with an
// SQLSTATE, message parameters and, for SQL and YAML, a position.
package condition

import (
	"errors"
	"fmt"
	"strings"
)

// Pos is a span of a named text (a job file or a query). Offset and End count
// bytes from 0; Line and Column start at 1 and count characters. Text is the
// whole source text, for the excerpt with the caret.
type Pos struct {
	File         string
	Text         string
	Offset, End  int
	Line, Column int
}

// At makes the position of the span offset..end of text.
func At(text string, offset, end int) *Pos {
	offset = min(max(offset, 0), len(text))
	line, col := 1, 1
	for _, r := range text[:offset] {
		if r == '\n' {
			line, col = line+1, 1
		} else {
			col++
		}
	}
	return &Pos{Text: text, Offset: offset, End: max(end, offset), Line: line, Column: col}
}

// Retry tells the micro-batch loop what may follow a failure.
type Retry uint8

const (
	RetryNever   Retry = iota // user or data must change
	RetryBatch                // the same batch may be run again in this run
	RetryRestart              // a new run may succeed (fenced, lost lease)
)

// Error is the only error type that crosses a package boundary with meaning
// for a user. Name is a condition name of Spark's catalogue, with its subclass
// after a dot ("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"), or starts with "VSTREAM_".
type Error struct {
	Name     string
	SQLState string
	Params   map[string]string
	Message  string // the rendered message, without name and position
	Pos      *Pos
	Hint     string   // what to do next
	Where    []string // "query delays", "batch 12", "source flights", "file …", outermost first
	Retry    Retry
	Cause    error
}

// New makes an Error from the embedded catalogue. The parameters are pairs of
// name and value. A name that is not in the catalogue is a bug and panics.
func New(name string, params ...any) *Error {
	t, ok := lookup(name)
	if !ok {
		panic("condition: not in the catalogue: " + name)
	}
	e := &Error{Name: name, SQLState: t.sqlState, Params: map[string]string{}}
	for i := 0; i+1 < len(params); i += 2 {
		e.Params[fmt.Sprint(params[i])] = fmt.Sprint(params[i+1])
	}
	e.Message = t.render(e.Params)
	return e
}

// WithPos sets the position, if none is set yet.
func (e *Error) WithPos(p *Pos) *Error {
	if e.Pos == nil {
		e.Pos = p
	}
	return e
}

// WithHint sets what the user can do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithCause sets the underlying error.
func (e *Error) WithCause(err error) *Error {
	e.Cause = err
	return e
}

// In adds an outer place ("batch 12") to err, unless the outermost one is within it
// ("file a, line 3" within "file a"). An error of another type is wrapped in an
// INTERNAL_ERROR.
func In(err error, where string) error {
	if err == nil {
		return nil
	}
	e := As(err)
	if len(e.Where) > 0 && (e.Where[0] == where || strings.HasPrefix(e.Where[0], where+", ")) {
		return err
	}
	c := *e
	c.Where = append([]string{where}, e.Where...)
	return &c
}

// As finds the *Error in err's chain; another error becomes an INTERNAL_ERROR.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New("INTERNAL_ERROR", "message", err.Error()).WithCause(err)
}

// Error is the one-line form: "[NAME] message (SQLSTATE: 12345) (query q, batch 3)".
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] %s", e.Name, e.Message)
	if e.SQLState != "" {
		fmt.Fprintf(&b, " SQLSTATE: %s", e.SQLState)
	}
	if len(e.Where) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(e.Where, ", "))
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, condition.Name("X")) work; X may leave out the subclass.
func (e *Error) Is(target error) bool {
	n, ok := target.(Name)
	return ok && (e.Name == string(n) || strings.HasPrefix(e.Name, string(n)+"."))
}

// Name is a condition name used as a comparison target.
type Name string

// Error makes Name an error, so that errors.Is takes it.
func (n Name) Error() string { return string(n) }
