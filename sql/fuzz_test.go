package sql_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
)

// corpus holds queries that Spark accepts, one a line: typical ones, and in
// accepted.sql one for each rule of its grammar.
func corpus(t testing.TB) []string {
	var queries []string
	for _, name := range []string{"corpus.sql", "accepted.sql"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		queries = append(queries, strings.Split(strings.TrimSpace(string(b)), "\n")...)
	}
	return queries
}

func TestCorpus(t *testing.T) {
	for _, q := range corpus(t) {
		s, err := sql.ParseQuery(q)
		if err != nil {
			t.Errorf("%s: %v", q, err)
			continue
		}
		if got := sql.Text(s.Query, q); !strings.HasPrefix(q, got) {
			t.Errorf("the query's text is %q of %q", got, q)
		}
	}
}

// FuzzParse holds that no input makes a parser panic, and that errors are
// conditions with a position inside the text.
func FuzzParse(f *testing.F) {
	for _, q := range corpus(f) {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := sql.ParseQuery(text)
		checkError(t, text, err)
		_, err = sql.ParseExpression(text)
		checkError(t, text, err)
		_, err = sql.ParseType(text)
		checkError(t, text, err)
		_, err = sql.ParseSchema(text)
		checkError(t, text, err)
	})
}

func checkError(t *testing.T, text string, err error) {
	t.Helper()
	var e *condition.Error
	switch {
	case err == nil:
	case !errors.As(err, &e):
		t.Fatalf("%q: %T is no condition", text, err)
	case e.Pos == nil || e.Pos.Offset > len(text):
		t.Fatalf("%q: %s has no position in the text", text, e.Name)
	}
}

// TestDepth nests every recursive form far beyond the limit.
func TestDepth(t *testing.T) {
	const n = 100_000
	for _, form := range []struct{ open, inner, closing string }{
		{"SELECT " + strings.Repeat("(", n), "1", strings.Repeat(")", n)},
		{"SELECT ", strings.Repeat("- a ", n), "1"},
		{"SELECT ", strings.Repeat("NOT ", n), "a"},
		{"SELECT ", strings.Repeat("a + ", n), "1"},
		{"SELECT a", strings.Repeat("[0]", n), ""},
		{"SELECT a", strings.Repeat("::int", n), ""},
		{"SELECT f", strings.Repeat("(f", n), strings.Repeat(")", n)},
		{"SELECT ", strings.Repeat("CASE WHEN a THEN ", n), "1"},
		{"SELECT ", strings.Repeat("x -> ", n), "1"},
		{"SELECT 1", strings.Repeat(" UNION SELECT 1", n), ""},
		{"SELECT 1", strings.Repeat(" |> WHERE a", n), ""},
		{"SELECT * FROM a", strings.Repeat(" JOIN b", n), ""},
		{"SELECT * FROM ", strings.Repeat("(", n), "a"},
		{"", strings.Repeat("(", n), "SELECT 1"},
		{"SELECT CAST(a AS ", strings.Repeat("ARRAY<", n), "INT"},
		{"SELECT a GROUP BY ", strings.Repeat("GROUPING SETS (", n), "a"},
	} {
		_, err := sql.ParseQuery(form.open + form.inner + form.closing)
		if !errors.Is(err, condition.Name("FAILED_TO_PARSE_TOO_COMPLEX")) {
			t.Errorf("%.60s…: %v", form.open+form.inner, err)
		}
	}
}

// TestLongChains holds that AND, OR and lists may be long: they make no high tree.
func TestLongChains(t *testing.T) {
	const n = 20_000
	for _, q := range []string{
		"SELECT a" + strings.Repeat(" OR a", n),
		"SELECT a" + strings.Repeat(" AND a = 1", n),
		"SELECT a IN (1" + strings.Repeat(", 1", n) + ")",
		"SELECT a" + strings.Repeat(", a", n),
	} {
		if _, err := sql.ParseQuery(q); err != nil {
			t.Errorf("%.40s…: %v", q, err)
		}
	}
}
