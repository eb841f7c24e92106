package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
)

// unavailable is the condition for version n, which cannot be loaded because of version
// broken. It names the newest batch before that whose state is whole in all tables.
func (s *store) unavailable(ctx context.Context, n, broken int64, cause error) error {
	if errors.Is(cause, condition.Name("VSTREAM_NEWER_FORMAT")) {
		return cause // the file is whole
	}
	resumable := "none"
	for below := broken - 1; below > 0; below-- {
		if s.whole(ctx, below) {
			resumable = fmt.Sprint("batch ", below-1)
			break
		}
	}
	detail := cause.Error()
	var known *condition.Error
	if errors.As(cause, &known) {
		detail = strings.TrimSuffix(known.Message, ".")
	}
	e := condition.New("VSTREAM_STATE_VERSION_UNAVAILABLE", "batch", n-1, "detail", detail, "resumable", resumable).WithCause(cause)
	switch {
	case s.index.foreign != "":
		e = e.WithHint("%s was written by Spark, whose state files cannot be read: start with a new checkpoint", s.dir.URL(s.index.foreign))
	case resumable != "none":
		e = e.WithHint("restore the file from a copy; or remove the entries after %s from offsets/ and commits/ to go on from there, which runs the later batches again", resumable)
	default:
		e = e.WithHint("restore the file from a copy, or start with a new checkpoint")
	}
	return e
}

// whole tells whether all tables can be loaded at version n, under one attempt.
func (s *store) whole(ctx context.Context, n int64) bool {
	s.mu.Lock()
	tables := maps.Clone(s.tables)
	var attempts []string
	for id := range tables {
		attempts = append(attempts, s.index.attempts(id, n)...)
	}
	s.mu.Unlock()
	slices.Sort(attempts)
	ids := sorted(tables)
	for _, a := range slices.Compact(attempts) {
		if !slices.ContainsFunc(ids, func(id statestore.ID) bool {
			_, _, err := s.replay(ctx, id, tables[id].schema, statestore.Version{N: n, Attempt: a}, func(*statestore.Changes) error { return nil })
			return err != nil
		}) {
			return true
		}
	}
	return false
}

// sorted are the tables of m in a fixed order.
func sorted[V any](m map[statestore.ID]V) []statestore.ID {
	return slices.SortedFunc(maps.Keys(m), func(a, b statestore.ID) int {
		return cmp.Or(cmp.Compare(a.Operator, b.Operator), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Name, b.Name))
	})
}
