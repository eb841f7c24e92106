package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore/reader"
	"github.com/vstream/vstream/vector"
)

func stateCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "state", Short: "Look into the state of a checkpoint",
		Long: `Look into the state of a checkpoint: its stateful operators and their stores, the
rows of a store after a batch, and what batches did to it. The query may be running:
nothing is written and no lock is taken. Keys and values have Spark's layout.`,
	}
	c.AddCommand(stateMetadataCommand(), stateReadCommand(), stateChangesCommand())
	return c
}

func stateMetadataCommand() *cobra.Command {
	var out rowOutput
	c := &cobra.Command{
		Use: "metadata CHECKPOINT", Short: "List operators, stores and the batches that can be read", Args: cobra.ExactArgs(1),
	}
	out.register(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		cp, err := openState(c.Context(), args[0])
		if err != nil {
			return wrong(err)
		}
		return wrong(out.write(c, reader.MetadataSchema, func(emit func(*vector.Batch) error) error { return emit(cp.Metadata()) }))
	}
	return c
}

func stateReadCommand() *cobra.Command {
	var rows stateRows
	c := &cobra.Command{
		Use: "read CHECKPOINT", Short: "Print the rows of a store after a batch", Args: cobra.ExactArgs(1),
		Long: `Print the rows of a store after a batch, the last committed one by default: the
columns key, value and partition_id, as Spark's source statestore has them.`,
		Example: `  vstream state read checkpoints/delays --batch 41 --format json
  vstream state read checkpoints/pairs --join-side left --limit 100`,
	}
	rows.register(c)
	rows.number(c, "batch", reader.OptBatch, "the state after this `batch` instead of the last committed one")
	rows.text(c, "join-side", reader.OptJoinSide, "the rows that a join of streams keeps of one `side`: left or right")
	rows.number(c, "snapshot-start", reader.OptSnapshotStart, "begin with the snapshot after this `batch`; goes with --snapshot-partition")
	rows.number(c, "snapshot-partition", reader.OptSnapshotPartition, "the `partition` to read with --snapshot-start")
	c.RunE = func(c *cobra.Command, args []string) error { return wrong(rows.run(c, args[0])) }
	return c
}

func stateChangesCommand() *cobra.Command {
	var rows stateRows
	c := &cobra.Command{
		Use: "changes CHECKPOINT", Short: "Print what batches did to a store", Args: cobra.ExactArgs(1),
		Long: `Print what batches did to a store: a row for each key that a batch put (update) or
removed (delete), with the batch before the columns of "vstream state read".`,
		Example: "  vstream state changes checkpoints/delays --start 40 --end 41",
	}
	rows.register(c)
	rows.number(c, "start", reader.OptChangeStart, "the first `batch`; the oldest retained one by default")
	rows.number(c, "end", reader.OptChangeEnd, "the last `batch`; the last committed one by default")
	c.RunE = func(c *cobra.Command, args []string) error {
		rows.options[reader.OptChangeFeed] = "true"
		return wrong(rows.run(c, args[0]))
	}
	return c
}

// stateRows are the flags of the commands that print rows of a store.
type stateRows struct {
	out        rowOutput
	options    map[string]string // of the format statestore
	partitions []int
}

func (r *stateRows) register(c *cobra.Command) {
	r.options = map[string]string{}
	r.out.register(c)
	r.number(c, "operator", reader.OptOperator, "the `id` of the operator; 0 by default")
	r.text(c, "store", reader.OptStore, "the `name` of the store, for an operator that has several")
	c.Flags().IntSliceVar(&r.partitions, "partition", nil, "only these `partitions`")
}

// number and text add flags that set options of the format statestore.
func (r *stateRows) number(c *cobra.Command, flag, option, usage string) {
	c.Flags().Func(flag, usage, func(s string) error {
		r.options[option] = s
		_, err := strconv.ParseInt(s, 10, 64)
		return err
	})
}

func (r *stateRows) text(c *cobra.Command, flag, option, usage string) {
	c.Flags().Func(flag, usage, func(s string) error {
		r.options[option] = s
		return nil
	})
}

func (r *stateRows) run(c *cobra.Command, checkpoint string) error {
	cp, err := openState(c.Context(), checkpoint)
	if err != nil {
		return err
	}
	if first, _, ok := cp.Batches(); ok && r.options[reader.OptChangeFeed] != "" && r.options[reader.OptChangeStart] == "" {
		r.options[reader.OptChangeStart] = fmt.Sprint(first)
	}
	options, err := reader.ParseOptions(func(name string) (string, bool) {
		v, ok := r.options[name]
		return v, ok
	})
	if err != nil {
		return err
	}
	t, err := cp.Table(c.Context(), options)
	if err != nil {
		return err
	}
	partitions := t.Partitions()
	for _, p := range r.partitions {
		if !slices.Contains(partitions, p) {
			return condition.New("VSTREAM_INVALID_OPTION", "option", "--partition", "value", p, "expected", fmt.Sprintf("0 to %d", len(partitions)-1))
		}
	}
	if len(r.partitions) > 0 {
		partitions = r.partitions
	}
	return r.out.write(c, t.Schema(), func(emit func(*vector.Batch) error) error { return t.Read(c.Context(), partitions, emit) })
}

// openState opens a checkpoint for looking at it.
func openState(ctx context.Context, path string) (*reader.Checkpoint, error) {
	dir, err := objstore.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	cp, err := reader.Open(ctx, dir)
	if err == nil && !cp.Exists() {
		return nil, condition.New("PATH_NOT_FOUND", "path", path).WithHint("give the checkpointLocation of a query that has run")
	}
	return cp, err
}
