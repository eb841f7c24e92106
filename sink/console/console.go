// Package console is the sink that prints every batch as a table.
package console

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/table"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

func init() {
	sink.Register(sink.Spec{
		Name: "console", Summary: "Prints every batch as a table, for development.", Modes: []string{"append", "update", "complete"}, AsyncProgress: true,
		Options: []sink.Option{
			{Name: "numRows", Type: "int", Default: "20", Doc: "rows that are shown of a batch"},
			{Name: "truncate", Type: "boolean or int", Default: "true", Doc: "cut cells after 20 characters, or after so many"},
		},
		Open: func(_ context.Context, c sink.Context, o sink.Options) (sink.Sink, error) {
			return New(os.Stdout, c, o)
		},
	})
}

type console struct {
	w io.Writer
	o table.Options
}

// New makes a console sink that prints to w.
func New(w io.Writer, c sink.Context, options sink.Options) (sink.Sink, error) {
	o := table.Default
	o.Zone = time.UTC
	if c.TimeZone != "" {
		zone, ok := text.ParseZone(c.TimeZone)
		if !ok {
			return nil, condition.New("INVALID_TIMEZONE", "timeZone", c.TimeZone)
		}
		o.Zone = zone
	}
	if v, ok := options.Get("numRows"); ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "numRows", "value", v, "expected", "a whole number that is not negative")
		}
		o.Rows = n
	}
	if v, ok := options.Get("truncate"); ok {
		n, err := strconv.Atoi(v)
		switch {
		case strings.EqualFold(v, "true"):
		case strings.EqualFold(v, "false"):
			o.Truncate = 0
		case err == nil && n >= 0:
			o.Truncate = n
		default:
			return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "truncate", "value", v, "expected", "true, false or a number of characters")
		}
	}
	return &console{w, o}, nil
}

// Guarantee is AtLeastOnce: a batch that runs again is printed again.
func (c *console) Guarantee() sink.Guarantee { return sink.AtLeastOnce }

func (c *console) Begin(_ context.Context, b sink.BatchInfo) (sink.BatchWriter, bool, error) {
	const rule = "-------------------------------------------"
	return &sink.Stage{Done: func(_ context.Context, rows []*vector.Batch) error {
		_, err := fmt.Fprintf(c.w, "%s\nBatch: %d\n%s\n%s\n", rule, b.BatchID, rule, table.Show(b.Schema, rows, c.o))
		return err
	}}, false, nil
}

func (c *console) Close() error { return nil }

func (c *console) Describe() string { return "org.apache.spark.sql.execution.streaming.ConsoleTable$" }
