package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// state is the state directory: which versions of which tables are whole.
type state struct {
	operators  []checkpoint.OperatorMetadata
	schemas    map[statestore.ID]statestore.Schema // by operator and name, in partition 0
	changelogs map[statestore.Version]*changelogFile
	snapshots  map[tableVersion]error // nil: whole
	increments map[tableVersion]int64 // the version on which each one that is whole builds
	attempts   map[int64][]string     // that wrote each version, sorted
	lineage    map[int64]string       // the attempt of each version that counts
	causes     map[tableVersion]*cause
	foreign    *sparkState // nil: the state is not Spark's
	refused    bool        // the query cannot go on because of what is not in the versions
}

type tableVersion struct {
	id statestore.ID
	v  statestore.Version
}

// changelogFile is a changelog that has been read.
type changelogFile struct {
	head     *changelog.Head
	err      error                   // of the whole file
	sections map[statestore.ID]error // of single sections
	clears   map[statestore.ID]bool
}

// cause says why a version of a table cannot be read; the zero value: it can.
type cause struct{ file, what string }

// readState reads the whole state directory.
func (c *checker) readState(ctx context.Context) *state {
	s := &state{
		schemas: map[statestore.ID]statestore.Schema{}, increments: map[tableVersion]int64{}, changelogs: map[statestore.Version]*changelogFile{}, snapshots: map[tableVersion]error{},
		attempts: map[int64][]string{}, lineage: map[int64]string{}, causes: map[tableVersion]*cause{},
	}
	c.readOperators(ctx, s)
	if s.foreign = c.readSpark(ctx); s.foreign != nil {
		return s
	}
	c.readSchemas(ctx, s)
	snapshots := c.listVersions(s, changelog.SnapshotFolder)
	increments := c.listVersions(s, changelog.IncrementFolder)
	// From the newest version down, because a changelog names the version on which it builds.
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(s.attempts))) {
		v, ok := s.version(n, &c.logs)
		if !ok {
			continue
		}
		if c.there("state/" + changelog.FileName(v)) {
			f := c.readChangelog(ctx, s, v)
			s.changelogs[v] = f
			if f.err == nil && f.head.Base.N > 0 {
				s.lineage[f.head.Base.N] = f.head.Base.Attempt
			}
		}
		for _, id := range snapshots[v] {
			s.snapshots[tableVersion{id, v}] = c.readSnapshot(ctx, s, id, v)
		}
		for _, id := range increments[v] {
			c.readIncrement(ctx, s, id, v)
		}
	}
	return s
}

// readOperators reads the operators' metadata and compares it with the newest commit.
func (c *checker) readOperators(ctx context.Context, s *state) {
	for _, name := range c.below("state/") {
		if !strings.HasSuffix(name, "/_metadata/metadata") {
			continue
		}
		data, err := c.read(ctx, name)
		var op checkpoint.OperatorMetadata
		if err == nil {
			op, err = checkpoint.DecodeOperator(name, data)
		}
		if err != nil {
			s.refused = true
			c.problem(Fatal, name, err, "which operator the state is of is not known", "restore the file from a copy, or start with a new checkpoint")
			continue
		}
		s.operators = append(s.operators, op)
	}
	slices.SortFunc(s.operators, func(a, b checkpoint.OperatorMetadata) int { return int(a.Operator.ID - b.Operator.ID) })
	commit := c.logs.commits.whole[c.logs.commits.newest()]
	if commit == nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(commit.StateIDs)) {
		name := fmt.Sprintf("state/%d/_metadata/metadata", id)
		if !c.there(name) {
			s.refused = true
			c.add(Problem{Fatal, name, "it is missing, though the commit log names the operator", "the state of the operator counts as lost",
				"restore the file from a copy, or start with a new checkpoint"})
		}
	}
}

// readSchemas reads the layout of the tables.
func (c *checker) readSchemas(ctx context.Context, s *state) {
	for _, op := range s.operators {
		for _, store := range op.Stores {
			name := fmt.Sprintf("state/schema/%d/%s.json", op.Operator.ID, store.Name)
			data, err := c.read(ctx, name)
			var schema statestore.Schema
			if err == nil {
				schema, err = statestore.DecodeSchema(name, data)
			}
			if err == nil {
				s.schemas[statestore.ID{Operator: int(op.Operator.ID), Name: store.Name}] = schema
				continue
			}
			if !c.there(name) {
				c.problem(Damage, name, err, "the next start writes it anew without comparing the columns, and until then the state can be neither read by tools nor moved to other partitions",
					"restore the file from a copy, or start the query unchanged")
				continue
			}
			s.refused = true
			c.problem(Fatal, name, err, "the columns of the state are not known", "restore the file from a copy, or delete it and start the query unchanged")
		}
	}
}

// listVersions finds the attempts of each version, and the tables with a file of their own at one in a folder.
func (c *checker) listVersions(s *state, folder string) map[statestore.Version][]statestore.ID {
	tables := map[statestore.Version][]statestore.ID{}
	note := func(v statestore.Version) {
		if !slices.Contains(s.attempts[v.N], v.Attempt) {
			s.attempts[v.N] = append(s.attempts[v.N], v.Attempt)
		}
	}
	for _, name := range c.below("state/" + changelog.ChangelogFolder) {
		if v, ok := versionOf(strings.TrimPrefix(name, "state/"+changelog.ChangelogFolder)); ok {
			note(v)
		}
	}
	for _, name := range c.below("state/" + folder) {
		parts := strings.Split(strings.TrimPrefix(name, "state/"+folder), "/")
		if len(parts) != 4 {
			continue
		}
		op, err1 := strconv.Atoi(parts[0])
		partition, err2 := strconv.Atoi(parts[1])
		if v, ok := versionOf(parts[3]); ok && err1 == nil && err2 == nil {
			note(v)
			tables[v] = append(tables[v], statestore.ID{Operator: op, Partition: partition, Name: parts[2]})
		}
	}
	for n := range s.attempts {
		slices.Sort(s.attempts[n])
	}
	return tables
}

// versionOf reads <n>.<attempt>.
func versionOf(name string) (statestore.Version, bool) {
	digits, attempt, ok := strings.Cut(name, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	v := statestore.Version{N: n, Attempt: attempt}
	return v, ok && err == nil && n > 0 && attempt != "" && changelog.VersionName(v) == name
}

// version is version n with the attempt that counts: by the commit log, by the version that builds on it, or
// because it is the only one.
func (s *state) version(n int64, l *logs) (statestore.Version, bool) {
	attempt := s.lineage[n]
	if commit := l.commits.whole[n-1]; commit != nil {
		if named := firstAttempt(commit); named != "" {
			attempt = named
		}
	}
	if attempt == "" && len(s.attempts[n]) == 1 && n <= l.commits.newest()+1 {
		attempt = s.attempts[n][0]
	}
	if attempt != "" {
		s.lineage[n] = attempt
	}
	return statestore.Version{N: n, Attempt: attempt}, attempt != ""
}

// firstAttempt is the attempt that a commit names; all tables have the same.
func firstAttempt(commit *checkpoint.CommitEntry) string {
	for _, op := range slices.Sorted(maps.Keys(commit.StateIDs)) {
		for _, stores := range commit.StateIDs[op] {
			for _, id := range stores {
				return id
			}
		}
	}
	return ""
}

// readChangelog checks a changelog with all of its sections.
func (c *checker) readChangelog(ctx context.Context, s *state, v statestore.Version) *changelogFile {
	name := "state/" + changelog.FileName(v)
	f := &changelogFile{sections: map[statestore.ID]error{}, clears: map[statestore.ID]bool{}}
	data, err := c.read(ctx, name)
	if err == nil {
		f.head, err = changelog.ReadHead(name, changelog.Changelog, data)
	}
	switch {
	case err != nil:
	case f.head.Version != v:
		err = changelog.Corrupt(name, fmt.Errorf("it is of version %s", changelog.VersionName(f.head.Version)))
	case f.head.Base.N != v.N-1:
		err = changelog.Corrupt(name, fmt.Errorf("it builds on version %d", f.head.Base.N))
	}
	if err != nil {
		f.err = err
		return f
	}
	for _, section := range f.head.Sections {
		f.clears[section.ID] = section.Clears(data)
		if err := s.checkSection(section, name, data); err != nil {
			f.sections[section.ID] = err
		}
	}
	return f
}

// checkSection decodes a section; without a schema only its checksum is compared.
func (s *state) checkSection(section changelog.SectionInfo, name string, data []byte) error {
	schema, ok := s.schemas[statestore.ID{Operator: section.ID.Operator, Name: section.ID.Name}]
	if !ok {
		return section.Check(name, data)
	}
	_, err := section.Read(name, data, schema)
	return err
}

// readSnapshot checks all files of a snapshot.
func (c *checker) readSnapshot(ctx context.Context, s *state, id statestore.ID, v statestore.Version) error {
	pieces := 1
	for i := 0; i < pieces; i++ {
		kind, name := changelog.Snapshot, changelog.SnapshotName(id, v)
		if i > 0 {
			kind, name = changelog.Piece, changelog.PieceName(id, v, i, pieces)
		}
		name = "state/" + name
		data, err := c.read(ctx, name)
		var head *changelog.Head
		if err == nil {
			head, err = changelog.ReadHead(name, kind, data)
		}
		if err == nil {
			section, ok := head.Find(id)
			if !ok || head.Version != v || head.Piece != i || i > 0 && head.Pieces != pieces {
				err = changelog.Corrupt(name, errors.New("it is of another table, version or piece"))
			} else {
				err = s.checkSection(section, name, data)
			}
		}
		if err != nil {
			c.problem(Damage, name, err, "recovery passes over this snapshot and reads an older one and more changelogs", "nothing has to be done: another one is written in time")
			return err
		}
		if i == 0 {
			pieces = head.Pieces
		}
	}
	return nil
}

// readIncrement checks an increment, which does for the changelogs of one table from an older version on.
func (c *checker) readIncrement(ctx context.Context, s *state, id statestore.ID, v statestore.Version) {
	name := "state/" + changelog.IncrementName(id, v)
	data, err := c.read(ctx, name)
	var head *changelog.Head
	if err == nil {
		head, err = changelog.ReadHead(name, changelog.Increment, data)
	}
	if err == nil {
		section, ok := head.Find(id)
		if !ok || head.Version != v || head.Base.N >= v.N {
			err = changelog.Corrupt(name, errors.New("it is of another table or version"))
		} else {
			err = s.checkSection(section, name, data)
		}
	}
	if err != nil {
		c.problem(Damage, name, err, "recovery passes over this increment and reads more changelogs", "nothing has to be done: a snapshot is written in time")
		return
	}
	s.increments[tableVersion{id, v}] = head.Base.N
	if head.Base.N > 0 && s.lineage[head.Base.N] == "" {
		s.lineage[head.Base.N] = head.Base.Attempt
	}
}
