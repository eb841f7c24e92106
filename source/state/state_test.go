package state_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/format/render"
)

// jobs makes a session whose directory has as many files with the keys a, b, c as asked for.
func jobs(t *testing.T, files int, conf map[string]string) *vstream.Session {
	t.Helper()
	dir := t.TempDir()
	options := []vstream.Option{vstream.WithDir(dir), vstream.WithConf("spark.sql.shuffle.partitions", "2")}
	for k, v := range conf {
		options = append(options, vstream.WithConf(k, v))
	}
	s, err := vstream.New(options...)
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, "in"), 0o777))
	for i := range files {
		must(t, os.WriteFile(filepath.Join(dir, "in", fmt.Sprintf("%05d.csv", i)), []byte("a\nb\nc\n"), 0o666))
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start counts the keys, a file in each micro-batch.
func start(t *testing.T, s *vstream.Session) *vstream.Query {
	t.Helper()
	e, err := s.Read("csv").Option("path", "in").Option("maxFilesPerTrigger", "1").Schema("k STRING").Load()
	must(t, err)
	must(t, e.View("e"))
	counts, err := s.SQL("SELECT k, count(*) AS n FROM e GROUP BY k")
	must(t, err)
	q, err := counts.Write().Format("noop").Mode("update").Checkpoint("cp").Trigger(vstream.AvailableNow()).Start(t.Context())
	must(t, err)
	return q
}

// rows reads a state source and prints the rows of a query over it.
func rows(t *testing.T, s *vstream.Session, format string, options map[string]string, sql string) ([]string, error) {
	t.Helper()
	r := s.ReadStatic(format).Option("path", "cp")
	for k, v := range options {
		r.Option(k, v)
	}
	tab, err := r.Load()
	if err != nil {
		return nil, err
	}
	must(t, tab.View("state"))
	q, err := s.SQL(sql)
	must(t, err)
	batches, err := q.Collect(context.Background())
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range batches {
		var cells []render.Append
		for i, f := range q.Schema().Fields {
			cells = append(cells, render.Style{Null: "NULL"}.Column(f.Type, b.Col(i)))
		}
		for i := range b.Len() {
			var line []byte
			for _, c := range cells {
				line = append(c(line, i), ' ')
			}
			out = append(out, strings.TrimSpace(string(line)))
		}
	}
	slices.Sort(out)
	return out, nil
}

func TestQueries(t *testing.T) {
	s := jobs(t, 3, nil)
	must(t, start(t, s).Wait(t.Context()))
	for _, c := range []struct {
		format  string
		options map[string]string
		sql     string
		want    string
	}{
		{"statestore", nil, "SELECT key.k, value.count FROM state", "a 3|b 3|c 3"},
		{"statestore", map[string]string{"batchId": "1"}, "SELECT value, key FROM state WHERE key.k > 'a'", "{2} {b}|{2} {c}"},
		{"statestore", nil, "SELECT sum(value.count), count(DISTINCT partition_id) < 3 FROM state", "9 true"},
		{"statestore", map[string]string{"readChangeFeed": "true", "changeStartBatchId": "1"}, "SELECT batch_id, change_type, count(*) FROM state GROUP BY ALL", "1 update 3|2 update 3"},
		{"state-metadata", nil, "SELECT operatorName, stateStoreName, numPartitions, minBatchId, maxBatchId, operatorProperties FROM state", "stateStoreSave default 2 0 2 NULL"},
		{"STATESTORE", map[string]string{"BATCHID": "0"}, "SELECT max(value.count) FROM state", "1"},
	} {
		got, err := rows(t, s, c.format, c.options, c.sql)
		if text := strings.Join(got, "|"); text != c.want || err != nil {
			t.Errorf("%s %v %s\ngot  %s, %v\nwant %s", c.format, c.options, c.sql, text, err, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	s := jobs(t, 1, nil)
	must(t, start(t, s).Wait(t.Context()))
	for name, c := range map[string]struct {
		read *vstream.Reader
		want condition.Name
	}{
		"stream":              {s.Read("statestore").Option("path", "cp"), "_LEGACY_ERROR_TEMP_2049"},
		"stream of metadata":  {s.Read("state-metadata").Option("path", "cp"), "_LEGACY_ERROR_TEMP_2049"},
		"no path":             {s.ReadStatic("statestore"), "STDS_REQUIRED_OPTION_UNSPECIFIED"},
		"schema":              {s.ReadStatic("statestore").Option("path", "cp").Schema("a INT"), "_LEGACY_ERROR_TEMP_2242"},
		"schema of metadata":  {s.ReadStatic("state-metadata").Option("path", "cp").Schema("a INT"), "_LEGACY_ERROR_TEMP_2242"},
		"no checkpoint":       {s.ReadStatic("statestore").Option("path", "nosuch"), "STDS_COMMITTED_BATCH_UNAVAILABLE"},
		"option out of order": {s.ReadStatic("statestore").Option("path", "cp").Option("batchId", "-1"), "STDS_INVALID_OPTION_VALUE.IS_NEGATIVE"},
	} {
		tab, err := c.read.Load()
		if err == nil {
			_, err = tab.Collect(t.Context())
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestRunningQuery reads a checkpoint whose query runs, makes snapshots and removes what it
// does not retain. Each read sees one batch as it was, or says that the batch is gone.
func TestRunningQuery(t *testing.T) {
	const files = 60
	s := jobs(t, files, map[string]string{
		"spark.sql.streaming.minBatchesToRetain":              "2",
		"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2",
	})
	q := start(t, s)
	done := make(chan error, 1)
	go func() { done <- q.Wait(context.Background()) }()
	reads := 0
	for running := true; running; {
		select {
		case err := <-done:
			must(t, err)
			running = false
		default:
		}
		for _, c := range []struct {
			options map[string]string
			sql     string
			want    string
		}{
			{nil, "SELECT count(*), count(DISTINCT value.count) FROM state", "3 1"},
			{map[string]string{"readChangeFeed": "true", "changeStartBatchId": "0"}, "SELECT DISTINCT value.count - batch_id FROM state", "1"},
		} {
			if c.options != nil { // from the oldest batch there is
				first, err := rows(t, s, "state-metadata", nil, "SELECT DISTINCT minBatchId FROM state")
				must(t, err)
				if len(first) == 0 || first[0] == "NULL" {
					continue
				}
				c.options["changeStartBatchId"] = first[0]
			}
			got, err := rows(t, s, "statestore", c.options, c.sql)
			switch {
			case errors.Is(err, condition.Name("STDS_COMMITTED_BATCH_UNAVAILABLE")):
			case err != nil:
				t.Fatal(condition.Render(err))
			case strings.Join(got, "|") != c.want:
				t.Fatalf("%s: %v, want %s", c.sql, got, c.want)
			default:
				reads++
			}
		}
	}
	got, err := rows(t, s, "statestore", nil, "SELECT DISTINCT value.count FROM state")
	if err != nil || len(got) != 1 || got[0] != fmt.Sprint(files) {
		t.Errorf("at the end: %v, %v", got, err)
	}
	t.Logf("%d reads", reads)
}
