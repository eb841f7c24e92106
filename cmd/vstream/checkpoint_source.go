package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/objstore"
)

func sourceCommand() *cobra.Command {
	var reset, readmit, drop bool
	var names []string
	c := &cobra.Command{
		Use: "source CHECKPOINT NAME (--reset | --readmit | --drop) | source CHECKPOINT --names a,b", Short: "Change where a named source goes on, or give the sources names",
		Long: `Change what the checkpoint of a stopped query knows of its sources. What is done is
printed and logged; the next run goes by it.

A source that was removed from the query is gone for good, unless it is let in
again: --readmit lets it go on where it was, --reset from its beginning. --reset
works for a source of the query, too: its rows come again, and those that are in
the state and in the output stay there. --drop forgets a source.

--names gives the sources of a checkpoint without names (offset log version 1)
their names, in the order in which the query reads them. There is no way back.
Set spark.sql.streaming.queryEvolution.enableSourceEvolution to true and name the
sources in the job before the next run.`,
		Args: cobra.RangeArgs(1, 2),
	}
	c.Flags().BoolVar(&reset, "reset", false, "let the source start from its beginning")
	c.Flags().BoolVar(&readmit, "readmit", false, "let a removed source go on where it was")
	c.Flags().BoolVar(&drop, "drop", false, "forget the source and its position")
	c.Flags().StringSliceVar(&names, "names", nil, "the `names` of the sources, by position")
	c.MarkFlagsMutuallyExclusive("reset", "readmit", "drop", "names")
	c.MarkFlagsOneRequired("reset", "readmit", "drop", "names")
	c.RunE = func(c *cobra.Command, args []string) error {
		if named := names != nil; named != (len(args) == 1) {
			return fmt.Errorf("--names takes no NAME, the other flags need one")
		}
		change := func(d *checkpoint.Dir) (string, error) {
			if names != nil {
				return "its sources are now called " + strings.Join(names, ", "), d.NameSources(c.Context(), names)
			}
			name := args[1]
			switch {
			case reset:
				old, err := d.ResetSource(c.Context(), name)
				return fmt.Sprintf("source %s was at %s and starts from its beginning now", name, offsetText(old)), err
			case readmit:
				old, err := d.ReadmitSource(c.Context(), name)
				return fmt.Sprintf("source %s goes on at %s", name, offsetText(old)), err
			}
			old, err := d.DropSource(c.Context(), name)
			return fmt.Sprintf("source %s was at %s and is forgotten", name, offsetText(old)), err
		}
		return refusedBy(changeCheckpoint(c.Context(), args[0], c.OutOrStdout(), change))
	}
	return c
}

// changeCheckpoint makes a change on the checkpoint of a query that does not run.
func changeCheckpoint(ctx context.Context, location string, w io.Writer, change func(*checkpoint.Dir) (string, error)) (err error) {
	store, err := objstore.Open(ctx, location)
	if err != nil {
		return err
	}
	if _, err := checkpoint.OpenReadOnly(ctx, store); err != nil {
		return err // Open would make a checkpoint where there is none
	}
	dir, err := checkpoint.Open(ctx, store)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := dir.Close(); err == nil {
			err = cerr
		}
	}()
	done, err := change(dir)
	if err != nil {
		return err
	}
	slog.Info("checkpoint changed", "checkpoint", dir.Location(), "query", dir.ID(), "change", done)
	_, err = fmt.Fprintf(w, "%s: %s\n", location, done)
	return err
}

func offsetText(offset json.RawMessage) string {
	if offset == nil {
		return "no known position"
	}
	return string(offset)
}
