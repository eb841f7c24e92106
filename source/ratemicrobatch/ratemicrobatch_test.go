package ratemicrobatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/source"
	_ "github.com/vstream/vstream/source/ratemicrobatch"
	"github.com/vstream/vstream/vector"
)

var ctx = context.Background()

func open(o source.Options) (source.Source, error) {
	spec, _ := source.Lookup("rate-micro-batch")
	return spec.Open(ctx, source.Context{}, o, nil)
}

func TestBatches(t *testing.T) {
	s, err := open(source.Options{"rowsPerBatch": "100000", "numPartitions": "3", "startTimestamp": "500", "advanceMillisPerBatch": "20"})
	if err != nil {
		t.Fatal(err)
	}
	from := source.Offset("")
	for n := range int64(3) {
		to, err := s.Latest(ctx, from, false)
		if err != nil || string(to) != fmt.Sprintf(`{"offset":%d,"timestamp":%d}`, (n+1)*100000, 520+n*20) {
			t.Fatal(to, err)
		}
		splits, err := s.Plan(ctx, from, to, source.Pushdown{Columns: []int{0, 1}})
		if err != nil || len(splits) != 3 {
			t.Fatal(splits, err)
		}
		var values []int64
		for _, sp := range splits {
			err := sp.Read(ctx, func(b *vector.Batch) error {
				for _, ts := range vector.Values[int64](b.Col(0)) {
					if ts != (500+n*20)*1000 {
						t.Fatal(ts)
					}
				}
				values = append(values, vector.Values[int64](b.Col(1))...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(values)
		for i, v := range values {
			if v != n*100000+int64(i) {
				t.Fatal(i, v)
			}
		}
		if len(values) != 100000 {
			t.Fatal(len(values))
		}
		from = to
	}
}

func TestAvailableNowIsOneBatch(t *testing.T) {
	s, err := open(source.Options{"rowsPerBatch": "5"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.(source.AvailableNow).PrepareAvailableNow(ctx, ""); err != nil {
		t.Fatal(err)
	}
	end, err := s.Latest(ctx, "", true)
	if err != nil || end != `{"offset":5,"timestamp":1000}` {
		t.Fatal(end, err)
	}
	if again, err := s.Latest(ctx, end, false); again != end || err != nil {
		t.Error(again, err)
	}
}

func TestRefused(t *testing.T) {
	for _, o := range []source.Options{nil, {"rowsPerBatch": "0"}, {"rowsPerBatch": "1", "startTimestamp": "-1"}, {"rowsPerBatch": "1", "advanceMillisPerBatch": "x"}} {
		if _, err := open(o); !errors.Is(err, condition.Name("VSTREAM_INVALID_OPTION")) {
			t.Errorf("%v: %v", o, err)
		}
	}
	s, err := open(source.Options{"rowsPerBatch": "1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Latest(ctx, "7", false); !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_INCONSISTENT")) {
		t.Error(err)
	}
	if end, err := s.Latest(ctx, `{"offset":9223372036854775807,"timestamp":9223372036854775807}`, false); err != nil || end != `{"offset":9223372036854775807,"timestamp":9223372036854775807}` {
		t.Error(end, err)
	}
}
