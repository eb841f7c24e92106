package kernels_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// TestRandomContinues checks that a partition's sequence goes on from batch to
// batch of one micro-batch, is Spark's, and begins anew with the next micro-batch.
func TestRandomContinues(t *testing.T) {
	f, _ := kernels.Lookup("rand")
	seed := kernels.NewConst(vector.Int, 42)
	impl, err := f.Bind(ansi, []kernels.Arg{{Type: vector.Int, Const: &seed.Value, SQL: "42"}})
	if err != nil {
		t.Fatal(err)
	}
	e := kernels.NewCall(impl, []kernels.Expr{seed})
	draw := func(ctx kernels.Ctx, n int) []float64 {
		v, err := e.Eval(&ctx, vector.NewBatch(vector.NewSchema(), []arrow.Array{}, n))
		if err != nil {
			t.Fatal(err)
		}
		return vector.Values[float64](v.Arr)
	}
	want := []float64{0.619189370225301, 0.5096018842446481, 0.8325259388871524, 0.26322809041172357}
	got := append(draw(kernels.Ctx{BatchTimeMicros: 1}, 1), draw(kernels.Ctx{BatchTimeMicros: 1, RowBase: 1}, 3)...)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
	if other := draw(kernels.Ctx{BatchTimeMicros: 1, Partition: 1}, 1); other[0] != 0.8017532427858894 {
		t.Errorf("partition 1 begins with %v", other[0])
	}
	if again := draw(kernels.Ctx{BatchTimeMicros: 2}, 1); again[0] != want[0] {
		t.Errorf("the next batch begins with %v", again[0])
	}
}

// TestRemainderByConstant compares the reciprocal with Go's operator.
func TestRemainderByConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Int64(), 1, 20).Draw(t, "x")
		for i := range x {
			x[i] >>= rapid.IntRange(0, 60).Draw(t, "shift")
		}
		d := rapid.Int64().Draw(t, "d") >> rapid.IntRange(0, 60).Draw(t, "shift of d")
		if d == 0 {
			d = 7
		}
		values := make([]any, len(x))
		for i, v := range x {
			values[i] = v
		}
		if len(values) == 1 {
			values = append(values, values[0])
		}
		_, got, err := call(ansi, "%", col(vector.Long, values...), lit(vector.Long, d, "d"))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if got[i] != v.(int64)%d {
				t.Fatalf("%d %% %d is %v", v, d, got[i])
			}
		}
	})
}
