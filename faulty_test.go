package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/objstore/mem"
)

// disks are the stores behind the URLs faulty://<disk>/<folder>.
var disks sync.Map

func init() {
	objstore.RegisterScheme("faulty", func(_ context.Context, u *url.URL) (objstore.Store, error) {
		s, ok := disks.Load(u.Host)
		if !ok {
			return nil, fmt.Errorf("no disk %s", u.Host)
		}
		return objstore.Sub(s.(objstore.Store), strings.Trim(u.Path, "/")), nil
	})
}

// disk is a store in memory that fails by the rule while the rule is set.
type disk struct {
	inner objstore.Store
	url   string
	calls int
}

var diskNumber int

func newDisk(t *testing.T) *disk {
	diskNumber++
	d := &disk{inner: mem.New(), url: fmt.Sprint("disk", diskNumber)}
	t.Cleanup(func() { disks.Delete(d.url) })
	return d
}

// run runs the query once, on a disk that fails by the rules.
func (d *disk) run(s *vstream.Session, rules ...faulty.Rule) error {
	store := faulty.New(d.inner, rules...)
	disks.Store(d.url, store)
	defer func() { d.calls = len(store.Calls()) }()
	t, err := s.SQL("SELECT window(ts, '5 seconds') AS w, k, count(*) AS n, sum(v) AS v FROM e GROUP BY 1, 2")
	if err != nil {
		return err
	}
	q, err := t.Write().Name("q").Format("json").Option("path", "faulty://"+d.url+"/out").Checkpoint("faulty://" + d.url + "/cp").
		Trigger(vstream.AvailableNow()).Start(context.Background())
	if err != nil {
		return err
	}
	return q.Wait(context.Background())
}

// outcome is the visible output and the state.
func (d *disk) outcome(t *testing.T) outcome {
	t.Helper()
	ctx := context.Background()
	out := objstore.Sub(d.inner, "out")
	files, _, err := manifest.Read(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	var o outcome
	for _, f := range files {
		name, err := f.Name(out)
		if err != nil {
			t.Fatal(err)
		}
		text, err := out.Get(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		o.rows = append(o.rows, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	o.rows = slices.DeleteFunc(o.rows, func(s string) bool { return s == "" })
	sort.Strings(o.rows)
	o.state = stateRows(t, objstore.Sub(d.inner, "cp"))
	return o
}

// TestEveryStoreCallFails lets each call of the checkpoint's and the sink's store fail
// once, without effect or after it, or be the last one before a crash: the query ends with the
// condition of that failure or gets over it, and a run with the disk repaired gives the rest.
func TestEveryStoreCallFails(t *testing.T) {
	for _, async := range []string{"false", "true"} {
		t.Run("asyncCheckpoint "+async, func(t *testing.T) { everyStoreCallFails(t, async) })
	}
}

func everyStoreCallFails(t *testing.T, async string) {
	f := newFixture(t, vstream.WithConf("vstream.state.asyncCheckpoint", async), vstream.WithConf("spark.sql.streaming.stateStore.minDeltasForSnapshot", "1"),
		vstream.WithConf("spark.sql.streaming.noDataMicroBatches.enabled", "false"), vstream.WithLogger(slog.New(slog.DiscardHandler)))
	e, err := f.s.Read("json").Option("path", "in").Option("maxFilesPerTrigger", "1").Schema("k STRING, ts TIMESTAMP, v BIGINT").Load()
	if err != nil {
		t.Fatal(err)
	}
	if e, err = e.WithWatermark("ts", "10 seconds"); err != nil {
		t.Fatal(err)
	}
	if err := e.View("e"); err != nil {
		t.Fatal(err)
	}
	f.add("a 1 1", "a 2 2", "b 3 3")
	f.add("a 21 5", "b 4 6", "c 22 1")
	f.add("a 25 7", "a 40 8", "b 41 9")
	f.add("c 60 1")
	// A file that comes later makes the outcome independent of how the files before it were
	// dealt out to batches: as in Spark, a batch that was planned but not logged is joined to the next.
	finish := func(d *disk) error {
		f.add("a 90 1")
		defer func() {
			os.Remove(filepath.Join(f.dir, "in", fmt.Sprintf("%04d.json", f.n)))
			f.n--
		}()
		return d.run(f.s)
	}
	whole := newDisk(t)
	if err := whole.run(f.s); err != nil {
		t.Fatal(condition.Render(err))
	}
	calls := whole.calls
	if err := finish(whole); err != nil {
		t.Fatal(condition.Render(err))
	}
	want := whole.outcome(t)
	if len(want.rows) == 0 || len(want.state) == 0 {
		t.Fatalf("the job gives %d rows and %d rows of state", len(want.rows), len(want.state))
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	ended := 0
	for _, kind := range []string{"without effect", "after its effect", "crash"} {
		for n := 1; n <= calls; n += step {
			var failed faulty.Call
			rule := func(c faulty.Call) faulty.Fault {
				if c.N != n {
					return faulty.Fault{}
				}
				failed = c
				return faulty.Fault{Err: condition.IO(syscall.EIO, string(c.Op), c.Name), Done: kind == "after its effect", Crash: kind == "crash"}
			}
			d := newDisk(t)
			err := d.run(f.s, rule)
			at := fmt.Sprintf("call %d (%s %s) fails, %s", n, failed.Op, failed.Name, kind)
			if err != nil {
				ended++
				if kind != "crash" && !errors.Is(err, condition.Name("VSTREAM_IO")) {
					t.Errorf("%s: the query ended with %s", at, condition.Render(err))
				}
			}
			if err = d.run(f.s); err == nil {
				err = finish(d)
			}
			if err != nil {
				t.Errorf("%s: the next run ended with %s", at, condition.Render(err))
				continue
			}
			t.Run(at, func(t *testing.T) { compare(t, want, d.outcome(t)) })
		}
	}
	if ended == 0 {
		t.Error("no failure ended the query")
	}
}
