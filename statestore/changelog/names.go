package changelog

import (
	"fmt"
	"strconv"

	"github.com/vstream/vstream/statestore"
)

// Folders of the state directory.
const (
	ChangelogFolder = "changelog/"
	SnapshotFolder  = "snapshot/"
	PieceFolder     = "piece/"
	IncrementFolder = "increment/"
)

// FileName is the changelog of a version in the state directory: changelog/<n>.<attempt>.
func FileName(v statestore.Version) string { return ChangelogFolder + VersionName(v) }

// SnapshotName is the snapshot of a table at a version:
// snapshot/<operator>/<partition>/<store>/<n>.<attempt>.
func SnapshotName(id statestore.ID, v statestore.Version) string {
	return fmt.Sprintf("%s%d/%d/%s/%s", SnapshotFolder, id.Operator, id.Partition, id.Name, VersionName(v))
}

// PieceName is piece i of n of a snapshot, but for the first, which is the snapshot's own file:
// piece/<operator>/<partition>/<store>/<n>.<attempt>/<pieces>.<i>.
func PieceName(id statestore.ID, v statestore.Version, i, n int) string {
	return fmt.Sprintf("%s%d/%d/%s/%s/%d.%d", PieceFolder, id.Operator, id.Partition, id.Name, VersionName(v), n, i)
}

// IncrementName is the increment of a table that leads to a version:
// increment/<operator>/<partition>/<store>/<n>.<attempt>.
func IncrementName(id statestore.ID, v statestore.Version) string {
	return fmt.Sprintf("%s%d/%d/%s/%s", IncrementFolder, id.Operator, id.Partition, id.Name, VersionName(v))
}

// VersionName is <n>.<attempt>.
func VersionName(v statestore.Version) string { return strconv.FormatInt(v.N, 10) + "." + v.Attempt }
