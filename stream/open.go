package stream

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/watermark"
)

// pinnedConf are the settings that the first batch writes into the offset log and
// that a restart takes from there, whatever the session says (Spark's
// OffsetSeqMetadata.relevantSQLConfs), with their defaults.
var pinnedConf = map[string]string{
	"spark.sql.shuffle.partitions":                       "",
	providerClass:                                        "",
	"spark.sql.streaming.multipleWatermarkPolicy":        "min",
	"spark.sql.streaming.aggregation.stateFormatVersion": "2",
	"spark.sql.streaming.join.stateFormatVersion":        "2",
}

// pinned are the settings that the offset log keeps.
func pinned(conf map[string]string) map[string]string {
	out := map[string]string{}
	for k := range pinnedConf {
		out[k] = conf[k]
	}
	return out
}

// open brings everything up from the checkpoint. Nothing but the checkpoint's own
// bookkeeping is written before the query is known to fit it.
func (e *Execution) open(ctx context.Context) (err error) {
	if err := e.Prepare(ctx); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = e.explain(ctx, err)
		}
	}()
	r, err := e.dir.Recover(ctx, e.cfg.Async != nil)
	if err != nil {
		return err
	}
	for _, c := range e.settle(r) {
		e.cfg.Log.Warn("setting was fixed when the query first started; the change has no effect", "setting", c.Subject, "inForce", c.Before, "ignored", c.Now)
	}
	if err := e.settlePartitions(r); err != nil {
		return err
	}
	if err := e.settleOffsets(r); err != nil {
		return err
	}
	if e.plan, err = e.cfg.Compile(e.conf); err != nil {
		return err
	}
	if e.cfg.Async != nil && len(e.plan.Operators) > 0 {
		return ErrAsyncUnsupported("a query with state")
	}
	if e.asyncState, err = asyncState(e.conf); err != nil {
		return err
	}
	if len(e.plan.Operators) == 0 {
		e.asyncState = false
	}
	for _, w := range e.plan.Warnings {
		e.cfg.Log.Warn(w.Message, "query", e.cfg.Name, "subject", w.Subject, "hint", w.Hint)
	}
	if err := e.openSources(ctx, r); err != nil {
		return err
	}
	e.workers = runtime.GOMAXPROCS(0)
	e.tables = &tables{source: e.sourceContext, workers: e.workers}
	if err := e.tables.open(ctx, e.plan); err != nil {
		return err
	}
	if e.runtime, err = exec.NewRuntime(e.plan.Graph, e.workers); err != nil {
		return err
	}
	if err := e.openState(ctx, r); err != nil {
		return err
	}
	if err := e.checkSpec(ctx, r); err != nil {
		return err
	}
	if err := e.resume(ctx, r); err != nil {
		return err
	}
	if e.cfg.Async != nil {
		e.openAsync(r)
	}
	return nil
}

// Prepare takes the checkpoint for this run, so that a checkpoint that is in use or
// damaged at its root is refused before the query counts as started. Run does it if it
// was not called; after it, Run must be called to give the checkpoint free.
func (e *Execution) Prepare(ctx context.Context) error {
	if e.dir != nil {
		return nil
	}
	dir, err := checkpoint.Open(ctx, e.cfg.Checkpoint)
	if err != nil {
		return err
	}
	if err := e.checkVolatile(ctx, dir); err != nil {
		return errors.Join(err, dir.Close())
	}
	e.dir = dir
	e.mu.Lock()
	defer e.mu.Unlock()
	e.id = dir.ID()
	return nil
}

// settle puts what the checkpoint has fixed over the session's configuration, and gives
// what has no effect because of that.
func (e *Execution) settle(r *checkpoint.Recovery) (ignored []checkpoint.Change) {
	e.conf = maps.Clone(e.cfg.Conf)
	if e.conf == nil {
		e.conf = map[string]string{}
	}
	for k, def := range pinnedConf {
		if e.conf[k] == "" {
			e.conf[k] = def
		}
	}
	if e.conf[providerClass] == "" {
		e.conf[providerClass] = statestore.Default()
	}
	if r.Offsets == nil {
		return nil
	}
	for _, k := range slices.Sorted(maps.Keys(pinnedConf)) {
		old, ok := r.Offsets.Conf[k]
		if !ok || old == "" || old == e.conf[k] {
			continue
		}
		if e.cfg.Conf[k] != "" {
			ignored = append(ignored, checkpoint.Ignore(k, old, e.conf[k]))
		}
		e.conf[k] = old
	}
	return ignored
}

func (e *Execution) openSources(ctx context.Context, r *checkpoint.Recovery) error {
	for i := range e.cfg.Inputs {
		s, err := e.openSource(ctx, i)
		if err != nil {
			return err
		}
		e.sources = append(e.sources, s)
	}
	e.start = make([]source.Offset, len(e.sources))
	if r.Start != nil {
		offsets, err := endOffsets(r.Start, len(e.sources), e.names())
		if err != nil {
			return err
		}
		e.start = offsets
	}
	e.committed = slices.Clone(e.start)
	return nil
}

func (e *Execution) openSource(ctx context.Context, i int) (source.Source, error) {
	in := e.cfg.Inputs[i]
	c := e.sourceContext(in)
	c.Log = e.dir.SourceStore(e.names()[i])
	s, err := in.Spec.Open(ctx, c, in.Options, in.Schema)
	return s, condition.In(err, "source "+in.Relation)
}

// sourceContext is what a source or table may use, without a log.
func (e *Execution) sourceContext(in *Input) source.Context {
	return source.Context{
		Name: in.Relation, Resolve: e.cfg.Resolve, Conf: e.conf,
		NowMs: func() int64 { return e.cfg.Clock.Now().UnixMilli() }, TimeZone: e.cfg.Kernel.Zone.String(),
	}
}

// endOffsets are the sources' positions in a logged entry. With version 1 they are
// matched by position, so their number must be the same.
func endOffsets(entry *checkpoint.OffsetEntry, n int, names []string) ([]source.Offset, error) {
	out := make([]source.Offset, n)
	if entry.Version == 2 {
		for i, name := range names {
			out[i] = offsetOf(entry.Sources[name])
		}
		return out, nil
	}
	if len(entry.Ordered) != n {
		return nil, checkpoint.Refuse("source.number", "", strconv.Itoa(len(entry.Ordered)), strconv.Itoa(n))
	}
	for i, o := range entry.Ordered {
		out[i] = offsetOf(o)
	}
	return out, nil
}

func offsetOf(raw json.RawMessage) source.Offset {
	if raw == nil {
		return ""
	}
	return source.Offset(raw)
}

// openState opens the state store and brings every table to the committed version.
func (e *Execution) openState(ctx context.Context, r *checkpoint.Recovery) error {
	ops := e.operatorInfos()
	stored, err := e.dir.CheckOperators(ctx, r, ops)
	if err != nil || len(ops) == 0 {
		return err
	}
	if err := e.openStore(ctx); err != nil {
		return err
	}
	stores := map[int][]string{}
	err = e.runtime.Stateful(func(op, partition int, s exec.Stateful) error {
		for _, st := range s.Stores() {
			if partition == 0 {
				stores[op] = append(stores[op], st.Name)
			}
			if err := e.state.Register(ctx, statestore.ID{Operator: op, Partition: partition, Name: st.Name}, st.Schema); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// After a crash in a control batch the metadata may tell the partitions before it.
	if now := operatorMetadata(e.plan.Operators, stores); !reflect.DeepEqual(stored, now) {
		if err := e.dir.WriteOperators(ctx, now); err != nil {
			return err
		}
	}
	if r.Batch == 0 {
		return nil
	}
	// Without the commit that names the attempt (Spark tolerates a commit log that was
	// cut), the state store takes the only attempt there is or refuses.
	e.version = statestore.Version{N: r.Batch}
	if r.LastCommit == r.Batch-1 {
		e.version.Attempt = attemptOf(r.Commit)
	}
	return e.loadState(ctx)
}

func (e *Execution) operatorInfos() []checkpoint.OperatorInfo {
	ops := make([]checkpoint.OperatorInfo, len(e.plan.Operators))
	for i, op := range e.plan.Operators {
		ops[i] = checkpoint.OperatorInfo{ID: int64(op.ID), Name: op.Name}
	}
	return ops
}

func operatorMetadata(ops []*physical.Operator, stores map[int][]string) []checkpoint.OperatorMetadata {
	var out []checkpoint.OperatorMetadata
	for _, op := range ops {
		m := checkpoint.OperatorMetadata{Operator: checkpoint.OperatorInfo{ID: int64(op.ID), Name: op.Name}}
		for _, name := range stores[op.ID] {
			m.Stores = append(m.Stores, checkpoint.StoreInfo{Name: name, NumPartitions: op.Partitions})
		}
		out = append(out, m)
	}
	return out
}

// attemptOf is the attempt that a commit names: all tables of a batch are written by one.
func attemptOf(c *checkpoint.CommitEntry) string {
	for _, partitions := range c.StateIDs {
		for _, stores := range partitions {
			for _, id := range stores {
				return id
			}
		}
	}
	return ""
}

func (e *Execution) loadState(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(e.workers)
	var failed []*error // by table, so that of several broken tables always the same one is named
	err := e.runtime.Stateful(func(op, partition int, s exec.Stateful) error {
		for _, st := range s.Stores() {
			err := new(error)
			failed = append(failed, err)
			g.Go(func() error {
				*err = e.state.Load(ctx, statestore.ID{Operator: op, Partition: partition, Name: st.Name}, e.version, func(c *statestore.Changes) error {
					return s.Load(st.Name, c)
				})
				return nil
			})
		}
		return nil
	})
	g.Wait()
	for _, f := range failed {
		if err == nil {
			err = *f
		}
	}
	return err
}

// resume sets where the query goes on.
func (e *Execution) resume(ctx context.Context, r *checkpoint.Recovery) error {
	policy, err := watermark.ParsePolicy(e.conf["spark.sql.streaming.multipleWatermarkPolicy"])
	if err != nil {
		return err
	}
	e.next = r.Batch
	global := int64(0)
	switch {
	case r.Replay:
		e.replay, e.replayNext = r.Offsets, r.Next
		global = r.Offsets.WatermarkMs
	case r.Commit != nil:
		global = r.Commit.NextWatermarkMs
	}
	if r.Start != nil {
		e.prevWM = r.Start.WatermarkMs
	}
	if len(e.plan.Delays) == 0 {
		global = 0
	}
	e.tracker = watermark.NewTracker(policy, e.plan.Delays, global)
	// A crash may have come between the last batch and the one without data that was to
	// follow it. Spark waits for more data then; here it is made up for, so that a crash
	// changes nothing in the result.
	if !r.Replay && r.Commit != nil && r.Offsets != nil && e.cfg.Trigger.Kind != Once {
		e.ran, e.ranWM = true, r.Offsets.WatermarkMs
	}
	if e.cfg.Trigger.Kind != AvailableNow {
		return nil
	}
	for i, s := range e.sources {
		if a, ok := s.(source.AvailableNow); ok {
			if err := a.PrepareAvailableNow(ctx, e.start[i]); err != nil {
				return condition.In(err, "source "+e.cfg.Inputs[i].Relation)
			}
		}
	}
	return nil
}

// sourceIndex is the source that a scan reads.
func (e *Execution) sourceIndex(s *physical.Scan) int {
	return slices.Index(e.cfg.Inputs, s.Relation.Handle.(*Input))
}

func (e *Execution) close() error {
	e.maintain.Wait()
	var errs []error
	for _, s := range e.sources {
		errs = append(errs, s.Close())
	}
	errs = append(errs, e.cfg.Sink.Close())
	if e.cfg.Late != nil {
		errs = append(errs, e.cfg.Late.Close())
	}
	if e.state != nil {
		errs = append(errs, e.state.Close())
	}
	if e.dir != nil {
		errs = append(errs, e.dir.Close())
	}
	return errors.Join(errs...)
}
