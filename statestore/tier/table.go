package tier

import (
	"fmt"

	"github.com/vstream/vstream/statestore"
)

// Table is a table; it implements statestore.TierTable. It is used by one goroutine at a time.
type Table struct {
	space  *Space
	layout layout
	runs   []*run // the newest first

	encoder encoder
	lookup  lookup
}

// Write puts rows.
func (t *Table) Write(b statestore.Block) error { return t.write(b, toPut) }

// Delete removes keys.
func (t *Table) Delete(keys statestore.Block) error {
	if len(t.runs) == 0 {
		return nil
	}
	return t.write(keys, toDelete)
}

func (t *Table) write(b statestore.Block, purpose int) error {
	if b.Rows == 0 {
		return nil
	}
	w, err := newWriter(t.space, b.Rows)
	if err != nil {
		return err
	}
	buf, refs := t.encoder.encode(&t.layout, b.Cols, b.Rows, purpose)
	for _, x := range refs {
		p := buf[x.at:]
		_, n := t.layout.lengths(p)
		if err := w.add(x.hash, p[:n]); err != nil {
			return w.abort(err)
		}
	}
	r, err := w.end()
	if err != nil {
		return err
	}
	t.runs = append([]*run{r}, t.runs...)
	return t.compact()
}

// mergeRunsAt is the number of runs of similar size that are merged.
const mergeRunsAt = 4

// compact merges the newest runs when there are several of them that are not much smaller than the next one: each
// row is then written a few times only, and at most about as many rows are stale as are not.
func (t *Table) compact() error {
	n, bytes := 0, int64(0)
	for n < len(t.runs) && (n < 2 || t.runs[n].bytes() <= bytes) {
		bytes += t.runs[n].bytes()
		n++
	}
	if n < mergeRunsAt {
		return nil
	}
	r, err := mergeRuns(t.space, &t.layout, t.runs[:n], n == len(t.runs))
	if err != nil {
		return err
	}
	old := t.runs[:n]
	t.runs = t.runs[n:]
	if r != nil {
		t.runs = append([]*run{r}, t.runs...)
	}
	return dropAll(old)
}

func dropAll(runs []*run) error {
	var first error
	for _, r := range runs {
		if err := r.drop(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// DeleteRange removes all rows.
func (t *Table) DeleteRange(r statestore.Range) error {
	if err := onlyAll(r); err != nil {
		return err
	}
	return t.clear()
}

func (t *Table) clear() error {
	old := t.runs
	t.runs = nil
	return dropAll(old)
}

func onlyAll(r statestore.Range) error {
	if r.Kind != statestore.AllRows {
		return fmt.Errorf("tier: range %+v of a table that goes by hash", r)
	}
	return nil
}

// scanBytes bounds the rows of a block of a scan.
const scanBytes = 1 << 20

// Scan gives all rows, in the order of their hashes.
func (t *Table) Scan(r statestore.Range, fn func(statestore.Block) error) (err error) {
	if err := onlyAll(r); err != nil {
		return err
	}
	runs := append([]*run(nil), t.runs...)
	for _, r := range runs {
		r.users++
	}
	defer func() {
		if failed := dropAll(runs); err == nil {
			err = failed
		}
	}()
	l := &t.layout
	var buf []byte
	var keys, values []uint32
	give := func() error {
		if len(keys) == 0 {
			return nil
		}
		nk := l.key.Columns()
		b := statestore.Block{Rows: len(keys), Cols: make([]statestore.ColumnData, nk+l.value.Columns())}
		l.key.Get(buf, keys, b.Cols[:nk])
		l.value.Get(buf, values, b.Cols[nk:])
		buf, keys, values = buf[:0], keys[:0], values[:0]
		return fn(b)
	}
	err = merged(l, runs, func(_ uint64, row []byte, deleted bool) error {
		if deleted {
			return nil
		}
		n, _ := l.lengths(row)
		at := uint32(len(buf) + l.head)
		buf = append(buf, row...)
		keys, values = append(keys, at), append(values, at+uint32(n))
		if len(buf) < scanBytes {
			return nil
		}
		return give()
	})
	if err != nil {
		return err
	}
	return give()
}
