package plan_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// fuzzCatalog has a static table t, a stream s with a watermark on ts, and a view v of a query.
type fuzzCatalog struct{}

func (fuzzCatalog) Relation(name []string) (*plan.Relation, bool) {
	stream := strings.EqualFold(name[0], "s")
	if len(name) > 1 || !stream && !strings.EqualFold(name[0], "t") {
		return nil, false
	}
	schema, err := plan.ParseSchema("a INT, b STRING, d DECIMAL(10,2), ts TIMESTAMP, l ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x: INT, y: STRING>")
	if err != nil {
		panic(err)
	}
	rel := &plan.Relation{Name: name[0], IsStream: stream, Schema: schema}
	for i, f := range schema.Fields {
		rel.Attrs = append(rel.Attrs, &plan.Attr{ID: plan.NewID(), Name: f.Name, Typ: f.Type, Null: f.Nullable})
		rel.Ordinals = append(rel.Ordinals, i)
	}
	return rel, true
}

func (c fuzzCatalog) View(name []string) (*plan.View, bool) {
	if len(name) > 1 || !strings.EqualFold(name[0], "v") {
		return nil, false
	}
	stmt, err := sql.ParseQuery("SELECT a, count(*) AS n FROM t GROUP BY a")
	if err != nil {
		panic(err)
	}
	return &plan.View{Name: "v", Build: func(a *plan.Analyser) (plan.Node, error) { return a.Query(stmt) }}, true
}

func (fuzzCatalog) Names() []string { return []string{"s", "t", "v"} }

// FuzzQuery analyses, checks and optimises any query over a fixed catalog: what is wrong
// gives a condition, never a panic.
func FuzzQuery(f *testing.F) {
	for _, q := range fuzzQueries(f) {
		f.Add(q)
	}
	errNoRun := errors.New("the fuzz test runs no subquery")
	f.Fuzz(func(t *testing.T, text string) {
		stmt, err := sql.ParseQuery(text)
		if err != nil {
			return
		}
		conf := &kernels.Conf{ANSI: true, Zone: time.UTC}
		a := plan.NewAnalyser(fuzzCatalog{}, conf)
		n, err := a.Query(stmt)
		if err == nil {
			_ = plan.Explain(n)
			if n.Streaming() {
				n, err = a.Finish(n, "append")
			} else {
				n, err = a.FinishBatch(n, func(plan.Node) ([]*vector.Batch, error) { return nil, errNoRun })
			}
		}
		if err == nil {
			n, err = plan.Optimise(n, conf)
		}
		var c *condition.Error
		switch {
		case err == nil:
			_ = plan.Explain(n)
		case errors.Is(err, errNoRun):
		case !errors.As(err, &c):
			t.Fatalf("%q: %v is no condition", text, err)
		case c.Name == "INTERNAL_ERROR":
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// FuzzTypes reads any text as the columns of a table, as from_json, readers and job files do:
// the columns' types print as texts that mean the same.
func FuzzTypes(f *testing.F) {
	for _, s := range []string{
		"a INT, b STRING NOT NULL, c INTERVAL DAY TO SECOND", "a decimal(10,2)", "STRUCT<>", "a VARCHAR(3), b CHAR(2)", "a decimal(99,2)", "x: VARIANT",
		"a ARRAY<MAP<STRING, STRUCT<a: INT NOT NULL COMMENT 'x', `b c`: TIMESTAMP_NTZ>>>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		schema, err := plan.ParseSchema(text)
		if err != nil {
			var c *condition.Error
			if !errors.As(err, &c) {
				t.Fatalf("%q: %v is no condition", text, err)
			}
			return
		}
		for _, field := range schema.Fields {
			again, err := plan.ParseSchema("x " + field.Type.SQL())
			if err != nil || !again.Fields[0].Type.Equal(field.Type) {
				t.Fatalf("%q: %s is read as %v, %v", text, field.Type.SQL(), again, err)
			}
		}
	})
}

// fuzzQueries are the seeds: one query for each construct.
func fuzzQueries(f *testing.F) []string {
	b, err := os.ReadFile("testdata/fuzz_queries.sql")
	if err != nil {
		f.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}
