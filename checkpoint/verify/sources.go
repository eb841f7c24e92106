package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore"
)

// checkSources checks the logs that sources keep; false: the query cannot go on because of them.
func (c *checker) checkSources(ctx context.Context) bool {
	offsets := c.sourceOffsets()
	sources := slices.Collect(maps.Keys(offsets))
	for _, name := range c.below("sources/") {
		source, _, ok := strings.Cut(strings.TrimPrefix(name, "sources/"), "/")
		if ok && !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	slices.Sort(sources)
	whole := true
	for _, source := range sources {
		level := Fatal
		offset, used := offsets[source]
		if offsets != nil && !used {
			level = Damage // of a source that was removed
		}
		var ok bool
		if to, isFile := logOffset(offset); isFile {
			ok = c.fileLog(ctx, "sources/"+source+"/", to)
		} else {
			ok = c.plainLog(ctx, "sources/"+source+"/", level)
		}
		whole = whole && (ok || level != Fatal)
	}
	return whole
}

// sourceOffsets are the newest offsets by source, nil if they are not known.
func (c *checker) sourceOffsets() map[string]json.RawMessage {
	e := c.logs.offsets.whole[c.logs.offsets.newest()]
	if e == nil {
		return nil
	}
	out := maps.Clone(e.Sources)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	for i, o := range e.Ordered {
		out[strconv.Itoa(i)] = o
	}
	return out
}

// logOffset is the batch of a file source's log to which an offset refers; ok is false for an offset of
// another source.
func logOffset(offset json.RawMessage) (batch int64, ok bool) {
	var o struct {
		LogOffset *int64 `json:"logOffset"`
	}
	if json.Unmarshal(offset, &o) != nil || o.LogOffset == nil {
		return 0, false
	}
	return *o.LogOffset, true
}

// plainLog checks the log of a source that keeps small objects with a version line.
func (c *checker) plainLog(ctx context.Context, folder string, level Level) bool {
	whole := true
	for _, name := range c.below(folder) {
		if isChecksum(name) {
			continue
		}
		data, err := c.read(ctx, name)
		if err == nil {
			var rest []string
			if rest, err = lines(name, data); err == nil && len(rest) == 0 {
				err = corrupt(name, "it ends after its version")
			}
		}
		if err != nil {
			whole = false
			c.problem(level, name, err, "the source does not know where it began", "restore the file from a copy, or start with a new checkpoint")
		}
	}
	return whole
}

// fileLog checks the log of a file source: an object per batch and, from time to time, one that repeats
// those before it.
func (c *checker) fileLog(ctx context.Context, folder string, to int64) bool {
	plain, compacts := map[int64]bool{}, []int64{}
	latest := int64(-1)
	for _, name := range c.below(folder) {
		base, compact := strings.CutSuffix(strings.TrimPrefix(name, folder), ".compact")
		id, err := strconv.ParseInt(base, 10, 64)
		if err != nil || id < 0 {
			continue
		}
		latest = max(latest, id)
		if compact {
			compacts = append(compacts, id)
		} else {
			plain[id] = true
		}
	}
	slices.Sort(compacts)
	newest := int64(-1)
	if len(compacts) > 0 {
		newest = compacts[len(compacts)-1]
	}
	const means = "the source does not know which files it has read"
	do := "restore the file from a copy, or start with a new checkpoint"
	whole := true
	check := func(name string, needed bool) {
		data, err := c.read(ctx, name)
		if err == nil {
			err = sourceEntries(name, data)
		}
		switch {
		case err == nil:
		case needed:
			whole = false
			c.problem(Fatal, name, err, means, do)
		default:
			c.problem(Damage, name, err, "nothing: a later compact file repeats it", "nothing has to be done")
		}
	}
	for _, id := range compacts {
		check(folder+strconv.FormatInt(id, 10)+".compact", id == newest)
	}
	for id := range latest + 1 {
		switch name := folder + strconv.FormatInt(id, 10); {
		case plain[id]:
			check(name, id > newest)
		case id > newest:
			whole = false
			c.add(Problem{Fatal, name, "it is missing, though there are later ones", means, do})
		}
	}
	if latest < to {
		whole = false
		c.add(Problem{Fatal, folder + strconv.FormatInt(to, 10), fmt.Sprintf("it is missing: the offset log refers to batch %d of this log, which ends with %d", to, latest), means, do})
	}
	return whole
}

// sourceEntries checks an object of a file source's log.
func sourceEntries(name string, data []byte) error {
	rest, err := lines(name, data)
	if err != nil {
		return err
	}
	for i, line := range rest {
		var e struct {
			Path string `json:"path"`
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return corrupt(name, fmt.Sprintf("line %d: %v", i+2, err))
		}
		if e.Path == "" {
			return corrupt(name, fmt.Sprintf("line %d has no path", i+2))
		}
	}
	return nil
}

// lines checks the version line of a log object and gives the lines after it.
func lines(name string, data []byte) ([]string, error) {
	text := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	// Spark's Kafka source writes a zero byte in front, for readers before Spark 2.1.
	version, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(text[0], "\x00")), "v")
	n, err := strconv.Atoi(version)
	switch {
	case !ok || err != nil || n < 1:
		return nil, corrupt(name, fmt.Sprintf("it begins with %.20q instead of a version", text[0]))
	case n > 1:
		return nil, condition.New("VSTREAM_NEWER_FORMAT", "file", name, "version", n, "supported", 1)
	}
	return text[1:], nil
}

func corrupt(name, detail string) error {
	return condition.New("VSTREAM_CORRUPT_FILE", "file", name, "detail", detail)
}

// sink checks the log of a file sink, whose folder a query of vstream notes, and the files that it lists.
func (c *checker) sink(ctx context.Context) {
	kind, _ := c.spec.Value("sink.kind", "")
	folder, known := c.spec.Value("sink.folder", "the sink")
	if !known || kind != "FileSink" {
		return
	}
	out, err := objstore.Open(ctx, folder)
	if err != nil {
		c.problem(Damage, folder, err, "the output cannot be checked", "make the folder accessible")
		return
	}
	log := out.URL(manifest.Folder)
	const restore = "restore the folder from a copy; or start with a new checkpoint and a new folder"
	files, there, err := manifest.Read(ctx, out)
	if err != nil {
		c.problem(Damage, log, err, "readers of the output fail", restore)
		return
	}
	committed := c.logs.commits.newest()
	writer, err := manifest.OpenLog(ctx, out, manifest.LogOptions{})
	if err != nil {
		c.problem(Damage, log, err, "the sink cannot go on", restore)
		return
	}
	if latest := writer.Latest(); committed >= 0 && latest < committed {
		c.add(Problem{Damage, log, fmt.Sprintf("it ends with batch %d, but batch %d is committed", latest, committed), "the output of the batches in between is not visible", restore})
	}
	if !there {
		return
	}
	infos, err := out.List(ctx, "")
	if err != nil {
		c.problem(Damage, folder, err, "the output cannot be checked", "make the folder accessible")
		return
	}
	sizes := make(map[string]int64, len(infos))
	for _, i := range infos {
		sizes[i.Name] = i.Size
	}
	for _, f := range files {
		name, err := f.Name(out)
		if err != nil {
			c.problem(Damage, log, err, "readers of the output fail", restore)
			return
		}
		size, ok := sizes[name]
		switch {
		case !ok:
			c.add(Problem{Damage, out.URL(name), "it is missing, though the sink's log lists it", "its rows are lost, and readers of the output fail", "restore the file from a copy"})
		case size != f.Size:
			c.add(Problem{Damage, out.URL(name), fmt.Sprintf("it has %d bytes, and the sink's log says %d", size, f.Size), "its rows are not what was committed", "restore the file from a copy"})
		}
	}
}
