package plan_test

import (
	"testing"
	"time"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
)

// TestLiterals covers what the recorded cases of area literals do not: session
// settings and corner cases of the printed form.
func TestLiterals(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	ntz := map[string]string{"spark.sql.timestampType": "TIMESTAMP_NTZ"}
	for _, c := range []struct {
		text, typ, want string
		conf            map[string]string
	}{
		{"2147483648", "bigint", "2147483648", nil},
		{"1.50", "decimal(3,2)", "1.50", nil},
		{"0.001", "decimal(3,3)", "0.001", nil},
		{"1e2BD", "decimal(3,0)", "100", nil},
		{"1.5e-3BD", "decimal(4,4)", "0.0015", nil},
		{"X'ABC'", "binary", "X'0ABC'", nil},
		{"TIMESTAMP '2024-07-01 12:00:00Z'", "timestamp", "TIMESTAMP '2024-07-01 14:00:00'", nil},
		{"TIMESTAMP '2024-07-01 12:00:00'", "timestamp_ntz", "TIMESTAMP_NTZ '2024-07-01 12:00:00'", ntz},
		{"TIMESTAMP '2024-07-01 12:00:00Z'", "timestamp", "TIMESTAMP '2024-07-01 14:00:00'", ntz},
		{"TIME '1:2:3'", "time(6)", "TIME '01:02:03'", nil},
		{"TIME '23:59:59.999999999'", "time(9)", "TIME '23:59:59.999999999'", nil},
		{"INTERVAL '-1 02:03' DAY TO MINUTE", "interval day to minute", "INTERVAL '-1 02:03' DAY TO MINUTE", nil},
		{"INTERVAL -'1-2' YEAR TO MONTH", "interval year to month", "INTERVAL '-1-2' YEAR TO MONTH", nil},
		{"INTERVAL 2 WEEKS 1 HOUR", "interval day to hour", "INTERVAL '14 01' DAY TO HOUR", nil},
		{"INTERVAL 1500 MICROSECONDS", "interval second", "INTERVAL '00.0015' SECOND", nil},
	} {
		t.Run(c.text, func(t *testing.T) {
			e, err := sql.ParseExpression(c.text)
			if err != nil {
				t.Fatal(err)
			}
			a := &plan.Analyser{Conf: &kernels.Conf{ANSI: true, Zone: berlin, Conf: c.conf}, Text: c.text}
			got, err := a.Expr(e, &plan.Scope{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Type().String() != c.typ || got.SQL() != c.want {
				t.Errorf("got %s %s, want %s %s", got.Type(), got.SQL(), c.typ, c.want)
			}
		})
	}
}

// FuzzExpr binds any expression; wrong input gives an error, never a panic.
func FuzzExpr(f *testing.F) {
	for _, s := range []string{
		"1 + 1", "'a' || 2", "INTERVAL '1 2' DAY TO HOUR", "CAST(NULL AS ARRAY<INT>)[0]", "TIME '1:2'", "X'1'",
		"struct(1 AS a).a", "CASE WHEN true THEN 1 END", "x BETWEEN 1 AND 2", "named_struct('a', 1, 'b')", "1e400BD", "-INTERVAL 1 DAY",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := sql.ParseExpression(text)
		if err != nil {
			return
		}
		a := plan.NewAnalyser(noCatalog{}, &kernels.Conf{ANSI: true, Zone: time.UTC})
		a.Text = text
		x, err := a.Expr(e, namesScope())
		if err != nil {
			return
		}
		if x.Type() == nil {
			t.Errorf("%q has no type", text)
		}
	})
}
