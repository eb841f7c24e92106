package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
)

// confs are settings under which a store writes its files in different ways.
var confs = []map[string]string{conf, inPieces, everyBatch}

// testFaults runs batches on a disk of which calls fail, before or after their effect, or leave a half-written
// file. A batch that fails runs again in a store that is opened anew, and nothing that was committed is lost.
func testFaults(t *rapid.T, d statestore.Driver) {
	failed := errors.Join(syscall.EIO)
	kinds := rapid.SliceOfN(rapid.IntRange(0, 11), 40, 40).Draw(t, "faults")
	rule := func(c faulty.Call) faulty.Fault {
		switch kinds[c.N%len(kinds)] {
		case 0:
			return faulty.Fault{Err: failed}
		case 1:
			return faulty.Fault{Err: failed, Done: true}
		case 2:
			return faulty.Fault{Err: failed, Torn: slices.Contains(faulty.Writes, c.Op)}
		}
		return faulty.Fault{}
	}
	disk := mem.New()
	r := newRun(d, faulty.New(disk, rule))
	r.conf = rapid.SampledFrom(confs).Draw(t, "conf")
	const batches, most = 9, 200
	tries := 0
	for opened := false; r.last().N < batches && tries < most; tries++ {
		if !opened {
			if r.open() != nil {
				continue
			}
			opened = true
		}
		changes := script(int(r.last().N))
		attempt, err := r.try(changes, true)
		if err != nil {
			opened = false
			continue
		}
		r.accept(attempt, changes)
		r.keep = max(0, r.last().N-2)
		r.maintain() // what fails is tried again after the next batch
	}
	if tries == most && r.last().N == 0 {
		return // every try met a fault
	}
	r.dir = disk
	must(t, r.open())
	for n := r.keep; n <= r.last().N; n++ {
		r.check(t, n, r.attempts[n])
	}
}

// testDamage damages one file after a run: every version that is kept loads as it was, or the error
// says that it cannot. The batch that the error names is whole.
func testDamage(t *rapid.T, d statestore.Driver) {
	disk := mem.New()
	r := newRun(d, disk)
	r.conf = rapid.SampledFrom(confs).Draw(t, "conf")
	must(t, r.open())
	r.batches(int64(rapid.IntRange(3, 9).Draw(t, "batches")))
	must(t, r.store.Close())
	files, err := disk.List(ctx, "")
	must(t, err)
	damage(t, disk, rapid.SampledFrom(files).Draw(t, "file").Name)
	if err := r.open(); err != nil {
		if !named(err) {
			t.Fatal(err)
		}
		return
	}
	for n := r.keep; n <= r.last().N; n++ {
		got, err := r.load(n, r.attempts[n])
		if err != nil {
			if !named(err) {
				t.Fatal(err)
			}
			checkResumable(t, r, err)
			continue
		}
		for _, id := range tables {
			if diff := cmp.Diff(contents{}.apply(change{puts: r.versions[n][id]}), got[id], cmp.AllowUnexported(key{}, value{})); diff != "" {
				t.Fatalf("version %d of %v is wrong (-want +got)\n%s", n, id, diff)
			}
		}
	}
}

// damage cuts a file, changes a bit of it, empties or removes it.
func damage(t *rapid.T, disk objstore.Store, name string) {
	data, err := disk.Get(ctx, name)
	must(t, err)
	data = slices.Clone(data)
	at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
	switch rapid.IntRange(0, 3).Draw(t, "damage") {
	case 0:
		must(t, disk.Put(ctx, name, data[:at]))
	case 1:
		data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		must(t, disk.Put(ctx, name, data))
	case 2:
		must(t, disk.Put(ctx, name, append(data, 0)))
	default:
		must(t, disk.Delete(ctx, name))
	}
}

// named tells whether an error is one of those that a damaged file has.
func named(err error) bool {
	for _, n := range []condition.Name{"VSTREAM_STATE_VERSION_UNAVAILABLE", "VSTREAM_CORRUPT_FILE", "VSTREAM_NEWER_FORMAT"} {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}

// checkResumable loads the batch that an error names.
func checkResumable(t *rapid.T, r *run, err error) {
	var c *condition.Error
	if !errors.As(err, &c) || c.Params["resumable"] == "" || c.Params["resumable"] == "none" {
		return
	}
	var batch int64
	if _, err := fmt.Sscanf(c.Params["resumable"], "batch %d", &batch); err != nil {
		t.Fatal(err)
	}
	if batch+1 < r.keep {
		return // what is left of older versions may be of an attempt that lost
	}
	r.check(t, batch+1, r.attempts[batch+1])
}

// testCrashInFlight stops the process at every call of a run that commits and maintains in the background while the
// next batch is staged, on a disk that finishes writes in any order.
func testCrashInFlight(t *testing.T, d statestore.Driver) {
	const batches = 8
	for n := 1; ; n++ {
		disk := mem.New()
		crash := faulty.Nth(n, faulty.Fault{Crash: true, Done: n%2 == 0})
		r := newRun(d, faulty.New(disk, crash, faulty.Scatter(uint64(n), 300*time.Microsecond)))
		r.conf = confs[n%len(confs)]
		finished := r.open() == nil && r.inFlight(batches)
		r.goOn(t, disk, batches, fmt.Sprint("call ", n))
		if finished {
			return
		}
	}
}

// inFlight runs the script to version n as a query with asynchronous state checkpointing does; false if the store failed.
func (r *run) inFlight(n int64) bool {
	var maintenance sync.WaitGroup
	defer maintenance.Wait()
	committed := make(chan bool, 1)
	committed <- true
	base := r.last()
	for base.N < n {
		r.attemptNo++
		v := statestore.Version{N: base.N + 1, Attempt: fmt.Sprintf("attempt-%d", r.attemptNo)}
		changes := script(int(base.N))
		for id, c := range changes {
			if r.store.Stage(ctx, id, v.N, v.Attempt, c.changes(3)) != nil {
				<-committed
				return false
			}
		}
		if !<-committed { // the batch before
			return false
		}
		maintenance.Wait()
		attempts, newest := slices.Clone(r.attempts), r.last()
		keep := max(0, newest.N-2)
		r.keep = keep
		maintenance.Go(func() { // what fails is tried again by the next round
			r.store.Maintain(ctx, newest, func(n int64) (string, bool) {
				if n < keep || n >= int64(len(attempts)) {
					return "", false
				}
				return attempts[n], true
			}, keep)
		})
		from := base
		go func() {
			err := r.store.Commit(ctx, v.N, v.Attempt, from)
			if err == nil {
				r.accept(v.Attempt, changes)
			}
			committed <- err == nil
		}()
		base = v
	}
	return <-committed
}
