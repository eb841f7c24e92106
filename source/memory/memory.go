// Package memory is a source whose rows a program adds, batch by batch. It is
// not in the registry: the program hands the stream to the query.
package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// Stream is a streaming source in memory. Its offset is the number of batches
// added: {"batches":3}. It keeps a batch until the query commits it, so it can be
// read again after a failure within the process. It is safe for concurrent use.
type Stream struct {
	schema *vector.Schema

	mu      sync.Mutex
	batches []*vector.Batch // from number first on
	first   int64
	frozen  *int64 // the end of an availableNow run
}

// New makes a stream without rows.
func New(schema *vector.Schema) *Stream { return &Stream{schema: schema} }

// Add puts the rows of b behind those added before; b must have the stream's
// schema, or Add panics. It returns the offset behind them.
func (s *Stream) Add(b *vector.Batch) source.Offset {
	if !b.Schema.Equal(s.schema) {
		panic("memory: batch of " + b.Schema.String() + " added to a stream of " + s.schema.String())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, b)
	return offset(s.end())
}

func (s *Stream) end() int64 { return s.first + int64(len(s.batches)) }

// Schema is the schema that New was given.
func (s *Stream) Schema() *vector.Schema { return s.schema }

// PrepareAvailableNow fixes the end of the run at what has been added.
func (s *Stream) PrepareAvailableNow(context.Context, source.Offset) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := s.end()
	s.frozen = &end
	return nil
}

// Latest is the end of all that has been added.
func (s *Stream) Latest(_ context.Context, start source.Offset, _ bool) (source.Offset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, err := s.number(start)
	if err != nil {
		return "", err
	}
	end := s.end()
	if s.frozen != nil {
		end = *s.frozen
	}
	if end <= from {
		return start, nil
	}
	return offset(end), nil
}

// Plan gives one split for each batch added.
func (s *Stream) Plan(_ context.Context, start, end source.Offset, p source.Pushdown) ([]source.Split, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, err := s.number(start)
	if err != nil {
		return nil, err
	}
	to, err := s.number(end)
	if err != nil {
		return nil, err
	}
	if from < s.first {
		return nil, inconsistent(fmt.Sprintf("batch %d of the memory source is committed and gone", from))
	}
	schema := s.schema.Project(p.Columns)
	var out []source.Split
	for n := from; n < to; n++ {
		out = append(out, &split{s.batches[n-s.first].Project(schema, p.Columns), p.Filter, n})
	}
	return out, nil
}

// Commit forgets the batches up to end.
func (s *Stream) Commit(_ context.Context, end source.Offset) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.number(end)
	if err != nil || n <= s.first {
		return err
	}
	s.batches = append([]*vector.Batch(nil), s.batches[n-s.first:]...)
	s.first = n
	return nil
}

// Close keeps the rows: another run of the query may go on with the stream.
func (s *Stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = nil
	return nil
}

// Describe is what Spark calls such a source.
func (s *Stream) Describe() string { return "MemoryStream" + s.schema.String()[len("struct"):] }

type position struct {
	Batches int64 `json:"batches"`
}

func offset(n int64) source.Offset { return source.Offset(fmt.Sprintf(`{"batches":%d}`, n)) }

func (s *Stream) number(o source.Offset) (int64, error) {
	if o == "" {
		return 0, nil
	}
	var p position
	if err := json.Unmarshal([]byte(o), &p); err != nil || p.Batches < 0 || p.Batches > s.end() {
		return 0, inconsistent("the memory source has no offset " + string(o))
	}
	return p.Batches, nil
}

func inconsistent(detail string) error {
	return condition.New("VSTREAM_CHECKPOINT_INCONSISTENT", "checkpoint", "of the query", "detail", detail)
}

type split struct {
	b      *vector.Batch
	filter func(*vector.Batch) (*vector.Batch, error)
	n      int64
}

// Size is the number of values, as a batch's bytes are not known.
func (s *split) Size() int64 { return int64(s.b.Len()) * int64(max(s.b.NumCols(), 1)) * 8 }

// Describe names the batch.
func (s *split) Describe() string { return fmt.Sprintf("batch %d of the memory source", s.n) }

// Read passes a copy on, as a batch is used by one goroutine at a time and may be read again.
func (s *split) Read(_ context.Context, out func(*vector.Batch) error) error {
	c := *s.b
	b := &c
	if s.filter != nil {
		f, err := s.filter(b)
		if err != nil {
			return err
		}
		b = f
	}
	if b == nil || b.Len() == 0 {
		return nil
	}
	return out(b)
}
