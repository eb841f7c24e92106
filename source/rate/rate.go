// Package rate is Spark's rate source: so many rows per second of the clock.
package rate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/source/internal/sequence"
	"github.com/vstream/vstream/vector"
)

func init() {
	source.Register(source.Spec{
		Name: "rate", Summary: "Generates rows of a timestamp and a growing number at a rate by the clock.",
		Options: []source.Option{
			{Name: "rowsPerSecond", Type: "long", Default: "1", Doc: "Rows of each second."},
			{Name: "rampUpTime", Type: "duration", Default: "0s", Doc: "Time over which the rate grows to rowsPerSecond."},
			{Name: "numPartitions", Type: "int", Doc: "Number of partitions; spark.default.parallelism by default."},
		},
		Schema: sequence.Schema,
		Open:   open,
	})
}

// stream counts whole seconds since the query's first start; that count is its offset.
type stream struct {
	rate       rate
	partitions int
	shown      string // numPartitions as given
	created    int64  // ms since 1970
	last       int64  // the latest time seen: a clock that goes back does not take rows back
	nowMs      func() int64
}

func open(ctx context.Context, c source.Context, o source.Options, schema *vector.Schema) (source.Source, error) {
	if err := sequence.NoSchema("rate", schema); err != nil {
		return nil, err
	}
	s := &stream{nowMs: c.NowMs, shown: "default"}
	var err error
	if s.rate.perSecond, err = sequence.Number(o, "rowsPerSecond", 1, 1); err != nil {
		return nil, err
	}
	if s.rate.rampUp, err = sequence.Seconds(o, "rampUpTime"); err != nil {
		return nil, err
	}
	if s.partitions, err = sequence.Partitions(c, o); err != nil {
		return nil, err
	}
	if v, ok := o.Get("numPartitions"); ok {
		s.shown = v
	}
	if most := math.MaxInt64 / s.rate.perSecond; s.rate.rampUp > most {
		return nil, condition.New("INCORRECT_RAMP_UP_RATE", "rowsPerSecond", s.rate.perSecond, "maxSeconds", most, "rampUpTimeSeconds", s.rate.rampUp)
	}
	s.created, err = creation(ctx, c)
	s.last = s.created
	return s, err
}

// creation reads the time of the query's first start from the source's log, or
// writes it, in the format of Spark's metadata log.
func creation(ctx context.Context, c source.Context) (int64, error) {
	const name = "0"
	data, err := c.Log.Get(ctx, name)
	if errors.Is(err, objstore.ErrNotFound) {
		now := c.NowMs()
		return now, c.Log.CreateExclusive(ctx, name, []byte("v1\n"+strconv.FormatInt(now, 10)))
	}
	if err != nil {
		return 0, err
	}
	return decodeCreation(c.Log.URL(name), data)
}

// Schema is timestamp TIMESTAMP, value BIGINT.
func (s *stream) Schema() *vector.Schema { return sequence.Schema }

// Latest is the number of whole seconds since the first start.
func (s *stream) Latest(_ context.Context, start source.Offset, _ bool) (source.Offset, error) {
	s.last = max(s.last, s.nowMs())
	from, err := parse(start)
	if err != nil {
		return "", err
	}
	return source.Offset(strconv.FormatInt(max((s.last-s.created)/1000, from), 10)), nil
}

// Plan gives the rows of the seconds after start up to end.
func (s *stream) Plan(_ context.Context, start, end source.Offset, p source.Pushdown) ([]source.Split, error) {
	from, err := parse(start)
	if err != nil {
		return nil, err
	}
	to, err := parse(end)
	if err != nil {
		return nil, err
	}
	if to > math.MaxInt64/s.rate.perSecond || to > (math.MaxInt64-s.created)/1000 {
		return nil, badOffset(end)
	}
	s.last = max(s.last, s.created+to*1000)
	lo, hi := s.rate.at(from), s.rate.at(to)
	begin := s.created + from*1000
	perValue := float64((to-from)*1000) / float64(hi-lo)
	r := sequence.Range{From: lo, To: hi, Partitions: s.partitions, Micros: func(v []int64) {
		for i := range v {
			v[i] = (begin + int64(math.Floor(float64(v[i]-lo)*perValue+0.5))) * 1000
		}
	}}
	return r.Splits(p), nil
}

// Commit and Close have nothing to do.
func (s *stream) Commit(context.Context, source.Offset) error { return nil }

func (s *stream) Close() error { return nil }

// Describe is Spark's description.
func (s *stream) Describe() string {
	return fmt.Sprintf("RateStreamV2[rowsPerSecond=%d, rampUpTimeSeconds=%d, numPartitions=%s", s.rate.perSecond, s.rate.rampUp, s.shown)
}

func parse(o source.Offset) (int64, error) {
	if o == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(o), 10, 64)
	if err != nil || n < 0 {
		return 0, badOffset(o)
	}
	return n, nil
}

func badOffset(o source.Offset) error {
	return condition.New("VSTREAM_CHECKPOINT_INCONSISTENT", "checkpoint", "of the query", "detail", "the rate source has no offset "+string(o))
}

// rate is the number of rows per second, reached after a ramp of some seconds.
type rate struct{ perSecond, rampUp int64 }

// at is the number of rows that the first seconds have.
func (r rate) at(seconds int64) int64 {
	if seconds > r.rampUp {
		return r.at(r.rampUp) + (seconds-r.rampUp)*r.perSecond
	}
	// The speed grows by delta each second; the order of factors avoids an overflow.
	delta := r.perSecond / (r.rampUp + 1)
	if seconds%2 == 1 {
		return (seconds + 1) / 2 * delta * seconds
	}
	return seconds / 2 * delta * (seconds + 1)
}
