package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
)

const (
	changelogFolder = "changelog/"
	snapshotFolder  = "snapshot/"
)

// changelogName is changelog/<n>.<attempt>.
func changelogName(v statestore.Version) string { return changelogFolder + fileName(v) }

// snapshotName is snapshot/<operator>/<partition>/<store>/<n>.<attempt>.
func snapshotName(id statestore.ID, v statestore.Version) string {
	return fmt.Sprintf("%s%d/%d/%s/%s", snapshotFolder, id.Operator, id.Partition, id.Name, fileName(v))
}

func fileName(v statestore.Version) string { return strconv.FormatInt(v.N, 10) + "." + v.Attempt }

// index is the state files that there are. It is read once; after that the store
// keeps it, as the only writer of the directory.
type index struct {
	changelogs map[statestore.Version]bool
	snapshots  map[statestore.ID]map[statestore.Version]int64 // sizes
	foreign    string                                         // a state file that Spark wrote
}

func listFiles(ctx context.Context, dir objstore.Store) (*index, error) {
	infos, err := dir.List(ctx, "")
	if err != nil {
		return nil, condition.IO(err, "list", dir.URL(""))
	}
	x := &index{changelogs: map[statestore.Version]bool{}, snapshots: map[statestore.ID]map[statestore.Version]int64{}}
	for _, i := range infos {
		if rest, ok := strings.CutPrefix(i.Name, changelogFolder); ok {
			if v, ok := parseFileName(rest); ok {
				x.changelogs[v] = true
			}
		} else if rest, ok := strings.CutPrefix(i.Name, snapshotFolder); ok {
			if id, v, ok := parseSnapshotName(rest); ok {
				x.addSnapshot(id, v, i.Size)
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
