// Package file is the file source: Spark's FileStreamSource and its batch reads
// for CSV, JSON, Parquet and text files.
package file

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// stream is a streaming file source. The files of a batch are fixed by an entry
// of the source's log, written before the batch's offset is given out.
type stream struct {
	*tableFormat
	ctx    source.Context
	lister lister
	log    *sourceLog
	seen   *seenFiles
	// unread are files that a rate limit left for the next batches.
	unread []entry
	// frozen are the files that the availableNow trigger found at its start.
	frozen []entry
	freeze bool
	// cleaned is the batch of the log up to which files have been cleaned up, -2 before
	// the first batch of this run.
	cleaned int64
}

const (
	defaultCompactInterval = 10
	defaultCleanupMs       = 10 * 60 * 1000
)

func openStream(ctx context.Context, f *format, c source.Context, o source.Options, schema *vector.Schema) (source.Source, error) {
	t, l, err := openTable(ctx, f, c, o, schema, true)
	if err != nil {
		return nil, err
	}
	interval := int64(confNumber(c.Conf, "spark.sql.streaming.fileSource.log.compactInterval", defaultCompactInterval))
	cleanup := int64(confNumber(c.Conf, "spark.sql.streaming.fileSource.log.cleanupDelay", defaultCleanupMs))
	if strings.EqualFold(c.Conf["spark.sql.streaming.fileSource.log.deletion"], "false") {
		cleanup = math.MaxInt64
	}
	s := &stream{tableFormat: t, ctx: c, lister: l, cleaned: -2, seen: newSeenFiles(t.opts.maxAgeMs, t.opts.nameOnly)}
	var logged []logEntry
	if s.log, logged, err = openLog(ctx, c.Log, max(interval, 1), cleanup); err != nil {
		return nil, err
	}
	for _, e := range logged {
		p, err := pathOfURL(e.Path)
		if err != nil {
			return nil, err
		}
		s.seen.add(p, e.Timestamp)
	}
	s.seen.purge()
	return s, s.checkMoved(logged)
}

// checkMoved refuses a checkpoint whose files come from another directory: its
// batches could not be run again.
func (s *stream) checkMoved(logged []logEntry) error {
	if len(logged) == 0 || isGlob(s.lister.root) {
		return nil
	}
	last := logged[len(logged)-1]
	p, err := pathOfURL(last.Path)
	if err != nil || p == s.lister.root || strings.HasPrefix(p, strings.TrimSuffix(s.lister.root, "/")+"/") {
		return err
	}
	return condition.New("VSTREAM_SOURCE_PATH_CHANGED", "source", s.ctx.Name, "path", fileURL(s.lister.root), "file", last.Path).
		WithHint("set the source's path back, or start with a new checkpoint")
}

// Schema is the user's or the inferred schema, all columns nullable.
func (s *stream) Schema() *vector.Schema { return s.schema }

// HiddenColumns is the struct _metadata.
func (s *stream) HiddenColumns() []vector.Field { return []vector.Field{metadataField} }

// Describe is what Spark calls the source in progress events.
func (s *stream) Describe() string { return "FileStreamSource[file:" + s.lister.root + "]" }

// Close has nothing to do: files are open during reads only.
func (s *stream) Close() error { return nil }

// Limited tells whether a batch takes a limited number of files or bytes.
func (s *stream) Limited() bool { return s.opts.maxFiles > 0 || s.opts.maxBytes > 0 }

// PrepareAvailableNow lists the files that the run will process.
func (s *stream) PrepareAvailableNow(ctx context.Context, _ source.Offset) error {
	files, err := s.newFiles(ctx)
	s.frozen, s.freeze, s.unread = files, true, nil
	return err
}

// Latest writes the files of the next batch, if there are any, to the log.
func (s *stream) Latest(ctx context.Context, start source.Offset, all bool) (source.Offset, error) {
	n, err := s.number(start)
	if err != nil {
		return "", err
	}
	if s.log.latest > n && !all && s.Limited() {
		// A crash came between this log and the offset log: the batch stays as it was
		// planned. (Spark adds the next one to it.)
		return offset(n + 1), nil
	}
	batch, err := s.nextBatch(ctx, all)
	if err != nil {
		return "", err
	}
	if len(batch) > 0 {
		entries := make([]logEntry, len(batch))
		for i, f := range batch {
			entries[i] = logEntry{fileURL(f.path), f.modified, s.log.latest + 1}
		}
		if err := s.log.add(ctx, entries, s.ctx.NowMs()); err != nil {
			return "", err
		}
		for _, f := range batch {
			s.seen.add(f.path, f.modified)
		}
		s.seen.purge()
	}
	if s.log.latest < 0 {
		return start, nil
	}
	return offset(s.log.latest), nil
}

// nextBatch picks the files of the next batch.
func (s *stream) nextBatch(ctx context.Context, all bool) ([]entry, error) {
	files := s.unread
	s.unread = nil
	if len(files) == 0 {
		var err error
		if files, err = s.newFiles(ctx); err != nil {
			return nil, err
		}
	}
	if all || !s.Limited() {
		return files, nil
	}
	n := s.take(files)
	batch, rest := files[:n], files[n:]
	// The newest files may be among those of the next listing.
	if !s.opts.latestFirst && !s.freeze {
		if keep := min(len(rest), s.opts.cachedFiles); float64(keep) >= s.enough() {
			s.unread = rest[:keep]
		}
	}
	return batch, nil
}

// take is the number of files that the limit allows, at least one.
func (s *stream) take(files []entry) int {
	if s.opts.maxFiles > 0 {
		return int(min(s.opts.maxFiles, int64(len(files))))
	}
	size := int64(0)
	for i, f := range files {
		if size += f.size; size > s.opts.maxBytes && i > 0 {
			return i
		}
	}
	return len(files)
}

// enough is the number of left files that makes it worth not to list anew.
func (s *stream) enough() float64 {
	if s.opts.maxFiles > 0 {
		return max(1, float64(s.opts.maxFiles)*s.opts.discardCacheAt)
	}
	return 1
}

// newFiles lists the files that no batch has had, in processing order: by
// modification time, then by path.
func (s *stream) newFiles(ctx context.Context) ([]entry, error) {
	files := s.frozen
	if !s.freeze {
		var err error
		if files, err = s.lister.list(ctx); err != nil {
			return nil, err
		}
		sort.SliceStable(files, func(i, j int) bool {
			if s.opts.latestFirst {
				return files[i].modified > files[j].modified
			}
			return files[i].modified < files[j].modified
		})
	}
	var out []entry
	for _, f := range files {
		if s.seen.isNew(f.path, f.modified) {
			out = append(out, f)
		}
	}
	return out, nil
}

// Plan gives the files that the log has for the batches after start up to end.
func (s *stream) Plan(ctx context.Context, start, end source.Offset, p source.Pushdown) ([]source.Split, error) {
	entries, err := s.logged(ctx, start, end)
	if err != nil {
		return nil, err
	}
	files := make([]entry, len(entries))
	for i, e := range entries {
		path, err := pathOfURL(e.Path)
		if err != nil {
			return nil, err
		}
		files[i] = stat(path, e.Timestamp)
	}
	// Within one batch Spark reads the largest file first (FilePartition); which row is
	// the first of its key depends on it.
	slices.SortStableFunc(files, func(a, b entry) int { return cmp.Compare(b.size, a.size) })
	return s.scan(p).splits(ctx, files)
}

// logged are the log's entries after start up to end.
func (s *stream) logged(ctx context.Context, start, end source.Offset) ([]logEntry, error) {
	from, err := s.number(start)
	if err != nil {
		return nil, err
	}
	if s.cleaned == -2 {
		s.cleaned = from
	}
	to, err := s.number(end)
	if err != nil || to <= from {
		return nil, err
	}
	return s.log.get(ctx, from, to)
}

// number is the log's batch at an offset, -1 for none. An offset beyond the log
// gives VSTREAM_CHECKPOINT_INCONSISTENT.
func (s *stream) number(o source.Offset) (int64, error) {
	if o == "" {
		return -1, nil
	}
	n, err := parseOffset(o)
	if err == nil && n > s.log.latest {
		err = errors.New("the source's log ends before it")
	}
	if err != nil {
		return 0, condition.New("VSTREAM_CHECKPOINT_INCONSISTENT", "checkpoint", s.ctx.Log.URL(""),
			"detail", "offset "+string(o)+" of source "+s.ctx.Name+": "+err.Error()).WithCause(err)
	}
	return n, nil
}

func offset(n int64) source.Offset {
	return source.Offset(`{"logOffset":` + strconv.FormatInt(n, 10) + `}`)
}

// parseOffset reads an offset; old checkpoints have a bare number.
func parseOffset(o source.Offset) (int64, error) {
	if n, err := strconv.ParseInt(string(o), 10, 64); err == nil {
		return n, nil
	}
	var v struct {
		LogOffset *int64 `json:"logOffset"`
	}
	if err := json.Unmarshal([]byte(o), &v); err != nil {
		return 0, err
	}
	if v.LogOffset == nil {
		return 0, errors.New("it has no logOffset")
	}
	return *v.LogOffset, nil
}

// Commit cleans up the files of the batches up to end, as cleanSource says.
func (s *stream) Commit(ctx context.Context, end source.Offset) error {
	if s.opts.clean == cleanOff || end == "" {
		return nil
	}
	n, err := s.number(end)
	if err != nil {
		return err
	}
	entries, err := s.log.get(ctx, s.cleaned, n)
	if err != nil {
		return err
	}
	s.cleaned = n
	for _, e := range entries {
		p, err := pathOfURL(e.Path)
		if err != nil {
			return err
		}
		s.clean(p)
	}
	return nil
}

func confNumber(conf map[string]string, key string, def int) int {
	if n, err := strconv.Atoi(conf[key]); err == nil {
		return n
	}
	if ms, ok := text.ParseMillis(conf[key]); ok {
		return int(ms)
	}
	return def
}

// rootOf is the absolute path or glob that a source reads.
func rootOf(c source.Context, path string) (string, error) {
	p, err := localPath(path)
	if err != nil {
		return "", err
	}
	if c.Resolve != nil {
		p = c.Resolve(p)
	}
	if p, err = filepath.Abs(p); err != nil {
		return "", ioError("resolve", path, err)
	}
	return p, nil
}
