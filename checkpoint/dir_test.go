package checkpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/objstore/mem"
)

var ctx = context.Background()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func offsets(n int) checkpoint.OffsetEntry {
	return checkpoint.OffsetEntry{Version: 1, TimestampMs: int64(n), Ordered: []json.RawMessage{json.RawMessage(fmt.Sprint(n))}}
}

func open(t testing.TB, s objstore.Store) *checkpoint.Dir {
	t.Helper()
	d, err := checkpoint.Open(ctx, s)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

// write makes a checkpoint with the given batches in its logs.
func write(t testing.TB, s objstore.Store, offsetBatches, commitBatches []int64) {
	t.Helper()
	d, err := checkpoint.Open(ctx, s)
	must(t, err)
	for _, b := range offsetBatches {
		must(t, d.Offsets().Add(ctx, b, offsets(int(b))))
	}
	for _, b := range commitBatches {
		must(t, d.Commits().Add(ctx, b, checkpoint.CommitEntry{Version: 1, NextWatermarkMs: b * 10}))
	}
	must(t, d.Close())
}

func TestMetadata(t *testing.T) {
	s := mem.New()
	d, err := checkpoint.Open(ctx, s)
	must(t, err)
	data, err := s.Get(ctx, "metadata")
	must(t, err)
	if want := `{"id":"` + d.ID() + `"}`; string(data) != want || len(d.ID()) != 36 {
		t.Errorf("metadata %s, want %s", data, want)
	}
	if _, err := checkpoint.Open(ctx, s); !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_IN_USE")) {
		t.Errorf("second query: %v", err)
	}
	ro, err := checkpoint.OpenReadOnly(ctx, s)
	must(t, err)
	must(t, d.Close())
	if again := open(t, s); again.ID() != d.ID() || ro.ID() != d.ID() {
		t.Errorf("id %s, then %s, read-only %s", d.ID(), again.ID(), ro.ID())
	}
	if _, err := checkpoint.OpenReadOnly(ctx, mem.New()); !errors.Is(err, condition.Name("PATH_NOT_FOUND")) {
		t.Errorf("read-only without a checkpoint: %v", err)
	}
}

func TestLocalLockAndLocation(t *testing.T) {
	dir := t.TempDir()
	s, err := objstore.Open(ctx, dir)
	must(t, err)
	d := open(t, s)
	if d.Location() != dir {
		t.Errorf("location %s, want %s", d.Location(), dir)
	}
	other, err := objstore.Open(ctx, "file://"+dir)
	must(t, err)
	_, err = checkpoint.Open(ctx, other)
	if !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_IN_USE")) || !strings.Contains(err.Error(), "process") {
		t.Errorf("second query: %v", err)
	}
}

func TestMissingMetadata(t *testing.T) {
	for _, logs := range [][2][]int64{{{0}, nil}, {nil, {0}}} {
		s := mem.New()
		write(t, s, logs[0], logs[1])
		must(t, s.Delete(ctx, "metadata"))
		for range 2 { // the refusal must not repair anything
			if _, err := checkpoint.Open(ctx, s); !errors.Is(err, condition.Name("STREAMING_CHECKPOINT_MISSING_METADATA_FILE")) {
				t.Error(err)
			}
		}
	}
}

func TestRecover(t *testing.T) {
	b := func(n ...int64) []int64 { return n }
	const inconsistent, concurrent = "VSTREAM_CHECKPOINT_INCONSISTENT", "CONCURRENT_STREAM_LOG_UPDATE"
	tests := []struct {
		name             string
		offsets, commits []int64
		gaps             bool
		want             string // "batch replay last start lastCommit"
		err              condition.Name
	}{
		{name: "fresh", want: "0 false - - -1"},
		{name: "all committed", offsets: b(0, 1), commits: b(0, 1), want: "2 false 1 1 1"},
		{name: "last not committed", offsets: b(0, 1, 2), commits: b(0, 1), want: "2 true 2 1 1"},
		{name: "first not committed", offsets: b(0), want: "0 true 0 - -1"},
		{name: "commits deleted", offsets: b(0, 1), want: "1 true 1 0 -1"},
		{name: "commits cut", offsets: b(0, 1, 2, 3), commits: b(0), want: "3 true 3 2 0"},
		{name: "last offset and commit deleted", offsets: b(0), commits: b(0), want: "1 false 0 0 0"},
		{name: "numeric order", offsets: b(8, 9, 10, 11), commits: b(9, 10), want: "11 true 11 10 10"},
		{name: "committed, gap before", offsets: b(0, 3), commits: b(0, 3), err: inconsistent},
		{name: "async, committed, gap before", offsets: b(0, 3), commits: b(0, 3), gaps: true, want: "4 false 3 3 3"},
		{name: "async gap", offsets: b(0, 3), commits: b(0), gaps: true, want: "3 true 3 0 0"},
		{name: "async only one", offsets: b(3), gaps: true, want: "3 true 3 - -1"},
		{name: "offsets deleted", commits: b(0, 1), err: inconsistent},
		{name: "last offset deleted", offsets: b(0), commits: b(0, 1), err: concurrent},
		{name: "previous offset missing", offsets: b(0, 2), commits: b(0), err: inconsistent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mem.New()
			write(t, s, tt.offsets, tt.commits)
			r, err := open(t, s).Recover(ctx, tt.gaps)
			if tt.err != "" {
				if !errors.Is(err, tt.err) {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			must(t, err)
			show := func(e *checkpoint.OffsetEntry) string {
				if e == nil {
					return "-"
				}
				return string(e.Ordered[0])
			}
			got := fmt.Sprintf("%d %v %s %s %d", r.Batch, r.Replay, show(r.Offsets), show(r.Start), r.LastCommit)
			if got != tt.want || (r.Commit == nil) != (r.LastCommit < 0) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestLog(t *testing.T) {
	inner := mem.New()
	s := faulty.New(inner)
	d := open(t, s)
	before := len(s.Calls())
	for n := range 20 {
		must(t, d.Offsets().Add(ctx, int64(n), offsets(n)))
		e, ok, err := d.Offsets().Get(ctx, int64(n))
		if err != nil || !ok || !reflect.DeepEqual(e, offsets(n)) {
			t.Fatalf("batch %d: %+v, %v, %v", n, e, ok, err)
		}
		must(t, d.Purge(ctx, 5))
	}
	// What the metadata check listed is known; a batch costs one create and, later, deletes.
	for _, c := range s.Calls()[before:] {
		if c.Op != faulty.CreateExclusive && c.Op != faulty.Delete {
			t.Errorf("a batch needs %v", c)
		}
	}
	batches, err := d.Offsets().Batches(ctx)
	must(t, err)
	if !reflect.DeepEqual(batches, []int64{14, 15, 16, 17, 18, 19}) {
		t.Errorf("kept %v", batches)
	}
	if _, ok, err := d.Offsets().Get(ctx, 3); ok || err != nil {
		t.Errorf("a purged entry: %v, %v", ok, err)
	}
	// Another writer that took the next batch is found out.
	must(t, inner.Put(ctx, "offsets/20", []byte("v1\n{}")))
	if err := d.Offsets().Add(ctx, 20, offsets(20)); !errors.Is(err, condition.Name("CONCURRENT_STREAM_LOG_UPDATE")) {
		t.Errorf("a batch that is there: %v", err)
	}
	if n, _, _, err := d.Offsets().Latest(ctx); err != nil || n != 19 {
		t.Errorf("latest %d, %v", n, err)
	}
}

func TestLogIgnoresOtherFiles(t *testing.T) {
	s := mem.New()
	for _, name := range []string{"offsets/.0.crc", "offsets/07", "offsets/1.compact", "offsets/-1", "offsets/x", "offsets/2/3"} {
		must(t, s.Put(ctx, name, nil))
	}
	if r, err := open(t, s).Recover(ctx, false); err != nil || r.Offsets != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestLogErrors(t *testing.T) {
	s := mem.New()
	write(t, s, []int64{0, 1}, nil)
	must(t, s.Put(ctx, "offsets/1", nil))
	if _, err := open(t, s).Recover(ctx, false); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) || !strings.Contains(err.Error(), "offsets/1") {
		t.Errorf("empty entry: %v", err)
	}
	full := faulty.New(mem.New(), faulty.Named("offsets/0", faulty.Fault{Err: syscall.ENOSPC}, faulty.Writes...))
	d := open(t, full)
	if err := d.Offsets().Add(ctx, 0, offsets(0)); !errors.Is(err, condition.Name("VSTREAM_DISK_FULL")) {
		t.Errorf("full disk: %v", err)
	}
	if _, _, ok, err := d.Offsets().Latest(ctx); ok || err != nil {
		t.Errorf("after the failure: %v, %v", ok, err)
	}
}

func TestCheckOperators(t *testing.T) {
	agg := checkpoint.OperatorMetadata{Operator: checkpoint.OperatorInfo{Name: "stateStoreSave"},
		Stores: []checkpoint.StoreInfo{{Name: "default", NumPartitions: 2}}}
	dedupe := checkpoint.OperatorInfo{ID: 1, Name: "dedupe"}
	const (
		notEmpty = "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY"
		missing  = "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY"
		mismatch = "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA"
	)
	one := []checkpoint.OperatorInfo{agg.Operator}
	tests := []struct {
		name    string
		batches []int64
		write   []checkpoint.OperatorMetadata
		state   bool
		ops     []checkpoint.OperatorInfo
		want    condition.Name
	}{
		{name: "fresh", ops: one},
		{name: "fresh, metadata written", write: []checkpoint.OperatorMetadata{agg}, ops: one},
		{name: "logs deleted", write: []checkpoint.OperatorMetadata{agg}, state: true, ops: one, want: notEmpty},
		{name: "unchanged", batches: []int64{0}, write: []checkpoint.OperatorMetadata{agg}, state: true, ops: one},
		{name: "state deleted", batches: []int64{0}, ops: one, want: missing},
		{name: "stateless", batches: []int64{0}},
		{name: "stateful to stateless", batches: []int64{0}, write: []checkpoint.OperatorMetadata{agg}, state: true, want: mismatch},
		{name: "operator added", batches: []int64{0}, write: []checkpoint.OperatorMetadata{agg}, state: true, ops: append(one, dedupe), want: mismatch},
		{name: "operator changed", batches: []int64{0}, write: []checkpoint.OperatorMetadata{agg}, state: true,
			ops: []checkpoint.OperatorInfo{{Name: "dedupe"}}, want: mismatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mem.New()
			write(t, s, tt.batches, tt.batches)
			d := open(t, s)
			must(t, d.WriteOperators(ctx, tt.write))
			if tt.state {
				must(t, d.State().Put(ctx, "changelog/1.x", nil))
			}
			r, err := d.Recover(ctx, false)
			must(t, err)
			stored, err := d.CheckOperators(ctx, r, tt.ops)
			if tt.want == "" && err != nil || tt.want != "" && !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			if tt.name == "unchanged" && !reflect.DeepEqual(stored, tt.write) {
				t.Errorf("stored %+v", stored)
			}
			if tt.want == mismatch && !strings.Contains(err.Error(), "in the metadata: [(OperatorId: 0 -> OperatorName: stateStoreSave)]") {
				t.Errorf("message: %v", err)
			}
		})
	}
	s := mem.New()
	must(t, open(t, s).WriteOperators(ctx, []checkpoint.OperatorMetadata{agg}))
	if data, err := s.Get(ctx, "state/0/_metadata/metadata"); err != nil || string(data) != string(spark(t, "operator")) {
		t.Errorf("metadata file: %s, %v", data, err)
	}
}

// TestCrash stops the process at every store operation of three batches and checks that
// the logs then say what to do next.
func TestCrash(t *testing.T) {
	run := func(s objstore.Store) (done int64) {
		d, err := checkpoint.Open(ctx, s)
		if err != nil {
			return -1
		}
		defer d.Close()
		for b := range int64(3) {
			if d.Offsets().Add(ctx, b, offsets(int(b))) != nil || d.Commits().Add(ctx, b, checkpoint.CommitEntry{Version: 1}) != nil ||
				d.Purge(ctx, 1) != nil {
				return b
			}
		}
		return 3
	}
	for n := 1; ; n++ {
		for _, done := range []bool{false, true} {
			inner := mem.New()
			reached := run(faulty.New(inner, faulty.Nth(n, faulty.Fault{Crash: true, Done: done})))
			r, err := open(t, inner).Recover(ctx, false)
			if err != nil {
				t.Fatalf("operation %d: %v", n, err)
			}
			if next := r.Batch; next != max(reached, 0) && next != reached+1 {
				t.Errorf("operation %d: stopped in batch %d, goes on at %d", n, reached, next)
			}
			if reached == 3 {
				return
			}
		}
	}
}
