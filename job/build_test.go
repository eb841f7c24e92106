package job_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/format/table"
	"github.com/vstream/vstream/job"
)

// events makes a directory with a few events.
func events(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rows := `{"k":"a","v":1,"ts":"2026-01-01T00:00:01Z"}
{"k":"a","v":2,"ts":"2026-01-01T00:00:02Z"}
{"k":"b","v":3,"ts":"2026-01-01T00:00:03Z"}
`
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "in", "1.json"), []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

const source = `sources:
  e: {format: json, options: {path: in}, schema: "k STRING, v INT, ts TIMESTAMP"}
`

func TestOpen(t *testing.T) {
	j, err := job.Parse("job.yaml", []byte(source+`
views:
  late: {from: e, filter: v > 1, select: [k, v * 10 AS v, ts], watermark: {column: ts, delay: 1 minute}}
  big: {sql: "SELECT k, v FROM late WHERE v > 20"}
queries:
  q: {sql: SELECT k AS name FROM big, trigger: {availableNow: true}, checkpointLocation: cp, sink: {format: parquet, path: out}}
`))
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	o, err := j.Open(events(t))
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	p, err := o.Prepare(j.Queries[0])
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	if err := p.Validate(); err != nil {
		t.Fatal(condition.Render(err))
	}
	ctx := context.Background()
	q, err := p.Start(ctx)
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	if err := q.Wait(ctx); err != nil {
		t.Fatal(condition.Render(err))
	}
	s, rows, ok, err := p.Output(ctx)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if got, want := table.Show(s, rows, table.Default), "+----+\n|name|\n+----+\n|   b|\n+----+\n"; got != want {
		t.Errorf("\n%s", got)
	}
}

// TestOpenErrors checks that each error says where in the file it comes from.
func TestOpenErrors(t *testing.T) {
	view := source + "views:\n"
	query := "queries:\n  q: {sql: SELECT k FROM e}\n"
	for _, c := range []struct{ name, text, at, excerpt, where, condition string }{
		{"conf", "conf:\n  spark.sql.shuffle.partitions: 2\n  spark.sql.session.timeZone: Nowhere\n" + source + query, ":3:3", "spark.sql.session.timeZone", "conf", "INVALID_CONF_VALUE.TIME_ZONE"},
		{"format", "sources:\n  a: {format: jsn}\n" + query, ":2:3", "a", "source a", "DATA_SOURCE_NOT_FOUND"},
		{"schema", "sources:\n  a:\n    format: json\n    options: {path: in}\n    schema: \"k INTT\"\n" + query, ":5:16", "INTT", "source a", "UNSUPPORTED_DATATYPE"},
		{"watermark column", "sources:\n  e: {format: json, options: {path: in}, schema: \"ts TIMESTAMP\", watermark: {column: tz, delay: 1 hour}}\n" + query, ":2:", "watermark", "source e", "UNRESOLVED_COLUMN.WITH_SUGGESTION"},
		{"watermark delay", "sources:\n  e: {format: json, options: {path: in}, schema: \"ts TIMESTAMP\", watermark: {column: ts, delay: 1 fortnight}}\n" + query, ":2:", "watermark", "source e", "INVALID_INTERVAL_FORMAT.INVALID_UNIT"},
		{"view of block text", view + "  f:\n    sql: |\n      SELECT k,\n             w\n      FROM e\n" + query, ":7:14", "w", "view f", "UNRESOLVED_COLUMN.WITH_SUGGESTION"},
		{"filter", view + "  f: {from: e, filter: v > > 1}\n" + query, ":4:28", ">", "view f", "PARSE_SYNTAX_ERROR"},
		{"select", view + "  f: {from: e, select: [k, nosuch + 1]}\n" + query, ":4:28", "nosuch", "view f", "UNRESOLVED_COLUMN.WITH_SUGGESTION"},
		{"transformWithState", view + "  f: {from: e, transformWithState: {groupBy: k}}\n" + query, ":4:3", "f", "view f", "VSTREAM_UNSUPPORTED"},
		{"query", source + "queries:\n  q: {sql: 'SELECT k FROM nosuch'}\n", ":4:27", "nosuch", "query q", "TABLE_OR_VIEW_NOT_FOUND"},
		{"folded text", source + "queries:\n  q:\n    sql: >\n      SELECT k\n      FROM e WHERE nosuch\n", "job.yaml:6, in the text:1:23", "", "query q", "UNRESOLVED_COLUMN.WITH_SUGGESTION"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := open(t, c.text)
			if err == nil {
				t.Fatal("accepted")
			}
			e := condition.As(err)
			text := condition.Render(err)
			if e.Name != c.condition || !strings.Contains(text, "in "+c.where) {
				t.Errorf("want %s in %s", c.condition, c.where)
			}
			if !strings.Contains(text, c.at) || c.excerpt != "" && (e.Pos.File != "job.yaml" || e.Pos.Text[e.Pos.Offset:e.Pos.End] != c.excerpt) {
				t.Errorf("want %s at %s", c.excerpt, c.at)
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// open opens a job and prepares its queries.
func open(t *testing.T, text string) error {
	t.Helper()
	j, err := job.Parse("job.yaml", []byte(text))
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	o, err := j.Open(events(t))
	if err != nil {
		return err
	}
	for _, q := range j.Queries {
		if _, err := o.Prepare(q); err != nil {
			return err
		}
	}
	return nil
}

func TestTriggers(t *testing.T) {
	for _, c := range []struct{ trigger, mode, condition string }{
		{"{processingTime: 10 seconds}", "append", ""},
		{"{processingTime: 10 parsecs}", "append", "INVALID_INTERVAL_FORMAT.INVALID_UNIT"},
		{"{processingTime: -1 seconds}", "append", "VSTREAM_INVALID_VALUE"},
		{"{once: true}", "append", ""},
		{"{availableNow: true}", "append", ""},
		{"{continuous: 1 second}", "append", "_LEGACY_ERROR_TEMP_1195"},
		{"{realTime: 5 minutes}", "append", "STREAMING_REAL_TIME_MODE.OUTPUT_MODE_NOT_SUPPORTED"},
		{"{realTime: 5 minutes}", "update", "STREAMING_REAL_TIME_MODE.OPERATOR_OR_SINK_NOT_IN_ALLOWLIST"},
	} {
		j, err := job.Parse("job.yaml", []byte(source+"queries:\n  q: {sql: SELECT k FROM e, outputMode: "+c.mode+", trigger: "+c.trigger+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		o, err := j.Open(events(t))
		if err != nil {
			t.Fatal(err)
		}
		p, err := o.Prepare(j.Queries[0])
		if err != nil {
			t.Fatal(err)
		}
		err = p.Validate()
		if name := conditionOf(err); name != c.condition {
			t.Errorf("%s in %s mode: %q, want %q", c.trigger, c.mode, name, c.condition)
		}
	}
}

func conditionOf(err error) string {
	if err == nil {
		return ""
	}
	return condition.As(err).Name
}

func TestReadWith(t *testing.T) {
	file := filepath.Join(t.TempDir(), "job.yaml")
	text := source + "queries:\n  q: {sql: SELECT k FROM e, trigger: {availableNow: true}, options: {a.b: 1}}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	j, err := job.ReadWith(file, []string{
		"conf.spark.sql.shuffle.partitions=7", "queries.q.sql=SELECT k, 'a: b' AS c FROM e", "queries.q.trigger.processingTime=5 seconds",
		"queries.q.options.a.b=2", "sources.e.options={path: elsewhere}", `queries.q.outputMode="update"`,
	})
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	q := j.Queries[0]
	if j.Conf["spark.sql.shuffle.partitions"] != "7" || q.SQL.Value != "SELECT k, 'a: b' AS c FROM e" || q.Trigger.Kind != "processingTime" ||
		q.Trigger.Interval != "5 seconds" || q.Options["a.b"] != "2" || j.Sources[0].Options["path"] != "elsewhere" || q.OutputMode != "update" {
		t.Errorf("%+v %+v %+v", j, q, q.Trigger)
	}
	for _, bad := range []string{"queries.q.sqk=x", "nonsense", "=x", "sources.e.format={a: b}"} {
		_, err := job.ReadWith(file, []string{bad})
		if err == nil || !strings.Contains(condition.Render(err), "in --set") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
