package plan_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

const expressionsDir = "../conformance/expressions"

var (
	oracleArea   = flag.String("area", "", "run the cases of one area only")
	oracleReport = flag.String("report", filepath.Join(os.TempDir(), "vstream-expressions.txt"), "where -v writes the failing cases")
	oracleUpdate = flag.Bool("update-known", false, "write the failing cases to known_failures.txt")
)

// oracleCase is one line of a case file; conformance/expressions/README.md
// describes the fields.
type oracleCase struct {
	ID       string
	Area     string
	Kind     string
	SQL      string
	Input    string
	TZ       string
	Conf     map[string]string
	Type     string
	Name     string
	Rows     []any
	TypeOnly bool `json:"type_only"`
	Tol      float64
	Error    *oracleError
	Also     *oracleCase
}

type oracleError struct {
	Condition string
	SQLState  string
	Params    map[string]string
	Context   *struct{ Start, Stop int } // inclusive character offsets
}

// TestOracleExpressions evaluates expressions that were recorded from Spark and
// compares type, column name, rows or error. Cases that are known to differ stand
// in known_failures.txt; one that passes must be taken off the list.
func TestOracleExpressions(t *testing.T) {
	inputs := readInputs(t)
	known := readKnown(t)
	files, err := filepath.Glob(filepath.Join(expressionsDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	var failures []string
	report := &bytes.Buffer{}
	passed, total := map[string]int{}, map[string]int{}
	for _, f := range files {
		for _, c := range readLines[oracleCase](t, f) {
			if c.Kind != "expr" || *oracleArea != "" && c.Area != *oracleArea {
				continue
			}
			total[c.Area]++
			diff := runOracle(c, inputs)
			_, listed := known[c.ID]
			switch {
			case diff == "":
				passed[c.Area]++
				if listed && !*oracleUpdate {
					t.Errorf("%s passes but is in known_failures.txt: %s", c.ID, c.SQL)
				}
				continue
			case !listed && !*oracleUpdate:
				t.Errorf("%s: %s\n\t%s", c.ID, c.SQL, diff)
			}
			line, _, _ := strings.Cut(diff, "\n")
			failures = append(failures, c.ID+"\t"+line)
			fmt.Fprintf(report, "%s\t%s\t(%s)\n\t%s\n", c.ID, c.SQL, c.Input, diff)
		}
	}
	for _, area := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%-14s %d of %d", area, passed[area], total[area])
	}
	if testing.Verbose() {
		if err := os.WriteFile(*oracleReport, report.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("failing cases: %s", *oracleReport)
	}
	if *oracleUpdate && *oracleArea == "" {
		slices.Sort(failures)
		text := strings.Join(failures, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(expressionsDir, "known_failures.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runOracle evaluates a case; the result is "" or what differs.
func runOracle(c *oracleCase, inputs oracleCatalog) (diff string) {
	defer func() {
		if r := recover(); r != nil {
			diff = fmt.Sprintf("panic: %v", r)
		}
	}()
	got, err := evaluateCase(c, inputs)
	diff = compareOutcome(c, got, err)
	if diff != "" && c.Also != nil && compareOutcome(c.Also, got, err) == "" {
		return ""
	}
	return diff
}

// outcome is what an expression gave.
type outcome struct {
	typ  *vector.Type
	name string
	rows []any
}

// oracleCatalog finds the tables of inputs.json.
type oracleCatalog map[string]*oracleInput

func (c oracleCatalog) Relation(name []string) (*plan.Relation, bool) {
	in, ok := c[name[len(name)-1]]
	if !ok {
		return nil, false
	}
	r := &plan.Relation{Name: name[0], Schema: in.batch.Schema, Handle: in.batch}
	for _, f := range in.batch.Schema.Fields {
		r.Attrs = append(r.Attrs, &plan.Attr{ID: plan.NewID(), Name: f.Name, Typ: f.Type, Null: f.Nullable, Qualifier: name})
	}
	return r, true
}

func (c oracleCatalog) View([]string) (*plan.View, bool) { return nil, false }

func (c oracleCatalog) Names() []string { return slices.Sorted(maps.Keys(c)) }

func evaluateCase(c *oracleCase, inputs oracleCatalog) (outcome, error) {
	text := "SELECT " + c.SQL
	if c.Input != "" {
		text += " FROM " + c.Input
	}
	conf := caseConf(c)
	stmt, err := sql.ParseQuery(text)
	if err != nil {
		return outcome{}, err
	}
	a := plan.NewAnalyser(inputs, conf)
	n, err := a.Query(stmt)
	if err != nil {
		return outcome{}, err
	}
	cols := n.Output()
	out := outcome{typ: plan.SchemaOf(cols).Type(), name: ""}
	if len(cols) == 1 {
		out.typ, out.name = cols[0].Typ, cols[0].Name
	}
	if c.TypeOnly {
		return out, nil
	}
	ctx := &kernels.Ctx{Zone: conf.Zone, ANSI: conf.ANSI, Conf: conf.Conf, BatchTimeMicros: 1_704_067_200_000_000}
	b, err := runNode(ctx, a, n)
	if err != nil {
		return out, err
	}
	out.rows = rowsOf(b)
	return out, nil
}

// rowsOf are the values of a single column, or the rows of several.
func rowsOf(b *vector.Batch) []any {
	cols := make([][]any, b.NumCols())
	for i, f := range b.Schema.Fields {
		cols[i] = valuesOf(f.Type, b.Col(i))
	}
	if len(cols) == 1 {
		return cols[0]
	}
	out := make([]any, b.Len())
	for r := range out {
		row := make([]any, len(cols))
		for i := range cols {
			row[i] = cols[i][r]
		}
		out[r] = row
	}
	return out
}

// runNode evaluates the few operators that a SELECT of expressions needs.
func runNode(ctx *kernels.Ctx, a *plan.Analyser, n plan.Node) (*vector.Batch, error) {
	switch n := n.(type) {
	case *plan.OneRow:
		return vector.NewBatch(vector.NewSchema(), nil, 1), nil
	case *plan.Relation:
		return n.Handle.(*vector.Batch), nil
	case *plan.SubqueryAlias:
		return runNode(ctx, a, n.Input)
	case *plan.Project:
		return runProject(ctx, a, n)
	case *plan.Generate:
		return runGenerate(ctx, a, n)
	}
	return nil, fmt.Errorf("%T is not run here", n)
}

func runProject(ctx *kernels.Ctx, a *plan.Analyser, n *plan.Project) (*vector.Batch, error) {
	in, err := runNode(ctx, a, n.Input)
	if err != nil {
		return nil, err
	}
	cols, err := evaluateAll(ctx, a, n.Exprs, n.Input.Output(), in)
	if err != nil {
		return nil, err
	}
	arrays := make([]arrow.Array, len(cols))
	for i, c := range cols {
		arrays[i] = c.Dense(in.Len())
	}
	return vector.NewBatch(plan.SchemaOf(n.Output()), arrays, in.Len()), nil
}

func runGenerate(ctx *kernels.Ctx, a *plan.Analyser, n *plan.Generate) (*vector.Batch, error) {
	in, err := runNode(ctx, a, n.Input)
	if err != nil {
		return nil, err
	}
	args, err := evaluateAll(ctx, a, n.Call.Args, n.Input.Output(), in)
	if err != nil {
		return nil, err
	}
	rows, cols, err := n.Call.Impl.Eval(ctx, args, in.Len())
	if err != nil {
		return nil, err
	}
	vecs := make([]vector.Vec, len(cols))
	for i, c := range cols {
		vecs[i] = vector.Vec{Arr: c}
	}
	return in.Select(rows).Extend(plan.SchemaOf(n.Output()), vecs), nil
}

func evaluateAll(ctx *kernels.Ctx, a *plan.Analyser, exprs []plan.Expr, input []*plan.Attr, b *vector.Batch) ([]vector.Vec, error) {
	folded := make([]plan.Expr, len(exprs))
	for i, e := range exprs {
		var err error
		if folded[i], err = a.Fold(e); err != nil {
			return nil, err
		}
	}
	compiled, err := plan.CompileAll(folded, input)
	if err != nil {
		return nil, err
	}
	out := make([]vector.Vec, len(exprs))
	for i, k := range compiled {
		if out[i], err = k.Eval(ctx, b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func caseConf(c *oracleCase) *kernels.Conf {
	conf := &kernels.Conf{ANSI: c.Conf["spark.sql.ansi.enabled"] != "false", Zone: time.UTC, Conf: map[string]string{"spark.sql.session.timeZone": "UTC"}}
	maps.Copy(conf.Conf, c.Conf)
	if c.TZ != "" {
		conf.Conf["spark.sql.session.timeZone"] = c.TZ
		zone, ok := kernels.ParseZone(c.TZ)
		if !ok {
			panic("zone " + c.TZ)
		}
		conf.Zone = zone
	}
	return conf
}

func compareOutcome(c *oracleCase, got outcome, err error) string {
	if c.Error != nil {
		return compareError(c.Error, got, err)
	}
	switch {
	case err != nil:
		return "want " + c.Type + ", got error " + err.Error()
	case got.typ.String() != c.Type:
		return "type: want " + c.Type + ", got " + got.typ.String()
	case c.Name != "" && got.name != c.Name:
		return "name: want " + c.Name + ", got " + got.name
	case c.TypeOnly:
		return ""
	case len(got.rows) != len(c.Rows):
		return fmt.Sprintf("want %d rows, got %d", len(c.Rows), len(got.rows))
	}
	for i, want := range c.Rows {
		if !sameValue(got.typ, want, got.rows[i], c.Tol) {
			return fmt.Sprintf("row %d: want %s, got %s", i, jsonText(want), jsonText(got.rows[i]))
		}
	}
	return ""
}

// compareError accepts any error where Spark's own has no condition that a user
// could rely on.
func compareError(want *oracleError, got outcome, err error) string {
	if err == nil {
		return "want error " + want.Condition + ", got " + got.typ.String() + " " + jsonText(got.rows)
	}
	if want.Condition == "" || want.Condition == "INTERNAL_ERROR" || strings.HasPrefix(want.Condition, "_LEGACY_ERROR_TEMP_") {
		return ""
	}
	var e *condition.Error
	if !errors.As(err, &e) {
		return "want error " + want.Condition + ", got " + err.Error()
	}
	return errorDiff(want, e)
}

// errorDiff compares a condition with Spark's, its parameters and, if Spark has
// one, its position. A position may be narrower than Spark's, which is the whole
// query for some errors.
func errorDiff(want *oracleError, e *condition.Error) string {
	if e.Name != want.Condition || want.SQLState != "" && e.SQLState != want.SQLState {
		return "want error " + want.Condition + ", got " + e.Error()
	}
	for k, v := range want.Params {
		if k != "config" && e.Params[k] != v {
			return fmt.Sprintf("error %s: parameter %s: want %s, got %s", e.Name, k, v, e.Params[k])
		}
	}
	c := want.Context
	switch {
	case c == nil || c.Start < 0:
		return ""
	case e.Pos == nil:
		return "error " + e.Name + ": no position"
	}
	start := utf8.RuneCountInString(e.Pos.Text[:e.Pos.Offset])
	stop := utf8.RuneCountInString(e.Pos.Text[:e.Pos.End]) - 1
	if start < c.Start || stop > c.Stop {
		return fmt.Sprintf("error %s: position: want %d..%d, got %d..%d", e.Name, c.Start, c.Stop, start, stop)
	}
	return ""
}

// readLines reads JSON values, one a line.
func readLines[T any](t *testing.T, path string) []*T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []*T
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for d.More() {
		c := new(T)
		if err := d.Decode(c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, c)
	}
	return out
}

// readKnown reads known_failures.txt: a case and what differs, a line.
func readKnown(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(expressionsDir, "known_failures.txt"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	s := bufio.NewScanner(f)
	for s.Scan() {
		id, reason, _ := strings.Cut(s.Text(), "\t")
		out[id] = reason
	}
	return out
}
