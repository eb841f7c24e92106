package rate_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/source"
	_ "github.com/vstream/vstream/source/rate"
	"github.com/vstream/vstream/vector"
)

var ctx = context.Background()

func open(log objstore.Store, now *int64, o source.Options) (source.Source, error) {
	spec, _ := source.Lookup("rate")
	return spec.Open(ctx, source.Context{Name: "r", Log: log, NowMs: func() int64 { return *now }}, o, nil)
}

func rows(t *testing.T, s source.Source, from, to source.Offset) []string {
	t.Helper()
	splits, err := s.Plan(ctx, from, to, source.Pushdown{Columns: []int{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, sp := range splits {
		err := sp.Read(ctx, func(b *vector.Batch) error {
			ts := vector.Values[int64](b.Col(1))
			for i, v := range vector.Values[int64](b.Col(0)) {
				out = append(out, fmt.Sprintf("%02d@%d", v, ts[i]))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sort.Strings(out)
	return out
}

func TestRate(t *testing.T) {
	log, now := mem.New(), int64(10_500)
	s, err := open(log, &now, source.Options{"rowsPerSecond": "4", "numPartitions": "3"})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := s.Latest(ctx, "", false); err != nil || o != "0" {
		t.Error(o, err)
	}
	now = 12_600
	end, err := s.Latest(ctx, "0", false)
	if err != nil || end != "2" {
		t.Fatal(end, err)
	}
	want := []string{"00@10500000", "01@10750000", "02@11000000", "03@11250000", "04@11500000", "05@11750000", "06@12000000", "07@12250000"}
	if got := rows(t, s, "0", end); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	// A restart goes on from the first start, and a clock set back takes nothing back.
	now = 9_000
	if s, err = open(log, &now, source.Options{"rowsPerSecond": "4", "numPartitions": "2"}); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, s, "", "2"); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	if o, err := s.Latest(ctx, "2", false); err != nil || o != "2" {
		t.Error(o, err)
	}
	if got := s.Describe(); got != "RateStreamV2[rowsPerSecond=4, rampUpTimeSeconds=0, numPartitions=2" {
		t.Error(got)
	}
}

// The example of Spark's documentation: 4 s up to 10 rows per second.
func TestRampUp(t *testing.T) {
	now := int64(0)
	s, err := open(mem.New(), &now, source.Options{"rowsPerSecond": "10", "rampUpTime": "4s"})
	if err != nil {
		t.Fatal(err)
	}
	want := []int{0, 2, 6, 12, 20, 30, 40}
	for sec, n := range want {
		if got := len(rows(t, s, "", source.Offset(fmt.Sprint(sec)))); got != n {
			t.Errorf("%d s: %d rows, want %d", sec, got, n)
		}
	}
}

func TestRefused(t *testing.T) {
	now := int64(0)
	for _, tt := range []struct {
		o    source.Options
		want string
	}{
		{source.Options{"rowsPerSecond": "0"}, "VSTREAM_INVALID_OPTION"},
		{source.Options{"numPartitions": "-1"}, "VSTREAM_INVALID_OPTION"},
		{source.Options{"rampUpTime": "soon"}, "VSTREAM_INVALID_OPTION"},
		{source.Options{"rowsPerSecond": "9223372036854775807", "rampUpTime": "5s"}, "INCORRECT_RAMP_UP_RATE"},
	} {
		if _, err := open(mem.New(), &now, tt.o); !errors.Is(err, condition.Name(tt.want)) {
			t.Errorf("%v: %v", tt.o, err)
		}
	}
	spec, _ := source.Lookup("rate")
	if _, err := spec.Open(ctx, source.Context{}, nil, vector.NewSchema()); !errors.Is(err, condition.Name("_LEGACY_ERROR_TEMP_2242")) {
		t.Error(err)
	}
	log := mem.New()
	_ = log.Put(ctx, "0", []byte("v1\nx"))
	if _, err := open(log, &now, nil); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) {
		t.Error(err)
	}
	s, err := open(mem.New(), &now, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []source.Offset{"x", "-1", "9223372036854775807"} {
		if _, err := s.Plan(ctx, "", o, source.Pushdown{}); !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_INCONSISTENT")) {
			t.Errorf("%s: %v", o, err)
		}
	}
}
