package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// Changes to what a checkpoint knows of its sources, made while the query is stopped. Each
// takes effect with one write, that of the newest offset entry, so that a crash leaves the
// checkpoint as it was or as it is to be. The newest batch must be finished: a batch that is run
// again needs its sources as they were.

var sourceName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// ValidSourceName tells whether a source can have the name.
func ValidSourceName(name string) bool { return sourceName.MatchString(name) }

// NameSources gives the sources of a checkpoint that knows them by position their
// names, in the order of the positions. From then on it is a checkpoint of named sources.
func (d *Dir) NameSources(ctx context.Context, names []string) error {
	r, err := d.finished(ctx)
	if err != nil {
		return err
	}
	entry := *r.Offsets
	if entry.Version != 1 {
		return d.notPossible("its sources have names already: "+strings.Join(sourceNames(entry), ", "), "`vstream checkpoint show` shows them")
	}
	if len(names) != len(entry.Ordered) {
		return d.notPossible(fmt.Sprintf("it has %d sources, and %d names are given", len(entry.Ordered), len(names)), "give a name for each source, in the order in which the query reads them")
	}
	entry.Version, entry.Ordered, entry.Sources = 2, nil, map[string]json.RawMessage{}
	for i, name := range names {
		if !sourceName.MatchString(name) {
			return condition.New("INVALID_STREAMING_SOURCE_NAME", "source_name", name)
		}
		if _, twice := entry.Sources[name]; twice {
			return condition.New("STREAMING_QUERY_EVOLUTION_ERROR.DUPLICATE_SOURCE_NAMES", "names", "'"+name+"'")
		}
		entry.Sources[name] = r.Offsets.Ordered[i]
	}
	for i, name := range names {
		if err := copyAll(ctx, d.SourceStore(strconv.Itoa(i)), d.SourceStore(name)); err != nil {
			return err
		}
	}
	if err := d.replaceNewest(ctx, r, entry); err != nil {
		return err
	}
	for i := range names {
		if err := deleteAll(ctx, d.SourceStore(strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return d.editSpec(ctx, func(s *Spec) {
		s.Sources, s.Removed = names, nil
		kept := s.Facts[:0]
		for _, f := range s.Facts {
			if n, err := strconv.Atoi(strings.TrimPrefix(f.Subject, "source ")); err == nil && n < len(names) {
				f.Subject = "source " + names[n]
			}
			if f.Key != "source.number" {
				kept = append(kept, f)
			}
		}
		s.Facts = kept
	})
}

// ResetSource lets a named source, there or removed, start from its beginning, and gives the
// offset that it had (nil: none is known). Its rows so far stay in the state and in the output.
func (d *Dir) ResetSource(ctx context.Context, name string) (json.RawMessage, error) {
	return d.forget(ctx, name, func(s *Spec) { s.Removed = without(s.Removed, name) })
}

// DropSource forgets a named source, as a run without it does, and its position; it gives
// the offset that it had.
func (d *Dir) DropSource(ctx context.Context, name string) (json.RawMessage, error) {
	return d.forget(ctx, name, func(s *Spec) {
		s.Sources, s.Removed = without(s.Sources, name), append(without(s.Removed, name), name)
	})
}

func (d *Dir) forget(ctx context.Context, name string, edit func(*Spec)) (json.RawMessage, error) {
	r, old, err := d.named(ctx, name)
	if err != nil {
		return nil, err
	}
	entry := withSources(*r.Offsets)
	delete(entry.Sources, name)
	if err := d.replaceNewest(ctx, r, entry); err != nil {
		return nil, err
	}
	if err := deleteAll(ctx, d.SourceStore(name)); err != nil {
		return nil, err
	}
	return old, d.editSpec(ctx, edit)
}

// ReadmitSource lets a source that was removed go on where it was, and gives that offset. It
// fails if the offset log does not reach back so far.
func (d *Dir) ReadmitSource(ctx context.Context, name string) (json.RawMessage, error) {
	r, offset, err := d.named(ctx, name)
	if err != nil {
		return nil, err
	}
	if _, there := r.Offsets.Sources[name]; there {
		return nil, d.notPossible("source "+name+" has not been removed", "nothing needs to be done")
	}
	if offset == nil {
		return nil, d.notPossible("its offset log does not reach back to a batch with source "+name, "use --reset to read the source from its beginning")
	}
	entry := withSources(*r.Offsets)
	entry.Sources[name] = offset
	if err := d.replaceNewest(ctx, r, entry); err != nil {
		return nil, err
	}
	return offset, d.editSpec(ctx, func(s *Spec) {
		s.Removed = without(s.Removed, name)
		if !slices.Contains(s.Sources, name) {
			s.Sources = append(s.Sources, name)
		}
	})
}

// finished is where a query stands that has nothing half done.
func (d *Dir) finished(ctx context.Context) (*Recovery, error) {
	r, err := d.Recover(ctx, true)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Offsets == nil:
		return nil, d.notPossible("nothing has run on it yet", "the query can be started as it is")
	case r.Replay:
		return nil, d.notPossible(fmt.Sprintf("batch %d is planned and not finished", r.Batch), "run the query as it was until that batch is done, and stop it")
	}
	return r, nil
}

// named finds a named source, there or removed, and its newest offset that the log has.
func (d *Dir) named(ctx context.Context, name string) (*Recovery, json.RawMessage, error) {
	r, err := d.finished(ctx)
	if err != nil {
		return nil, nil, err
	}
	if r.Offsets.Version != 2 {
		return nil, nil, d.notPossible("it knows its sources by position", "give them names with --names first")
	}
	batches, err := d.offsets.Batches(ctx)
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, batch := range slices.Backward(batches) {
		entry, _, err := d.offsets.Get(ctx, batch)
		if err != nil {
			return nil, nil, err
		}
		if offset, there := entry.Sources[name]; there {
			return r, offset, nil
		}
		for n := range entry.Sources {
			known[n] = true
		}
	}
	spec, _, err := d.ReadSpec(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range slices.Concat(spec.Sources, spec.Removed) {
		if n == name {
			return r, nil, nil
		}
		known[n] = true
	}
	names := make([]string, 0, len(known))
	for n := range known {
		names = append(names, n)
	}
	slices.Sort(names)
	return nil, nil, d.notPossible("it has never had a source "+name, "its sources are "+strings.Join(names, ", "))
}

func (d *Dir) notPossible(detail, hint string) error {
	return condition.New("VSTREAM_CHECKPOINT_CHANGE_REFUSED", "checkpoint", d.Location(), "detail", detail).WithHint("%s", hint)
}

// replaceNewest writes the newest entry of the offset log anew.
func (d *Dir) replaceNewest(ctx context.Context, r *Recovery, entry OffsetEntry) error {
	return d.offsets.replace(ctx, r.Batch-1, entry)
}

// editSpec changes what the checkpoint says the query was; one that Spark began says nothing.
func (d *Dir) editSpec(ctx context.Context, edit func(*Spec)) error {
	spec, ok, err := d.ReadSpec(ctx)
	if err != nil || !ok {
		return err
	}
	edit(&spec)
	return d.WriteSpec(ctx, spec)
}

// withSources is an entry whose sources may be changed.
func withSources(e OffsetEntry) OffsetEntry {
	sources := make(map[string]json.RawMessage, len(e.Sources)+1)
	for n, o := range e.Sources {
		sources[n] = o
	}
	e.Sources = sources
	return e
}

func sourceNames(e OffsetEntry) []string {
	names := make([]string, 0, len(e.Sources))
	for n := range e.Sources {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

func copyAll(ctx context.Context, from, to objstore.Store) error {
	infos, err := from.List(ctx, "")
	if err != nil {
		return condition.IO(err, "list", from.URL(""))
	}
	for _, i := range infos {
		data, err := from.Get(ctx, i.Name)
		if err != nil {
			return condition.IO(err, "read", from.URL(i.Name))
		}
		if err := to.Put(ctx, i.Name, data); err != nil {
			return condition.IO(err, "write", to.URL(i.Name))
		}
	}
	return nil
}

func deleteAll(ctx context.Context, s objstore.Store) error {
	infos, err := s.List(ctx, "")
	if err != nil {
		return condition.IO(err, "list", s.URL(""))
	}
	for _, i := range infos {
		if err := s.Delete(ctx, i.Name); err != nil {
			return condition.IO(err, "delete", s.URL(i.Name))
		}
	}
	return nil
}
