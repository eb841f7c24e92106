package stream

import (
	"context"
	"maps"
	"runtime"
	"strconv"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/join"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/merge"
)

const (
	shufflePartitions = "spark.sql.shuffle.partitions"
	// statePartitions asks for another number of partitions of the state than the one in
	// force; it takes effect when the query starts.
	statePartitions = "spark.sql.streaming.stateStore.partitions"
	// internalStatePartitions is the name under which Spark 4.3 itself keeps that number.
	internalStatePartitions = "spark.sql.streaming.internal.stateStore.partitions"
	providerClass           = "spark.sql.streaming.stateStore.providerClass"
)

// partitionsOf is the number of partitions in force for a logged batch, 0 if it is not known.
func partitionsOf(e *checkpoint.OffsetEntry) int {
	if e == nil {
		return 0
	}
	n, _ := strconv.Atoi(e.Conf[shufflePartitions])
	return n
}

// controls tells whether the batch to be replayed moves the state to other partitions: its
// entry differs from the one before in their number, which is otherwise fixed.
func controls(r *checkpoint.Recovery) bool {
	from, to := partitionsOf(r.Start), partitionsOf(r.Offsets)
	return r.Replay && from > 0 && to > 0 && from != to
}

// control is the entry of a control batch after the batch of last: the same offsets,
// watermark and time, so that the next batch does not notice it.
func control(last *checkpoint.OffsetEntry, partitions int) checkpoint.OffsetEntry {
	entry := *last
	entry.Conf = maps.Clone(last.Conf)
	entry.Conf[shufflePartitions] = strconv.Itoa(partitions)
	return entry
}

// repartition is one control batch.
type repartition struct {
	dir   *checkpoint.Dir
	batch int64
	entry checkpoint.OffsetEntry
	// logged: the entry is in the offset log already, from a run that was cut short.
	logged bool
	// commit is the commit entry of the batch before.
	commit checkpoint.CommitEntry
	crash  func(point string) error
}

// run logs the batch, moves the state of all operators and commits. A crash leaves the old
// partitions in force or, once the commit is in the log, the new ones.
func (p *repartition) run(ctx context.Context) error {
	if !p.logged {
		if err := p.dir.Offsets().Add(ctx, p.batch, p.entry); err != nil {
			return err
		}
	}
	if err := p.crash("after-offset-log"); err != nil {
		return err
	}
	ops, err := p.dir.Operators(ctx)
	if err != nil {
		return err
	}
	conf := p.entry.Conf
	driver, ok := statestore.Lookup(conf[providerClass])
	if !ok {
		return condition.New("VSTREAM_UNKNOWN_STATE_PROVIDER", "provider", conf[providerClass])
	}
	state, err := driver.Open(ctx, p.dir.State(), conf)
	if err != nil {
		return err
	}
	defer state.Close()
	m := &mover{
		dir: p.dir.State(), state: state, registry: statestore.NewRegistry(p.dir.State(), conf), partitions: partitionsOf(&p.entry),
		from: statestore.Version{N: p.batch, Attempt: attemptOf(&p.commit)}, to: statestore.Version{N: p.batch + 1, Attempt: uuid.NewString()},
	}
	ids := map[int64][][]string{}
	for i := range ops {
		id := ops[i].Operator.ID
		if ids[id], err = m.move(ctx, &ops[i], len(p.commit.StateIDs[id])); err != nil {
			return err
		}
	}
	if err := p.crash("after-compute"); err != nil {
		return err
	}
	if err := state.Commit(ctx, m.to.N, m.to.Attempt, m.from); err != nil {
		return err
	}
	if err := p.crash("after-state-commit"); err != nil {
		return err
	}
	c := checkpoint.CommitEntry{Version: 2, NextWatermarkMs: p.commit.NextWatermarkMs, StateIDs: ids}
	if err := p.dir.Commits().Add(ctx, p.batch, c); err != nil {
		return err
	}
	if err := p.crash("after-commit-log"); err != nil {
		return err
	}
	return p.dir.WriteOperators(ctx, ops)
}

// attempts names the attempt for every partition and store of an operator.
func attempts(partitions, stores int, attempt string) [][]string {
	out := make([][]string, partitions)
	for p := range out {
		for range stores {
			out[p] = append(out[p], attempt)
		}
	}
	return out
}

// mover rewrites tables for another number of partitions. Partitions own contiguous ranges of
// key groups, so that each new one is complete after a run of old ones and leaves memory then.
type mover struct {
	dir        objstore.Store
	state      statestore.Store
	registry   *statestore.Registry
	from, to   statestore.Version
	partitions int
}

// move rewrites the tables of an operator that had old partitions and sets their number;
// it gives the state ids of the new ones. An operator whose tables do not belong to keys stays as it is.
func (m *mover) move(ctx context.Context, op *checkpoint.OperatorMetadata, old int) ([][]string, error) {
	schemas := map[string]statestore.Schema{}
	routed := false
	for _, s := range op.Stores {
		schema, ok, err := m.registry.Read(ctx, int(op.Operator.ID), s.Name)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, condition.New("VSTREAM_CORRUPT_FILE", "file", m.dir.URL("schema"), "detail", "the schema of store "+s.Name+" of operator "+strconv.FormatInt(op.Operator.ID, 10)+" is missing")
		}
		schemas[s.Name] = schema
		routed = routed || len(schema.Route) > 0
	}
	if !routed {
		return attempts(old, len(op.Stores), m.to.Attempt), nil
	}
	for name, schema := range schemas {
		for p := range max(old, m.partitions) {
			if err := m.state.Register(ctx, m.id(op, p, name), schema); err != nil {
				return nil, err
			}
		}
	}
	if err := m.rewrite(ctx, op, old, schemas); err != nil {
		return nil, err
	}
	for i := range op.Stores {
		op.Stores[i].NumPartitions = m.partitions
	}
	return attempts(m.partitions, len(op.Stores), m.to.Attempt), nil
}

// rewrite loads the old partitions in turn and stages the new ones; old ones beyond them are cleared.
func (m *mover) rewrite(ctx context.Context, op *checkpoint.OperatorMetadata, old int, schemas map[string]statestore.Schema) error {
	parts := make([]map[string][]statestore.Block, m.partitions)
	done := 0
	workers := runtime.GOMAXPROCS(0)
	for lo := 0; lo < old; lo += workers {
		loaded := make([]map[string][]statestore.Block, min(workers, old-lo))
		var g errgroup.Group
		for i := range loaded {
			g.Go(func() (err error) {
				loaded[i], err = m.load(ctx, op, lo+i, schemas)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for _, tables := range loaded {
			if err := divide(tables, schemas, parts); err != nil {
				return err
			}
		}
		complete := done
		for complete < m.partitions && firstGroup(complete+1, m.partitions) <= firstGroup(lo+len(loaded), old) {
			complete++
		}
		if err := m.stage(ctx, op, parts, done, complete); err != nil {
			return err
		}
		done = complete
	}
	for p := m.partitions; p < old; p++ {
		for name := range schemas {
			if err := m.state.Stage(ctx, m.id(op, p, name), m.to.N, m.to.Attempt, &statestore.Changes{Clear: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *mover) id(op *checkpoint.OperatorMetadata, partition int, store string) statestore.ID {
	return statestore.ID{Operator: int(op.Operator.ID), Partition: partition, Name: store}
}

// firstGroup is the first key group of a partition of n.
func firstGroup(partition, n int) int { return (partition*exec.KeyGroups + n - 1) / n }

// load reads the tables of an old partition.
func (m *mover) load(ctx context.Context, op *checkpoint.OperatorMetadata, partition int, schemas map[string]statestore.Schema) (map[string][]statestore.Block, error) {
	tables := map[string][]statestore.Block{}
	for name, schema := range schemas {
		var changes []*statestore.Changes
		err := m.state.Load(ctx, m.id(op, partition, name), m.from, func(c *statestore.Changes) error {
			changes = append(changes, c)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(changes) == 1 { // nothing is replaced or deleted
			tables[name] = changes[0].Puts
			continue
		}
		tables[name] = merge.All(schema, changes).Blocks()
	}
	if op.Operator.Name == "symmetricHashJoin" {
		join.Rehome(tables)
	}
	return tables, nil
}

// divide appends the rows of tables to the parts that own them.
func divide(tables map[string][]statestore.Block, schemas map[string]statestore.Schema, parts []map[string][]statestore.Block) error {
	for name, blocks := range tables {
		schema := schemas[name]
		for _, b := range blocks {
			owner, err := exec.Route(&schema, b, len(parts))
			if err != nil {
				return condition.New("INTERNAL_ERROR", "message", "state table "+name+": "+err.Error())
			}
			rows := make([][]uint32, len(parts))
			for i, p := range owner {
				rows[p] = append(rows[p], uint32(i))
			}
			for p, r := range rows {
				if len(r) == 0 {
					continue
				}
				if parts[p] == nil {
					parts[p] = map[string][]statestore.Block{}
				}
				parts[p][name] = append(parts[p][name], b.Select(r))
			}
		}
	}
	return nil
}

// stage hands over the new partitions from lo to hi.
func (m *mover) stage(ctx context.Context, op *checkpoint.OperatorMetadata, parts []map[string][]statestore.Block, lo, hi int) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for p := lo; p < hi; p++ {
		g.Go(func() error {
			for _, s := range op.Stores {
				blocks := parts[p][s.Name]
				if op.Operator.Name == "symmetricHashJoin" {
					join.Renumber(s.Name, blocks)
				}
				if err := m.state.Stage(ctx, m.id(op, p, s.Name), m.to.N, m.to.Attempt, &statestore.Changes{Clear: true, Puts: blocks}); err != nil {
					return err
				}
			}
			parts[p] = nil
			return nil
		})
	}
	return g.Wait()
}

// Repartition moves the state of a query that does not run to another number of
// partitions, as a batch of its own without data, and gives the id of that batch. A repartition
// that was cut short is finished by asking for the same number again. The errors are those of
// Spark's offline repartitioning, before anything is written:
//
//	STATE_REPARTITION_INVALID_PARAMETER.IS_NOT_GREATER_THAN_ZERO
//	STATE_REPARTITION_INVALID_CHECKPOINT.*   no finished batch, a batch to be run again first, the number in force, …
//	STATE_REWRITER_INVALID_CHECKPOINT.MISSING_OPERATOR_METADATA   no stateful operator
func Repartition(ctx context.Context, store objstore.Store, partitions int) (batch int64, err error) {
	if partitions <= 0 {
		return 0, condition.New("STATE_REPARTITION_INVALID_PARAMETER.IS_NOT_GREATER_THAN_ZERO", "parameter", "numPartitions")
	}
	if partitions > exec.KeyGroups {
		return 0, condition.New("VSTREAM_INVALID_OPTION", "option", "partitions", "value", partitions, "expected", "at most the number of key groups, "+strconv.Itoa(exec.KeyGroups))
	}
	dir, err := checkpoint.Open(ctx, store)
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := dir.Close(); err == nil {
			err = cerr
		}
	}()
	r, err := dir.Recover(ctx, false)
	if err != nil {
		return 0, err
	}
	invalid := func(what string, args ...any) error {
		return condition.New("STATE_REPARTITION_INVALID_CHECKPOINT."+what, append(args, "checkpointLocation", dir.Location())...)
	}
	if r.Offsets == nil {
		return 0, invalid("NO_BATCH_FOUND")
	}
	if r.Commit == nil {
		return 0, invalid("NO_COMMITTED_BATCH")
	}
	p := &repartition{dir: dir, batch: r.Batch, commit: *r.Commit, crash: func(string) error { return nil }}
	switch {
	case controls(r) && r.LastCommit != r.Batch-1:
		return 0, errNoCommit(dir, r.Batch)
	case controls(r) && partitionsOf(r.Offsets) == partitions:
		p.entry, p.logged = *r.Offsets, true
	case controls(r):
		return 0, invalid("LAST_BATCH_ABANDONED_REPARTITION", "lastBatchId", r.Batch, "lastBatchShufflePartitions", partitionsOf(r.Offsets), "numPartitions", partitions)
	case r.Replay:
		return 0, invalid("LAST_BATCH_FAILED", "lastBatchId", r.Batch)
	default:
		p.entry = control(r.Offsets, partitions)
	}
	ops, err := dir.Operators(ctx)
	if err != nil {
		return 0, err
	}
	if len(ops) == 0 {
		return 0, condition.New("STATE_REWRITER_INVALID_CHECKPOINT.MISSING_OPERATOR_METADATA", "checkpointLocation", dir.Location(), "batchId", r.LastCommit)
	}
	for _, op := range ops {
		// Its state is one number, whose partition cannot change.
		if op.Operator.Name == "globalLimit" {
			return 0, invalid("UNSUPPORTED_STATEFUL_OPERATOR", "operatorName", op.Operator.Name)
		}
	}
	if partitionsOf(r.Start) == partitions {
		return 0, invalid("SHUFFLE_PARTITIONS_ALREADY_MATCH", "batchId", r.LastCommit, "numPartitions", partitions)
	}
	if provider := p.entry.Conf[providerClass]; provider == hdfsProvider {
		return 0, invalid("UNSUPPORTED_PROVIDER", "provider", provider)
	}
	return p.batch, p.run(ctx)
}

// hdfsProvider is the class of Spark's that its repartitioning refuses; a checkpoint that
// names it is to stay one that Spark, too, could have made.
const hdfsProvider = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
