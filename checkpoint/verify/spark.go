package verify

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// sparkState is a state directory that Spark wrote. The contents of its files are not known here; their names
// tell which versions there are, and archives have checksums.
type sparkState struct {
	files  int
	tables []sparkTable
	broken map[string]error
}

// sparkTable is the files of one partition of a store: changes (.delta, .changelog) and
// whole versions (.snapshot, .zip).
type sparkTable struct {
	folder         string
	changes, whole map[int64]bool
}

// readSpark reads the state files of Spark's; nil if there are none.
func (c *checker) readSpark(ctx context.Context) *sparkState {
	s := &sparkState{broken: map[string]error{}}
	at := map[string]int{}
	for _, name := range c.below("state/") {
		folder, base := path.Split(name)
		ext := path.Ext(base)
		if strings.HasPrefix(base, ".") || !slices.Contains([]string{".delta", ".changelog", ".snapshot", ".zip"}, ext) {
			continue
		}
		// With state ids, the name is the version and the id of the attempt.
		digits, _, _ := strings.Cut(strings.TrimSuffix(base, ext), "_")
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 1 {
			continue
		}
		i, ok := at[folder]
		if !ok {
			i = len(s.tables)
			at[folder] = i
			s.tables = append(s.tables, sparkTable{folder, map[int64]bool{}, map[int64]bool{}})
		}
		s.files++
		data, err := c.read(ctx, name)
		switch {
		case err != nil:
		case len(data) == 0:
			err = corrupt(name, "it is empty")
		case ext == ".zip":
			err = checkZip(name, data)
		}
		if err != nil {
			s.broken[name] = err
			continue
		}
		if ext == ".delta" || ext == ".changelog" {
			s.tables[i].changes[n] = true
		} else {
			s.tables[i].whole[n] = true
		}
	}
	if s.files == 0 {
		return nil
	}
	return s
}

// checkZip reads an archive, each file of which has a checksum.
func checkZip(name string, data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return corrupt(name, err.Error())
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			err = errors.Join(err, r.Close())
		}
		if err != nil {
			return corrupt(name, f.Name+": "+err.Error())
		}
	}
	return nil
}

// missing is the version without which version n of a table cannot be read, 0 if there is none.
func (t *sparkTable) missing(n int64) int64 {
	for ; n > 0 && !t.whole[n]; n-- {
		if !t.changes[n] {
			return n
		}
	}
	return 0
}

func (s *sparkState) readable(n int64) bool {
	return !slices.ContainsFunc(s.tables, func(t sparkTable) bool { return t.missing(n) > 0 })
}

func (s *sparkState) report(c *checker, next int64) {
	c.add(Problem{Note, "state", fmt.Sprintf("Spark wrote its %d files", s.files), "their contents are not read here, only their names and checksums; vstream goes on with checkpoints of Spark's that have no state",
		"go on with Spark, or start with a new checkpoint"})
	for _, name := range slices.Sorted(maps.Keys(s.broken)) {
		c.problem(Damage, name, s.broken[name], "versions that need it cannot be read", "restore the file from a copy")
	}
	for _, t := range s.tables {
		if n := t.missing(next); n > 0 {
			c.add(Problem{Fatal, t.folder, fmt.Sprintf("it has no whole file of version %d, which batch %d needs", n, next), "the state of this partition cannot be read", "restore the files from a copy" + c.orBack()})
		}
	}
}

func isChecksum(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") && strings.HasSuffix(base, ".crc")
}

// checksums compares the files with the checksums that Hadoop keeps beside them on a local
// file system: "crc", a zero byte, the size of a chunk (4 bytes), and 4 bytes for each chunk, big endian.
func (c *checker) checksums(ctx context.Context) {
	for _, sum := range c.names {
		folder, base := path.Split(sum)
		name := folder + strings.TrimSuffix(strings.TrimPrefix(base, "."), ".crc")
		if !isChecksum(sum) || !c.there(name) {
			continue
		}
		want, err := c.read(ctx, sum)
		if err == nil {
			var data []byte
			if data, err = c.store.Get(ctx, name); err == nil {
				err = compareChecksums(name, data, want)
			}
		}
		if err != nil {
			c.problem(Damage, name, err, "Spark refuses to read it; vstream does not compare these checksums", "restore the file from a copy; if it is as it should be, delete "+sum)
		}
	}
}

func compareChecksums(name string, data, sums []byte) error {
	const head = 8
	if len(sums) < head || string(sums[:4]) != "crc\x00" {
		return corrupt(name, "its checksum file is broken")
	}
	chunk := int(binary.BigEndian.Uint32(sums[4:]))
	if chunk < 1 || len(sums) != head+4*((len(data)+chunk-1)/chunk) {
		return corrupt(name, fmt.Sprintf("it has %d bytes, which does not fit its checksums", len(data)))
	}
	for i := 0; i*chunk < len(data); i++ {
		if crc32.ChecksumIEEE(data[i*chunk:min((i+1)*chunk, len(data))]) != binary.BigEndian.Uint32(sums[head+4*i:]) {
			return corrupt(name, fmt.Sprintf("the checksum of its bytes from %d on is wrong", i*chunk))
		}
	}
	return nil
}
