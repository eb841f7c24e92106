package manifest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// LogOptions are the settings of a Log, named as Spark's spark.sql.streaming.fileSink.log.*.
type LogOptions struct {
	CompactInterval int64         // batches between two compact entries; 0 is 10
	CleanupDelay    time.Duration // how long replaced entries stay for readers that have begun
	KeepAll         bool          // replaced entries stay for ever
	Retain          int64         // replaced entries of so many batches stay in any case
	// FileAge, if not 0, leaves files out of compact entries that are older: they are not
	// visible any more (Spark's option retention).
	FileAge time.Duration
	Now     func() time.Time
}

// Log is the log of an output directory as its one writer sees it.
type Log struct {
	store   objstore.Store
	o       LogOptions
	latest  int64 // -1 if the log is empty
	compact int64 // the newest compact batch, -1 if there is none
}

// OpenLog reads the state of the log of the output directory s.
func OpenLog(ctx context.Context, s objstore.Store, o LogOptions) (*Log, error) {
	entries, err := list(ctx, s)
	if err != nil {
		return nil, err
	}
	l := &Log{store: s, o: o, latest: -1, compact: -1}
	if l.o.CompactInterval == 0 {
		l.o.CompactInterval = 10
	}
	before := int64(-1) // the compact entry before the newest
	for _, e := range entries {
		l.latest = e.batch
		if e.compact {
			before, l.compact = l.compact, e.batch
		}
	}
	if before >= 0 {
		l.o.CompactInterval = l.compact - before
	} else {
		l.o.CompactInterval = interval(l.o.CompactInterval, l.compact)
	}
	return l, nil
}

// interval is Spark's rule for a log whose one compact entry may stem from
// another setting: the least divisor of that batch's number plus one that is not
// below the wanted interval, so that Spark finds the compact entries again.
func interval(want, compact int64) int64 {
	n := compact + 1
	switch {
	case n == 0:
		return want
	case n <= want:
		return n
	case want >= n/2:
		return n
	}
	for d := max(want, 1); d < n; d++ {
		if n%d == 0 {
			return d
		}
	}
	return n
}

// Latest is the newest batch in the log, -1 if there is none.
func (l *Log) Latest() int64 { return l.latest }

// Add makes the files of a batch visible, at once and durably. Batches that are
// missing in between get empty entries, as Spark does not read a log with gaps.
// It fails with CONCURRENT_STREAM_LOG_UPDATE if the batch is there already.
func (l *Log) Add(ctx context.Context, batch int64, files []File) error {
	for b := l.latest + 1; b < batch; b++ {
		if err := l.add(ctx, b, nil); err != nil {
			return err
		}
	}
	return l.add(ctx, batch, files)
}

func (l *Log) add(ctx context.Context, batch int64, files []File) error {
	name := Folder + "/" + strconv.FormatInt(batch, 10)
	compact := (batch+1)%l.o.CompactInterval == 0
	if compact {
		name += compactSuffix
		if l.latest >= 0 {
			entries, err := list(ctx, l.store)
			if err != nil {
				return err
			}
			old, err := readAll(ctx, l.store, entries)
			if err != nil {
				return err
			}
			files = append(l.young(old), files...)
		}
	}
	err := l.store.CreateExclusive(ctx, name, Encode(files))
	if errors.Is(err, objstore.ErrExists) {
		e := condition.New("CONCURRENT_STREAM_LOG_UPDATE", "batchId", batch)
		e.Retry = condition.RetryRestart
		return e.WithHint("another run of the query has written batch %d to %s", batch, l.store.URL(Folder))
	}
	if err != nil {
		return err
	}
	l.latest = batch
	if compact {
		l.compact = batch
		return l.clean(ctx)
	}
	return nil
}

// young are the files that FileAge keeps visible.
func (l *Log) young(files []File) []File {
	if l.o.FileAge == 0 {
		return files
	}
	oldest := l.now().Add(-l.o.FileAge).UnixMilli()
	return slices.DeleteFunc(files, func(f File) bool { return f.ModificationTime < oldest })
}

func (l *Log) now() time.Time {
	if l.o.Now == nil {
		return time.Now()
	}
	return l.o.Now()
}

// clean deletes entries that the newest compact one repeats.
func (l *Log) clean(ctx context.Context) error {
	if l.o.KeepAll {
		return nil
	}
	entries, err := list(ctx, l.store)
	if err != nil {
		return err
	}
	before := l.now().Add(-l.o.CleanupDelay)
	for _, e := range entries {
		if e.batch < l.compact-l.o.Retain && e.info.Modified.Before(before) {
			if err := l.store.Delete(ctx, e.info.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
