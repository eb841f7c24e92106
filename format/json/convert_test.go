package json

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/vector"
)

// TestDoubles compares the doubles of random numbers with the library's.
func TestDoubles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	texts := []string{"0", "-0", "-0.0", "0.10", "-1", "123456789012345678", "-12345678901234567", "0.1234567890123456", "9007199254740993", "1e3", "-2.5E-7", "12345678901234567890.5"}
	for range 5000 {
		s := strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
		if k := r.IntN(len(s)); k > 0 {
			s = s[:k] + "." + s[k:]
		}
		if r.IntN(2) == 0 {
			s = "-" + s
		}
		texts = append(texts, s)
	}
	rd := NewValueReader(vector.StructOf(field("d", vector.Double)), options())
	for _, s := range texts {
		// The number is also that of a member which is skipped.
		if err := rd.Append([]byte(`{"x": ` + s + `, "d": ` + s + `,"y":` + s + `}`)); err != nil {
			t.Fatal(err)
		}
	}
	got := vector.Values[float64](rd.Flush().(*array.Struct).Field(0))
	for i, s := range texts {
		want, _ := strconv.ParseFloat(s, 64)
		if math.Float64bits(got[i]) != math.Float64bits(want) {
			t.Errorf("%s is %v, want %v", s, got[i], want)
		}
	}
}
