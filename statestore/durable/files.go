package durable

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

func changelogName(v statestore.Version) string { return changelog.FileName(v) }

func snapshotName(id statestore.ID, v statestore.Version) string {
	return changelog.SnapshotName(id, v)
}

func fileName(v statestore.Version) string { return changelog.VersionName(v) }

// index is the state files that there are. It is read once; after that the store
// keeps it, as the only writer of the directory.
type index struct {
	changelogs map[statestore.Version]int64                   // sizes
	snapshots  map[statestore.ID]map[statestore.Version]int64 // sizes of their own files
	increments map[statestore.ID]map[statestore.Version]bool
	pieces     map[piece]int64 // sizes
	foreign    string          // a state file that Spark wrote
}

// piece is a further piece of a snapshot.
type piece struct {
	id      statestore.ID
	version statestore.Version
	i, n    int
}

func (p piece) name() string { return changelog.PieceName(p.id, p.version, p.i, p.n) }

func parsePieceName(name string) (p piece, ok bool) {
	at := max(0, strings.LastIndex(name, "/"))
	folder, file := name[:at], strings.TrimPrefix(name[at:], "/")
	if p.id, p.version, ok = parseSnapshotName(folder); !ok {
		return p, false
	}
	n, i, _ := strings.Cut(file, ".")
	p.n, _ = strconv.Atoi(n)
	p.i, _ = strconv.Atoi(i)
	return p, p.name() == changelog.PieceFolder+name
}

// removeSnapshot forgets a snapshot and gives the names of its files, the own one first: without
// it the others are nothing.
func (x *index) removeSnapshot(id statestore.ID, v statestore.Version) []string {
	names := []string{snapshotName(id, v)}
	for p := range x.pieces {
		if p.id == id && p.version == v {
			names = append(names, p.name())
			delete(x.pieces, p)
		}
	}
	delete(x.snapshots[id], v)
	return names
}

func listFiles(ctx context.Context, dir objstore.Store) (*index, error) {
	infos, err := dir.List(ctx, "")
	if err != nil {
		return nil, condition.IO(err, "list", dir.URL(""))
	}
	x := &index{
		changelogs: map[statestore.Version]int64{}, snapshots: map[statestore.ID]map[statestore.Version]int64{},
		increments: map[statestore.ID]map[statestore.Version]bool{}, pieces: map[piece]int64{},
	}
	for _, i := range infos {
		if rest, ok := strings.CutPrefix(i.Name, changelog.ChangelogFolder); ok {
			if v, ok := parseFileName(rest); ok {
				x.changelogs[v] = i.Size
			}
		} else if rest, ok := strings.CutPrefix(i.Name, changelog.SnapshotFolder); ok {
			if id, v, ok := parseSnapshotName(rest); ok {
				x.addSnapshot(id, v, i.Size)
			}
		} else if rest, ok := strings.CutPrefix(i.Name, changelog.IncrementFolder); ok {
			if id, v, ok := parseSnapshotName(rest); ok {
				x.addIncrement(id, v)
			}
		} else if rest, ok := strings.CutPrefix(i.Name, changelog.PieceFolder); ok {
			if p, ok := parsePieceName(rest); ok {
				x.pieces[p] = i.Size
			}
		} else if strings.HasSuffix(i.Name, ".delta") || strings.HasSuffix(i.Name, ".zip") || strings.HasSuffix(i.Name, ".changelog") {
			x.foreign = i.Name
		}
	}
	return x, nil
}

func (x *index) addSnapshot(id statestore.ID, v statestore.Version, size int64) {
	if x.snapshots[id] == nil {
		x.snapshots[id] = map[statestore.Version]int64{}
	}
	x.snapshots[id][v] = size
}

func (x *index) addIncrement(id statestore.ID, v statestore.Version) {
	if x.increments[id] == nil {
		x.increments[id] = map[statestore.Version]bool{}
	}
	x.increments[id][v] = true
}

// changelogBytes is the size of the changelogs after version n.
func (x *index) changelogBytes(n int64) (size int64) {
	for v, s := range x.changelogs {
		if v.N > n {
			size += s
		}
	}
	return size
}

// snapshotSize is the size of a snapshot with all its pieces.
func (x *index) snapshotSize(id statestore.ID, v statestore.Version) int64 {
	size := x.snapshots[id][v]
	for p, n := range x.pieces {
		if p.id == id && p.version == v {
			size += n
		}
	}
	return size
}

// attempts are the attempts that wrote version n, of all tables or as a snapshot of one.
func (x *index) attempts(id statestore.ID, n int64) []string {
	var found []string
	add := func(v statestore.Version) {
		if v.N == n && !slices.Contains(found, v.Attempt) {
			found = append(found, v.Attempt)
		}
	}
	for v := range x.changelogs {
		add(v)
	}
	for v := range x.snapshots[id] {
		add(v)
	}
	slices.Sort(found)
	return found
}

func parseFileName(name string) (statestore.Version, bool) {
	digits, attempt, ok := strings.Cut(name, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	v := statestore.Version{N: n, Attempt: attempt}
	return v, ok && err == nil && n > 0 && attempt != "" && fileName(v) == name
}

func parseSnapshotName(name string) (id statestore.ID, v statestore.Version, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 4 {
		return id, v, false
	}
	op, err1 := strconv.Atoi(parts[0])
	partition, err2 := strconv.Atoi(parts[1])
	v, ok = parseFileName(parts[3])
	return statestore.ID{Operator: op, Partition: partition, Name: parts[2]}, v, ok && err1 == nil && err2 == nil
}
