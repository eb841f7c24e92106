package reader

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Table is a store of one operator at one batch, or its changes over some batches.
type Table struct {
	cp       *Checkpoint
	operator int64
	store    string // the name of the table in the state directory
	shape    shape
	schema   statestore.Schema
	layout   *layout
	matched  statestore.Schema // of the table of matches that belongs to a join's table of rows

	batch      int64 // whose state is shown, or the last one of the changes
	changes    bool
	first      int64  // of the changes
	snapshot   *int64 // batch of the snapshot with which the read begins
	partitions []int
	commits    map[int64]checkpoint.CommitEntry // of the batches that are read
	conf       map[string]string                // that the offset log keeps
	out        *vector.Schema
}

// Table finds what the options ask for. The errors are Spark's:
//
//	STDS_COMMITTED_BATCH_UNAVAILABLE    a batch that is not committed or not retained
//	STDS_FAILED_TO_READ_STATE_SCHEMA    no such operator; a join without a side or store
//	STDS_INVALID_OPTION_VALUE.*         an option that does not fit the operator or the batches
func (c *Checkpoint) Table(ctx context.Context, o Options) (*Table, error) {
	t := &Table{cp: c, operator: o.Operator, commits: map[int64]checkpoint.CommitEntry{}}
	if err := t.chooseBatches(ctx, o); err != nil {
		return nil, err
	}
	if err := t.chooseStore(ctx, o); err != nil {
		return nil, err
	}
	if err := t.choosePartitions(o); err != nil {
		return nil, err
	}
	offsets, ok, err := c.dir.Offsets().Get(ctx, t.batch)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, condition.New("STDS_OFFSET_LOG_UNAVAILABLE", "batchId", t.batch, "checkpointLocation", c.store.URL(""))
	}
	t.conf = offsets.Conf
	key, value := t.shape.types(t.layout)
	t.out = stateSchema(key, value, t.changes)
	return t, nil
}

// stateSchema are the columns that Spark's source has.
func stateSchema(key, value *vector.Type, changes bool) *vector.Schema {
	fields := []vector.Field{
		{Name: "key", Type: key, Nullable: true}, {Name: "value", Type: value, Nullable: true},
		{Name: "partition_id", Type: vector.Int, Nullable: true},
	}
	if changes {
		fields = append([]vector.Field{
			{Name: "batch_id", Type: vector.Long, Nullable: true}, {Name: "change_type", Type: vector.String, Nullable: true},
		}, fields...)
	}
	return vector.NewSchema(fields...)
}

// Schema are the columns key, value and partition_id; of changes batch_id and change_type before them.
func (t *Table) Schema() *vector.Schema { return t.out }

// Batch is the batch whose state is shown, or the last one of the changes.
func (t *Table) Batch() int64 { return t.batch }

// Partitions are the partitions that are read.
func (t *Table) Partitions() []int { return t.partitions }

func (t *Table) chooseBatches(ctx context.Context, o Options) error {
	_, last, ok := t.cp.Batches()
	if !ok {
		return t.cp.noBatch(0)
	}
	t.batch = last
	needed := []int64{}
	switch {
	case o.Changes != nil:
		t.changes, t.first = true, o.Changes.Start
		if o.Changes.End != nil {
			t.batch = *o.Changes.End
		}
		if t.batch < t.first {
			return endBeforeStart(t.first, t.batch)
		}
		for b := t.first; b <= t.batch && t.cp.has(b); b++ {
			needed = append(needed, b)
		}
		if next := t.first + int64(len(needed)); next <= t.batch {
			return t.cp.noBatch(next)
		}
	case o.Batch != nil:
		t.batch = *o.Batch
	}
	if s := o.Snapshot; s != nil {
		if s.Start > t.batch {
			return invalid(OptSnapshotStart, fmt.Sprintf("it is after batch %d, which is read", t.batch))
		}
		t.snapshot = &s.Start
		needed = append(needed, s.Start)
	}
	for _, b := range append(needed, t.batch) {
		if !t.cp.has(b) {
			return t.cp.noBatch(b)
		}
		var err error
		if t.commits[b], err = t.cp.commit(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) chooseStore(ctx context.Context, o Options) error {
	at := slices.IndexFunc(t.cp.operators, func(op checkpoint.OperatorMetadata) bool { return op.Operator.ID == o.Operator })
	if at < 0 {
		return t.noSchema(o, "the query has "+t.cp.operatorNames())
	}
	op := t.cp.operators[at]
	for _, x := range []struct {
		asked bool
		name  string
	}{{o.Variable != "", OptVariable}, {o.Timers, OptTimers}} {
		if x.asked {
			return invalid(x.name, fmt.Sprintf("it is for transformWithState; operator %d is %s", o.Operator, op.Operator.Name))
		}
	}
	var names []string
	for _, s := range op.Stores {
		names = append(names, sparkStore(s.Name))
	}
	name := o.Store
	if name == "" {
		name = defaultStore
	}
	var ok bool
	switch {
	case o.JoinSide != "" && op.Operator.Name == joinOperator:
		t.store, ok = o.JoinSide+rowsSuffix, true
	case o.JoinSide != "":
		return t.noSchema(o, fmt.Sprintf("operator %d is %s, which has no sides", o.Operator, op.Operator.Name))
	case op.Operator.Name == joinOperator:
		t.store, t.shape, ok = joinStore(name)
	case slices.Contains(names, name):
		t.store, ok = name, true
	}
	if !ok && name == defaultStore {
		return t.noSchema(o, "it is a join: give joinSide, or storeName as one of "+strings.Join(names, ", "))
	}
	if !ok {
		return invalid(OptStore, fmt.Sprintf("operator %d (%s) has the stores %s", o.Operator, op.Operator.Name, strings.Join(names, ", ")))
	}
	for _, s := range op.Stores {
		if s.Name == t.store {
			t.partitions = t.partitionsOf(s.NumPartitions)
		}
	}
	return t.readSchemas(ctx, o)
}

// partitionsOf are the partitions that the operator had in the batches; now is how many it
// has now, for a commit log that does not say.
func (t *Table) partitionsOf(now int) []int {
	n := 0
	for _, c := range t.commits {
		n = max(n, len(c.StateIDs[t.operator]))
	}
	if n == 0 {
		n = now
	}
	out := make([]int, n)
	for p := range out {
		out[p] = p
	}
	return out
}

// readSchemas reads what the checkpoint records about the tables.
func (t *Table) readSchemas(ctx context.Context, o Options) error {
	registry := statestore.NewRegistry(t.cp.dir.State(), nil)
	read := func(name string, into *statestore.Schema) error {
		s, ok, err := registry.Read(ctx, int(t.operator), name)
		if err == nil && !ok {
			err = t.noSchema(o, "the state has no schema of the table "+name)
		}
		*into = s
		return err
	}
	if err := read(t.store, &t.schema); err != nil {
		return err
	}
	if t.shape != stored {
		if err := read(matchesOf(t.store), &t.matched); err != nil {
			return err
		}
	}
	var err error
	t.layout, err = newLayout(t.cp.dir.State().URL(fmt.Sprintf("schema/%d/%s.json", t.operator, t.store)), t.schema)
	return err
}

func (t *Table) choosePartitions(o Options) error {
	if o.Snapshot == nil {
		return nil
	}
	if !slices.Contains(t.partitions, o.Snapshot.Partition) {
		return condition.New("CANNOT_LOAD_STATE_STORE.SNAPSHOT_PARTITION_ID_NOT_FOUND", "snapshotPartitionId", o.Snapshot.Partition,
			"operatorId", t.operator, "checkpointLocation", t.cp.dir.State().URL("")).
			WithHint("the partitions are 0 to %d", len(t.partitions)-1)
	}
	t.partitions = []int{o.Snapshot.Partition}
	return nil
}

func (t *Table) noSchema(o Options, hint string) error {
	side := o.JoinSide
	if side == "" {
		side = "none"
	}
	text := fmt.Sprintf("checkpointLocation=%s, batchId=%d, operatorId=%d, storeName=%s, joinSide=%s", t.cp.store.URL(""), t.batch, o.Operator, o.Store, side)
	return condition.New("STDS_FAILED_TO_READ_STATE_SCHEMA", "sourceOptions", text).WithHint("%s", hint)
}

// operatorNames lists the operators for messages.
func (c *Checkpoint) operatorNames() string {
	if len(c.operators) == 0 {
		return "no stateful operators"
	}
	var names []string
	for _, op := range c.operators {
		names = append(names, fmt.Sprintf("%d (%s)", op.Operator.ID, op.Operator.Name))
	}
	return "the operators " + strings.Join(names, ", ")
}
