package reader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	vjson "github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/durable"
	"github.com/vstream/vstream/statestore/reader"
	"github.com/vstream/vstream/vector"
)

// table is the schema of the hand-made checkpoints: a time and a number as key, a number as value.
var table = statestore.Schema{
	Keys:     []statestore.Column{{Name: "t", Type: "timestamp", Width: 8, Nullable: true}, {Name: "k", Type: "int", Width: 4}},
	Values:   []statestore.Column{{Name: "n", Type: "bigint", Width: 8}},
	OrderCol: 0,
	View: &statestore.View{
		Key:   []statestore.ViewField{{Name: "k", Type: "int", Column: 1}, {Name: "t", Type: "timestamp", Column: 0}},
		Value: []statestore.ViewField{{Name: "count", Type: "bigint", Column: 2}},
	},
}

type key struct {
	time int64 // milliseconds; -1: null
	k    int32
}

// block is a block of rows, or of keys without values.
func block(rows []key, values map[key]int64) statestore.Block {
	b := statestore.Block{Rows: len(rows), Cols: make([]statestore.ColumnData, 3)}
	b.Cols[0].Valid = make([]byte, (len(rows)+7)/8)
	for i, r := range rows {
		time := uint64(0)
		if r.time >= 0 {
			time = uint64(r.time) * 1000
			b.Cols[0].Valid[i/8] |= 1 << (i % 8)
		}
		b.Cols[0].Data = binary.LittleEndian.AppendUint64(b.Cols[0].Data, time)
		b.Cols[1].Data = binary.LittleEndian.AppendUint32(b.Cols[1].Data, uint32(r.k))
		b.Cols[2].Data = binary.LittleEndian.AppendUint64(b.Cols[2].Data, uint64(values[r]))
	}
	if values == nil {
		b.Cols = b.Cols[:2]
	}
	return b
}

// writer makes a checkpoint batch by batch.
type writer struct {
	dir   objstore.Store
	store statestore.Store
	next  int64
}

func newWriter(t testing.TB, dir objstore.Store, op string, tables map[string]statestore.Schema, partitions int, conf map[string]string) *writer {
	ctx := context.Background()
	cp, err := checkpoint.Open(ctx, dir)
	must(t, err)
	store, err := durable.Open(ctx, cp.State(), conf)
	must(t, err)
	m := checkpoint.OperatorMetadata{Operator: checkpoint.OperatorInfo{ID: 0, Name: op}}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		m.Stores = append(m.Stores, checkpoint.StoreInfo{Name: name, NumPartitions: partitions})
		for p := range partitions {
			must(t, store.Register(ctx, statestore.ID{Partition: p, Name: name}, tables[name]))
		}
	}
	must(t, cp.WriteOperators(ctx, []checkpoint.OperatorMetadata{m}))
	must(t, cp.Close())
	return &writer{dir: dir, store: store}
}

func attemptOf(version int64) string {
	if version == 0 {
		return ""
	}
	return fmt.Sprintf("attempt-%d", version)
}

// commit writes a batch: state, then the logs.
func (w *writer) commit(t testing.TB, changes map[statestore.ID]*statestore.Changes, partitions int) {
	ctx := context.Background()
	n := w.next + 1
	for id, c := range changes {
		must(t, w.store.Stage(ctx, id, n, attemptOf(n), c))
	}
	must(t, w.store.Commit(ctx, n, attemptOf(n), statestore.Version{N: n - 1, Attempt: attemptOf(n - 1)}))
	offsets, err := checkpoint.EncodeOffsets(checkpoint.OffsetEntry{Version: 1, Conf: map[string]string{"spark.sql.streaming.stateStore.providerClass": "memory"}})
	must(t, err)
	must(t, w.dir.CreateExclusive(ctx, fmt.Sprintf("offsets/%d", w.next), offsets))
	ids := make([][]string, partitions)
	for p := range ids {
		ids[p] = []string{attemptOf(n)}
	}
	entry, err := checkpoint.EncodeCommit(checkpoint.CommitEntry{Version: 2, StateIDs: map[int64][][]string{0: ids}})
	must(t, err)
	must(t, w.dir.CreateExclusive(ctx, fmt.Sprintf("commits/%d", w.next), entry))
	w.next++
}

// retain does what a query does after a batch: it makes snapshots and forgets old batches.
func (w *writer) retain(t testing.TB, batches int64) {
	ctx := context.Background()
	v := statestore.Version{N: w.next, Attempt: attemptOf(w.next)}
	must(t, w.store.Maintain(ctx, v, func(n int64) (string, bool) { return attemptOf(n), true }, w.next-batches))
	for b := int64(0); b < w.next-1-batches; b++ {
		must(t, w.dir.Delete(ctx, fmt.Sprintf("offsets/%d", b)))
		must(t, w.dir.Delete(ctx, fmt.Sprintf("commits/%d", b)))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read gives the rows as lines of JSON, sorted.
func read(t testing.TB, dir objstore.Store, options map[string]string) ([]string, error) {
	t.Helper()
	tab, err := open(dir, options)
	if err != nil {
		return nil, err
	}
	return lines(tab)
}

func open(dir objstore.Store, options map[string]string) (*reader.Table, error) {
	o, err := reader.ParseOptions(func(name string) (string, bool) { v, ok := options[name]; return v, ok })
	if err != nil {
		return nil, err
	}
	cp, err := reader.Open(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return cp.Table(context.Background(), o)
}

func lines(tab *reader.Table) ([]string, error) {
	var out bytes.Buffer
	w, err := vjson.NewLineWriter(&out, tab.Schema(), vjson.WriteOptions{KeepNullFields: true})
	if err != nil {
		return nil, err
	}
	if err := tab.Read(context.Background(), tab.Partitions(), func(b *vector.Batch) error { return w.Write(b) }); err != nil {
		return nil, err
	}
	rows := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if out.Len() == 0 {
		rows = nil
	}
	slices.Sort(rows)
	return rows, nil
}

func keyText(r key) string {
	time := "null"
	if r.time >= 0 {
		time = fmt.Sprintf(`"1970-01-01T00:00:00.%03dZ"`, r.time)
	}
	return fmt.Sprintf(`"key":{"k":%d,"t":%s}`, r.k, time)
}

// TestAgainstModel reads the state after every batch of random histories and the changes of all
// ranges of batches, and compares them with maps.
func TestAgainstModel(t *testing.T) {
	anyKey := rapid.Custom(func(t *rapid.T) key {
		return key{rapid.Int64Range(-1, 5).Draw(t, "time"), int32(rapid.IntRange(0, 3).Draw(t, "k"))}
	})
	rapid.Check(t, func(rt *rapid.T) {
		dir := mem.New()
		partitions := rapid.IntRange(1, 2).Draw(rt, "partitions")
		conf := map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2"}
		w := newWriter(t, dir, "stateStoreSave", map[string]statestore.Schema{"default": table}, partitions, conf)
		now := make([]map[key]int64, partitions)
		for p := range now {
			now[p] = map[key]int64{}
		}
		var states, feeds [][]string // by batch
		for batch := range rapid.IntRange(1, 6).Draw(rt, "batches") {
			changes := map[statestore.ID]*statestore.Changes{}
			var feed []string
			for p := range partitions {
				c, rows := &statestore.Changes{}, now[p]
				gone := func(r key) {
					feed = append(feed, fmt.Sprintf(`{"batch_id":%d,"change_type":"delete",%s,"value":null,"partition_id":%d}`, batch, keyText(r), p))
					delete(rows, r)
				}
				if c.Clear = rapid.IntRange(0, 9).Draw(rt, "clear") == 0; c.Clear {
					for _, r := range slices.Collect(maps.Keys(rows)) {
						gone(r)
					}
				}
				if c.HasDeleteBelow = rapid.Bool().Draw(rt, "evicts"); c.HasDeleteBelow {
					below := rapid.Int64Range(0, 5).Draw(rt, "below")
					c.DeleteBelow = below * 1000
					for _, r := range slices.Collect(maps.Keys(rows)) {
						if r.time >= 0 && r.time <= below {
							gone(r)
						}
					}
				}
				var remove []key
				for _, r := range slices.Collect(maps.Keys(rows)) {
					if rapid.IntRange(0, 4).Draw(rt, "remove") == 0 {
						remove = append(remove, r)
						gone(r)
					}
				}
				put := map[key]int64{}
				for _, r := range rapid.SliceOfN(anyKey, 0, 5).Draw(rt, "puts") {
					put[r] = rapid.Int64Range(0, 99).Draw(rt, "value")
				}
				for r, v := range put {
					rows[r] = v
					feed = append(feed, fmt.Sprintf(`{"batch_id":%d,"change_type":"update",%s,"value":{"count":%d},"partition_id":%d}`, batch, keyText(r), v, p))
				}
				if len(remove) > 0 {
					c.Deletes = []statestore.Block{block(remove, nil)}
				}
				if len(put) > 0 {
					c.Puts = []statestore.Block{block(slices.Collect(maps.Keys(put)), put)}
				}
				changes[statestore.ID{Partition: p, Name: "default"}] = c
			}
			w.commit(t, changes, partitions)
			var state []string
			for p, rows := range now {
				for r, v := range rows {
					state = append(state, fmt.Sprintf(`{%s,"value":{"count":%d},"partition_id":%d}`, keyText(r), v, p))
				}
			}
			slices.Sort(state)
			states, feeds = append(states, state), append(feeds, feed)
			if rapid.Bool().Draw(rt, "maintains") {
				w.retain(t, 100)
			}
		}
		for batch, want := range states {
			got, err := read(t, dir, map[string]string{"batchId": fmt.Sprint(batch)})
			if d := cmp.Diff(want, got); d != "" || err != nil {
				rt.Fatalf("batch %d: %v\n%s", batch, err, d)
			}
		}
		for first := range feeds {
			for last := first; last < len(feeds); last++ {
				got, err := read(t, dir, map[string]string{"readChangeFeed": "true", "changeStartBatchId": fmt.Sprint(first), "changeEndBatchId": fmt.Sprint(last)})
				want := slices.Concat(feeds[first : last+1]...)
				slices.Sort(want)
				if d := cmp.Diff(want, got); d != "" || err != nil {
					rt.Fatalf("changes of %d to %d: %v\n%s", first, last, err, d)
				}
			}
		}
	})
}

// counter commits batches that each count one more for every key.
func counter(t testing.TB, dir objstore.Store, conf map[string]string) (w *writer, step func()) {
	w = newWriter(t, dir, "stateStoreSave", map[string]statestore.Schema{"default": table}, 1, conf)
	return w, func() {
		rows, values := []key{}, map[key]int64{}
		for k := range int32(3) {
			r := key{0, k}
			rows, values[r] = append(rows, r), w.next+1
		}
		c := &statestore.Changes{Puts: []statestore.Block{block(rows, values)}}
		w.commit(t, map[statestore.ID]*statestore.Changes{{Name: "default"}: c}, 1)
	}
}

func TestBatchThatIsGone(t *testing.T) {
	dir := mem.New()
	w, step := counter(t, dir, map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2"})
	step()
	step()
	old, err := open(dir, map[string]string{"batchId": "0"})
	must(t, err)
	feed, err := open(dir, map[string]string{"readChangeFeed": "true", "changeStartBatchId": "0"})
	must(t, err)
	latest, err := open(dir, nil)
	must(t, err)
	for range 10 {
		step()
		w.retain(t, 1)
	}
	for name, tab := range map[string]*reader.Table{"state": old, "changes": feed, "latest": latest} {
		_, err := lines(tab)
		if !errors.Is(err, condition.Name("STDS_COMMITTED_BATCH_UNAVAILABLE")) || !strings.Contains(condition.Render(err), "minBatchesToRetain") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := read(t, dir, nil); err != nil || len(got) != 3 || !strings.Contains(got[0], `"count":12`) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestSnapshotStart begins with a snapshot, although a later one is there, and says
// when there is none.
func TestSnapshotStart(t *testing.T) {
	dir := mem.New()
	w, step := counter(t, dir, map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2"})
	for range 6 {
		step()
		w.retain(t, 100)
	}
	infos, err := dir.List(t.Context(), "state/snapshot/")
	must(t, err)
	snapshots := map[string]bool{}
	for _, i := range infos {
		n, _, _ := strings.Cut(i.Name[strings.LastIndex(i.Name, "/")+1:], ".")
		snapshots[n] = true
	}
	if len(snapshots) < 2 {
		t.Fatalf("too few snapshots: %v", snapshots)
	}
	for start := range 6 {
		for batch := start; batch < 6; batch++ {
			got, err := read(t, dir, map[string]string{"snapshotStartBatchId": fmt.Sprint(start), "snapshotPartitionId": "0", "batchId": fmt.Sprint(batch)})
			if !snapshots[fmt.Sprint(start+1)] {
				if !errors.Is(err, condition.Name("CANNOT_LOAD_STATE_STORE.UNCATEGORIZED")) {
					t.Errorf("start %d: %v", start, err)
				}
				continue
			}
			if err != nil || len(got) != 3 || !strings.Contains(got[0], fmt.Sprintf(`"count":%d}`, batch+1)) {
				t.Errorf("start %d, batch %d: %v, %v", start, batch, got, err)
			}
		}
	}
	// A broken file on the way is named, and not passed over.
	name := infos[len(infos)-1].Name
	data, err := dir.Get(t.Context(), name)
	must(t, err)
	data[len(data)-1] ^= 1
	must(t, dir.Put(t.Context(), name, data))
	n, _, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ".")
	start := map[string]string{"3": "2", "5": "4", "2": "1", "4": "3", "6": "5"}[n]
	if _, err := read(t, dir, map[string]string{"snapshotStartBatchId": start, "snapshotPartitionId": "0"}); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) {
		t.Errorf("a broken snapshot: %v", err)
	}
	if got, err := read(t, dir, nil); err != nil || len(got) != 3 {
		t.Errorf("the state without asking for it: %v, %v", got, err)
	}
}

// TestDamage takes files away.
func TestDamage(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, remove string
		options      map[string]string
		want         condition.Name
	}{
		{"changelog", "state/changelog/2.attempt-2", nil, "VSTREAM_STATE_VERSION_UNAVAILABLE"},
		{"changelog of the changes", "state/changelog/2.attempt-2", map[string]string{"readChangeFeed": "true", "changeStartBatchId": "1"}, "CANNOT_LOAD_STATE_STORE.CANNOT_READ_STREAMING_STATE_FILE"},
		{"schema", "state/schema/0/default.json", nil, "STDS_FAILED_TO_READ_STATE_SCHEMA"},
		{"operator", "state/0/_metadata/metadata", nil, "STDS_FAILED_TO_READ_STATE_SCHEMA"},
		{"offsets", "offsets/2", nil, "STDS_OFFSET_LOG_UNAVAILABLE"},
		{"commit", "commits/2", map[string]string{"batchId": "2"}, "STDS_COMMITTED_BATCH_UNAVAILABLE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := mem.New()
			_, step := counter(t, dir, nil)
			for range 3 {
				step()
			}
			must(t, dir.Delete(ctx, c.remove))
			if _, err := read(t, dir, c.options); !errors.Is(err, c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestLeavesNothing checks that reading writes nothing, and works without any files at all.
func TestLeavesNothing(t *testing.T) {
	ctx := context.Background()
	dir := mem.New()
	if cp, err := reader.Open(ctx, dir); err != nil || cp.Exists() || cp.Metadata().Len() != 0 {
		t.Errorf("%v", err)
	}
	_, step := counter(t, dir, nil)
	step()
	before, err := dir.List(ctx, "")
	must(t, err)
	must(t, dir.Delete(ctx, "state/schema/0/default.json"))
	if _, err := read(t, dir, nil); err == nil {
		t.Error("a missing schema is not noticed")
	}
	after, err := dir.List(ctx, "")
	must(t, err)
	if len(after) != len(before)-1 {
		t.Errorf("%d files became %d", len(before), len(after))
	}
}

// TestJoin numbers the rows of a join's side and tells which were matched.
func TestJoin(t *testing.T) {
	dir := mem.New()
	key := []statestore.Column{{Name: "time", Type: "timestamp", Width: 8}, {Name: "id", Type: "bigint", Width: 8}}
	rows := statestore.Schema{
		Keys:   append(slices.Clone(key), statestore.Column{Name: "k", Type: "int", Width: 4, Nullable: true}),
		Values: []statestore.Column{{Name: "v", Type: "int", Width: 4}, {Name: "matched", Type: "boolean", Width: 1}},
		View: &statestore.View{
			Key:   []statestore.ViewField{{Name: "field0", Type: "int", Column: 2}},
			Value: []statestore.ViewField{{Name: "k", Type: "int", Column: 2}, {Name: "v", Type: "int", Column: 3}},
		},
	}
	tables := map[string]statestore.Schema{
		"left-rows": rows, "left-matched": {Keys: key}, "right-rows": rows, "right-matched": {Keys: key},
	}
	w := newWriter(t, dir, "symmetricHashJoin", tables, 1, nil)
	put := func(data ...[5]int64) *statestore.Changes { // time, id, k, v, matched
		b := statestore.Block{Rows: len(data), Cols: make([]statestore.ColumnData, 5)}
		for _, r := range data {
			for i := range 2 {
				b.Cols[i].Data = binary.LittleEndian.AppendUint64(b.Cols[i].Data, uint64(r[i]))
				b.Cols[2+i].Data = binary.LittleEndian.AppendUint32(b.Cols[2+i].Data, uint32(r[2+i]))
			}
			b.Cols[4].Data = append(b.Cols[4].Data, byte(r[4]))
		}
		return &statestore.Changes{Puts: []statestore.Block{b}}
	}
	met := func(time, id int64) *statestore.Changes {
		c := put([5]int64{time, id})
		c.Puts[0].Cols = c.Puts[0].Cols[:2]
		return c
	}
	left, matched := statestore.ID{Name: "left-rows"}, statestore.ID{Name: "left-matched"}
	w.commit(t, map[statestore.ID]*statestore.Changes{left: put([5]int64{9, 0, 7, 1, 0}, [5]int64{3, 1, 7, 2, 1}, [5]int64{5, 2, 8, 3, 0})}, 1)
	evict := put([5]int64{20, 3, 8, 4, 0})
	evict.HasDeleteBelow, evict.DeleteBelow = true, 4
	gone := met(5, 2)
	gone.HasDeleteBelow, gone.DeleteBelow = true, 4
	w.commit(t, map[statestore.ID]*statestore.Changes{left: evict, matched: gone}, 1)
	w.commit(t, nil, 1)

	row := func(k, index, v int, matched bool) string {
		return fmt.Sprintf(`{"key":{"field0":%d,"index":%d},"value":{"k":%d,"v":%d,"matched":%v},"partition_id":0}`, k, index, k, v, matched)
	}
	count := func(k, n int) string {
		return fmt.Sprintf(`{"key":{"field0":%d},"value":{"value":%d},"partition_id":0}`, k, n)
	}
	changed := func(batch int, line string) string {
		return fmt.Sprintf(`{"batch_id":%d,"change_type":"update",%s`, batch, line[1:])
	}
	for _, c := range []struct {
		options map[string]string
		want    []string
	}{
		{map[string]string{"batchId": "0", "joinSide": "left"}, []string{
			`{"key":{"field0":7},"value":{"k":7,"v":1},"partition_id":0}`, `{"key":{"field0":7},"value":{"k":7,"v":2},"partition_id":0}`, `{"key":{"field0":8},"value":{"k":8,"v":3},"partition_id":0}`,
		}},
		{map[string]string{"joinSide": "right"}, nil},
		{map[string]string{"batchId": "0", "storeName": "left-keyWithIndexToValue"}, []string{row(7, 0, 1, false), row(7, 1, 2, true), row(8, 0, 3, false)}},
		{map[string]string{"storeName": "left-keyWithIndexToValue"}, []string{row(7, 0, 1, false), row(8, 0, 3, true), row(8, 1, 4, false)}},
		{map[string]string{"batchId": "0", "storeName": "left-keyToNumValues"}, []string{count(7, 2), count(8, 1)}},
		{map[string]string{"storeName": "left-keyToNumValues"}, []string{count(7, 1), count(8, 2)}},
		{map[string]string{"storeName": "right-keyToNumValues"}, nil},
		{map[string]string{"storeName": "left-keyToNumValues", "readChangeFeed": "true", "changeStartBatchId": "0"}, []string{
			changed(0, count(7, 2)), changed(0, count(8, 1)), changed(1, count(7, 1)), changed(1, count(8, 2)),
		}},
		{map[string]string{"storeName": "left-keyWithIndexToValue", "readChangeFeed": "true", "changeStartBatchId": "1"}, []string{
			`{"batch_id":1,"change_type":"delete","key":{"field0":7,"index":1},"value":null,"partition_id":0}`, changed(1, row(8, 0, 3, true)), changed(1, row(8, 1, 4, false)),
		}},
	} {
		got, err := read(t, dir, c.options)
		if d := cmp.Diff(c.want, got); d != "" || err != nil {
			t.Errorf("%v: %v\n%s", c.options, err, d)
		}
	}
}

// TestSchemaThatDoesNotFit reads tables whose recorded view cannot be shown.
func TestSchemaThatDoesNotFit(t *testing.T) {
	ctx := context.Background()
	for name, change := range map[string]func(s map[string]any){
		"no view":           func(s map[string]any) { delete(s, "view") },
		"another type":      func(s map[string]any) { field(s, "value")["type"] = "string" },
		"no type":           func(s map[string]any) { field(s, "value")["type"] = "nosuch" },
		"two columns":       func(s map[string]any) { field(s, "value")["type"] = "bigint, b bigint" },
		"form":              func(s map[string]any) { field(s, "value")["form"] = "encoded" },
		"unknown form":      func(s map[string]any) { field(s, "value")["form"] = "x" },
		"column":            func(s map[string]any) { field(s, "value")["column"] = 3 },
		"value as key":      func(s map[string]any) { field(s, "key")["column"], field(s, "key")["type"] = 2, "bigint" },
		"width of a column": func(s map[string]any) { s["keys"].([]any)[1].(map[string]any)["type"] = "bigint" },
		"number of columns": func(s map[string]any) { s["values"] = append(s["values"].([]any), s["values"].([]any)[0]) },
		"window of one time": func(s map[string]any) {
			field(s, "value")["form"], field(s, "value")["type"] = "window", "struct<a:bigint,b:bigint>"
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := mem.New()
			_, step := counter(t, dir, nil)
			step()
			const file = "state/schema/0/default.json"
			data, err := dir.Get(ctx, file)
			must(t, err)
			var s map[string]any
			must(t, json.Unmarshal(data, &s))
			change(s)
			data, err = json.Marshal(s)
			must(t, err)
			must(t, dir.Put(ctx, file, data))
			_, err = read(t, dir, nil)
			if !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) && !errors.Is(err, condition.Name("VSTREAM_STATE_VERSION_UNAVAILABLE")) {
				t.Errorf("%v", err)
			}
		})
	}
}

// field is the first field of a part of the view.
func field(schema map[string]any, part string) map[string]any {
	return schema["view"].(map[string]any)[part].([]any)[0].(map[string]any)
}
