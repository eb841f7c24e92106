// Package expr runs the expression cases of the conformance suite, one JSON object a
// line, on the public API and compares type, rows or error with what Spark gave.
// conformance/expressions/README.md describes the files.
package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Case is one line of a case file.
type Case struct {
	ID, Area string
	Kind     string // expr, agg or query
	SQL      string
	Input    string
	TZ       string
	Conf     map[string]string
	Ordered  bool
	Outcome
	Also *Outcome // a second outcome that is right as well
}

// Outcome is what Spark gave: a type and rows, or an error.
type Outcome struct {
	Type     string
	Name     string // of the column; "" for several
	Rows     []any
	TypeOnly bool    `json:"type_only"`
	Tol      float64 // relative tolerance for doubles
	Error    *Failure
}

// Failure is an error that Spark gave.
type Failure struct {
	Condition, SQLState string
	Params              map[string]string
	Context             *struct{ Start, Stop int } // inclusive character offsets
	Line                int                        // of a parse error, from 1; 0: none
	Pos                 int                        // its column, from 0
}

// Text is the statement that a case runs.
func (c *Case) Text() string {
	switch {
	case c.Kind == "agg":
		return "SELECT g, " + c.SQL + " FROM " + c.Input + " GROUP BY g ORDER BY g"
	case c.Kind == "query":
		return c.SQL
	case c.Input != "":
		return "SELECT " + c.SQL + " FROM " + c.Input
	}
	return "SELECT " + c.SQL
}

// ReadCases reads a case file.
func ReadCases(file string) ([]*Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*Case
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for d.More() {
		c := &Case{}
		if err := d.Decode(c); err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", file, len(out)+1, err)
		}
		switch {
		case c.ID == "" || c.SQL == "":
			return nil, fmt.Errorf("%s: case %d has no id or no sql", file, len(out)+1)
		case c.Kind != "expr" && c.Kind != "agg" && c.Kind != "query":
			return nil, fmt.Errorf("%s: case %s has the unknown kind %q", file, c.ID, c.Kind)
		}
		out = append(out, c)
	}
	return out, nil
}
