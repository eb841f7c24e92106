package join

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// fetchRows bounds the rows of the tier that are read at a time, so that a key with more rows than
// fit in memory can be joined.
const fetchRows = 1 << 14

// fetch joins a batch of one side with the rows that the other has in the tier.
type fetch struct {
	j     *SymmetricHash
	port  int
	in    *vector.Batch
	out   exec.Emit
	other *side

	rows []uint32 // of the batch, that look for matches
	gid  []uint32 // their keys
	// of the rows to read: times and ids, and those of a key
	times, ids []int64
	from, to   []int
}

// probeCold joins a batch with keys key with the rows that the other side has in the tier.
func (j *SymmetricHash) probeCold(port int, in *vector.Batch, key []arrow.Array, out exec.Emit) error {
	f := &fetch{j: j, port: port, in: in, out: out, other: j.sides[1-port]}
	c := &f.other.cold
	if c.n == 0 {
		return nil
	}
	for i, met := range j.met {
		if j.keys.usable(i) && !(met && j.semiFrom(port)) {
			f.rows = append(f.rows, uint32(i))
		}
	}
	if len(f.rows) < in.Len() {
		key = slices.Clone(key)
		for i, a := range key {
			key[i] = vector.Take(a, f.rows)
		}
	}
	var table *vector.GroupTable
	table, f.gid = c.group(key, len(f.rows))
	defer table.Free()
	n := table.Len()
	found, refs, err := c.refs.Get(c.keyBlock(table, vector.AllGroups(n)))
	if err != nil {
		return err
	}
	f.from, f.to = make([]int, n), make([]int, n)
	for i, g := range found {
		// The newest first, as in memory.
		for b := refsOf(refs, i); len(b) > 0; b = b[:len(b)-refBytes] {
			time, id := ref(b[len(b)-refBytes:])
			if time <= c.bound {
				continue
			}
			if f.from[g] == f.to[g] {
				f.from[g], f.to[g] = len(f.times), len(f.times)
			}
			f.times, f.ids = append(f.times, time), append(f.ids, id)
			if f.to[g]++; len(f.times) == fetchRows {
				if err := f.join(); err != nil {
					return err
				}
			}
		}
	}
	return f.join()
}

// semiFrom tells whether a batch of a side needs one match for each row.
func (j *SymmetricHash) semiFrom(port int) bool { return j.Kind == LeftSemi && port == Left }

// join reads rows and joins the batch with them.
func (f *fetch) join() error {
	if len(f.times) == 0 {
		return nil
	}
	found, values, err := f.other.cold.rows.Get(timesAndIDs(f.times, f.ids))
	if err != nil {
		return err
	}
	read, row, err := f.other.read(f.times, f.ids, found, values)
	if err != nil {
		return err
	}
	if err := f.pair(read, row); err != nil {
		return err
	}
	f.times, f.ids = f.times[:0], f.ids[:0]
	clear(f.from)
	clear(f.to)
	return f.other.metCold(read, f.j.Kind.leaves(f.port == Right))
}

// read are rows that were found in the tier, and of each ref the row, or noRow.
func (s *side) read(times, ids []int64, found []uint32, values statestore.Block) (*side, []uint32, error) {
	row := slices.Repeat([]uint32{noRow}, len(times))
	t, d := make([]int64, len(found)), make([]int64, len(found))
	for i, k := range found {
		row[k] = uint32(i)
		t[i], d[i] = times[k], ids[k]
	}
	b := timesAndIDs(t, d)
	b.Cols = append(b.Cols, values.Cols...)
	out := &side{Side: s.Side, kept: newRows(s.Side), since: len(found)}
	return out, row, out.kept.load(b)
}

const noRow = ^uint32(0)

func timesAndIDs(times, ids []int64) statestore.Block {
	return statestore.Block{Rows: len(times), Cols: []statestore.ColumnData{{Data: bytesOf(times)}, {Data: bytesOf(ids)}}}
}

// pair joins the batch with the rows that were read.
func (f *fetch) pair(read *side, row []uint32) error {
	j, p := f.j, &f.j.pairs
	one := j.semiFrom(f.port)
	full := func() error { return j.joined(f.port, f.in, read, f.out) }
	for i, in := range f.rows {
		for _, r := range row[f.from[f.gid[i]]:f.to[f.gid[i]]] {
			if one && j.met[in] {
				break
			}
			if r == noRow || read.kept.marks[r]&dead != 0 {
				continue
			}
			p.in, p.kept = append(p.in, in), append(p.kept, r)
			if len(p.in) == pairRows {
				if err := p.flush(full); err != nil {
					return err
				}
			}
			if one && j.residual == nil {
				break
			}
		}
	}
	return p.flush(full)
}

// metCold notes which of the rows that were read have got their first match: in the tier, and for
// the state store.
func (s *side) metCold(read *side, leaves bool) error {
	if len(read.dirty) == 0 {
		return nil
	}
	slices.Sort(read.dirty)
	s.noted = append(s.noted, read.noteDirty(leaves))
	if !leaves {
		return s.cold.rows.Write(read.kept.blockOf(read.dirty))
	}
	return s.removeCold(s.noted[len(s.noted)-1], len(read.dirty))
}

// removeCold takes rows, given by the keys of the state store, out of the tier, which has n of them.
func (s *side) removeCold(b statestore.Block, n int) error {
	_, ids, err := keysOf(b)
	if err != nil {
		return err
	}
	if err := s.cold.rows.Delete(statestore.Block{Rows: b.Rows, Cols: b.Cols[:2]}); err != nil {
		return err
	}
	s.cold.n -= n
	keys, err := s.cold.keyColumns(b)
	if err != nil {
		return err
	}
	return s.cold.trim(keys, b.Rows, slices.Sorted(slices.Values(ids)))
}
