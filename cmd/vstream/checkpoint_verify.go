package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/checkpoint/verify"
	"github.com/vstream/vstream/objstore"
)

func verifyCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "verify CHECKPOINT", Short: "Read every file of a checkpoint and tell what is broken, and where the query can go on",
		Long: `Read every file of a checkpoint: the logs, the state with its checksums, what the sources and
a file sink note, and the files that the sink has written. For each problem a line says which file
it is, what is wrong with it, what that means and what can be done. The query may be
running: nothing is written and no lock is taken. Checkpoints of Spark's are read as far as the
formats are shared.

Exit codes: 0 nothing is broken, 1 something is broken but the query goes on,
3 the query cannot go on.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			report, err := verifyCheckpoint(c.Context(), args[0])
			if err != nil {
				return refusedBy(err)
			}
			if err := printReport(c.OutOrStdout(), report, asJSON); err != nil {
				return err
			}
			switch {
			case report.Next == nil:
				return &exitError{exitRefused, nil}
			case report.Broken():
				return &exitError{exitFailed, nil}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func verifyCheckpoint(ctx context.Context, location string) (*verify.Report, error) {
	store, err := objstore.Open(ctx, location)
	if err != nil {
		return nil, err
	}
	return verify.Run(ctx, store)
}

func printReport(w io.Writer, r *verify.Report, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "%s: %s: %s: %s. %s\n", p.Level, p.File, p.What, p.Means, capital(p.Do))
	}
	fmt.Fprintf(w, "%d files, %d bytes read\n", r.Files, r.Bytes)
	var err error
	switch {
	case r.Next != nil && r.Replay:
		_, err = fmt.Fprintf(w, "the query goes on with batch %d, which is planned and was not finished: it is run again\n", *r.Next)
	case r.Next != nil:
		_, err = fmt.Fprintf(w, "the query goes on with batch %d\n", *r.Next)
	case r.Back != nil:
		_, err = fmt.Fprintf(w, "the query cannot go on as the checkpoint is; with the entries after batch %d taken out of the logs it goes on with batch %d\n", *r.Back, *r.Back+1)
	default:
		_, err = fmt.Fprintln(w, "the query cannot go on")
	}
	return err
}

// capital is a hint as a sentence.
func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
