package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
)

// show writes an expression with all its parentheses.
func show(e sql.Expr) string {
	all := func(es []sql.Expr) string {
		var s []string
		for _, e := range es {
			s = append(s, show(e))
		}
		return strings.Join(s, ", ")
	}
	switch e := e.(type) {
	case nil:
		return "-"
	case *sql.Name:
		return dotted(e.Parts)
	case *sql.Literal:
		return e.Kind + ":" + e.Text
	case *sql.Unary:
		return "(" + e.Op + " " + show(e.X) + ")"
	case *sql.Binary:
		return "(" + show(e.L) + " " + e.Op + " " + show(e.R) + ")"
	case *sql.Is:
		return fmt.Sprintf("(%s IS %v %s %s)", show(e.X), e.Not, e.What, show(e.Y))
	case *sql.In:
		return fmt.Sprintf("(%s IN %v %s)", show(e.X), e.Not, all(e.List))
	case *sql.Between:
		return fmt.Sprintf("(%s BETWEEN %v %s, %s)", show(e.X), e.Not, show(e.Lo), show(e.Hi))
	case *sql.Like:
		return fmt.Sprintf("(%s %s%s %v %s %s %s)", show(e.X), e.Op, e.Quantifier, e.Not, show(e.Pattern), all(e.Patterns), show(e.Escape))
	case *sql.Call:
		return fmt.Sprintf("%s(%s)", dotted(e.Name), all(e.Args))
	case *sql.Cast:
		return fmt.Sprintf("cast(%s, %s)", show(e.X), e.Type.Name)
	case *sql.Index:
		return show(e.X) + "[" + show(e.I) + "]"
	case *sql.Field:
		return show(e.X) + "!" + e.Name.Name
	case *sql.Tuple:
		return "<" + all(e.Elems) + ">"
	case *sql.Named:
		return e.Name.Name + "=>" + show(e.Value)
	case *sql.Lambda:
		return dotted(e.Params) + "->" + show(e.Body)
	case *sql.Star:
		return dotted(e.Target) + "*"
	case *sql.Aliased:
		return show(e.X) + " AS " + dotted(e.Names)
	case *sql.Interval:
		var s []string
		for _, u := range e.Units {
			s = append(s, fmt.Sprintf("%v %s %s", u.Neg, show(u.Value), u.Unit))
		}
		return fmt.Sprintf("interval{%s to %q text %q}", strings.Join(s, ", "), e.To, e.Text)
	case *sql.Case:
		s := "case " + show(e.X)
		for _, w := range e.Whens {
			s += " when " + show(w.Cond) + " then " + show(w.Then)
		}
		return s + " else " + show(e.Else)
	}
	return fmt.Sprintf("%T", e)
}

func dotted(ids []sql.Ident) string {
	var s []string
	for _, id := range ids {
		s = append(s, id.Name)
	}
	return strings.Join(s, ".")
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a + b * c - d", "((a + (b * c)) - d)"},
		{"a || b + c", "((a || b) + c)"},
		{"-a * b", "((- a) * b)"},
		{"-1 - -1", "(integer:-1 - integer:-1)"},
		{"a | b ^ c & d << 1 + e", "(a | (b ^ (c & (d << (integer:1 + e)))))"},
		{"a = b = c", "((a = b) = c)"},
		{"a !> b", "(a <= b)"},
		{"NOT a = b AND c OR d", "(((NOT (a = b)) AND c) OR d)"},
		{"!a IS NULL", "(NOT (a IS false NULL -))"},
		{"a AND b AND c AND d", "((a AND b) AND (c AND d))"},
		{"a OR b OR c", "((a OR b) OR c)"},
		{"a = b IS NOT NULL", "((a = b) IS true NULL -)"},
		{"a IS NOT DISTINCT FROM b + 1", "(a IS true DISTINCT FROM (b + integer:1))"},
		{"a NOT BETWEEN 1 AND 2 AND c", "((a BETWEEN true integer:1, integer:2) AND c)"},
		{"a NOT IN (1, 2)", "(a IN true integer:1, integer:2)"},
		{"a LIKE 'x' ESCAPE '!'", "(a LIKE false string:x  string:!)"},
		{"a NOT ILIKE ANY ('x', 'y')", "(a ILIKEANY true - string:x, string:y -)"},
		{"a REGEXP b", "(a RLIKE false b  -)"},
		{"a.b[0].c::int", "cast(a.b[integer:0]!c, int)"},
		{"(a).b", "a!b"},
		{"(a, b AS c)", "<a, b AS c>"},
		{"t.*", "t*"},
		{"f(x => 1, (a, b) -> a + b)", "f(x=>integer:1, a.b->(a + b))"},
		{"case", "case"},
		{"CASE a WHEN 1 THEN 2 END", "case a when integer:1 then integer:2 else -"},
		{"CASE WHEN a THEN b ELSE c END", "case - when a then b else c"},
		{"EXTRACT(YEAR FROM a)", "extract(string:YEAR, a)"},
		{"trim(BOTH 'x' FROM a)", "trim(string:x, a)"},
		{"trim(LEADING FROM a)", "ltrim(a)"},
		{"trim(TRAILING 'x' FROM a)", "rtrim(string:x, a)"},
		{"trim(a)", "trim(a)"},
		{"position('x' IN a)", "locate(string:x, a)"},
		{"position(NOT a, b)", "position((NOT a), b)"},
		{"substring(a FROM 2 FOR 3)", "substring(a, integer:2, integer:3)"},
		{"substr(a = b AND c, 1)", "substr(((a = b) AND c), integer:1)"},
		{"overlay(a PLACING b FROM 1)", "overlay(a, b, integer:1)"},
		{"timestampadd(day, 1, a)", "timestampadd(string:DAY, integer:1, a)"},
		{"date_add(day, 1)", "date_add(day, integer:1)"},
		{"INTERVAL 1 DAY -2 HOURS", `interval{false integer:1 DAY, true integer:2 HOUR to "" text ""}`},
		{"INTERVAL '1-2' YEAR TO MONTH", `interval{false string:1-2 YEAR to "MONTH" text ""}`},
		{"INTERVAL '1 day'", `interval{ to "" text "1 day"}`},
		{"interval + 1", "(interval + integer:1)"},
		{"1Y", "tinyint:1"}, {"1S", "smallint:1"}, {"1L", "bigint:1"}, {"1.5", "decimal:1.5"}, {"1e3", "double:1e3"},
		{"1D", "doubleSuffix:1"}, {"1.5F", "float:1.5"}, {"2BD", "bigdecimal:2"}, {"1a", "1a"}, {"t.1a", "t.1a"},
		{`'a\d\n\%\_\u0041\101\\' "b"`, "string:ad\n\\%\\_AA\\b"},
		{`'\uD83D\uDE00\U0001F600\q'`, "string:😀😀q"},
		{`r'a\n' 'it''s' "d""q"`, `string:a\nit'sd"q`},
		{"`a``b`", "a`b"},
		{"DATE'2020-01-01'", "date:2020-01-01"},
		{"X'1F'", "x:1F"},
		{"a + 1 AS b", "(a + integer:1) AS b"},
		{"/* /* x */ */ a -- b", "a"},
	} {
		e, err := sql.ParseExpression(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := show(e); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

func query(t *testing.T, text string) *sql.Query {
	t.Helper()
	s, err := sql.ParseQuery(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s.Query
}

func TestSetOperations(t *testing.T) {
	q := query(t, "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 MINUS SELECT 4 ORDER BY 1 LIMIT ALL")
	except := q.Body.(*sql.SetOp)
	union := except.Left.(*sql.SetOp)
	if except.Op != "EXCEPT" || union.Op != "UNION" || !union.All || union.Right.(*sql.SetOp).Op != "INTERSECT" {
		t.Errorf("operators are nested wrongly: %+v", except)
	}
	if _, ok := q.Limit.(*sql.AllRows); !ok || len(q.OrderBy) != 1 {
		t.Errorf("ORDER BY and LIMIT belong to the whole query: %+v", q)
	}
}

func TestKeywordsAsNames(t *testing.T) {
	for _, c := range []struct{ text, item, table, alias string }{
		{"SELECT i FROM nums WHERE", "i", "nums", "WHERE"},
		{"SELECT i FROM nums WHERE (a)", "i", "nums", "WHERE"},
		{"SELECT i FROM nums limit", "i", "nums", "limit"},
		{"SELECT i AS order FROM limit AS group LIMIT 1", "i", "limit", "group"},
		{"SELECT select FROM from WHERE where", "select", "from", ""},
		{"SELECT window FROM stream WHERE a", "window", "stream", ""},
	} {
		s := query(t, c.text).Body.(*sql.Select)
		table, ok := s.From[0].(*sql.Table)
		if !ok || table.Name[0].Name != c.table || table.Alias.Name != c.alias || show(s.Items[0].Expr) != c.item {
			t.Errorf("%s: %s from %+v", c.text, show(s.Items[0].Expr), s.From[0])
		}
	}
}

func TestWatermark(t *testing.T) {
	q := query(t, "SELECT 1 FROM STREAM e WATERMARK f(ts) AS t2 DELAY OF INTERVAL 10 SECONDS AS x")
	table := q.Body.(*sql.Select).From[0].(*sql.Table)
	w := table.Watermark
	if !table.Stream || table.Alias.Name != "x" || show(w.Expr) != "f(ts)" || w.Alias.Name != "t2" ||
		show(w.Delay) != `interval{false integer:10 SECOND to "" text ""}` {
		t.Errorf("table %+v, watermark %+v", table, w)
	}
	_, err := sql.ParseQuery("SELECT 1 FROM (SELECT ts) AS x WATERMARK ts DELAY OF INTERVAL 1 DAY")
	if !isSyntaxError(err, "'WATERMARK'") {
		t.Errorf("WATERMARK after the alias: %v", err)
	}
}

func isSyntaxError(err error, at string) bool {
	return err != nil && condition.As(err).Name == "PARSE_SYNTAX_ERROR" && condition.As(err).Params["error"] == at
}

func TestClauses(t *testing.T) {
	q := query(t, `SELECT a, count(*) FROM t LATERAL VIEW OUTER explode(b) x AS c
		WHERE d GROUP BY a, ROLLUP (c, (d, e)) HAVING f WINDOW w AS (ORDER BY a) QUALIFY g SORT BY a LIMIT 1 OFFSET 2`)
	s := q.Body.(*sql.Select)
	sets := s.GroupBy.Exprs[1].(*sql.GroupingSets)
	if len(s.LateralViews) != 1 || show(s.Where) != "d" || sets.Kind != "ROLLUP" || len(sets.Sets[1]) != 2 || show(s.Having) != "f" ||
		show(s.Qualify) != "g" || len(q.Windows) != 1 || len(q.SortBy) != 1 || show(q.Offset) != "integer:2" {
		t.Errorf("select %+v, query %+v", s, q)
	}
	if !query(t, "SELECT a FROM t GROUP BY ALL HAVING b").Body.(*sql.Select).GroupBy.All {
		t.Error("GROUP BY ALL")
	}
	j := query(t, "SELECT * FROM a LEFT JOIN b ON c NATURAL FULL JOIN d").Body.(*sql.Select).From[0].(*sql.Join)
	if !j.Natural || j.Kind != "FULL OUTER" || j.Left.(*sql.Join).Kind != "LEFT OUTER" {
		t.Errorf("join %+v", j)
	}
}

func TestTypesAndSchemas(t *testing.T) {
	ignore := cmpopts.IgnoreTypes(sql.Span{})
	want := []*sql.TypeField{
		{Name: sql.Ident{Name: "k"}, Type: &sql.TypeName{Name: "string"}},
		{Name: sql.Ident{Name: "v"}, NotNull: true, Comment: "x", Type: &sql.TypeName{Name: "map", Args: []*sql.TypeName{
			{Name: "int"}, {Name: "array", Args: []*sql.TypeName{{Name: "decimal", Params: []int{10, 2}}}}}}},
	}
	for _, ddl := range []string{
		"k STRING, v MAP<INTEGER, ARRAY<DECIMAL(10,2)>> NOT NULL COMMENT 'x'",
		"k: string, v: map<int,array<dec(10, 2)>> not null comment 'x'",
		"struct<k:string,v:map<int,array<decimal(10,2)>> NOT NULL COMMENT 'x'>",
	} {
		got, err := sql.ParseSchema(ddl)
		if err != nil {
			t.Errorf("%s: %v", ddl, err)
		} else if diff := cmp.Diff(want, got, ignore); diff != "" {
			t.Errorf("%s (-want +got)\n%s", ddl, diff)
		}
	}
	got, err := sql.ParseType("interval day TO second")
	if err != nil || got.From != "day" || got.To != "second" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "PARSE_EMPTY_STATEMENT",
		"DROP TABLE t":                     "INVALID_SQL_SYNTAX.UNSUPPORTED_SQL_STATEMENT",
		"SELECT 300Y":                      "INVALID_NUMERIC_LITERAL_RANGE",
		"SELECT foo 'x'":                   "UNSUPPORTED_TYPED_LITERAL",
		"SELECT foo 'x'))":                 "PARSE_SYNTAX_ERROR",
		"SELECT a FROM b-c":                "INVALID_IDENTIFIER",
		"SELECT é":                         "INVALID_IDENTIFIER",
		"SELECT a IN ()":                   "INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE",
		"SELECT a ! IN (1)":                "SYNTAX_DISCONTINUED.BANG_EQUALS_NOT",
		"SELECT a LIKE 'x' ESCAPE 'ab'":    "INVALID_ESC",
		"SELECT CAST(a AS CHAR)":           "DATATYPE_MISSING_SIZE",
		"SELECT timestampadd('DAY', 1, a)": "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
		"SELECT a ORDER BY a SORT BY a":    "UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES",
		"WITH a AS (SELECT 1), A AS (SELECT 1) SELECT 1": "DUPLICATED_CTE_NAMES",
		"SELECT * FROM a NATURAL CROSS JOIN b":           "INCOMPATIBLE_JOIN_TYPES",
		"VALUES (1), (2, 3)":                             "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
	} {
		if _, err := sql.ParseQuery(text); err == nil || condition.As(err).Name != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
