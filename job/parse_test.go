package job_test

import (
	"strings"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/job"
)

const flights = `conf:
  spark.sql.shuffle.partitions: 4
sources:
  flights:
    format: csv
    options: {path: "${VSTREAM_TEST_DATA:-data}/flights", header: true, maxFilesPerTrigger: 5}
    schema: "departed_at TIMESTAMP, dep_delay INT"
    watermark: {column: departed_at, delay: 6 hours}
views:
  late: {from: flights, filter: dep_delay > 15, dropDuplicates: [dep_delay], withinWatermark: true}
queries:
  delays:
    sql: |
      SELECT origin
      FROM late
    outputMode: append
    trigger: {availableNow: true}
    sink: {format: parquet, path: out, partitionBy: [origin]}
`

func TestParse(t *testing.T) {
	j, err := job.Parse("job.yaml", []byte(flights))
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	if got := j.Conf["spark.sql.shuffle.partitions"]; got != "4" {
		t.Errorf("conf: %q", got)
	}
	s := j.Sources[0]
	if s.Name != "flights" || s.Options["path"] != "data/flights" || s.Options["header"] != "true" || s.Watermark.Delay != "6 hours" {
		t.Errorf("source: %+v", s)
	}
	v := j.Views[0]
	if v.From != "flights" || v.Filter.Value != "dep_delay > 15" || !v.DropDuplicates || !v.WithinWatermark {
		t.Errorf("view: %+v", v)
	}
	q := j.Queries[0]
	if q.Trigger.Kind != "availableNow" || q.Sink.Options["path"] != "out" || q.Sink.PartitionBy[0] != "origin" {
		t.Errorf("query: %+v", q)
	}
	if q.SQL.Value != "SELECT origin\nFROM late\n" || q.SQL.At != (job.Place{Line: 14, Column: 7}) || q.SQL.Indent != 6 {
		t.Errorf("sql: %+v", q.SQL)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, text, line, message, hint string }{
		{"unknown key", "sources:\n  a:\n    format: csv\n    optoins: {}\n", ":4:5", "unknown key optoins in source a", "did you mean options?"},
		{"unknown top key", "querys: {}\n", ":1:1", "unknown key querys in the job", "did you mean queries?"},
		{"no format", "sources:\n  a: {schema: a INT}\n", ":2:3", "source a has no format", ""},
		{"not a mapping", "sources: 3\n", ":1:10", "sources must be a mapping", ""},
		{"bad yaml", "sources: {a\n", ":", "not valid YAML", ""},
		{"twice", "conf: {a: 1}\nconf: {a: 2}\n", ":2:", "already defined", ""},
		{"variable", "conf:\n  a: ${VSTREAM_TEST_UNSET}\n", ":2:3", "VSTREAM_TEST_UNSET is not set", "${VSTREAM_TEST_UNSET:-value}"},
		{"two triggers", "queries:\n  q: {sql: SELECT 1, trigger: {once: true, availableNow: true}}\n", ":2:", "one trigger", ""},
		{"comma", "queries:\n  q: {sql: SELECT a, b}\n", ":2:", "unknown key b", "put text with commas into quotes"},
		{"empty", "", ":1:1", "empty", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := job.Parse("job.yaml", []byte(c.text))
			if err == nil {
				t.Fatal("accepted")
			}
			text := condition.Render(err)
			for _, want := range []string{"VSTREAM_JOB_FILE", "job.yaml" + c.line, c.message, c.hint} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(flights)
	f.Add("sources: &a {x: *a}")
	f.Fuzz(func(t *testing.T, text string) {
		job.Parse("job.yaml", []byte(text))
	})
}
