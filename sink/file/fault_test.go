package file_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/sink"
)

var errStore = errors.New("the store failed")

// attempt runs one batch as the engine does: a failed one is aborted.
func attempt(t *testing.T, s sink.Sink, id int64) error {
	t.Helper()
	w, done, err := s.Begin(ctx, sink.BatchInfo{QueryID: "q", BatchID: id, Schema: schema, Mode: "append"})
	if err != nil || done {
		return err
	}
	var messages []sink.Message
	for n := range 2 {
		var m sink.Message
		p, err := w.Partition(ctx, n)
		if err == nil {
			if err = p.Write(rows(fmt.Sprint("p", n), int(id))); err == nil {
				m, err = p.Finish()
			}
		}
		if err != nil {
			return errors.Join(err, w.Abort(ctx))
		}
		messages = append(messages, m)
	}
	if err := w.Commit(ctx, messages); err != nil {
		return errors.Join(err, w.Abort(ctx))
	}
	return nil
}

// Whatever call of the store fails, before or after it took effect, and whether
// the process survives it: each batch's rows are visible exactly once, and no
// data file stays behind that is not visible.
func TestFaults(t *testing.T) {
	const batches = 4
	faults := map[string]faulty.Fault{
		"fails":             {Err: errStore},
		"fails after doing": {Err: errStore, Done: true},
		"crash":             {Crash: true},
		"crash after doing": {Crash: true, Done: true},
	}
	for name, f := range faults {
		for n := 1; ; n++ {
			inner := mem.New()
			broken := faulty.New(inner, faulty.Nth(n, f))
			var store objstore.Store = broken
			var expect []string
			hit := false
			out := open(t, store, "csv", sink.Context{}, nil)
			for id := int64(0); id < batches; id++ {
				err := attempt(t, out, id)
				for tries := 0; err != nil; tries++ {
					hit = true
					if tries == 3 {
						t.Fatalf("%s at call %d: batch %d does not recover: %v", name, n, id, err)
					}
					if errors.Is(err, faulty.ErrCrashed) { // another process goes on
						store = inner
						out = open(t, store, "csv", sink.Context{}, nil)
					}
					err = attempt(t, out, id)
				}
				expect = append(expect, fmt.Sprintf("p0,%d\n", id), fmt.Sprintf("p1,%d\n", id))
			}
			if !hit && len(broken.Calls()) < n {
				break
			}
			got := contents(t, inner)
			if len(got) != len(expect) {
				t.Errorf("%s at call %d: visible %q", name, n, got)
			}
			for _, e := range expect {
				found := 0
				for _, g := range got {
					if g == e {
						found++
					}
				}
				if found != 1 {
					t.Errorf("%s at call %d: %q is visible %d times", name, n, e, found)
				}
			}
			if stray := dataFiles(t, inner) - len(got); stray != 0 {
				t.Errorf("%s at call %d: %d stray data files", name, n, stray)
			}
		}
	}
}
