package sql_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
)

// golden is a case of testdata/parse_error.jsonl, recorded from Spark.
type golden struct {
	ID    string
	SQL   string
	Error *struct {
		Condition string
		SQLState  string
		Params    map[string]string
		Line, Pos *int
		Context   *struct{ Start, Stop int }
	}
}

func goldens(t *testing.T) []golden {
	f, err := os.Open("testdata/parse_error.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []golden
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var g golden
		if err := json.Unmarshal(sc.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// analysed are the conditions that Spark's analyser raises, or for the typed
// literals the reader of their values.
func analysed(name string) bool {
	for _, p := range []string{"UNRESOLVED_COLUMN", "INTERNAL_ERROR", "INVALID_USAGE_OF_STAR_OR_REGEX", "INVALID_TYPED_LITERAL"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func TestGoldens(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.ID, func(t *testing.T) {
			_, err := sql.ParseQuery(g.SQL)
			if g.Error == nil || analysed(g.Error.Condition) {
				if err != nil {
					t.Fatalf("%s: %v", g.SQL, err)
				}
				return
			}
			if err == nil {
				t.Fatalf("%s: no error, want %s", g.SQL, g.Error.Condition)
			}
			e := condition.As(err)
			if e.Name != g.Error.Condition || e.SQLState != g.Error.SQLState {
				t.Fatalf("%s: %s %s, want %s %s", g.SQL, e.Name, e.SQLState, g.Error.Condition, g.Error.SQLState)
			}
			if diff := cmp.Diff(g.Error.Params, e.Params); diff != "" {
				t.Errorf("%s: params (-want +got)\n%s", g.SQL, diff)
			}
			if g.Error.Line != nil && (e.Pos.Line != *g.Error.Line || e.Pos.Column-1 != *g.Error.Pos) {
				t.Errorf("%s: at %d:%d, want %d:%d", g.SQL, e.Pos.Line, e.Pos.Column-1, *g.Error.Line, *g.Error.Pos)
			}
			if c := g.Error.Context; c != nil && (e.Pos.Offset != c.Start || e.Pos.End != c.Stop+1) {
				t.Errorf("%s: context %d..%d, want %d..%d", g.SQL, e.Pos.Offset, e.Pos.End-1, c.Start, c.Stop)
			}
		})
	}
}
