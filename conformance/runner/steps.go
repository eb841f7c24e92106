package runner

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/vstream/vstream/job"
)

// firstFileTime is the modification time of the scenario's first file but one, in
// seconds; the others follow a second apart.
const firstFileTime = 1700000000

// add stages one file per source. The next run makes it visible.
func (r *scenarioRun) add(s *job.Step) error {
	j, err := r.job()
	if err != nil {
		return err
	}
	sources := map[string]*job.Source{}
	for _, src := range j.Sources {
		sources[src.Name] = src
	}
	extensions := map[string]string{"json": "json", "csv": "csv", "text": "txt"}
	for _, rows := range s.Add {
		src := sources[rows.Source]
		if src == nil {
			return fmt.Errorf("the job has no source %s", rows.Source)
		}
		ext, ok := extensions[strings.ToLower(src.Format)]
		if !ok {
			return fmt.Errorf("rows cannot be added to source %s of format %s", src.Name, src.Format)
		}
		r.files++
		name := fmt.Sprintf("%04d.%s", r.files, ext)
		staged := filepath.Join(r.dir, "_stage", name)
		if err := os.MkdirAll(filepath.Dir(staged), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(staged, []byte(strings.Join(append(rows.Lines, ""), "\n")), 0o666); err != nil {
			return err
		}
		t := time.Unix(int64(firstFileTime+r.files), 0)
		if err := os.Chtimes(staged, t, t); err != nil {
			return err
		}
		r.pending = append(r.pending, pendingFile{staged, filepath.Join(r.path(src.Options["path"]), name)})
	}
	return nil
}

// publish makes the staged files visible.
func (r *scenarioRun) publish() error {
	for _, f := range r.pending {
		if err := os.MkdirAll(filepath.Dir(f.name), 0o777); err != nil {
			return err
		}
		if err := os.Rename(f.staged, f.name); err != nil {
			return err
		}
	}
	r.pending = nil
	return nil
}

// path is a path of the scenario below the work directory.
func (r *scenarioRun) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(r.dir, p)
}

// query is a query of the job as it is now.
func (r *scenarioRun) query(name string) (*job.Query, error) {
	j, err := r.job()
	if err != nil {
		return nil, err
	}
	for _, q := range j.Queries {
		if q.Name == name {
			return q, nil
		}
	}
	return nil, fmt.Errorf("the job has no query %s", name)
}

// crash makes the last batch uncommitted, although its output is there (after-sink)
// or as if it were not (before-sink).
func (r *scenarioRun) crash(s *job.Step) error {
	j, err := r.job()
	if err != nil {
		return err
	}
	for _, q := range j.Queries {
		if only := s.Args["query"]; only != "" && only != q.Name {
			continue
		}
		commits := filepath.Join(r.path(q.Checkpoint), "commits")
		ids := batchIDs(commits)
		if len(ids) == 0 {
			continue
		}
		last := strconv.FormatInt(ids[len(ids)-1], 10)
		if err := os.Remove(filepath.Join(commits, last)); err != nil {
			return err
		}
		if s.Args["at"] == "before-sink" && q.Sink != nil && q.Sink.Options["path"] != "" {
			entry := filepath.Join(r.path(q.Sink.Options["path"]), "_spark_metadata", last)
			if err := os.RemoveAll(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove deletes globs below the work directory.
func (r *scenarioRun) remove(globs ...string) error {
	for _, g := range globs {
		names, err := filepath.Glob(r.path(g))
		if err != nil {
			return err
		}
		for _, n := range names {
			if err := os.RemoveAll(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// batchIDs are the batches of a log, ascending.
func batchIDs(dir string) []int64 {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var ids []int64
	for _, e := range entries {
		if n, err := strconv.ParseInt(e.Name(), 10, 64); err == nil {
			ids = append(ids, n)
		}
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}

// inspect records the ids of the logs and the metadata of their last entries.
func (r *scenarioRun) inspect(index int, s *job.Step) error {
	q, err := r.query(s.Args["query"])
	if err != nil {
		return err
	}
	var out object
	for _, log := range []string{"offsets", "commits"} {
		ids := []any{}
		for _, id := range batchIDs(filepath.Join(r.path(q.Checkpoint), log)) {
			ids = append(ids, json.Number(strconv.FormatInt(id, 10)))
		}
		out = append(out, member{log, ids})
	}
	if lines := r.lastEntry(q, "offsets"); lines != nil {
		out = append(out, member{"offsetVersion", lines[0]})
		if meta, ok := metadata(lines); ok {
			conf, _ := meta.get("conf").(object)
			out = append(out, member{"batchWatermarkMs", meta.get("batchWatermarkMs")}, member{"shufflePartitions", conf.get("spark.sql.shuffle.partitions")})
		}
	}
	if lines := r.lastEntry(q, "commits"); lines != nil {
		if meta, ok := metadata(lines); ok {
			out = append(out, member{"nextBatchWatermarkMs", meta.get("nextBatchWatermarkMs")})
		}
	}
	r.records = append(r.records, Record{Step: index, Checkpoint: out})
	return nil
}

// lastEntry are the lines of the newest entry of a log.
func (r *scenarioRun) lastEntry(q *job.Query, log string) []string {
	dir := filepath.Join(r.path(q.Checkpoint), log)
	ids := batchIDs(dir)
	if len(ids) == 0 {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, strconv.FormatInt(ids[len(ids)-1], 10)))
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\n")
}

// metadata is the second line of a log entry.
func metadata(lines []string) (object, bool) {
	if len(lines) < 2 {
		return nil, false
	}
	v, err := parseValue([]byte(lines[1]))
	if err != nil {
		return nil, false
	}
	o, ok := v.(object)
	return o, ok
}

// get is a field's value, nil if there is none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}
