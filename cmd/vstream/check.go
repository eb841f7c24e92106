package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func validateCommand() *cobra.Command {
	var flags jobFlags
	c := &cobra.Command{
		Use: "validate JOB", Short: "Check a job file without running it", Args: cobra.ExactArgs(1),
		Long: `Check a job file without running it, and compare its queries with their
checkpoints: what has changed since the last run, whether that is allowed, and why.

Exit codes: 0 the job can run, 2 the job file is wrong, 3 a checkpoint refuses
the change.`,
	}
	flags.register(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		queries, err := flags.prepare(args[0])
		if err != nil {
			return wrong(err)
		}
		refused := false
		for _, p := range queries {
			if err := p.Validate(); err != nil {
				return wrong(err)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", p.Name, p.Table.Schema())
			warnings, err := p.Warnings()
			if err != nil {
				return wrong(err)
			}
			for _, w := range warnings {
				fmt.Fprintf(c.OutOrStdout(), "%s: warning: %s\n", p.Name, w)
			}
			changes, err := p.Compare(c.Context())
			if err != nil {
				return wrong(err)
			}
			if err := showComparison(c.OutOrStdout(), p.Name, p.Query.Checkpoint, changes); err != nil {
				return err
			}
			refused = refused || changes.Refused()
		}
		if refused {
			return &exitError{exitRefused, nil}
		}
		return nil
	}
	return c
}

func explainCommand() *cobra.Command {
	var flags jobFlags
	var functions bool
	c := &cobra.Command{
		Use: "explain JOB | explain --functions [NAME…]", Short: "Show the plans and the state of a job's queries, or the functions of SQL",
		Args: func(c *cobra.Command, args []string) error {
			if functions {
				return nil
			}
			return cobra.ExactArgs(1)(c, args)
		},
	}
	flags.register(c)
	c.Flags().BoolVar(&functions, "functions", false, "list the functions of SQL, or show those named")
	c.RunE = func(c *cobra.Command, args []string) error {
		if functions {
			return explainFunctions(c.OutOrStdout(), args)
		}
		queries, err := flags.prepare(args[0])
		if err != nil {
			return wrong(err)
		}
		for i, p := range queries {
			text, err := p.Explain()
			if err != nil {
				return wrong(err)
			}
			if i > 0 {
				fmt.Fprintln(c.OutOrStdout())
			}
			fmt.Fprintf(c.OutOrStdout(), "Query %s\n%s", p.Name, text)
		}
		return nil
	}
	return c
}
