package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// logEntry is one file of one batch in the source's log.
type logEntry struct {
	Path      string `json:"path"` // file URL
	Timestamp int64  `json:"timestamp"`
	BatchID   int64  `json:"batchId"`
}

const logVersion = "v1"

// sourceLog is Spark's FileStreamSourceLog: an object n per batch, and every
// interval-th batch an object n.compact that repeats all entries before it.
type sourceLog struct {
	store    objstore.Store
	interval int64
	latest   int64 // newest batch, -1 if there is none
	// compacted is the newest compact batch, -1 if there is none; recent are the
	// entries behind it.
	compacted int64
	recent    []logEntry
	cleanupMs int64
}

// openLog finds the newest batch and reads all entries, oldest first.
func openLog(ctx context.Context, store objstore.Store, interval, cleanupMs int64) (*sourceLog, []logEntry, error) {
	l := &sourceLog{store: store, interval: interval, cleanupMs: cleanupMs, latest: -1, compacted: -1}
	infos, err := store.List(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	plain := map[int64]bool{}
	for _, i := range infos {
		id, compact, ok := batchOfName(i.Name)
		if !ok {
			continue
		}
		l.latest = max(l.latest, id)
		if compact {
			l.compacted = max(l.compacted, id)
		} else {
			plain[id] = true
		}
	}
	var all []logEntry
	if l.compacted >= 0 {
		if all, err = l.read(ctx, l.compactName(l.compacted)); err != nil {
			return nil, nil, err
		}
	}
	for id := l.compacted + 1; id <= l.latest; id++ {
		if !plain[id] {
			return nil, nil, condition.New("VSTREAM_CORRUPT_FILE", "file", store.URL(strconv.FormatInt(id, 10)), "detail", "this batch of the source's log is missing")
		}
		es, err := l.read(ctx, strconv.FormatInt(id, 10))
		if err != nil {
			return nil, nil, err
		}
		l.recent = append(l.recent, es...)
	}
	return l, append(all, l.recent...), nil
}

func batchOfName(name string) (id int64, compact, ok bool) {
	n, compact := strings.CutSuffix(name, ".compact")
	id, err := strconv.ParseInt(n, 10, 64)
	return id, compact, err == nil && id >= 0
}

func (l *sourceLog) compactName(id int64) string { return strconv.FormatInt(id, 10) + ".compact" }

func (l *sourceLog) isCompact(id int64) bool { return (id+1)%l.interval == 0 }

// add writes the next batch; its entries carry the batch's number. Another
// writer on the same log gives CONCURRENT_STREAM_LOG_UPDATE.
func (l *sourceLog) add(ctx context.Context, entries []logEntry, nowMs int64) error {
	id := l.latest + 1
	name, old := strconv.FormatInt(id, 10), []logEntry(nil)
	if l.isCompact(id) {
		name = l.compactName(id)
		if l.compacted >= 0 {
			var err error
			if old, err = l.read(ctx, l.compactName(l.compacted)); err != nil {
				return err
			}
		}
		old = append(old, l.recent...)
	}
	err := l.store.CreateExclusive(ctx, name, encodeLog(append(old, entries...)))
	if errors.Is(err, objstore.ErrExists) {
		return condition.New("CONCURRENT_STREAM_LOG_UPDATE", "batchId", id)
	}
	if err != nil {
		return err
	}
	l.latest = id
	if !l.isCompact(id) {
		l.recent = append(l.recent, entries...)
		return nil
	}
	l.compacted, l.recent = id, nil
	return l.dropOld(ctx, nowMs)
}

// dropOld deletes batches that the newest compact batch repeats, once they are
// old enough that no reader of the log can still want them.
func (l *sourceLog) dropOld(ctx context.Context, nowMs int64) error {
	infos, err := l.store.List(ctx, "")
	if err != nil {
		return err
	}
	for _, i := range infos {
		id, _, ok := batchOfName(i.Name)
		if ok && id < l.compacted && nowMs-i.Modified.UnixMilli() >= l.cleanupMs {
			if err := l.store.Delete(ctx, i.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// get gives the entries of the batches after..end in their order.
func (l *sourceLog) get(ctx context.Context, after, end int64) ([]logEntry, error) {
	var out []logEntry
	missing := map[int64]bool{}
	for id := after + 1; id <= end; id++ {
		if id > l.compacted {
			for _, e := range l.recent {
				if e.BatchID == id {
					out = append(out, e)
				}
			}
		} else {
			missing[id] = true
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	// The newest compact batch has the entries of all batches before it.
	all, err := l.read(ctx, l.compactName(l.compacted))
	if err != nil {
		return nil, err
	}
	var old []logEntry
	for _, e := range all {
		if missing[e.BatchID] {
			old = append(old, e)
		}
	}
	sort.SliceStable(old, func(i, j int) bool { return old[i].BatchID < old[j].BatchID })
	return append(old, out...), nil
}

func (l *sourceLog) read(ctx context.Context, name string) ([]logEntry, error) {
	data, err := l.store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	return decodeLog(l.store.URL(name), data)
}

// encodeLog is the text of a log object: the version, then a JSON object per line.
func encodeLog(entries []logEntry) []byte {
	var b bytes.Buffer
	b.WriteString(logVersion)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		b.WriteByte('\n')
		// A logEntry always encodes; Encode ends it with the \n that Spark leaves out.
		_ = enc.Encode(e)
		b.Truncate(b.Len() - 1)
	}
	return b.Bytes()
}

// decodeLog reads a log object; name is for errors: VSTREAM_NEWER_FORMAT and
// VSTREAM_CORRUPT_FILE.
func decodeLog(name string, data []byte) ([]logEntry, error) {
	corrupt := func(format string, args ...any) error {
		return condition.New("VSTREAM_CORRUPT_FILE", "file", name, "detail", fmt.Sprintf(format, args...)).
			WithHint("restore the file from a copy, or start with a new checkpoint")
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if v := strings.TrimSpace(lines[0]); v != logVersion {
		if n, ok := strings.CutPrefix(v, "v"); ok {
			if num, err := strconv.Atoi(n); err == nil && num > 1 {
				return nil, condition.New("VSTREAM_NEWER_FORMAT", "file", name, "version", n, "supported", 1)
			}
		}
		return nil, corrupt("it begins with %q instead of %q", v, logVersion)
	}
	var out []logEntry
	for i, line := range lines[1:] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var e logEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, corrupt("line %d: %v", i+2, err)
		}
		if e.Path == "" {
			return nil, corrupt("line %d has no path", i+2)
		}
		out = append(out, e)
	}
	return out, nil
}
