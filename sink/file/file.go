// Package file is the file sink: the formats parquet, json, csv and text.
//
// It delivers exactly once, like Spark's FileStreamSink: tasks write data files
// under names that nobody else uses; the batch's entry in the directory's log
// (package manifest) then makes them visible, all at once. Spark reads the
// directories that it writes, and it goes on with directories that Spark wrote.
package file

import (
	"context"
	"errors"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/sink"
)

// ownerFile holds the id of the query that writes the directory. Spark does not
// know it and ignores it.
const ownerFile = manifest.Folder + "/_vstream_query"

// fileSink is one output directory of one query.
type fileSink struct {
	store       objstore.Store
	format      *format
	partitionBy []string
	style       render.Style // of the values in directory names
	maxRecords  int64
	logOptions  manifest.LogOptions
	now         func() time.Time

	log     *manifest.Log
	owned   bool // the owner file holds this query's id
	taken   bool // this query takes over what Spark has written, and there is no owner file yet
	cleaned bool // what earlier runs left over is gone
}

func open(_ context.Context, name string, c sink.Context, options sink.Options) (sink.Sink, error) {
	path, ok := options.Get("path")
	if !ok || path == "" {
		return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "path", "value", `""`, "expected", "the output directory")
	}
	f, err := newFormat(name, c, options)
	if err != nil {
		return nil, err
	}
	if c.Resolve != nil {
		path = c.Resolve(path)
	}
	store, err := c.OpenStore(path)
	if err != nil {
		return nil, err
	}
	s := &fileSink{store: store, format: f, partitionBy: c.PartitionBy, style: render.Style{Zone: f.zone}, now: time.Now}
	if c.NowMs != nil {
		s.now = func() time.Time { return time.UnixMilli(c.NowMs()) }
	}
	return s, s.settings(c, options)
}

func (s *fileSink) settings(c sink.Context, options sink.Options) error {
	number := func(key string, def int64, v string, ok bool) (int64, error) {
		if !ok {
			return def, nil
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 0 {
			return 0, condition.New("VSTREAM_INVALID_OPTION", "option", key, "value", v, "expected", "a whole number that is not negative")
		}
		return n, nil
	}
	conf := func(key string, def int64) (int64, error) {
		v, ok := c.Conf[key]
		return number(key, def, v, ok)
	}
	var err error
	v, ok := options.Get("maxRecordsPerFile")
	if !ok {
		v, ok = c.Conf["spark.sql.files.maxRecordsPerFile"]
	}
	if s.maxRecords, err = number("maxRecordsPerFile", 0, v, ok); err != nil {
		return err
	}
	if s.logOptions.CompactInterval, err = conf("spark.sql.streaming.fileSink.log.compactInterval", 10); err != nil {
		return err
	}
	if s.logOptions.Retain, err = conf("spark.sql.streaming.minBatchesToRetain", 100); err != nil {
		return err
	}
	duration := func(key string, def time.Duration, v string, ok bool) (time.Duration, error) {
		if !ok {
			return def, nil
		}
		ms, ok := text.ParseMillis(v)
		if !ok {
			return 0, condition.New("VSTREAM_INVALID_OPTION", "option", key, "value", v, "expected", "a duration such as 10min or 7d")
		}
		return time.Duration(ms) * time.Millisecond, nil
	}
	const cleanupDelay = "spark.sql.streaming.fileSink.log.cleanupDelay"
	v, ok = c.Conf[cleanupDelay]
	if s.logOptions.CleanupDelay, err = duration(cleanupDelay, 10*time.Minute, v, ok); err != nil {
		return err
	}
	v, ok = options.Get("retention")
	if s.logOptions.FileAge, err = duration("retention", 0, v, ok); err != nil {
		return err
	}
	s.logOptions.KeepAll = strings.EqualFold(c.Conf["spark.sql.streaming.fileSink.log.deletion"], "false")
	s.logOptions.Now = s.now
	return nil
}

// Guarantee is Transactional: a batch is visible with its log entry.
func (s *fileSink) Guarantee() sink.Guarantee { return sink.Transactional }

// Describe is the sink as Spark's progress shows it.
func (s *fileSink) Describe() string {
	return "FileSink[" + strings.Replace(strings.TrimSuffix(s.store.URL("x"), "/x"), "file:///", "file:/", 1) + "]"
}

// Close does nothing: nothing is open between batches.
func (s *fileSink) Close() error { return nil }

// Start refuses a directory whose log does not go with the query's checkpoint,
// before anything is written. See sink.Starter.
func (s *fileSink) Start(ctx context.Context, queryID string, at sink.Resumption) error {
	if s.log == nil {
		l, err := manifest.OpenLog(ctx, s.store, s.logOptions)
		if err != nil {
			return err
		}
		s.log = l
	}
	if s.owned || s.taken {
		return nil
	}
	owner, err := s.store.Get(ctx, ownerFile)
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return err
	}
	id, latest := strings.TrimSpace(string(owner)), s.log.Latest()
	switch {
	case id == queryID:
		s.owned = true
		return nil
	case id != "":
		return condition.New("VSTREAM_SINK_OF_ANOTHER_QUERY", "sink", s.Describe(), "other", id, "query", queryID).
			WithHint("the directory goes with the checkpoint of query %s: go on from that checkpoint, or write to another directory", id)
	case at.Continued && latest < 0 && at.Next > 0:
		return condition.New("VSTREAM_SINK_LACKS_BATCHES", "sink", s.Describe(), "query", queryID, "batch", at.Next).
			WithHint("the output directory of a query must not change; give the old one, or start with a new checkpoint")
	case at.Planned && latest == at.Next:
		// Spark ended between the sink's log and the commit log. As there, the batch is not run again.
		s.taken = true
	case latest >= at.Next:
		// Written by Spark, which leaves no owner, or the owner file was deleted.
		return condition.New("VSTREAM_SINK_OF_ANOTHER_QUERY", "sink", s.Describe(), "other", "unknown", "query", queryID).
			WithHint("its log holds batch %d already. If this query wrote it, put the id %s into %s; otherwise write to another directory", latest, queryID, s.store.URL(ownerFile))
	}
	return nil
}

func init() {
	for _, name := range formatNames() {
		sink.Register(sink.Spec{
			Name: name, Summary: "Files in the " + name + " format, exactly once, with Spark's _spark_metadata log.",
			Options: options(name), Modes: []string{"append"},
			Open: func(ctx context.Context, c sink.Context, o sink.Options) (sink.Sink, error) {
				return open(ctx, name, c, o)
			},
		})
	}
}

func formatNames() []string {
	out := make([]string, 0, len(formats))
	for n := range formats {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}
