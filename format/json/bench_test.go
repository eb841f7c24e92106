package json

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vstream/vstream/vector"
)

// records are texts of about 200 bytes: eight fields, one of them nested, an escape in
// one text of ten.
func records(n int) (texts [][]byte, size int64) {
	r := rand.New(rand.NewPCG(1, 1))
	cities := []string{"Berlin", "Zürich", "New York", "Tōkyō"}
	for i := range n {
		note := "checked by the second shift"
		if i%10 == 0 {
			note = `said \"fine\"\nand left`
		}
		s := fmt.Sprintf(`{"id":%d,"device":"sensor-%04d","time":"2026-03-%02dT%02d:%02d:%02d.%03dZ","temperature":%.2f,"ok":%t,"site":{"city":"%s","floor":%d},"tags":["a%d","indoor"],"note":"%s"}`,
			1_000_000_000+r.IntN(1_000_000), r.IntN(10_000), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000),
			r.Float64()*80-20, r.IntN(2) == 0, cities[r.IntN(len(cities))], r.IntN(30), r.IntN(9), note)
		texts, size = append(texts, []byte(s)), size+int64(len(s))
	}
	return texts, size
}

// BenchmarkFromJSON reads the texts as from_json does, every field of them or some.
func BenchmarkFromJSON(b *testing.B) {
	all := []vector.Field{
		field("id", vector.Long), field("device", vector.String), field("time", vector.Timestamp), field("temperature", vector.Double), field("ok", vector.Bool),
		field("site", vector.StructOf(field("city", vector.String), field("floor", vector.Int))),
		field("tags", vector.ArrayOf(vector.String, true)), field("note", vector.String),
	}
	for name, fields := range map[string][]vector.Field{"all": all, "some": {all[0], all[3], all[7]}} {
		b.Run(name, func(b *testing.B) {
			texts, size := records(16 << 10)
			b.SetBytes(size)
			r := NewValueReader(vector.StructOf(fields...), options())
			for b.Loop() {
				for _, s := range texts {
					if err := r.Append(s); err != nil {
						b.Fatal(err)
					}
				}
				if a := r.Flush(); a.Len() != len(texts) || a.NullN() > 0 {
					b.Fatal("records were lost")
				}
			}
		})
	}
}
