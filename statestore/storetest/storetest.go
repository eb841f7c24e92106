package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
)

var ctx = context.Background()

// conf makes snapshots frequent, inPieces makes their files small, everyBatch makes one in each batch.
var (
	conf       = map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2"}
	inPieces   = map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2", "vstream.state.snapshotPieceSize": "100"}
	everyBatch = map[string]string{"spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "false"}
)

// tables are the tables of the tests.
var tables = []statestore.ID{
	{Operator: 0, Partition: 0, Name: "default"},
	{Operator: 0, Partition: 1, Name: "default"},
	{Operator: 1, Partition: 0, Name: "left-keyToNumValues"},
}

// Run tests a driver.
func Run(t *testing.T, d statestore.Driver) {
	t.Run("History", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { testHistory(t, d) }) })
	t.Run("Crash", func(t *testing.T) { testCrash(t, d, conf) })
	t.Run("CrashInPieces", func(t *testing.T) { testCrash(t, d, inPieces) })
	t.Run("CrashEveryBatch", func(t *testing.T) { testCrash(t, d, everyBatch) })
	t.Run("Increments", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { testIncrements(t, d) }) })
	t.Run("Faults", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { testFaults(t, d) }) })
	t.Run("Damage", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { testDamage(t, d) }) })
	t.Run("CrashInFlight", func(t *testing.T) { testCrashInFlight(t, d) })
	t.Run("Concurrent", func(t *testing.T) { testConcurrent(t, d) })
	t.Run("Schema", func(t *testing.T) { testSchema(t, d) })
	t.Run("Unregistered", func(t *testing.T) { testUnregistered(t, d) })
	t.Run("MissingVersion", func(t *testing.T) { testMissingVersion(t, d) })
}

// fataler is testing.T and rapid.T.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run is a query that commits versions and remembers what they hold.
type run struct {
	driver    statestore.Driver
	dir       objstore.Store
	store     statestore.Store
	versions  []map[statestore.ID]contents // by N
	attempts  []string                     // the commit log, by N
	keep      int64                        // the oldest version that must stay
	attemptNo int
	conf      map[string]string
}

func newRun(d statestore.Driver, dir objstore.Store) *run {
	return &run{driver: d, dir: dir, versions: []map[statestore.ID]contents{{}}, attempts: []string{""}, conf: conf}
}

func (r *run) open() (err error) {
	if r.store != nil {
		r.store.Close() // of a store that crashed
	}
	if r.store, err = r.driver.Open(ctx, r.dir, r.conf); err != nil {
		return err
	}
	for _, id := range tables {
		if err := r.store.Register(ctx, id, schema); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) last() statestore.Version {
	n := len(r.attempts) - 1
	return statestore.Version{N: int64(n), Attempt: r.attempts[n]}
}

// try stages and, if commit, commits a batch; it counts only when accept is called.
func (r *run) try(changes map[statestore.ID]change, commit bool) (attempt string, err error) {
	r.attemptNo++
	attempt = fmt.Sprintf("attempt-%d", r.attemptNo)
	n := r.last().N + 1
	for id, c := range changes {
		if err := r.store.Stage(ctx, id, n, attempt, c.changes(3)); err != nil {
			r.store.Abort(n, attempt)
			return attempt, err
		}
	}
	if !commit {
		r.store.Abort(n, attempt)
		return attempt, nil
	}
	return attempt, r.store.Commit(ctx, n, attempt, r.last())
}

func (r *run) accept(attempt string, changes map[statestore.ID]change) {
	before, after := r.versions[len(r.versions)-1], map[statestore.ID]contents{}
	for _, id := range tables {
		after[id] = before[id].apply(changes[id])
	}
	r.versions, r.attempts = append(r.versions, after), append(r.attempts, attempt)
}

func (r *run) maintain() error {
	return r.store.Maintain(ctx, r.last(), func(n int64) (string, bool) {
		if n < r.keep || n >= int64(len(r.attempts)) {
			return "", false
		}
		return r.attempts[n], true
	}, r.keep)
}

// load reads version n of all tables.
func (r *run) load(n int64, attempt string) (map[statestore.ID]contents, error) {
	got := map[statestore.ID]contents{}
	for _, id := range tables {
		got[id] = contents{}
		err := r.store.Load(ctx, id, statestore.Version{N: n, Attempt: attempt}, func(c *statestore.Changes) error {
			ch, err := read(c)
			got[id] = got[id].apply(ch)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return got, nil
}

func (r *run) check(t fataler, n int64, attempt string) {
	t.Helper()
	got, err := r.load(n, attempt)
	must(t, err)
	want := map[statestore.ID]contents{}
	for _, id := range tables {
		want[id] = contents{}.apply(change{puts: r.versions[n][id]})
	}
	if maps.EqualFunc(want, got, maps.Equal[contents, contents]) {
		return // much faster than cmp
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(key{}, value{})); d != "" {
		t.Fatalf("version %d (-want +got)\n%s", n, d)
	}
}

func drawKey(t *rapid.T) key {
	k := key{end: int64(rapid.IntRange(-2, 6).Draw(t, "end")), k: rapid.SampledFrom([]string{"", "a", "b", "carrier"}).Draw(t, "k")}
	switch rapid.IntRange(0, 9).Draw(t, "null") {
	case 0:
		k.end, k.nullEnd = 0, true
	case 1:
		k.k, k.nullK = "", true
	}
	return k
}

func drawChange(t *rapid.T) change {
	ch := change{clear: rapid.IntRange(0, 9).Draw(t, "clear") == 0, puts: contents{}}
	if rapid.IntRange(0, 3).Draw(t, "evict") == 0 {
		below := int64(rapid.IntRange(-3, 6).Draw(t, "below"))
		ch.below = &below
	}
	for range rapid.IntRange(0, 3).Draw(t, "deletes") {
		ch.deletes = append(ch.deletes, drawKey(t))
	}
	for range rapid.IntRange(0, 8).Draw(t, "puts") {
		v := value{n: int64(rapid.IntRange(-1000, 1000).Draw(t, "n")), s: rapid.StringN(0, 5, -1).Draw(t, "s")}
		v.d[3] = byte(v.n)
		if v.n%3 == 0 {
			v.s, v.nullS = "", true
		}
		if v.n%4 == 0 {
			v.d, v.nullD = [16]byte{}, true
		}
		ch.puts[drawKey(t)] = v
	}
	return ch
}

// testHistory runs random batches, failed attempts, restarts and maintenance.
func testHistory(t *rapid.T, d statestore.Driver) {
	r := newRun(d, mem.New())
	must(t, r.open())
	for range rapid.IntRange(1, 15).Draw(t, "steps") {
		switch rapid.IntRange(0, 7).Draw(t, "step") {
		default:
			changes := map[statestore.ID]change{}
			for _, id := range tables {
				if rapid.IntRange(0, 3).Draw(t, "touched") > 0 {
					changes[id] = drawChange(t)
				}
			}
			// 0: aborted; 1: committed, but another attempt wins; 2: at once
			for kind := rapid.IntRange(0, 2).Draw(t, "attempt"); ; kind = 2 {
				attempt, err := r.try(changes, kind > 0)
				must(t, err)
				if kind == 2 {
					r.accept(attempt, changes)
					break
				}
			}
		case 5:
			r.keep = max(r.keep, r.last().N-int64(rapid.IntRange(0, 4).Draw(t, "retain")))
			must(t, r.maintain())
		case 6:
			must(t, r.store.Close())
			r.conf = rapid.SampledFrom([]map[string]string{conf, inPieces, everyBatch}).Draw(t, "conf")
			must(t, r.open())
			r.check(t, r.last().N, r.last().Attempt)
		case 7:
			n := int64(rapid.IntRange(int(r.keep), int(r.last().N)).Draw(t, "version"))
			must(t, r.store.Close())
			must(t, r.open())
			r.check(t, n, r.attempts[n])
			must(t, r.store.Close())
			must(t, r.open())
			r.check(t, r.last().N, r.last().Attempt)
		}
	}
	must(t, r.store.Close())
	must(t, r.open())
	for n := r.keep; n <= r.last().N; n++ {
		r.check(t, n, r.attempts[n])
	}
}

// testIncrements changes a little of a table that is large beside that, so that its changes are merged without writing it anew.
func testIncrements(t *rapid.T, d statestore.Driver) {
	r := newRun(d, mem.New())
	r.conf = map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "1"}
	must(t, r.open())
	for n := range rapid.IntRange(12, 30).Draw(t, "batches") {
		changes := map[statestore.ID]change{}
		for _, id := range tables[:2] {
			ch := change{puts: contents{}}
			switch {
			case n == 0:
				for i := range 300 {
					ch.puts[key{end: int64(100 + i), k: fmt.Sprint(i * i * 7919 % 100_003)}] = value{n: int64(i * 2654435761), s: fmt.Sprint(i * i)}
				}
			case rapid.Bool().Draw(t, "touched"):
				ch = drawChange(t)
				ch.clear = false
				if at := rapid.IntRange(0, 600).Draw(t, "deleted"); at < 300 {
					ch.deletes = append(ch.deletes, key{end: int64(100 + at), k: fmt.Sprint(at * at * 7919 % 100_003)})
				}
			}
			changes[id] = ch
		}
		attempt, err := r.try(changes, true)
		must(t, err)
		r.accept(attempt, changes)
		r.keep = max(0, r.last().N-5)
		must(t, r.maintain())
		if rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
			must(t, r.open())
			r.check(t, r.last().N, r.last().Attempt)
		}
	}
	must(t, r.open())
	for n := r.keep; n <= r.last().N; n++ {
		r.check(t, n, r.attempts[n])
	}
	must(t, r.open())
	r.check(t, r.last().N, r.last().Attempt)
}

// script is a change for batch n of the tests without random input.
func script(n int) map[statestore.ID]change {
	out := map[statestore.ID]change{}
	for i, id := range tables {
		ch := change{puts: contents{}}
		for j := range 4 {
			ch.puts[key{end: int64(n + j), k: fmt.Sprint(id.Partition, (n*j)%3)}] = value{n: int64(n*100 + i), s: "s", nullD: true}
		}
		if n%3 == 0 {
			below := int64(n - 4)
			ch.below = &below
			ch.deletes = []key{{end: int64(n), k: "1 0"}}
		}
		out[id] = ch
	}
	return out
}

// testCrash stops the process at every operation of a run with snapshots and purges, before
// and after the operation took effect, and continues from what is left.
func testCrash(t *testing.T, d statestore.Driver, conf map[string]string) {
	const batches = 9
	for n := 1; ; n++ {
		finished := false
		for _, done := range []bool{false, true} {
			disk := mem.New()
			r := newRun(d, faulty.New(disk, faulty.Nth(n, faulty.Fault{Crash: true, Done: done})))
			r.conf = conf
			if r.open() == nil {
				finished = r.batches(batches)
			}
			r.goOn(t, disk, batches, fmt.Sprint("operation ", n))
		}
		if finished {
			return
		}
	}
}

// goOn continues to version n from what a crash has left on the disk, and checks the state then and all that is retained.
func (r *run) goOn(t *testing.T, disk objstore.Store, n int64, crash string) {
	t.Helper()
	r.dir = disk
	must(t, r.open())
	r.check(t, r.last().N, r.last().Attempt)
	if r.batches(n); r.last().N != n {
		t.Fatalf("%s: no way on from version %d", crash, r.last().N)
	}
	must(t, r.open())
	for v := r.keep; v <= r.last().N; v++ {
		r.check(t, v, r.attempts[v])
	}
}

// batches runs the script to version n; false if the store failed.
func (r *run) batches(n int64) bool {
	for r.last().N < n {
		changes := script(int(r.last().N))
		attempt, err := r.try(changes, true)
		if err != nil {
			return false
		}
		r.accept(attempt, changes)
		r.keep = max(0, r.last().N-2)
		if r.maintain() != nil {
			return false
		}
	}
	return true
}

// testConcurrent stages and loads all tables at once, with maintenance in the background.
func testConcurrent(t *testing.T, d statestore.Driver) {
	r := newRun(d, mem.New())
	must(t, r.open())
	var background sync.WaitGroup
	for n := range 12 {
		changes := script(n)
		v := statestore.Version{N: int64(n) + 1, Attempt: fmt.Sprint("a", n)}
		var wg sync.WaitGroup
		for id, c := range changes {
			wg.Go(func() {
				if err := r.store.Stage(ctx, id, v.N, v.Attempt, c.changes(2)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		must(t, r.store.Commit(ctx, v.N, v.Attempt, r.last()))
		background.Wait()
		r.accept(v.Attempt, changes)
		attempts, keep := r.attempts, max(0, v.N-3)
		background.Go(func() {
			err := r.store.Maintain(ctx, v, func(n int64) (string, bool) { return attempts[n], n < int64(len(attempts)) }, keep)
			if err != nil {
				t.Error(err)
			}
		})
	}
	background.Wait()
	must(t, r.store.Close())
	must(t, r.open())
	var mu sync.Mutex
	got := map[statestore.ID]contents{}
	var wg sync.WaitGroup
	for _, id := range tables {
		wg.Go(func() {
			have := contents{}
			err := r.store.Load(ctx, id, r.last(), func(c *statestore.Changes) error {
				ch, err := read(c)
				have = have.apply(ch)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			got[id] = have
		})
	}
	wg.Wait()
	if diff := cmp.Diff(r.versions[r.last().N], got, cmp.AllowUnexported(key{}, value{})); diff != "" {
		t.Error(diff)
	}
	if m := r.store.Metrics(); m.LoadedSnapshot <= 0 {
		t.Errorf("no snapshot was used: %+v", m)
	}
}

func testSchema(t *testing.T, d statestore.Driver) {
	dir := mem.New()
	open := func() statestore.Store {
		s, err := d.Open(ctx, dir, nil)
		must(t, err)
		return s
	}
	must(t, open().Register(ctx, tables[0], schema))
	change := func(f func(s *statestore.Schema)) statestore.Schema {
		s := statestore.Schema{Keys: append([]statestore.Column{}, schema.Keys...), Values: append([]statestore.Column{}, schema.Values...), OrderCol: schema.OrderCol}
		f(&s)
		return s
	}
	const keys, values = "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE", "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE"
	for name, tt := range map[string]struct {
		schema statestore.Schema
		want   condition.Name
	}{
		"same":           {schema, ""},
		"names":          {change(func(s *statestore.Schema) { s.Keys[1].Name, s.Values[0].Name = "x", "y" }), ""},
		"key type":       {change(func(s *statestore.Schema) { s.Keys[0].Type = "bigint" }), keys},
		"key added":      {change(func(s *statestore.Schema) { s.Keys = append(s.Keys, s.Keys[0]) }), keys},
		"value type":     {change(func(s *statestore.Schema) { s.Values[0].Type = "double" }), values},
		"value removed":  {change(func(s *statestore.Schema) { s.Values = s.Values[:2] }), values},
		"values swapped": {change(func(s *statestore.Schema) { s.Values[0], s.Values[1] = s.Values[1], s.Values[0] }), values},
	} {
		err := open().Register(ctx, statestore.ID{Operator: tables[0].Operator, Partition: 3, Name: tables[0].Name}, tt.schema)
		if tt.want == "" && err != nil || tt.want != "" && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func testUnregistered(t *testing.T, d statestore.Driver) {
	s, err := d.Open(ctx, mem.New(), nil)
	must(t, err)
	id := statestore.ID{Operator: 9, Name: "x"}
	if s.Stage(ctx, id, 1, "a", &statestore.Changes{Clear: true}) == nil || s.Load(ctx, id, statestore.Version{}, nil) == nil {
		t.Error("a table that is not registered was accepted")
	}
	must(t, s.Register(ctx, id, schema))
	if err := s.Stage(ctx, id, 1, "a", &statestore.Changes{Puts: []statestore.Block{{Rows: 1}}}); !errors.Is(err, condition.Name("INTERNAL_ERROR")) {
		t.Errorf("a block without columns: %v", err)
	}
}

func testMissingVersion(t *testing.T, d statestore.Driver) {
	r := newRun(d, mem.New())
	must(t, r.open())
	r.batches(2)
	for _, v := range []statestore.Version{{N: 2, Attempt: "other"}, {N: 3, Attempt: "attempt-3"}, {N: 3}} {
		if _, err := r.load(v.N, v.Attempt); !errors.Is(err, condition.Name("VSTREAM_STATE_VERSION_UNAVAILABLE")) {
			t.Errorf("version %+v: %v", v, err)
		}
	}
	must(t, r.store.Close())
	must(t, r.open())
	r.check(t, 2, "")
}
