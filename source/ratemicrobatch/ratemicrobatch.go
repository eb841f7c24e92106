// Package ratemicrobatch is Spark's rate-micro-batch source: a fixed number of
// rows in each micro-batch, the same in every run.
package ratemicrobatch

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/source/internal/sequence"
	"github.com/vstream/vstream/vector"
)

func init() {
	source.Register(source.Spec{
		Name: "rate-micro-batch", Summary: "Generates a fixed number of rows of a timestamp and a growing number in each micro-batch.",
		Options: []source.Option{
			{Name: "rowsPerBatch", Type: "long", Doc: "Rows of each micro-batch; required."},
			{Name: "numPartitions", Type: "int", Doc: "Number of partitions; spark.default.parallelism by default."},
			{Name: "startTimestamp", Type: "long", Default: "0", Doc: "Timestamp of the first micro-batch, in milliseconds since 1970."},
			{Name: "advanceMillisPerBatch", Type: "long", Default: "1000", Doc: "What a micro-batch's timestamp is later than the one before."},
		},
		Schema: sequence.Schema,
		Open:   open,
	})
}

// position is the offset: the next value and the timestamp of the next batch.
type position struct {
	Offset    int64 `json:"offset"`
	Timestamp int64 `json:"timestamp"`
}

type stream struct {
	rows, start, advance int64
	partitions           int
	end                  *position // the end of an availableNow run
	availableNow         bool
}

func open(_ context.Context, c source.Context, o source.Options, schema *vector.Schema) (source.Source, error) {
	if err := sequence.NoSchema("rate-micro-batch", schema); err != nil {
		return nil, err
	}
	s := &stream{}
	var err error
	for _, n := range []struct {
		to         *int64
		name       string
		def, least int64
	}{{&s.rows, "rowsPerBatch", 0, 1}, {&s.start, "startTimestamp", 0, 0}, {&s.advance, "advanceMillisPerBatch", 1000, 0}} {
		if *n.to, err = sequence.Number(o, n.name, n.def, n.least); err != nil {
			return nil, err
		}
	}
	if s.rows == 0 {
		return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "rowsPerBatch", "value", "", "expected", "an integer of at least 1")
	}
	s.partitions, err = sequence.Partitions(c, o)
	return s, err
}

// Schema is timestamp TIMESTAMP, value BIGINT.
func (s *stream) Schema() *vector.Schema { return sequence.Schema }

// PrepareAvailableNow makes the run end with its first batch.
func (s *stream) PrepareAvailableNow(_ context.Context, start source.Offset) error {
	from, err := s.position(start)
	if err != nil {
		return err
	}
	end := s.next(from)
	s.end, s.availableNow = &end, true
	return nil
}

// Latest is one batch behind start.
func (s *stream) Latest(_ context.Context, start source.Offset, _ bool) (source.Offset, error) {
	from, err := s.position(start)
	if err != nil {
		return "", err
	}
	end := s.next(from)
	if s.availableNow {
		end = *s.end
	}
	b, err := json.Marshal(end)
	return source.Offset(b), err
}

func (s *stream) next(p position) position {
	return position{satAdd(p.Offset, s.rows), satAdd(p.Timestamp, s.advance)}
}

func satAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Plan gives the rows between two offsets; all have the timestamp of start.
func (s *stream) Plan(_ context.Context, start, end source.Offset, p source.Pushdown) ([]source.Split, error) {
	from, err := s.position(start)
	if err != nil {
		return nil, err
	}
	to, err := s.position(end)
	if err != nil {
		return nil, err
	}
	if from.Timestamp > math.MaxInt64/1000 {
		return nil, badOffset(start)
	}
	r := sequence.Range{From: from.Offset, To: to.Offset, Partitions: s.partitions, Micros: func(v []int64) {
		for i := range v {
			v[i] = from.Timestamp * 1000
		}
	}}
	return r.Splits(p), nil
}

func (s *stream) position(o source.Offset) (position, error) {
	if o == "" {
		return position{0, s.start}, nil
	}
	var p position
	if err := json.Unmarshal([]byte(o), &p); err != nil || p.Offset < 0 || p.Timestamp < 0 {
		return p, badOffset(o)
	}
	return p, nil
}

func badOffset(o source.Offset) error {
	return condition.New("VSTREAM_CHECKPOINT_INCONSISTENT", "checkpoint", "of the query", "detail", "the rate-micro-batch source has no offset "+string(o))
}

// Commit and Close have nothing to do.
func (s *stream) Commit(context.Context, source.Offset) error { return nil }

func (s *stream) Close() error { return nil }

// Describe is Spark's description.
func (s *stream) Describe() string {
	return fmt.Sprintf("RatePerMicroBatchStream[rowsPerBatch=%d, numPartitions=%d, startTimestamp=%d, advanceMsPerBatch=%d]", s.rows, s.partitions, s.start, s.advance)
}
