package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/checkpoint"
)

// showComparison prints what a restart of a query would meet, as a table.
func showComparison(w io.Writer, query, location string, c *vstream.Comparison) error {
	switch {
	case location == "":
		fmt.Fprintf(w, "%s: no checkpoint location: every run starts from the beginning\n", query)
	case c.Fresh && len(c.Changes) == 0:
		fmt.Fprintf(w, "%s: checkpoint %s: nothing has run on it yet\n", query, location)
	case c.Refused():
		fmt.Fprintf(w, "%s: checkpoint %s: the query would not start\n", query, location)
	case c.Replay:
		fmt.Fprintf(w, "%s: checkpoint %s: batch %d is run again, as it was planned\n", query, location, c.Batch)
	default:
		fmt.Fprintf(w, "%s: checkpoint %s: goes on with batch %d\n", query, location, c.Batch)
	}
	if len(c.Changes) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "  CHANGE\tBEFORE\tNOW\tVERDICT\tWHY")
	for _, x := range c.Changes {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", x.What(), cell(x.Before), cell(x.Now), x.Verdict, x.Why)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, x := range c.Changes {
		if x.Verdict != checkpoint.Refused {
			continue
		}
		if x.Detail != "" {
			fmt.Fprintf(w, "  %s\n", x.Detail)
		}
		fmt.Fprintf(w, "  %s: %s\n", x.What(), x.Do)
	}
	return nil
}

// cell is a value on one line, cut after 40 characters.
func cell(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if value == "" {
		return "none"
	}
	if r := []rune(value); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return value
}
