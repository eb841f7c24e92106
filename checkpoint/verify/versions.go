package verify

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// cause tells why version n of a table cannot be read.
func (s *state) cause(id statestore.ID, n int64) *cause {
	if n == 0 {
		return &cause{}
	}
	v := statestore.Version{N: n, Attempt: s.lineage[n]}
	at := tableVersion{id, v}
	if known := s.causes[at]; known != nil {
		return known
	}
	out := &cause{}
	f := s.changelogs[v]
	err, snapshot := s.snapshots[at]
	base, increment := s.increments[at]
	switch {
	case snapshot && err == nil:
	case increment && s.cause(id, base).file == "":
	case v.Attempt == "" && len(s.attempts[n]) > 1:
		*out = cause{"state/" + changelog.ChangelogFolder + strconv.FormatInt(n, 10) + ".*", fmt.Sprintf("%d attempts wrote this version, and the commit log does not say which one counts", len(s.attempts[n]))}
	case f == nil:
		*out = cause{"state/" + changelog.ChangelogFolder + changelog.VersionName(v), "it is missing"}
	case f.err != nil:
		*out = cause{"state/" + changelog.FileName(v), text(f.err)}
	case f.sections[id] != nil:
		*out = cause{"state/" + changelog.FileName(v), text(f.sections[id])}
	case !f.clears[id]:
		out = s.cause(id, n-1)
	}
	s.causes[at] = out
	return out
}

// tables are the tables that version n has: those of the partitions that its commit names.
func (s *state) tables(n int64, l *logs) []statestore.ID {
	var out []statestore.ID
	for _, op := range s.operators {
		for _, store := range op.Stores {
			partitions := store.NumPartitions
			if commit := l.commits.whole[n-1]; commit != nil && commit.StateIDs != nil {
				partitions = len(commit.StateIDs[op.Operator.ID])
			}
			for p := range partitions {
				out = append(out, statestore.ID{Operator: int(op.Operator.ID), Partition: p, Name: store.Name})
			}
		}
	}
	return out
}

// readable tells whether version n of all tables can be read.
func (s *state) readable(n int64, l *logs) bool {
	if s.foreign != nil {
		return !s.refused && s.foreign.readable(n)
	}
	s.version(n, l)
	for _, id := range s.tables(n, l) {
		if s.cause(id, n).file != "" {
			return false
		}
	}
	return !s.refused
}

// report adds what is wrong with the versions: one problem for each file, with the batches whose
// state cannot be read because of it. next is the batch to be run.
func (s *state) report(c *checker, next int64) {
	if s.foreign != nil {
		s.foreign.report(c, next)
		return
	}
	if len(s.operators) == 0 {
		return
	}
	lost := map[cause][]int64{} // batches
	versions := make([]int64, 0, len(c.logs.commits.ids)+1)
	for _, b := range c.logs.commits.ids {
		versions = append(versions, b+1)
	}
	if next > 0 && !slices.Contains(versions, next) {
		versions = append(versions, next)
	}
	for _, n := range versions {
		for _, id := range s.tables(n, &c.logs) {
			if x := s.cause(id, n); x.file != "" && !slices.Contains(lost[*x], n-1) {
				lost[*x] = append(lost[*x], n-1)
			}
		}
	}
	for v, f := range s.changelogs { // broken, but needed by no batch
		for _, err := range append([]error{f.err}, sectionErrors(f)...) {
			if x := (cause{"state/" + changelog.FileName(v), ""}); err != nil && lost[cause{x.file, text(err)}] == nil {
				lost[cause{x.file, text(err)}] = []int64{}
			}
		}
	}
	causes := slices.Collect(maps.Keys(lost))
	slices.SortFunc(causes, func(a, b cause) int { return strings.Compare(a.file+"\x00"+a.what, b.file+"\x00"+b.what) })
	for _, x := range causes {
		batches := lost[x]
		slices.Sort(batches)
		switch {
		case slices.Contains(batches, next-1):
			c.add(Problem{Fatal, x.file, x.what, "the state after " + batchList(batches) + " cannot be read", "restore the file from a copy" + c.orBack()})
		case len(batches) > 0:
			c.add(Problem{Damage, x.file, x.what, "the state after " + batchList(batches) + " cannot be read; that of the batches to come can", "nothing has to be done, unless an older state is wanted"})
		default:
			c.add(Problem{Damage, x.file, x.what, "nothing, as long as the snapshots after it are whole", "nothing has to be done"})
		}
	}
}

func sectionErrors(f *changelogFile) []error {
	var out []error
	for _, err := range f.sections {
		out = append(out, err)
	}
	return out
}

// batchList names batches in ascending order: "batch 3", "batches 3 to 7".
func batchList(b []int64) string {
	if len(b) == 1 {
		return fmt.Sprint("batch ", b[0])
	}
	return fmt.Sprintf("batches %d to %d", b[0], b[len(b)-1])
}
