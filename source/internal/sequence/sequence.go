// Package sequence generates the rows of the rate sources: consecutive numbers
// with a timestamp each, dealt out to partitions in turn.
package sequence

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

const batchRows = 32 << 10

// Schema is the schema of both rate sources.
var Schema = vector.NewSchema(
	vector.Field{Name: "timestamp", Type: vector.Timestamp, Nullable: true},
	vector.Field{Name: "value", Type: vector.Long, Nullable: true})

// Range is the rows of one micro-batch.
type Range struct {
	From, To int64 // values, To not included
	// Micros replaces values by their timestamps.
	Micros     func(values []int64)
	Partitions int
}

// Splits gives one split per partition; partition p has the values From+p,
// From+p+Partitions, ….
func (r Range) Splits(p source.Pushdown) []source.Split {
	if r.From >= r.To {
		return nil
	}
	var out []source.Split
	for n := range r.Partitions {
		if r.From+int64(n) < r.To {
			out = append(out, &split{r, p, n})
		}
	}
	return out
}

type split struct {
	r    Range
	push source.Pushdown
	n    int
}

func (s *split) Size() int64 { return (s.r.To - s.r.From) / int64(s.r.Partitions) * 16 }

func (s *split) Describe() string {
	return fmt.Sprintf("values %d..%d, partition %d of %d", s.r.From, s.r.To, s.n, s.r.Partitions)
}

func (s *split) Read(ctx context.Context, out func(*vector.Batch) error) error {
	step := int64(s.r.Partitions)
	schema := Schema.Project(s.push.Columns)
	for v := s.r.From + int64(s.n); v < s.r.To; v += step * batchRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(batchRows, (s.r.To-v-1)/step+1))
		cols := make([]arrow.Array, len(s.push.Columns))
		for i, c := range s.push.Columns {
			vals := make([]int64, n)
			for j := range vals {
				vals[j] = v + int64(j)*step
			}
			if c == 0 {
				s.r.Micros(vals)
			}
			cols[i] = vector.NewFixed(Schema.Fields[c].Type, vals, nil)
		}
		b := vector.NewBatch(schema, cols, n)
		if s.push.Filter != nil {
			f, err := s.push.Filter(b)
			if err != nil {
				return err
			}
			b = f
		}
		if b != nil && b.Len() > 0 {
			if err := out(b); err != nil {
				return err
			}
		}
		if v > s.r.To-step*batchRows {
			break // the next value may not fit an int64
		}
	}
	return nil
}

// Number reads an integer option of at least least.
func Number(o source.Options, name string, def, least int64) (int64, error) {
	v, ok := o.Get(name)
	if !ok {
		return def, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < least {
		return 0, condition.New("VSTREAM_INVALID_OPTION", "option", name, "value", v, "expected", fmt.Sprintf("an integer of at least %d", least))
	}
	return n, nil
}

// Partitions reads numPartitions, by default spark.default.parallelism or the number of cores.
func Partitions(c source.Context, o source.Options) (int, error) {
	def := int64(runtime.GOMAXPROCS(0))
	if n, err := strconv.ParseInt(c.Conf["spark.default.parallelism"], 10, 32); err == nil && n > 0 {
		def = n
	}
	n, err := Number(o, "numPartitions", def, 1)
	return int(min(n, 1<<20)), err
}

// NoSchema refuses a schema given by the user.
func NoSchema(name string, s *vector.Schema) error {
	if s == nil {
		return nil
	}
	return condition.New("_LEGACY_ERROR_TEMP_2242", "provider", name)
}

// Seconds reads a duration option ("5s", "1m", "2h"; a bare number is seconds) in whole seconds.
func Seconds(o source.Options, name string) (int64, error) {
	v, _ := o.Get(name)
	t := strings.ToLower(strings.TrimSpace(v))
	if t == "" {
		return 0, nil
	}
	digits := strings.TrimRight(t, "abcdefghijklmnopqrstuvwxyz")
	ms, ok := map[string]int64{"": 1000, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}[t[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || n > math.MaxInt64/ms {
		return 0, condition.New("VSTREAM_INVALID_OPTION", "option", name, "value", v, "expected", "a duration such as 5s")
	}
	return n * ms / 1000, nil
}
