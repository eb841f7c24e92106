package plan_test

import (
	"errors"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// counted is a function that counts its evaluations.
func counted(count *int, volatile bool) *kernels.Impl {
	return &kernels.Impl{Args: []*vector.Type{nil}, Result: vector.Int, Volatile: volatile,
		Eval: func(_ *kernels.Ctx, args []vector.Vec, _ int) (vector.Vec, error) {
			*count++
			return args[0], nil
		}}
}

func intBatch(values ...int32) *vector.Batch {
	return vector.NewBatch(vector.NewSchema(vector.Field{Name: "x", Type: vector.Int}),
		[]arrow.Array{vector.NewFixed(vector.Int, values, nil)}, len(values))
}

// TestCompileAllShares evaluates equal expressions once for a batch, and a
// volatile one only where it is the same call.
func TestCompileAllShares(t *testing.T) {
	x := &plan.Attr{ID: plan.NewID(), Name: "x", Typ: vector.Int}
	for _, volatile := range []bool{false, true} {
		count := 0
		impl := counted(&count, volatile)
		call := func() plan.Expr { return &plan.Call{Name: "f", Args: []plan.Expr{x}, Impl: impl} }
		same := call()
		ks, err := plan.CompileAll([]plan.Expr{same, same, call()}, []*plan.Attr{x})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for range 2 {
			b := intBatch(1, 2, 3)
			for _, k := range ks {
				v, err := k.Eval(&kernels.Ctx{}, b)
				if err != nil || v.Arr.Len() != 3 {
					t.Fatal(v, err)
				}
			}
			if want++; volatile {
				want++
			}
			if count != want {
				t.Errorf("volatile %t: %d evaluations, want %d", volatile, count, want)
			}
		}
	}
}

func bindText(t *testing.T, text string, scope *plan.Scope) (*plan.Analyser, plan.Expr) {
	t.Helper()
	e, err := sql.ParseExpression(text)
	if err != nil {
		t.Fatal(err)
	}
	a := &plan.Analyser{Conf: &kernels.Conf{ANSI: true, Zone: time.UTC}, Text: text}
	x, err := a.Expr(e, scope)
	if err != nil {
		t.Fatal(err)
	}
	return a, x
}

// TestFold checks that constants are computed once, that an error counts at once,
// and that one in a branch waits for a row that takes the branch.
func TestFold(t *testing.T) {
	x := &plan.Attr{ID: plan.NewID(), Name: "x", Typ: vector.Int, Null: true}
	scope := &plan.Scope{Columns: []*plan.Attr{x}}
	for _, c := range []struct {
		text  string
		error condition.Name
	}{
		{"1 + 2 * 3", ""},
		{"x + (1 + 2)", ""},
		{"1 / 0", "DIVIDE_BY_ZERO"},
		{"x + CAST('a' AS INT)", "CAST_INVALID_INPUT"},
		{"coalesce(x, 1 / 0)", ""},
		{"CASE WHEN x > 0 THEN 1 ELSE 1 div 0 END", ""},
		{"x > 0 AND 1 / 0 > 1", ""},
	} {
		a, e := bindText(t, c.text, scope)
		out, err := a.Fold(e)
		if c.error != "" {
			if !errors.Is(err, c.error) || condition.As(err).Pos == nil {
				t.Errorf("%s: want %s with a position, got %v", c.text, c.error, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if _, ok := out.(*plan.Literal); ok != (len(plan.References(e)) == 0) {
			t.Errorf("%s: folded to %T", c.text, out)
		}
	}
}

// TestRuntimeErrorPosition finds the failing part of an expression.
func TestRuntimeErrorPosition(t *testing.T) {
	x := &plan.Attr{ID: plan.NewID(), Name: "x", Typ: vector.Int}
	_, e := bindText(t, "x + 10 div (x - 2)", &plan.Scope{Columns: []*plan.Attr{x}})
	k, err := plan.Compile(e, []*plan.Attr{x})
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Eval(&kernels.Ctx{ANSI: true}, intBatch(1, 2))
	p := condition.As(err).Pos
	if p == nil || p.Offset != 4 || p.End != 18 {
		t.Errorf("position %+v of %v", p, err)
	}
}

func TestFingerprint(t *testing.T) {
	x := &plan.Attr{ID: plan.NewID(), Name: "x", Typ: vector.Int}
	scope := &plan.Scope{Columns: []*plan.Attr{x}}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"x + 1", "X + 1", true},
		{"x + 1", "1 + x", false},
		{"x = 1", "x = '1'", false},
		{"CAST(x AS BIGINT)", "try_cast(x AS BIGINT)", false},
		{"CASE WHEN x = 1 THEN 2 END", "case when x = 1 then 2 end", true},
	} {
		_, a := bindText(t, c.a, scope)
		_, b := bindText(t, c.b, scope)
		if got := plan.Fingerprint(a) == plan.Fingerprint(b); got != c.same {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}
