package vstream_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// query runs a static query and prints its rows.
func query(s *vstream.Session, text string) (string, error) {
	t, err := s.SQL(text)
	if err != nil {
		return "", err
	}
	batches, err := t.Collect(context.Background())
	if err != nil {
		return "", err
	}
	return printRows(t.Schema(), batches), nil
}

// printRows are rows as show() prints values: a line each, the columns separated by a space.
func printRows(schema *vector.Schema, batches []*vector.Batch) string {
	style := render.Style{Zone: time.UTC, Null: "NULL", HexBinary: true}
	var out []string
	for _, b := range batches {
		for i := range b.Len() {
			cells := make([]string, b.NumCols())
			for j, f := range schema.Fields {
				col, typ := b.Col(j), f.Type
				if typ.Kind == vector.KindVariant { // show() casts it
					text, err := kernels.CastArray(&kernels.Ctx{Zone: time.UTC, ANSI: true}, col, typ, vector.String, kernels.CastANSI)
					if err != nil {
						return err.Error()
					}
					col, typ = text, vector.String
				}
				cells[j] = string(style.Column(typ, col)(nil, i))
			}
			out = append(out, strings.Join(cells, " "))
		}
	}
	return strings.Join(out, "\n")
}

// TestCollect compares static queries with what Spark prints for them.
func TestCollect(t *testing.T) {
	s, err := vstream.New(vstream.WithConf("spark.sql.session.timeZone", "UTC"))
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]string{
		"a": "VALUES (1, 'x'), (2, 'y'), (2, 'y'), (3, NULL), (NULL, 'z') AS a(k, v)",
		"b": "VALUES (2, 'y', 20), (2, 'q', 21), (4, 'w', 40), (NULL, 'n', 0) AS b(k, v, n)",
		"w": "VALUES ('a', 1, 10), ('a', 2, 20), ('a', 2, 30), ('a', 5, NULL), ('b', 1, 7) AS w(g, o, x)",
	} {
		v, err := s.SQL("SELECT * FROM " + q)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.View(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ sql, want string }{
		{"SELECT 1 + 1, 'a'", "2 a"},
		{"SELECT count(*) FROM a WHERE false", "0"},
		{"SELECT k FROM a WHERE false", ""},
		{"SELECT k, count(*) FROM a GROUP BY k ORDER BY k DESC LIMIT 2 OFFSET 1", "2 2\n1 1"},
		{"SELECT DISTINCT k, v FROM a ORDER BY k NULLS LAST", "1 x\n2 y\n3 NULL\nNULL z"},
		{"SELECT k FROM a EXCEPT SELECT k FROM b ORDER BY k", "1\n3"},
		{"SELECT k FROM a EXCEPT ALL SELECT k FROM (VALUES (2)) t(k) ORDER BY k", "NULL\n1\n2\n3"},
		{"SELECT k FROM a INTERSECT SELECT k FROM b ORDER BY k", "NULL\n2"},
		{"SELECT k FROM a INTERSECT ALL SELECT k FROM b ORDER BY k", "NULL\n2\n2"},
		{"SELECT k FROM a UNION SELECT k FROM b ORDER BY k", "NULL\n1\n2\n3\n4"},
		{"SELECT a.k, n FROM a JOIN b ON a.k = b.k ORDER BY n, 1", "2 20\n2 20\n2 21\n2 21"},
		{"SELECT a.k, n FROM a LEFT JOIN b ON a.k = b.k AND n > 20 ORDER BY 1, 2", "NULL NULL\n1 NULL\n2 21\n2 21\n3 NULL"},
		{"SELECT a.k, b.k, n FROM a FULL JOIN b ON a.k = b.k AND b.v = 'y' ORDER BY 1, 3", "NULL NULL NULL\nNULL NULL 0\nNULL 2 21\nNULL 4 40\n1 NULL NULL\n2 2 20\n2 2 20\n3 NULL NULL"},
		{"SELECT v FROM a LEFT SEMI JOIN b ON a.k = b.k", "y\ny"},
		{"SELECT v FROM a LEFT ANTI JOIN b ON a.k = b.k ORDER BY v", "NULL\nx\nz"},
		{"SELECT count(*) FROM a CROSS JOIN b", "20"},
		{"SELECT count(*) FROM a JOIN b ON a.k < b.n", "12"},
		{"SELECT (SELECT max(n) FROM b), (SELECT n FROM b WHERE false)", "40 NULL"},
		{"SELECT v FROM a WHERE k IN (SELECT k FROM b)", "y\ny"},
		{"SELECT v FROM a WHERE k NOT IN (SELECT k FROM b)", ""},
		{"SELECT v FROM a WHERE k NOT IN (SELECT k FROM b WHERE k IS NOT NULL) ORDER BY v", "NULL\nx"},
		{"SELECT count(*) FROM a WHERE (k, v) IN (SELECT k, v FROM b)", "2"},
		{"SELECT count(*) FROM a WHERE EXISTS (SELECT * FROM b WHERE n > 100)", "0"},
		{"SELECT v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND n > 20)", "y\ny"},
		{"SELECT v FROM a WHERE NOT EXISTS (SELECT * FROM b WHERE b.k = a.k) ORDER BY v", "NULL\nx\nz"},
		{"SELECT v FROM a WHERE k IN (SELECT k FROM b WHERE b.v = a.v)", "y\ny"},
		{"SELECT k, (SELECT count(*) FROM b WHERE b.k = a.k) AS n, (SELECT max(n) FROM b WHERE b.k = a.k) AS m FROM a ORDER BY k", "NULL 0 NULL\n1 0 NULL\n2 2 21\n2 2 21\n3 0 NULL"},
		{"SELECT DISTINCT k FROM a WHERE (SELECT sum(n) FROM b WHERE b.k = a.k) > 40", "2"},
		{"SELECT * FROM w PIVOT (sum(x) FOR g IN ('a', 'b' AS bb)) ORDER BY o", "1 10 7\n2 50 NULL\n5 NULL NULL"},
		{"SELECT * FROM (SELECT g, o FROM w) PIVOT (count(*) AS n, max(o) FOR g IN ('a', 'z'))", "4 5 NULL NULL"},
		{"SELECT * FROM b UNPIVOT (val FOR col IN (k AS kk, n)) ORDER BY v, col", "n n 0\nq kk 2\nq n 21\nw kk 4\nw n 40\ny kk 2\ny n 20"},
		{"SELECT * FROM b UNPIVOT INCLUDE NULLS ((x, y) FOR col IN ((k, n))) AS u WHERE v IN ('n', 'y') ORDER BY u.v", "n k_n NULL 0\ny k_n 2 20"},
		{"SELECT sum(id), count(*) FROM range(2, 10, 3)", "15 3"},
		{"SELECT id FROM range(3) AS r WHERE r.id > 0", "1\n2"},
		{"SELECT * FROM range(5, 5)", ""},
		{"SELECT * FROM range(3, 0, -2)", "3\n1"},
		{"SELECT x + 1 FROM explode(array(1, 2)) AS t(x)", "2\n3"},
		{"SELECT o, row_number() OVER (PARTITION BY g ORDER BY o, x), rank() OVER (PARTITION BY g ORDER BY o), sum(x) OVER (PARTITION BY g ORDER BY o) FROM w WHERE g = 'a' ORDER BY 1, 2",
			"1 1 1 10\n2 2 2 60\n2 3 2 60\n5 4 4 60"},
		{"SELECT x, sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM w ORDER BY x", "NULL 7\n7 17\n10 37\n20 60\n30 50"},
		{"SELECT o, count(*) OVER (ORDER BY o RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM w ORDER BY o", "1 4\n1 4\n2 4\n2 4\n5 1"},
		{"SELECT o, count(*) OVER (ORDER BY o DESC RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) FROM w ORDER BY o", "1 4\n1 4\n2 3\n2 3\n5 1"},
		{"SELECT g, max(x) OVER (PARTITION BY g), count(*) FILTER (WHERE x > 10) OVER () FROM w ORDER BY g, 2 LIMIT 2", "a 30 2\na 30 2"},
		{"SELECT g, sum(x), rank() OVER (ORDER BY sum(x) DESC) FROM w GROUP BY g ORDER BY g", "a 60 1\nb 7 2"},
		{"SELECT g, o FROM w QUALIFY row_number() OVER (PARTITION BY g ORDER BY o DESC) = 1 ORDER BY g", "a 5\nb 1"},
		{"SELECT g, row_number() OVER (ORDER BY x) AS r FROM w WHERE g = 'a' QUALIFY r = 2", "a 2"},
	} {
		got, err := query(s, c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
		} else if got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.sql, got, c.want)
		}
	}
}

func TestCollectErrors(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct{ sql, want string }{
		{"SELECT k FROM e", "_LEGACY_ERROR_TEMP_3102"},
		{"SELECT (SELECT k FROM VALUES (1), (2) t(k))", "SCALAR_SUBQUERY_TOO_MANY_ROWS"},
		{"SELECT 1 / 0", "DIVIDE_BY_ZERO"},
		{"SELECT 1 FROM VALUES (1) t(k) WHERE 1 / 0 = 1 AND k < 0", "DIVIDE_BY_ZERO"},
		{"SELECT ntile(0) OVER (ORDER BY k) FROM VALUES (1) t(k)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"},
		{"SELECT sum(k) OVER (ORDER BY k, v RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (1, 2) t(k, v)", "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER"},
	} {
		_, err := query(f.s, c.sql)
		if !errors.Is(err, condition.Name(c.want)) {
			t.Errorf("%s: got %v, want %s", c.sql, err, c.want)
		}
	}
}
