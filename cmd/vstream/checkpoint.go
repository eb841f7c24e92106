package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

func checkpointCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "checkpoint", Short: "Look at the checkpoint of a query, and change it while the query does not run",
		Long: `Look at the checkpoint of a query, and change it while the query does not run.

CHECKPOINT is the checkpoint location of one query.`,
	}
	c.AddCommand(showCommand(), verifyCommand(), repartitionCommand(), sourceCommand())
	return c
}

func showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show CHECKPOINT", Short: "Print what the logs of a checkpoint say: where the query stands and what it keeps",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return refusedBy(show(c.Context(), args[0], c.OutOrStdout()))
		},
	}
}

// refusedBy is the error of a command on a checkpoint.
func refusedBy(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitCode(err, exitRefused), err}
}

// show may run beside the query.
func show(ctx context.Context, location string, w io.Writer) error {
	store, err := objstore.Open(ctx, location)
	if err != nil {
		return err
	}
	dir, err := checkpoint.OpenReadOnly(ctx, store)
	if err != nil {
		return err
	}
	r, err := dir.Recover(ctx, true) // with the gaps that asynchronous progress tracking leaves
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "query       %s\n", dir.ID())
	switch {
	case r.Offsets == nil:
		fmt.Fprintln(w, "next batch  0: nothing has run yet")
		return nil
	case r.Replay:
		fmt.Fprintf(w, "next batch  %d, which is planned and was not finished: it is run again\n", r.Batch)
	default:
		fmt.Fprintf(w, "next batch  %d\n", r.Batch)
	}
	if r.Commit != nil {
		fmt.Fprintf(w, "committed   %d\n", r.LastCommit)
		fmt.Fprintf(w, "watermark   %s\n", instant(r.Commit.NextWatermarkMs))
	}
	fmt.Fprintf(w, "planned at  %s\n", instant(r.Offsets.TimestampMs))
	fmt.Fprintln(w, "sources")
	for i, o := range r.Offsets.Ordered {
		fmt.Fprintf(w, "  %-10d %s\n", i, offset(o))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Offsets.Sources)) {
		fmt.Fprintf(w, "  %-10s %s\n", name, offset(r.Offsets.Sources[name]))
	}
	ops, err := dir.Operators(ctx)
	if err != nil {
		return err
	}
	if len(ops) > 0 {
		fmt.Fprintln(w, "state")
	}
	for _, op := range ops {
		for _, s := range op.Stores {
			fmt.Fprintf(w, "  %-10d %s, %s: %d partitions\n", op.Operator.ID, op.Operator.Name, s.Name, s.NumPartitions)
		}
	}
	fmt.Fprintln(w, "fixed settings")
	for _, k := range slices.Sorted(maps.Keys(r.Offsets.Conf)) {
		fmt.Fprintf(w, "  %s = %s\n", k, r.Offsets.Conf[k])
	}
	return nil
}

func offset(raw json.RawMessage) string {
	if raw == nil {
		return "-"
	}
	return string(raw)
}

func instant(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

func repartitionCommand() *cobra.Command {
	var partitions string
	c := &cobra.Command{
		Use: "repartition CHECKPOINT --partitions N", Short: "Move the state of a query to another number of partitions",
		Long: `Move the state of a query to another number of partitions while the query does not run.

The move is a micro-batch of its own without rows. If it is cut short, the same command or the next
run of the query finishes it. To move the state on the next start of the query instead, set
spark.sql.streaming.stateStore.partitions in its job file.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			n, err := strconv.Atoi(partitions)
			if err != nil {
				return wrong(condition.New("VSTREAM_INVALID_OPTION", "option", "--partitions", "value", partitions, "expected", "a number"))
			}
			began := time.Now()
			batch, err := vstream.Repartition(c.Context(), args[0], n)
			if err != nil {
				return refusedBy(err)
			}
			fmt.Fprintf(c.OutOrStdout(), "batch %d moved the state to %d partitions in %.1f s\n", batch, n, time.Since(began).Seconds())
			return nil
		},
	}
	c.Flags().StringVar(&partitions, "partitions", "", "the new number of partitions")
	if err := c.MarkFlagRequired("partitions"); err != nil {
		panic(err)
	}
	return c
}
