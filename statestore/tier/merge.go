package tier

import (
	"bytes"
	"encoding/binary"
	"math"
)

// aheadBytes is how much of a file is read at once when all of it is.
const aheadBytes = 256 << 10

// cursor goes through the rows of a run in order.
type cursor struct {
	run   *run
	l     *layout
	next  int    // block to read
	buf   []byte // blocks that were read, from the current one on
	block []byte // what is left of the rows of the current block
	store []byte
	hash  uint64 // of the current row; behindAll at the end
	size  int    // of the current row
}

// behindAll is greater than all hashes, whose lowest bit is 0.
const behindAll = math.MaxUint64

func (c *cursor) row() []byte { return c.block[:c.size] }

func (c *cursor) deleted() bool { return c.block[0]&deletedBit != 0 }

func (c *cursor) key() []byte {
	n, _ := c.l.lengths(c.block)
	return c.block[c.l.head : c.l.head+n]
}

// advance goes to the next row; at first, to the first one.
func (c *cursor) advance() error {
	c.block = c.block[c.size:]
	if len(c.block) == 0 {
		if err := c.nextBlock(); err != nil || c.hash == behindAll {
			return err
		}
	}
	c.hash = binary.LittleEndian.Uint64(c.block) &^ deletedBit
	_, c.size = c.l.lengths(c.block)
	return nil
}

func (c *cursor) nextBlock() error {
	r := c.run
	if c.next == len(r.first) {
		c.hash, c.size = behindAll, 0
		return nil
	}
	if len(c.buf) == 0 {
		to := c.next + 1
		for to < len(r.first) && r.off[to+1]-r.off[c.next] <= aheadBytes {
			to++
		}
		n := int(r.off[to] - r.off[c.next])
		if cap(c.store) < n {
			c.store = make([]byte, max(n, int(min(aheadBytes, r.bytes()))))
		}
		c.buf = c.store[:n]
		if err := r.read(c.buf, r.off[c.next]); err != nil {
			return err
		}
	}
	n := r.off[c.next+1] - r.off[c.next]
	block, err := r.rowsOf(c.buf[:n])
	c.block, c.buf = block, c.buf[n:]
	c.next++
	return err
}

// merged calls fn for the rows of runs in order; of rows with the same key, only for that of
// the earliest run in the list. The row is valid during the call.
func merged(l *layout, runs []*run, fn func(h uint64, row []byte, deleted bool) error) error {
	all := make([]cursor, len(runs))
	for i, r := range runs {
		all[i] = cursor{run: r, l: l}
		if err := all[i].advance(); err != nil {
			return err
		}
	}
	for len(all) > 0 {
		first, same := 0, false // same: another row may have the key, too
		for i := 1; i < len(all); i++ {
			switch h := all[i].hash; {
			case h > all[first].hash:
			case h < all[first].hash:
				first, same = i, false
			default:
				same = true
			}
		}
		h := all[first].hash
		if h == behindAll {
			return nil
		}
		if same {
			for i := first + 1; i < len(all); i++ {
				if all[i].hash == h && bytes.Compare(all[i].key(), all[first].key()) < 0 {
					first = i
				}
			}
		}
		c := &all[first]
		if err := fn(h, c.row(), c.deleted()); err != nil {
			return err
		}
		if same {
			for i := first + 1; i < len(all); i++ {
				if all[i].hash == h && bytes.Equal(all[i].key(), c.key()) {
					if err := all[i].advance(); err != nil {
						return err
					}
				}
			}
		}
		if err := c.advance(); err != nil {
			return err
		}
	}
	return nil
}

// mergeRuns makes one run of several; if there are none behind them, deletions are done with.
func mergeRuns(s *Space, l *layout, runs []*run, last bool) (*run, error) {
	rows := 0
	for _, r := range runs {
		rows += r.rows
		s.release(r.filter) // they go soon, and their memory is for the new one
		r.filter = nil
	}
	w, err := newWriter(s, rows)
	if err != nil {
		return nil, err
	}
	err = merged(l, runs, func(h uint64, row []byte, deleted bool) error {
		if deleted && last {
			return nil
		}
		return w.add(h, row)
	})
	if err != nil {
		return nil, w.abort(err)
	}
	return w.end()
}
